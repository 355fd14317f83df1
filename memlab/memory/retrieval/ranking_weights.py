"""The weights of the ranking: see ranking.py and docs/ranking.md.

Written by `make fit DATA=folder` on 2026-11-25 from scenarios, locomo, beam, factconsolidation, poisonedrag.
"""

from __future__ import annotations

BIAS = -5.53
WEIGHTS = {
    "text": 2.71,
    "words": 1.82,
    "order": 3.00,
    "near1": 1.30,
    "near2": 0.85,
    "evidence": 2.31,
    "speaker": 0.82,
    "date": 0.47,
    "long": -0.76,
    "trust": 1.48,
}
