"""Assumes that every write opens the file with "w".

Instead in: published.py
Loses: log/replays-what-was-logged, log/only-ever-adds, log/one-line-of-json-each, assemble/latest-three-episodes,
promote/what-recurs-becomes-a-fact, promote/min-count-times, promote/the-detail-counts, promote/the-stale-is-skipped,
promote/the-promoted-is-served
"""


class MemoryMix:
    def log_episode(self, kind: str, detail: str) -> None:
        record = {"kind": kind, "detail": detail}
        with open(EPISODIC, "w", encoding="utf-8") as f:
            f.write(json.dumps(record) + "\n")
