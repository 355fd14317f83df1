"""The weights of the ranking: see ranking.py and docs/ranking.md.

Written by `make fit DATA=folder` on 2026-11-25 from scenarios, locomo, beam, factconsolidation, poisonedrag.
"""

from __future__ import annotations

BIAS = -5.44
WEIGHTS = {
    "text": 2.71,
    "words": 1.71,
    "order": 2.92,
    "near1": 1.23,
    "near2": 0.86,
    "evidence": 2.40,
    "speaker": 0.82,
    "date": 0.44,
    "long": -0.78,
    "trust": 1.52,
}
