"""The weights of the ranking: see ranking.py and docs/ranking.md.

Written by `make fit DATA=folder` on 2026-11-26 from scenarios, locomo, beam, factconsolidation, poisonedrag.
"""

from __future__ import annotations

BIAS = -5.51
WEIGHTS = {
    "text": 3.17,
    "words": 1.94,
    "order": 2.82,
    "evidence": 2.49,
    "speaker": 0.65,
    "date": 1.09,
    "long": -0.67,
    "trust": 1.50,
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
