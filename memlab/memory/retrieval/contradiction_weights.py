"""The weights of contradiction.py, in the order of its FEATURES.

Written by `make fit DATA=folder` on 2026-11-29 from
scenarios, earlier sets, locomo, beam, factconsolidation, poisonedrag.
"""

from __future__ import annotations

BIAS = -6.61
WEIGHTS = (5.18, 1.22, 7.41, 0.93, 1.88, 1.00, 1.30)
