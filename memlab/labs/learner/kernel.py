"""Access to IPython in a notebook: the cells that were run, and the display of pictures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memlab.labs.pictures.drawings import WIDTH, Picture

PIXELS = int(100 * WIDTH)


def shell() -> Any:  # noqa: ANN401 - IPython is there in a notebook only
    """Return the running IPython shell; None in plain Python."""
    try:
        from IPython import get_ipython  # noqa: PLC0415 - only there in a notebook
    except ModuleNotFoundError:
        return None
    return get_ipython()


def executed_cells(since: int = 0) -> list[str] | None:
    """Return the cells that were run after the first `since`, as typed; None outside a notebook."""
    running = shell()
    return None if running is None else list(running.history_manager.input_hist_raw)[since:]


def show(picture: Picture, place: Path) -> Iterator[str]:
    """Show a picture in the notebook; in plain Python save it and say where."""
    if shell() is None:
        place.write_bytes(picture.png())
        yield f"{picture.words} The picture is {place}."
        return
    from IPython.display import Image, display  # noqa: PLC0415 - only there in a notebook

    display(Image(data=picture.png(), width=PIXELS, alt=picture.words))  # type: ignore[no-untyped-call]
