"""The weights of the ranking: see ranking.py and docs/ranking.md.

Written by `make fit DATA=folder` on 2026-11-24 from scenarios, locomo, beam, factconsolidation, poisonedrag.
"""

from __future__ import annotations

BIAS = -2.99
WEIGHTS = {
    "text": 2.35,
    "words": 1.72,
    "order": 2.84,
    "near1": 0.44,
    "near2": 0.39,
    "evidence": 2.60,
    "speaker": 0.85,
    "date": 0.40,
    "asks": -0.28,
    "reply": -0.02,
    "short": -3.24,
    "long": -0.52,
    "trust": 1.40,
    "store": 0.15,
}
