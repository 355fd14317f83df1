"""The weights of the ranking: see ranking.py and docs/ranking.md.

Written by `make fit DATA=folder` on 2026-11-29 from
scenarios, earlier sets, locomo, beam, factconsolidation, poisonedrag.
"""

from __future__ import annotations

BIAS = -5.53
WEIGHTS = {
    "text": 7.06,
    "phrases": 1.78,
    "speaker": 0.67,
    "date": 1.35,
    "long": -0.70,
    "trust": 1.27,
}
ENCODED = {
    "wordllama": {  # on 2026-11-26 from scenarios, earlier sets, locomo, beam, factconsolidation, poisonedrag
        "bias": -5.84,
        "text": 4.95,
        "phrases": 1.60,
        "speaker": 0.45,
        "date": 1.11,
        "long": -0.49,
        "trust": 1.04,
        "similarity": 4.77,
    },
    "minilm": {  # on 2026-11-26 from scenarios, earlier sets, locomo, beam, factconsolidation, poisonedrag
        "bias": -6.00,
        "text": 4.41,
        "phrases": 1.54,
        "speaker": 0.39,
        "date": 1.01,
        "long": -0.48,
        "trust": 1.12,
        "similarity": 5.83,
    },
}
