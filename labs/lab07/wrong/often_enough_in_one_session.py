"""Three times is three times, on whatever day.

Instead in: solution.py
Loses: trust/two-sessions-are-needed
"""


class MemoryMix:
    def _recurring(self, min_count: int) -> list[tuple[str, int]]:
        counts: dict[str, int] = {}
        for episode in self.episodes():
            if rank(said_by(episode)) > 0:
                counts[episode["detail"]] = counts.get(episode["detail"], 0) + 1
        return [(detail, count) for detail, count in counts.items() if count >= min_count]
