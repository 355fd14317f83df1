"""The IPython that runs a notebook: the cells that were run in it, and pictures shown in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memlab.labs.pictures.drawings import WIDTH, Picture

PIXELS = int(100 * WIDTH)


def shell() -> Any:  # noqa: ANN401 - IPython is there in a notebook only
    """Give the IPython that runs us; None where it is a plain Python."""
    try:
        from IPython import get_ipython  # noqa: PLC0415 - only there in a notebook
    except ModuleNotFoundError:
        return None
    return get_ipython()


def executed(since: int = 0) -> list[str] | None:
    """Give the cells that were run since so many were, as they were typed; None outside a notebook."""
    running = shell()
    return None if running is None else list(running.history_manager.input_hist_raw)[since:]


def show(picture: Picture, place: Path) -> Iterator[str]:
    """Show a picture in the notebook; in a plain Python save it at a place, and say so."""
    if shell() is None:
        place.write_bytes(picture.png())
        yield f"{picture.words} The picture is {place}."
        return
    from IPython.display import Image, display  # noqa: PLC0415 - only there in a notebook

    display(Image(data=picture.png(), width=PIXELS, alt=picture.words))  # type: ignore[no-untyped-call]
