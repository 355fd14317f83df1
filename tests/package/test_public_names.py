"""`import memlab` gives these names; each is imported when it is used, and has an example that is executed."""

from __future__ import annotations

import doctest
import inspect
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import memlab

NAMES = [
    *("Event", "Memory", "MemoryMix", "MemorySystem", "Refused", "Result", "Results", "Workspace"),
    *("compare", "lines_of", "list_systems", "open_lab", "play", "read", "scenarios", "show"),
]


def test_these_are_the_public_names() -> None:
    assert memlab.__all__ == NAMES
    assert set(NAMES) <= set(dir(memlab))
    assert not [name for name in NAMES if getattr(memlab, name).__name__ != name]


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_has_an_example_that_gives_what_it_shows(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = inspect.getdoc(getattr(memlab, name)) or ""
    example = doctest.DocTestParser().get_doctest(text, {"memlab": memlab}, name, None, 0)
    assert example.examples
    wrong: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an example has a class that is not in a sandbox
        doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(example, out=wrong.append)
    assert not wrong, "".join(wrong)


def test_importing_memlab_imports_nothing_else_of_it() -> None:
    code = "import sys, memlab; print([name for name in sys.modules if name.startswith('memlab.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['memlab.version']\n"


def test_an_unknown_name_lists_the_public_ones() -> None:
    with pytest.raises(AttributeError, match=r"has no attribute 'comprae'\. Public names: Event, "):
        memlab.comprae  # noqa: B018 - the name is wrong on purpose
