"""Assumes that the last line of a log always ends with a line break.

Instead in: solution.py
Loses: repair/after-a-torn-line-the-next-is-whole
"""


class MemoryMix:
    def log_episode(self, kind: str, detail: str, *, source: str = "user", session: str | None = None) -> None:
        record = {"kind": kind, "detail": detail, "source": source, "session": session}
        with EPISODIC.open("a", encoding="utf-8") as log:
            log.write(json.dumps(record) + "\n")
