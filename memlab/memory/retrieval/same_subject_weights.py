"""The weights of same_subject.py, in the order of its FEATURES.

Written by `make fit DATA=folder` on 2026-11-25 from scenarios, locomo, beam, factconsolidation, poisonedrag.
"""

from __future__ import annotations

BIAS = -18.22
WEIGHTS = (1.51, 8.55, 5.49, 1.55, 0.95, 6.84, 2.75, -1.43)
