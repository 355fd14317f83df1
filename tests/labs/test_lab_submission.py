"""What may be handed in, and what becomes of it: files, notebooks, cells that were run, and what is none of these."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from memlab.labs.learner.submission import LARGEST_FILE, LARGEST_NOTEBOOK, NotHandedIn, from_cells, student_file

WRITE = "# lab06: write\ndef write_memory():\n    return 1"
RECALL = "# lab06: recall\ndef recall():\n    return 2"
HELPER = "# lab06: my-helper\nWORD = re.compile('x')"
IMPORTS = "# lab06: imports\nfrom __future__ import annotations\n\nimport re"
TO_MEND = "# lab06: trust\ndef write_memory():\n    raise NotImplementedError(\"step 'trust'\")"
LABELS = ["imports", "write", "recall", "trust"]


def notebook(folder: Path, *cells: object, name: str = "mine.ipynb") -> Path:
    """Write a notebook of these cells; a text stands for a code cell."""
    made = [{"cell_type": "code", "source": cell} if isinstance(cell, str) else cell for cell in cells]
    path = folder / name
    path.write_text(json.dumps({"nbformat": 4, "cells": made}), encoding="utf-8")
    return path


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line]


def run(text: str) -> dict[str, object]:
    names: dict[str, object] = {}
    exec(compile(text, "handed in", "exec", dont_inherit=True), names)  # noqa: S102 - it is written above
    return names


def test_a_file_is_submitted_byte_for_byte(tmp_path: Path) -> None:
    path, other = tmp_path / "mine.py", tmp_path / "other.py"
    path.write_bytes(b"\xef\xbb\xbfx = 1\r\ny = '\xc3\xa9'\r\n")
    other.write_text(student_file(path), encoding="utf-8", newline="")
    assert other.read_bytes() == path.read_bytes()


def test_the_tagged_code_cells_of_a_notebook_are_submitted_in_their_order(tmp_path: Path) -> None:
    prose = {"cell_type": "markdown", "source": "# lab06: write\nnot code"}
    pieces = {"cell_type": "code", "source": ["\n", "  \n", "# lab06: write\n", "x = 1\n", "y = 2"]}
    path = notebook(tmp_path, "print('scratch')", prose, RECALL, pieces, "x = 3  # lab06: write")
    assert lines(student_file(path)) == [
        "# from the notebook 'mine.ipynb'",
        *RECALL.splitlines(),
        "# lab06: write",
        "x = 1",
        "y = 2",
    ]


def test_a_label_that_occurs_twice_is_submitted_twice_and_spaces_in_a_tag_may_differ(tmp_path: Path) -> None:
    path = notebook(tmp_path, "# lab06: a\nx = 1", "#lab06 :a  \nx = 2")
    assert run(student_file(path))["x"] == 2


def test_future_imports_come_first_wherever_their_cell_is(tmp_path: Path) -> None:
    text = student_file(notebook(tmp_path, WRITE, IMPORTS))
    assert lines(text)[1] == "from __future__ import annotations"
    assert text.count("__future__") == 1
    assert "re" in run(text)


def test_an_unwritten_fix_does_not_undo_what_was_built(tmp_path: Path) -> None:
    text = student_file(notebook(tmp_path, WRITE, TO_MEND))
    assert "NotImplementedError" not in text
    assert from_cells([WRITE, TO_MEND], LABELS).count("def write_memory") == 1


def test_given_code_of_an_unwritten_fix_is_left_out(tmp_path: Path) -> None:
    given = "# lab06: ranks (given)\nRANKS = {}\ndef write_memory():\n    return low()"
    to_fill = "# lab06: trust\ndef low():\n    raise NotImplementedError(\"step 'trust'\")"
    built = student_file(notebook(tmp_path, WRITE, given, to_fill))
    assert "RANKS" not in built
    assert run(built)["write_memory"]() == 1  # type: ignore[operator] # it is the function above
    labels = ["write", "ranks", "trust"]
    assert "RANKS" not in from_cells([WRITE, given], labels)
    begun = from_cells([WRITE, given, to_fill, "# lab06: trust\ndef low():\n    return 7"], labels)
    assert run(begun)["write_memory"]() == 7  # type: ignore[operator] # likewise


def test_a_given_constant_of_an_unwritten_fix_is_left_out(tmp_path: Path) -> None:
    text = student_file(notebook(tmp_path, "# lab06: a\nWORD: int = 1", "# lab06: b (given)\nWORD = 2\nOTHER = 3"))
    assert run(text)["WORD"] == 1
    assert "OTHER" not in text


def test_given_code_that_undoes_nothing_is_submitted(tmp_path: Path) -> None:
    given = "# lab06: imports (given)\nimport re"
    assert "import re" in student_file(notebook(tmp_path, given, TO_MEND.replace("trust", "write")))
    assert "import re" in student_file(notebook(tmp_path, WRITE, given))


def test_a_skipped_step_stays_unwritten_if_a_later_one_is_filled(tmp_path: Path) -> None:
    both = TO_MEND + "\ndef low():\n    return 1"
    assert "NotImplementedError" in student_file(notebook(tmp_path, WRITE, both, RECALL))
    assert "NotImplementedError" not in student_file(notebook(tmp_path, WRITE, TO_MEND, RECALL)), "it adds nothing"


def test_unwritten_parts_of_build_are_submitted_as_they_are(tmp_path: Path) -> None:
    begun = TO_MEND.replace("trust", "write")
    assert "NotImplementedError" in student_file(notebook(tmp_path, begun))
    assert "NotImplementedError" in student_file(notebook(tmp_path, RECALL, TO_MEND))


def test_of_the_cells_run_the_latest_of_each_label_counts_in_the_order_of_the_lab() -> None:
    text = from_cells([RECALL, "1 + 1", IMPORTS, WRITE, RECALL.replace("2", "3")], LABELS)
    assert [line for line in lines(text) if line.startswith("# lab06")] == [
        "# lab06: imports",
        "# lab06: write",
        "# lab06: recall",
    ]
    assert "return 3" in text
    assert "return 2" not in text


def test_a_cell_of_the_learners_own_comes_after_what_was_run_before_it() -> None:
    alone = from_cells(["# lab06: mine\nx = 1", IMPORTS], LABELS)
    assert alone.index("mine") < alone.index("imports")
    text = from_cells([IMPORTS, HELPER, WRITE, RECALL, HELPER.replace("'x'", "'y'"), IMPORTS], LABELS)
    assert text.index("imports") < text.index("my-helper") < text.index("lab06: write")
    assert "re.compile('y')" in text
    assert "WORD" in run(text)
    begun = from_cells([IMPORTS, WRITE, TO_MEND, "# lab06: mine\ndef write_memory(): return 9"], LABELS)
    assert run(begun)["write_memory"]() == 9  # type: ignore[operator] # it is the function above


def test_cells_of_another_lab_in_the_same_kernel_are_ignored_if_the_lab_is_given() -> None:
    other = "# lab07: rules\nx = 1"
    assert "x = 1" not in from_cells([other, WRITE], LABELS, "06")
    with pytest.raises(NotHandedIn, match="tagged '# lab07: rules', and lab 06 was expected"):
        from_cells([WRITE, other], LABELS)


@pytest.mark.parametrize("line", ["%matplotlib inline", "  !pip install x", "%%time", "!ls"])
def test_a_line_for_jupyter_in_a_tagged_cell_is_refused_with_its_cell(line: str, tmp_path: Path) -> None:
    path = notebook(tmp_path, line, f"# lab06: write\nx = 1\n{line}\n")
    with pytest.raises(NotHandedIn) as refused:
        student_file(path)
    assert str(refused.value) == (
        f"mine.ipynb, cell 2 (# lab06: write) has the line {line.strip()!r}, which is for Jupyter, not Python. "
        "Move it to a cell without a tag."
    )


def test_a_magic_above_the_tag_is_refused_too_and_the_cell_is_not_left_out_in_silence(tmp_path: Path) -> None:
    path = notebook(tmp_path, "# a heading", "%%time\n# lab06: write\nx = 1")
    with pytest.raises(NotHandedIn, match=r"# lab06: write\) has the line '%%time'"):
        student_file(path)


@pytest.mark.parametrize(
    "code",
    [
        '"""\n%d and\n!important\n"""',
        "'''a\n!b'''",
        "(7\n % 4)",
        "# it's\nx = '%s'",
        "'a\\'b' '''\n!x'''",
        '\'it\' + """\n!x\n"""',
    ],
)
def test_python_that_looks_like_a_line_for_jupyter_is_accepted(code: str, tmp_path: Path) -> None:
    text = student_file(notebook(tmp_path, f"# lab06: write\ny = {code}" if code[0] != "#" else f"# lab06: w\n{code}"))
    assert code in text
    run(text)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "is not JSON"),
        ("{", "is not JSON"),
        ("[" * 100_000, "is nested too deeply"),
        ("9" * 10_000, "is not JSON"),
        ("[]", "is not a notebook of format 4"),
        ('{"nbformat": 3, "worksheets": []}', "is not a notebook of format 4"),
        ('{"nbformat": 4, "cells": {}}', "is not a notebook of format 4"),
        ('{"nbformat": 4, "cells": [7]}', "cell 1 is not a cell"),
        ('{"nbformat": 4, "cells": [{"cell_type": "code"}]}', "cell 1 has a source that is not text"),
        ('{"nbformat": 4, "cells": [{"cell_type": "code", "source": ["a", 1]}]}', "has a source that is not text"),
        ('{"nbformat": 4, "cells": [{"cell_type": "code", "source": "\\ud800"}]}', "holds half a character"),
        ('{"nbformat": 4, "cells": []}', "no code cell begins with a tag such as '# lab06: recall'"),
    ],
)
def test_an_invalid_notebook_is_refused_in_one_sentence(content: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.ipynb"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(NotHandedIn, match=says) as refused:
        student_file(path)
    assert str(refused.value).startswith("mine.ipynb")
    assert str(refused.value).endswith(".")


def test_cells_of_another_lab_are_refused_by_name(tmp_path: Path) -> None:
    path = notebook(tmp_path, WRITE)
    assert student_file(path, "06")
    with pytest.raises(NotHandedIn, match=r"mine.ipynb, cell 1 is tagged '# lab06: write', and lab 07 was expected"):
        student_file(path, "07")


@pytest.mark.parametrize(("name", "most"), [("mine.py", LARGEST_FILE), ("mine.ipynb", LARGEST_NOTEBOOK)])
def test_a_file_that_is_too_large_is_refused_without_reading_it(name: str, most: int, tmp_path: Path) -> None:
    with (tmp_path / name).open("wb") as file:
        file.truncate(most + 1)
    with pytest.raises(NotHandedIn, match=f"more than {most:,} bytes"):
        student_file(tmp_path / name)


def test_more_code_than_a_file_may_have_is_refused_in_a_notebook_too(tmp_path: Path) -> None:
    with pytest.raises(NotHandedIn, match="more than 1,000,000 bytes of code"):
        student_file(notebook(tmp_path, "# lab06: write\n" + "x = 1\n" * 200_000))


def test_a_path_that_is_not_a_text_file_of_a_known_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder.py").mkdir()
    os.mkfifo(tmp_path / "pipe.ipynb")
    (tmp_path / "latin.py").write_bytes(b"# \xe9")
    (tmp_path / "mine.zip").touch()
    for name, says in [
        ("folder.py", "there is no such file"),
        ("pipe.ipynb", "there is no such file"),
        ("gone.py", "there is no such file"),
        ("latin.py", "byte 2 is not UTF-8"),
        ("mine.zip", "a .py or an .ipynb can be handed in"),
    ]:
        with pytest.raises(NotHandedIn, match=says):
            student_file(tmp_path / name)


@pytest.mark.timing
@pytest.mark.parametrize("unit", ["\\'''x\n", '\\"""x\n', "'\\", '"', "(", " \t", "#'", "def ", "a", "a:"])
def test_a_hostile_cell_takes_time_in_proportion_to_its_length(unit: str, tmp_path: Path) -> None:
    def seconds(times: int) -> float:
        path = notebook(tmp_path, "# lab06: write\n" + unit * times)
        began = time.process_time()
        student_file(path)
        return time.process_time() - began

    assert seconds(24_000) < 40 * max(seconds(3_000), 0.001), "8 times the length may not take 64 times as long"


def test_a_strange_name_of_a_notebook_stays_on_the_first_line(tmp_path: Path) -> None:
    text = student_file(notebook(tmp_path, WRITE, name="a\nimport os.ipynb"))
    assert lines(text)[0] == "# from the notebook 'a\\nimport os.ipynb'"
