"""Assumes that a detail from two sessions is true, whatever its source.

Instead in: solution.py
Loses: trust/an-untrusted-source-is-no-evidence, trust/two-sessions-are-needed
"""


class MemoryMix:
    def _recurring_details(self, min_count: int) -> list[tuple[str, int]]:
        sessions: dict[str, list[str | None]] = {}
        for episode in self.episodes():
            sessions.setdefault(episode["detail"], []).append(episode.get("session"))
        recurring = []
        for detail, logged in sessions.items():
            known = {session for session in logged if session is not None}
            if len(logged) >= min_count and len(known) != 1:
                recurring.append((detail, len(logged)))
        return recurring
