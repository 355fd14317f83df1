"""Assumes that a JSON file holds one list, which is read, extended and written back.

Instead in: published.py
Loses: log/only-ever-adds, log/one-line-of-json-each
"""


class MemoryMix:
    def log_episode(self, kind: str, detail: str) -> None:
        episodes = self.episodes()
        episodes.append({"kind": kind, "detail": detail})
        EPISODIC.write_text(json.dumps(episodes), encoding="utf-8")

    def episodes(self) -> list[dict[str, str]]:
        if not EPISODIC.exists():
            return []
        return json.loads(EPISODIC.read_text(encoding="utf-8"))
