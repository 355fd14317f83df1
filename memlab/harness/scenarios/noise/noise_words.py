"""The words of a text that count when noise is made.

The list of common words is not that of the reference memory: the noise stays the same when the reference changes its
list. The stemmer is shared.
"""

from __future__ import annotations

import re

from memlab.memory.retrieval.stemmer import stem
from memlab.memory.text import fold

_WORD = re.compile(r"[^\W_]+")
_COMMON = """
a about after again all also am an and any are aren as at be because been before being but by can could did do does
doing don for from get go goes got had has have having he her here hers him his how i if in into is isn it its just
know m may me might must my no not now of off on once only or our ours out over own please re s shall she should so
some still such t tell than that the their them then there these they this those to too up us ve very was wasn we were
what when where which while who whom whose why will with would you your yours
"""
COMMON = frozenset(_COMMON.split())
"""The words that do not count."""


def word_set(text: str) -> frozenset[str]:
    """Return the set of stems of a text's words that count."""
    return frozenset(stem(word) for word in _WORD.findall(fold(text)) if word not in COMMON)
