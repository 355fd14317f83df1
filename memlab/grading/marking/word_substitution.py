"""Replaces content words in a check's inputs by random ones, so that answers cannot be hard-coded.

The checks are public, and some always tell the same story. So each of their content words gets an invented partner for
each grade. The two change places in everything that is sent to the submission, and in everything that it returns.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable

WORDS = """
anchor bake barrel bell bird broom cake candle cargo club coffee compiler crane dock dolphin door engine
evening falcon ferry freeze garden glacier granite green guest hall hammer harbour honest hub island jacket kepler
kettle lantern leaf lockfile manager manual mara meadow meeting mill mirror needle npm nest office orchard
organ package pepper pier pnpm port prefer price quay quick recipe slow smoke stuffed timetable tower tram tree trumpet
violin watch weather widget winter yard yarn zebra zone
"""
"""Content words of the checks. None has a meaning in a lab: no name or line of its interface, no file or folder, rank,
word of an instruction, function word, number or month.
"""
ORIGINALS = frozenset(WORDS.split())
WORD = re.compile(r"""\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[abfnrtv0'"\\])|[A-Za-z]+""")
"""A word, or a letter in an escape sequence of repr or JSON, which is not part of the word after it."""
CONSONANTS, VOWELS, RARE = "bdfgklmnprtvz", "aiou", frozenset("kvz")
"""No s, e or y: an invented word has no English ending. One rare letter in each keeps it from being an English word."""


class WordSubstitution:
    """Word pairs drawn with a seed. Applied twice, the substitution gives the original text.

    A word keeps its length, its capitals and its plural s. Different words stay different.
    """

    def __init__(self, seed: int) -> None:
        rng = random.Random(seed)  # noqa: S311 - the seed is private, and each grade has other words
        self._partner: dict[str, str] = {}
        for word in WORDS.split():
            new = _invent_word(len(word), rng)
            while new in self._partner:
                new = _invent_word(len(word), rng)
            self._partner |= {word: new, new: word}

    def __call__(self, text: str) -> str:
        """Return the text with each word replaced by its partner."""
        return WORD.sub(self._replace, text)

    def list_made_up(self, texts: Iterable[str]) -> tuple[tuple[str, str], ...]:
        """Return the made-up words in some texts, in lower case and in their order, each with its original."""
        found = dict.fromkeys(match[0].lower() for text in texts for match in WORD.finditer(text))
        pairs = ((word, self(word)) for word in found)
        return tuple((word, original) for word, original in pairs if {original, original.removesuffix("s")} & ORIGINALS)

    def _replace(self, match: re.Match[str]) -> str:
        word = match[0]
        lower = word.lower()
        stem = lower.removesuffix("s")
        if (partner := self._partner.get(lower)) is None:
            if (partner := self._partner.get(stem)) is None:
                return word
            partner += lower[len(stem) :]
        return "".join(new.upper() if old.isupper() else new for old, new in zip(word, partner, strict=True))


def _invent_word(length: int, rng: random.Random) -> str:
    """Return a pronounceable word: consonants and vowels in turn."""
    while True:
        first = rng.randrange(2)
        letters = [rng.choice(VOWELS if (at + first) % 2 else CONSONANTS) for at in range(length)]
        if RARE & set(letters):
            return "".join(letters)
