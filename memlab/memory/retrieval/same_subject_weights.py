"""The weights of same_subject.py, in the order of its FEATURES.

Written by `make fit DATA=folder` on 2026-11-26 from scenarios, locomo, beam, factconsolidation, poisonedrag.
"""

from __future__ import annotations

BIAS = -17.01
WEIGHTS = (0.55, 9.34, 4.04, 0.70, 0.45, 7.34, 3.22, -1.19)
