"""Assumes that the log cannot be read after a damaged line.

Instead in: solution.py
Loses: repair/damaged-lines-are-skipped, repair/after-a-torn-line-the-next-is-whole
"""


class MemoryMix:
    def episodes(self) -> list[dict[str, Any]]:
        if not EPISODIC.exists():
            return []
        episodes = []
        for line in EPISODIC.read_bytes().splitlines():
            record = parse_json(line)
            if not is_record(record, "kind", "detail"):
                break
            episodes.append(record)
        return episodes
