"""Number of examples for each property: few and deterministic in CI, many and random with `make fuzz`.

`make fuzz` runs 10,000 examples for each property, `make fuzz FUZZ=100000` runs 100,000.
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
property_settings = FUZZ if "FUZZ" in os.environ else CI
cheap_settings = settings(property_settings, max_examples=5 * property_settings.max_examples)
"""For properties that hardly use the disk: five times the examples take no longer than other properties."""
