"""The weights of contradiction.py, in the order of its FEATURES.

Written by `make fit DATA=folder` on 2026-11-28 from
scenarios, earlier sets, locomo, beam, factconsolidation, poisonedrag.
"""

from __future__ import annotations

BIAS = -6.61
WEIGHTS = (5.26, 0.89, 7.33, 0.94, 1.78, 1.05, 1.23)
