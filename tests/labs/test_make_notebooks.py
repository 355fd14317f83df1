"""A lab's text becomes a skeleton and two notebooks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from small_lab import INTRO, PUBLISHED, write_lab

from memlab.labs.handout import make_notebooks, text
from memlab.labs.handout.pages import Pages
from memlab.labs.handout.text import BadText, Cell


@pytest.fixture
def make_pages(tmp_path: Path) -> Callable[[str], Pages]:
    """Make the pages of a small lab out of what its text has behind the introduction."""
    return lambda body: Pages(write_lab(tmp_path, INTRO + body))


def block(info: str, *lines: str) -> str:
    return "\n".join([f"```{info}", *lines, "```", ""])


def sources(cells: list[Cell]) -> list[str]:
    return [cell.source for cell in cells[1:]]


def test_prose_begins_a_new_cell_at_each_heading_and_after_code_and_other_blocks_stay_in_it(tmp_path: Path) -> None:
    printout = block("text", "# no heading") + block("python", "x = 1")
    (tmp_path / "lab.md").write_text(
        f"# One\n\ntext\n{printout}## Two\n{block('python run', '', 'x = 2', '')}three\n", encoding="utf-8"
    )
    assert text.read(tmp_path / "lab.md") == [
        Cell("text", "", f"# One\n\ntext\n{printout}".strip(), 1),
        Cell("text", "", "## Two", 10),
        Cell("run", "", "x = 2", 13),
        Cell("text", "", "three", 16),
    ]


@pytest.mark.parametrize(
    ("body", "line", "says"),
    [
        (block("python filll add"), 4, "'python filll add' is not a kind of cell. Valid: python fill, python given"),
        (block("fill add"), 4, "'fill add' is not a kind of cell. Valid: python fill"),
        (block("python fill"), 4, "'python fill' needs one label"),
        (block("python fill add me"), 4, "'python fill add me' needs one label"),
        (block("python given Add"), 4, "needs one label of lowercase words"),
        (block("python run add"), 4, "a 'run' cell has no label, but 'add' was given. Remove it"),
        ("```python run\nx", 4, "this block is never closed. End it with a line ```"),
        (block("python given a", "x = 1") * 2, 8, "the label 'a' is also that of line 5. Change one"),
        (
            block("python fill add", "published: Store.ad"),
            5,
            "published.py has no 'Store.ad'. Did you mean 'Store.add'?",
        ),
        (
            block("python fill add", "", "publishd: Store.add"),
            6,
            "'publishd: Store.add' is not a reference. Valid: 'publ",
        ),
        (block("python fill add", "x = 1"), 5, "'x = 1' is not a reference. Valid: 'published: name, name'"),
        (block("python given a", "published: ROOT", "x = 1"), 6, "'x = 1' is not a reference"),
        (block("python run", *["x = 1"] * 26), 5, "begins with 'x = 1' has 26 lines. At most 25 are valid: split"),
        ("\n".join(["word"] * 26), 1, "has 29 lines. At most 25"),
    ],
)
def test_an_error_in_the_text_is_reported_with_its_line_and_what_is_valid(
    body: str, line: int, says: str, tmp_path: Path
) -> None:
    with pytest.raises(BadText) as refused:
        Pages(write_lab(tmp_path, INTRO + body)).learner()
    assert str(refused.value).startswith(f"lab98/lab.md, line {line}: ")
    assert says in str(refused.value)


@pytest.mark.parametrize("intro", ["", "words {fails}", "# Title\n"])
def test_a_lab_must_begin_with_its_title_and_the_cells_that_fail(intro: str, tmp_path: Path) -> None:
    with pytest.raises(BadText, match=r"line 1: the first cell does not begin with '# ' and the title, or has no"):
        Pages(write_lab(tmp_path, intro))


def test_the_first_cell_names_the_cells_to_fill(make_pages: Callable[[str], Pages]) -> None:
    made = make_pages(
        block("python fill add", "published: Store.add") + block("python fill get", "published: Store.get")
    )
    assert made.learner()[0].source.endswith("To solve: `add`, `get`.")


def test_a_cell_to_fill_has_the_source_where_it_is_solved_and_heads_of_what_is_public_for_the_learner(
    make_pages: Callable[[str], Pages],
) -> None:
    made = make_pages(
        block("python given store", "published: Store.__init__")
        + block("python fill get", "published: Store.get, Store._last")
    )
    head = '# lab98: get\nclass Store(Store):\n    def get(self) -> str:\n        """Give the last thing."""\n'
    last = "\n\n    def _last(self) -> str:\n        return self.kept[-1]"
    assert sources(made.solved())[1] == f"{head}        return self._last(){last}", "and no word to our tools"
    assert sources(made.learner())[1] == f"{head}        raise NotImplementedError(\"step 'get'\")"
    assert sources(made.learner())[0] == sources(made.solved())[0]


def test_a_class_comes_without_its_methods_and_opens_with_its_first(make_pages: Callable[[str], Pages]) -> None:
    head = 'class Store:\n    """Keeps things."""\n\n    size: int = 0'
    init = "\n\n    def __init__(self) -> None:\n        self.kept: list[str] = []"
    assert sources(make_pages(block("python given a", "published: Store")).solved()) == [f"# lab98: a (given)\n{head}"]
    for names in ("Store.__init__", "Store, Store.__init__"):
        assert sources(make_pages(block("python given a", f"published: {names}")).solved()) == [
            f"# lab98: a (given)\n{head}{init}"
        ]


def test_a_class_that_its_cell_left_is_added_to(make_pages: Callable[[str], Pages]) -> None:
    (cell,) = sources(make_pages(block("python given a", "published: Store.get, helper, Store._last")).solved())
    assert cell.count("class Store:\n") == 1
    assert cell.endswith("return 1\n\n\nclass Store(Store):\n    def _last(self) -> str:\n        return self.kept[-1]")


def test_a_class_that_a_cell_wrote_out_is_added_to(make_pages: Callable[[str], Pages]) -> None:
    stand_in = block("python given a", "class Store:", "    kept = ['a']")
    made = sources(make_pages(stand_in + block("python given b", "published: Store._last")).solved())
    assert made[1].startswith("# lab98: b (given)\nclass Store(Store):\n    def _last(self)")


def test_a_helper_is_left_to_the_learner_unless_its_line_is_marked(make_pages: Callable[[str], Pages]) -> None:
    made = make_pages(
        block("python fill a", "published: Store._last") + block("python fill b", "published: helper, ROOT, stub")
    )
    empty, marked = sources(made.learner())
    assert empty == "# lab98: a\n# Write here what is asked for above."
    assert marked == "# lab98: b\n@cache\ndef helper() -> int:\n    raise NotImplementedError(\"step 'b'\")"


def test_decorators_comments_above_docstrings_behind_and_imports_belong_to_a_name(
    make_pages: Callable[[str], Pages],
) -> None:
    one = block("python given a", "published: imports", "published: ROOT, WORD, HELP")
    constants, method = sources(make_pages(one + block("python given b", "published: helper, Store.add")).solved())
    assert constants == (
        "# lab98: a (given)\nfrom __future__ import annotations\n\nimport re\nfrom functools import cache\n\n"
        'ROOT = "here"\nWORD = re.compile("[a-z]+")\n"""What is a word."""\n\n'
        "# Filled by a person.\nHELP: dict[str, str] = {}"
    )
    assert method.startswith("# lab98: b (given)\n@cache\ndef helper() -> int:\n    return 1\n\n\nclass Store:\n")
    assert "    # Why it is static.\n    @staticmethod\n    def add(\n" in method


def test_code_of_one_reader_is_not_shown_to_the_other(make_pages: Callable[[str], Pages]) -> None:
    made = make_pages(block("python learner", "x = ...") + block("python solved", "x = 1") + block("python run", "x"))
    assert sources(made.learner()) == ["x = ...", "x"]
    assert sources(made.solved()) == ["x = 1", "x"]


def test_the_skeleton_has_imports_constants_and_heads_in_the_published_order_and_nothing_of_helpers(
    make_pages: Callable[[str], Pages],
) -> None:
    made = make_pages(
        block("python fill get", "published: Store.get, Store._last")
        + block("python given store", "published: Store.__init__")
        + block("python fill add", "published: WORD, Store.add")
        + block("python fill again", "solution: Store.get", "published: Store.get")
    )
    skeleton = made.skeleton()
    assert skeleton.startswith('"""Lab 98: a small lab. Your file, to fill in')
    assert skeleton.endswith('\n\n\nif __name__ == "__main__":\n    Store().add("a thing")\n')
    assert "WORD" not in skeleton
    assert "_last" not in skeleton
    assert "helper" not in skeleton
    names = ["import re", "ROOT =", "HELP:", "class Store:", "size:", "__init__", "def add", "step 'add'", "step 'get'"]
    assert sorted(names, key=skeleton.index) == names
    with pytest.raises(NotImplementedError, match="step 'add'"):
        exec(compile(skeleton, "skeleton", "exec"), {"__name__": "__main__"})  # noqa: S102 - it is made above


