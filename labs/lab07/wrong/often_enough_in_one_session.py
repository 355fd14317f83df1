"""Assumes that three times are enough, even in one session.

Instead in: solution.py
Loses: trust/two-sessions-are-needed
"""


class MemoryMix:
    def _recurring_details(self, min_count: int) -> list[tuple[str, int]]:
        counts: dict[str, int] = {}
        episodes = self.episodes()
        untrusted = {episode["detail"] for episode in episodes if not rank(source_of(episode))}
        for episode in episodes:
            if episode["detail"] not in untrusted or source_of(episode) == "user":
                counts[episode["detail"]] = counts.get(episode["detail"], 0) + 1
        return [(detail, count) for detail, count in counts.items() if count >= min_count]
