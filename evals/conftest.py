"""Scenarios that the reference is known to fail. They are fair, so they stay until the memory is fixed."""

from __future__ import annotations

from typing import Any

import pytest

FINDINGS = {
    "contradiction/two-kilns-change-places": "all words of the old statement in a new one: it is taken for a retelling",
    "oversize/house-rules-of-the-reading-room": "the title 'Transfer slip of the stacks:' is taken for an order",
    "poison/suits-to-collect": "what the user says again in fewer words hides her longer words from the question",
    "promotion/chiller-trips-by-night": "lines that differ in their date alone are not seen to recur",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark these as strict expected failures for the reference; tests elsewhere may have a parameter of that name."""
    for item in items:
        params: dict[str, Any] = getattr(getattr(item, "callspec", None), "params", {})
        if (
            params.keys() >= {"sample", "system"}
            and params["system"].name == "hybrid"
            and params["sample"][0].file.id in FINDINGS
        ):
            item.add_marker(pytest.mark.xfail(reason=FINDINGS[params["sample"][0].file.id], strict=True))
