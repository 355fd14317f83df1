"""Assumes that a stop word is a short word.

Instead in: solution.py
Loses: words/small-words-match-nothing
"""


class MemoryMix:
    def _words(self, text: str) -> set[str]:
        words = re.findall(r"\w+", text.lower())
        return {word.removesuffix("s") for word in words if len(word) > 3}
