"""The weights of same_subject.py, in the order of its FEATURES.

Written by `make fit DATA=folder` on 2026-11-25 from scenarios, locomo, beam, factconsolidation, poisonedrag.
"""

from __future__ import annotations

BIAS = -17.72
WEIGHTS = (1.02, 8.66, 5.20, 1.52, 0.69, 6.88, 2.80, -1.43)
