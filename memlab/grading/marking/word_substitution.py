"""The words of the laws said in others: what a law tells and asks means the same, and nobody knows it by heart.

The laws are public, and some of them always tell the same story. So each content word of theirs has a partner, invented
for this grade, and the two change places in all that a submission is told, and in all that it gives back.
"""

from __future__ import annotations

import random
import re

WORDS = """
anchor bake barrel bell bird broom cake candle cargo club coffee compiler crane dock dolphin door engine
evening falcon ferry freeze garden glacier granite green guest hall hammer harbour honest hub island jacket kepler
kettle lantern leaf lockfile manager manual mara meadow meeting mill mirror needle npm nest office orchard
organ package pepper pier pnpm port prefer price quay quick recipe slow smoke stuffed timetable tower tram tree trumpet
violin watch weather widget winter yard yarn zebra zone
"""
"""Things that the laws speak of. None of them is a word that a lab gives a meaning: a name or a line of its interface,
a file or a folder, a rank, a word that gives orders, a small word, a number, a month."""
WORD = re.compile(r"""\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[abfnrtv0'"\\])|[A-Za-z]+""")
"""A word, or a letter that is written as an escape, as repr and JSON do: it is no part of the word behind it."""
CONSONANTS, VOWELS, RARE = "bdfgklmnprtvz", "aiou", frozenset("kvz")
"""No s, e or y: an invented word has no English ending. One rare letter in each keeps it from being an English word."""


class WordSubstitution:
    """Words that change places, drawn by a seed; to say a text twice gives the text itself.

    A word keeps its length, its capitals, and the s of its plural. Two words that differ still do.
    """

    def __init__(self, seed: int) -> None:
        chance = random.Random(seed)  # noqa: S311 - the seed is private, and the words are used for one grade
        self._partner: dict[str, str] = {}
        for word in WORDS.split():
            new = _invent_word(len(word), chance)
            while new in self._partner:
                new = _invent_word(len(word), chance)
            self._partner |= {word: new, new: word}

    def __call__(self, text: str) -> str:
        """Say a text in this dialect, or a text of this dialect in plain words."""
        return WORD.sub(self._replace, text)

    def _replace(self, found: re.Match[str]) -> str:
        word = found[0]
        lower = word.lower()
        stem = lower.removesuffix("s")
        if (partner := self._partner.get(lower)) is None:
            if (partner := self._partner.get(stem)) is None:
                return word
            partner += lower[len(stem) :]
        return "".join(new.upper() if old.isupper() else new for old, new in zip(word, partner, strict=True))


def _invent_word(length: int, chance: random.Random) -> str:
    """Make a word that can be spoken: consonants and vowels in turn."""
    while True:
        first = chance.randrange(2)
        letters = [chance.choice(VOWELS if (at + first) % 2 else CONSONANTS) for at in range(length)]
        if RARE & set(letters):
            return "".join(letters)
