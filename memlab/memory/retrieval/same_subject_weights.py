"""The weights of same_subject.py, in the order of its FEATURES.

Written by `make fit DATA=folder` on 2026-11-26 from scenarios, locomo, beam, factconsolidation, poisonedrag.
"""

from __future__ import annotations

BIAS = -17.02
WEIGHTS = (0.71, 9.39, 4.07, 0.81, 0.38, 7.28, 3.27, -1.17)
