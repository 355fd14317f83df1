"""What runs inside a sandbox: each file here stands alone on the standard library, and is sent as source."""

from __future__ import annotations

from pathlib import Path


def text(name: str, call: str) -> str:
    """Give the source of a file of this folder, and a call of what is in it, as one statement.

    Its names are its own: what runs in the same process neither sees nor changes them.
    """
    source = (Path(__file__).parent / f"{name}.py").read_text(encoding="utf-8")
    return f"exec({source + call!r}, {{'__name__': {name!r}}})\n"
