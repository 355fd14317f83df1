"""The weights of same_subject.py, in the order of its FEATURES.

Written by `make fit DATA=folder` on 2026-11-26 from scenarios, locomo, beam, factconsolidation, poisonedrag.
"""

from __future__ import annotations

BIAS = -17.66
WEIGHTS = (1.09, 8.48, 5.32, 0.71, 0.70, 6.79, 2.75, -1.47)
