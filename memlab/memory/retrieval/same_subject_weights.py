"""The weights of same_subject.py, in the order of its FEATURES.

Written by `make fit DATA=folder` on 2026-11-26 from scenarios, locomo, beam, factconsolidation, poisonedrag.
"""

from __future__ import annotations

BIAS = -17.00
WEIGHTS = (0.74, 9.47, 3.91, 0.83, 0.40, 7.27, 3.27, -1.16)
