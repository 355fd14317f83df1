"""The weights of same_subject.py, in the order of its FEATURES.

Written by `make fit DATA=folder` on 2026-11-26 from scenarios, locomo, beam, factconsolidation, poisonedrag.
"""

from __future__ import annotations

BIAS = -18.00
WEIGHTS = (1.05, 7.70, 5.83, 0.85, 1.01, 7.00, 2.17, -1.62)
