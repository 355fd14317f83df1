"""Assumes that the newest episode comes first.

Instead in: published.py
Loses: log/replays-what-was-logged, log/only-ever-adds, assemble/latest-three-episodes
"""


class MemoryMix:
    def episodes(self) -> list[dict[str, str]]:
        episodes: list[dict[str, str]] = []
        if EPISODIC.exists():
            for line in EPISODIC.read_text(encoding="utf-8").splitlines():
                episodes.insert(0, json.loads(line))
        return episodes
