"""The weights of the ranking: see ranking.py and docs/ranking.md.

Written by `make fit DATA=folder` on 2026-11-26 from scenarios, locomo, beam, factconsolidation, poisonedrag.
"""

from __future__ import annotations

BIAS = -5.76
WEIGHTS = {
    "text": 4.47,
    "words": 2.00,
    "order": 3.12,
    "evidence": 0.88,
    "speaker": 0.67,
    "date": 1.45,
    "long": -0.70,
    "trust": 1.48,
}
ENCODED = {
    "wordllama": {  # on 2026-11-26 from scenarios, locomo, beam, factconsolidation, poisonedrag
        "bias": -6.14,
        "text": 3.45,
        "words": 1.44,
        "order": 2.65,
        "evidence": 0.63,
        "speaker": 0.49,
        "date": 1.26,
        "long": -0.53,
        "trust": 1.25,
        "similarity": 4.20,
    },
    "minilm": {  # on 2026-11-26 from scenarios, locomo, beam, factconsolidation, poisonedrag
        "bias": -6.17,
        "text": 3.07,
        "words": 1.39,
        "order": 2.58,
        "evidence": 0.47,
        "speaker": 0.43,
        "date": 1.15,
        "long": -0.52,
        "trust": 1.32,
        "similarity": 5.23,
    },
}
