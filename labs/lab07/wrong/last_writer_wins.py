"""Assumes that the last write is right, whatever its source.

Instead in: solution.py
Loses: trust/a-lower-rank-never-overwrites, trust/what-tells-no-source-is-the-users,
trust/what-was-promoted-is-the-agents
"""


class MemoryMix:
    def _check_rank(self, name: str, old: dict[str, Any], new: dict[str, Any]) -> None:
        pass
