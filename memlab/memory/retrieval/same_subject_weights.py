"""The weights of same_subject.py, in the order of its FEATURES.

Written by `make fit DATA=folder` on 2026-11-26 from scenarios, locomo, beam, factconsolidation, poisonedrag.
"""

from __future__ import annotations

BIAS = -17.98
WEIGHTS = (1.05, 7.69, 5.81, 0.82, 1.02, 6.98, 2.18, -1.63)
