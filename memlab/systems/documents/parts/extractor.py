"""The extractor rules-v1: which sentences of a message are worth remembering, by rules in place of a model."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from memlab.memory.heuristics.injection import is_instruction
from memlab.models.extraction import Candidate

FEWEST_WORDS = 4
"""[m] A shorter sentence states no fact."""
HIGH, USUAL, LOW = 0.9, 0.5, 0.3
"""[m] Importance of a fact with a strong word, number or path; of any other; of a guess."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_GREETING = re.compile(r"(?i)(hi|hello|hey|dear|good (morning|afternoon|evening|day)|thanks|thank you|cheers)\b")
_ONE_OFF = re.compile(r"(?i)\b(today|tonight|right now|this time|for now|just once)\b")
_STRONG = re.compile(r"(?i)\b(always|never|must|prefers?|preferred)\b|\d|\w/\w|/\w|\w\.[a-z]{2,4}\b")
_GUESS = re.compile(r"(?i)\b(maybe|i think|probably)\b")
_MY, _I = re.compile(r"(?i)\bmy\b"), re.compile(r"^I ")


@lru_cache(maxsize=8192)
def extract_facts(text: str) -> tuple[Candidate, ...]:
    """Return the facts in a message: no small talk, no one-off details, no instructions, no questions."""
    return tuple(
        Candidate(third_person(one), one, importance(one)) for one in sentences(text) if _is_worth_keeping(one)
    )


def importance(text: str) -> float:
    """Return how important a statement is, in [0, 1]."""
    if _STRONG.search(text):
        return HIGH
    return LOW if _GUESS.search(text) else USUAL


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, each as it stands in it."""
    return [one for part in _SENTENCE.split(text) if (one := part.strip())]


def third_person(sentence: str) -> str:
    """Return what a user says about himself as said by somebody else: "I deploy" becomes "User deploy"."""
    return _MY.sub("the user's", _I.sub("User ", sentence))


def verbatim(candidates: Iterable[Candidate], transcript: str) -> list[Candidate]:
    """Return the candidates whose quote stands in the transcript; an empty quote does not."""
    return [one for one in candidates if one.quote.strip() and one.quote in transcript]


def _is_worth_keeping(sentence: str) -> bool:
    if len(sentence.split()) < FEWEST_WORDS or sentence.endswith("?"):
        return False
    return not (_GREETING.match(sentence) or _ONE_OFF.search(sentence) or is_instruction(sentence))
