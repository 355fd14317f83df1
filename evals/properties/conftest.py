"""How long the laws are attacked: "ci" is short and the same every time, "fuzz" is long and never the same.

`make fuzz` gives the second, with 10,000 examples a law; `make fuzz FUZZ=100000` with more.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

EXAMPLES = 12
STEPS = 15
MACHINES_ARE_SLOW = [HealthCheck.too_slow]

settings.register_profile(
    "ci",
    derandomize=True,
    deadline=None,
    max_examples=EXAMPLES,
    stateful_step_count=STEPS,
    suppress_health_check=MACHINES_ARE_SLOW,
    report_multiple_bugs=False,
)
settings.register_profile(
    "fuzz",
    derandomize=False,
    deadline=None,
    max_examples=int(os.environ.get("FUZZ", "10000")),
    stateful_step_count=2 * STEPS,
    suppress_health_check=MACHINES_ARE_SLOW,
    report_multiple_bugs=False,
    print_blob=True,
)
settings.load_profile("fuzz" if "FUZZ" in os.environ else "ci")
