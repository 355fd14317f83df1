"""Assumes that every instruction contains ignore, always or never.

Instead in: solution.py
Loses: trust/a-strangers-orders-are-not-served
"""


class MemoryMix:
    def _is_servable(self, record: dict[str, Any], text: str) -> bool:
        if rank(source_of(record)) > 0:
            return True
        words = re.findall(r"\w+", text.lower())
        return not any(word in words for word in ("ignore", "always", "never"))
