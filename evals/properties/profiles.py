"""How long the laws are attacked: in CI shortly and alike every time, by `make fuzz` at length and never alike.

`make fuzz` gives every law 10,000 examples, `make fuzz FUZZ=100000` so many more.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

CI = settings(
    derandomize=True,
    deadline=None,
    max_examples=12,
    stateful_step_count=15,
    suppress_health_check=[HealthCheck.too_slow],
    report_multiple_bugs=False,
)
FUZZ = settings(
    CI,
    derandomize=False,
    max_examples=int(os.environ.get("FUZZ", "10000")),
    stateful_step_count=30,
    print_blob=True,
)
law = FUZZ if "FUZZ" in os.environ else CI
cheap = settings(law, max_examples=5 * law.max_examples)
"""For laws that hardly touch the disk: five times the examples take no longer than another law."""
