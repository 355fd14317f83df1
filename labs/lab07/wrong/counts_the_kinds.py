"""Assumes that promotion counts kinds of episodes: three deploys are one recurring fact.

Instead in: published.py
Loses: promote/the-detail-counts
"""


class MemoryMix:
    def promote_recurring(self, min_count: int = 2) -> list[tuple[str, str, int]]:
        kinds = [episode["kind"] for episode in self.episodes()]
        promoted = []
        done = set()
        for episode in self.episodes():
            kind, detail = episode["kind"], episode["detail"]
            if kinds.count(kind) < min_count or detail in done:
                continue
            done.add(detail)
            ok, problems = self._verify_fresh(detail)
            if not ok:
                print(f"SKIP (stale, not promoted): {detail}")
                for problem in problems:
                    print(f"  - {problem}")
                continue
            name = f"learned-{abs(hash(detail)) % 10000}"
            self.write_fact(name, "learned from repeated episodes", detail)
            promoted.append((name, detail, kinds.count(kind)))
        return promoted
