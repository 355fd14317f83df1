"""Assumes that a skipped detail needs no message.

Instead in: published.py
Loses: promote/the-stale-is-skipped
"""


class MemoryMix:
    def promote_recurring(self, min_count: int = 2) -> list[tuple[str, str, int]]:
        counts: dict[str, int] = {}
        for episode in self.episodes():
            detail = episode["detail"]
            counts[detail] = counts.get(detail, 0) + 1
        promoted = []
        for detail, count in counts.items():
            if count >= min_count:
                ok, _ = self._verify_fresh(detail)
                if not ok:
                    continue
                name = f"learned-{abs(hash(detail)) % 10000}"
                self.write_fact(name, "learned from repeated episodes", detail)
                promoted.append((name, detail, count))
        return promoted
