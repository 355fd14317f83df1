"""Assumes that a detail from two sessions is true, whatever its source.

Instead in: solution.py
Loses: trust/a-stranger-teaches-nothing, trust/two-sessions-are-needed
"""


class MemoryMix:
    def _recurring(self, min_count: int) -> list[tuple[str, int]]:
        sessions: dict[str, list[str | None]] = {}
        for episode in self.episodes():
            sessions.setdefault(episode["detail"], []).append(episode.get("session"))
        recurring = []
        for detail, told in sessions.items():
            known = {session for session in told if session is not None}
            if len(told) >= min_count and len(known) != 1:
                recurring.append((detail, len(told)))
        return recurring
