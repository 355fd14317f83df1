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
    "minilm": {  # on 2026-11-26 from scenarios, locomo, beam, factconsolidation, poisonedrag
        "bias": -6.04,
        "text": 2.34,
        "words": 1.22,
        "order": 2.37,
        "evidence": 1.77,
        "speaker": 0.43,
        "date": 1.52,
        "long": -0.54,
        "trust": 1.35,
        "similarity": 5.02,
    },
    "wordllama": {  # on 2026-11-26 from scenarios, locomo, beam, factconsolidation, poisonedrag
        "bias": -5.97,
        "text": 2.64,
        "words": 1.33,
        "order": 2.41,
        "evidence": 1.96,
        "speaker": 0.49,
        "date": 1.53,
        "long": -0.54,
        "trust": 1.28,
        "similarity": 3.98,
    },
}
