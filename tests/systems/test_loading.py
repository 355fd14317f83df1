from collections.abc import Callable
from pathlib import Path

import pytest

from memlab.systems.answers import SystemFailed, texts_of
from memlab.systems.child.system import from_path
from memlab.terms import MemorySystem, Workspace

Make = Callable[..., MemorySystem]
RECALLS = """
{head}
class Mine:
    def observe(self, event): pass
    def recall(self, query, k=5): return [{answer}]
"""


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("class Mine:\n    pass", "has no observe(event)"),
        ("class Mine:\n    def observe(self, event): pass", "has no recall(query, k) or assemble(task, budget)"),
        ("import no_such_module\nclass Mine: pass", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("class Mine:\n    def __init__(self, a, b): pass", "raised TypeError"),
        ("Mine = 5", "is an object of type int. Name its class, or a function that makes one."),
        (
            "class Mine:\n    cannot = ('dream',)\n    def observe(self, e): pass\n    def recall(self, q, k): pass",
            "lists 'dream', expected a tuple of 'recall', 'assemble', 'erase'",
        ),
        ("class Mine:\n    def __init__(self): raise OSError('disk')", "raised OSError: disk"),
    ],
)
def test_a_file_that_does_not_load_says_why(submit: Make, source: str, says: str) -> None:
    with pytest.raises(SystemFailed) as caught:
        submit(source)
    assert says in str(caught.value)


def test_a_file_that_ends_its_process_while_it_loads_says_so(submit: Make) -> None:
    with pytest.raises(SystemFailed, match=r"loading of '.*mine.py:Mine' ended Python itself \(exit code 0\)"):
        submit("import os\nos._exit(0)\nclass Mine: pass")


def test_an_import_that_never_ends_is_ended_at_the_limit(submit: Make) -> None:
    with pytest.raises(SystemFailed, match=r"loading of .* did not return within 0.3 s"):
        submit("class Mine: pass\nwhile True: pass", limit=0.3)


def test_a_helper_module_beside_the_file_is_found(submit: Make, tmp_path: Path) -> None:
    (tmp_path / "beside_mine.py").write_text("WORD = 'found'", encoding="utf-8")
    system = submit(RECALLS.format(head="import beside_mine", answer="beside_mine.WORD"))
    assert texts_of("m", system.recall("q"), 5)[0] == ("found",)


def test_a_new_process_is_a_new_module_and_an_edited_file_is_read_again(submit: Make) -> None:
    source = RECALLS.format(head="COUNT = []", answer="COUNT.append(1) or str(len(COUNT))")
    for _ in range(2):
        assert texts_of("m", submit(source).recall("q"), 5)[0] == ("1",)
    edited = source.replace("COUNT.append(1) or str(len(COUNT))", "'edited now'")
    assert texts_of("m", submit(edited).recall("q"), 5)[0] == ("edited now",)


def test_a_file_in_a_package_may_import_its_siblings(tmp_path: Path, workspace: Workspace) -> None:
    inner = tmp_path / "my_agent" / "memory"
    inner.mkdir(parents=True)
    for folder in (inner, inner.parent):
        (folder / "__init__.py").touch()
    (inner.parent / "words.py").write_text("WORD = 'found'", encoding="utf-8")
    source = RECALLS.format(head="from ..words import WORD", answer="WORD, __name__")
    (inner / "mine.py").write_text(source, encoding="utf-8")
    system = from_path(f"{inner / 'mine.py'}:Mine").build(workspace)
    assert texts_of("m", system.recall("q"), 5)[0] == ("found", "my_agent.memory.mine")
