"""How pytest runs on a mutant: fast tests first, and Hypothesis does not shrink failing examples."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, settings

settings.register_profile(
    "mutants",
    derandomize=True,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("mutants")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the tests that use Hypothesis last."""
    items.sort(key=lambda item: hasattr(getattr(item, "obj", None), "hypothesis"))
