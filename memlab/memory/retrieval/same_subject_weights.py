"""The weights of same_subject.py, in the order of its FEATURES.

Written by `make fit DATA=folder` on 2026-11-28 from
scenarios, earlier sets, locomo, beam, factconsolidation, poisonedrag.
"""

from __future__ import annotations

BIAS = -6.24
WEIGHTS = (6.90, 0.83, 5.83, 1.00, 1.63, 1.67)
