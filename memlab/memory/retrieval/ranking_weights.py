"""The weights of the ranking: see ranking.py and docs/ranking.md.

Written by `make fit DATA=folder` on 2026-11-26 from scenarios, locomo, beam, factconsolidation, poisonedrag.
"""

from __future__ import annotations

BIAS = -5.53
WEIGHTS = {
    "text": 3.17,
    "words": 1.92,
    "order": 2.83,
    "evidence": 2.56,
    "speaker": 0.66,
    "date": 1.79,
    "long": -0.70,
    "trust": 1.50,
}
