"""The weights of contradiction.py, in the order of its FEATURES.

Written by `make fit DATA=folder` on 2026-11-28 from
scenarios, earlier sets, locomo, beam, factconsolidation, poisonedrag.
"""

from __future__ import annotations

BIAS = -6.56
WEIGHTS = (5.22, 0.89, 7.31, 0.95, 1.78, 1.09, 1.22)
