"""The weights of same_subject.py, in the order of its FEATURES.

Written by `make fit DATA=folder` on 2026-11-28 from
scenarios, earlier sets, locomo, beam, factconsolidation, poisonedrag.
"""

from __future__ import annotations

BIAS = -6.25
WEIGHTS = (6.87, 0.90, 5.88, 1.00, 1.65, 1.66)
