"""The weights of the ranking: see ranking.py and docs/ranking.md.

Written by `make fit DATA=folder` on 2026-11-26 from
scenarios, earlier sets, locomo, beam, factconsolidation, poisonedrag.
"""

from __future__ import annotations

BIAS = -5.49
WEIGHTS = {
    "text": 7.08,
    "phrases": 1.80,
    "speaker": 0.65,
    "date": 1.38,
    "long": -0.68,
    "trust": 1.25,
}
ENCODED = {
    "wordllama": {  # on 2026-11-26 from scenarios, earlier sets, locomo, beam, factconsolidation, poisonedrag
        "bias": -5.85,
        "text": 4.98,
        "phrases": 1.58,
        "speaker": 0.44,
        "date": 1.11,
        "long": -0.49,
        "trust": 1.05,
        "similarity": 4.79,
    },
    "minilm": {  # on 2026-11-26 from scenarios, locomo, beam, factconsolidation, poisonedrag
        "bias": -6.17,
        "text": 3.07,
        "phrases": 1.0,
        "speaker": 0.43,
        "date": 1.15,
        "long": -0.52,
        "trust": 1.32,
        "similarity": 5.23,
    },
}
