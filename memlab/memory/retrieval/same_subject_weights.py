"""The weights of same_subject.py, in the order of its FEATURES.

Written by `make fit DATA=folder` on 2026-11-26 from
scenarios, earlier sets, locomo, beam, factconsolidation, poisonedrag.
"""

from __future__ import annotations

BIAS = -5.05
WEIGHTS = (6.71, 0.87, 5.92, 1.15, 1.71, 1.55)