def test_the_skeleton_has_help_even_if_only_the_solution_does(tmp_path: Path) -> None:
    home = write_lab(tmp_path, INTRO, PUBLISHED.replace("HELP", "OTHER"))
    assert "HELP" not in Pages(home).skeleton()
    (home / "solution.py").write_text(PUBLISHED, encoding="utf-8")
    assert "\n\n# Filled by a person.\nHELP: dict[str, str] = {}\nROOT" in Pages(home).skeleton()


def test_a_cell_keeps_its_id_when_another_comes_before_it_and_twins_have_their_own(
    make_pages: Callable[[str], Pages],
) -> None:
    twins = block("python run", "x = 1") * 2
    ids = [cell.id for cell in make_notebooks.learner(make_pages(twins)).cells]
    assert ids[1:] == [cell.id for cell in make_notebooks.learner(make_pages("## New\n" + twins)).cells][2:]
    assert len(set(ids)) == 3


def test_cells_are_tagged_by_lab_and_kind_and_a_learners_notebook_has_no_outputs(
    make_pages: Callable[[str], Pages],
) -> None:
    notebook = make_notebooks.learner(
        make_pages(block("python fill add", "published: Store.add") + block("python run", "1"))
    )
    nbformat.validate(notebook)
    first, *code = notebook.cells
    assert first.cell_type == "markdown"
    assert [cell.metadata.tags for cell in code] == [["lab98", "fill"], ["lab98", "run"]]
    assert [(cell.execution_count, cell.outputs) for cell in code] == [(None, []), (None, [])]


def test_a_notebook_run_twice_has_the_same_bytes(make_pages: Callable[[str], Pages]) -> None:
    made = make_pages(block("python run", "print(hash('salted'))", "print('one', flush=True)", "{'a', 'b', 'c', 'd'}"))
    texts = []
    for _ in range(2):
        notebook = make_notebooks.solved(made)
        make_notebooks.execute(notebook)
        texts.append(make_notebooks.to_json(notebook))
    assert texts[0] == texts[1]
    assert [output.output_type for output in notebook.cells[1].outputs] == ["stream", "execute_result"]
    assert "iopub" not in texts[0]


def test_the_error_for_an_unknown_lab_lists_the_labs() -> None:
    with pytest.raises(FileNotFoundError, match=r"labs/lab99/lab.md is not there. Labs with a text: "):
        make_notebooks.folders(["99"])
