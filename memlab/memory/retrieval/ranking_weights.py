"""The weights of the ranking: see ranking.py and docs/ranking.md.

Written by `make fit DATA=folder` on 2026-11-26 from scenarios, locomo, beam, factconsolidation, poisonedrag.
"""

from __future__ import annotations

BIAS = -5.40
WEIGHTS = {
    "text": 2.65,
    "words": 1.76,
    "order": 2.97,
    "near1": 1.26,
    "near2": 0.86,
    "evidence": 2.31,
    "speaker": 0.80,
    "date": 0.45,
    "long": -0.78,
    "trust": 1.51,
}
