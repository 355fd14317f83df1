"""What the reference is known to fail. Each scenario is fair, so it stays, and fails until the memory is mended."""

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
    """Expect the reference to fail these, and complain once it does not."""
    for item in items:
        asked: dict[str, Any] = getattr(getattr(item, "callspec", None), "params", {})
        if "sample" in asked and asked["system"].name == "hybrid" and asked["sample"][0].file.id in FINDINGS:
            item.add_marker(pytest.mark.xfail(reason=FINDINGS[asked["sample"][0].file.id], strict=True))
