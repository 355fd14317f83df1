"""Assumes that the count is final as soon as min_count is reached.

Instead in: published.py
Loses: promote/min-count-times
"""


class MemoryMix:
    def promote_recurring(self, min_count: int = 2) -> list[tuple[str, str, int]]:
        counts: dict[str, int] = {}
        promoted = []
        for episode in self.episodes():
            detail = episode["detail"]
            counts[detail] = counts.get(detail, 0) + 1
            if counts[detail] != min_count:
                continue
            ok, problems = self._verify_fresh(detail)
            if ok:
                name = f"learned-{abs(hash(detail)) % 10000}"
                self.write_fact(name, "learned from repeated episodes", detail)
                promoted.append((name, detail, counts[detail]))
            else:
                print(f"SKIP (stale, not promoted): {detail}")
                for problem in problems:
                    print(f"  - {problem}")
        return promoted
