"""The weights of contradiction.py, in the order of its FEATURES.

Written by `make fit DATA=folder` on 2026-11-28 from
scenarios, earlier sets, locomo, beam, factconsolidation, poisonedrag.
"""

from __future__ import annotations

BIAS = -6.50
WEIGHTS = (5.19, 1.00, 7.27, 0.95, 1.72, 1.09, 1.29)
