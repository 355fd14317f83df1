from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from notebook_kernel import Kernel, ReadOutput, upto

from memlab.labs.checks.checking import check_step
from memlab.labs.handout.pages import Pages
from memlab.labs.lab import load
from memlab.labs.learner import check_order, reference
from memlab.labs.learner.notebook_commands import Notebook, open_lab
from memlab.labs.learner.notebook_errors import NotebookError
from memlab.labs.learner.progress import Progress, read, write
from memlab.labs.learner.submission import by_cell, from_cells

pytest_plugins = ["notebook_kernel"]  # its fixtures


def test_a_passed_step_is_reported_saved_and_followed_by_the_next(
    lab: Notebook, kernel: Kernel, cells: dict[str, str], read_output: ReadOutput
) -> None:
    kernel.run(*upto(cells, "write"))
    lab.check("write")
    assert "✓ write" in (output := read_output())
    assert "Next: recall" in output
    assert Path("lab06-work/memory_store.py").exists()
    open_lab("06")
    assert "Next: recall" in read_output()


def test_another_solution_is_offered_and_shown_only_after_the_check_passed(
    lab: Notebook, kernel: Kernel, cells: dict[str, str], read_output: ReadOutput
) -> None:
    lab.solution("write")
    refused = 'write does not pass yet: its solution opens once lab.check("write") passes.\n'
    assert read_output() == refused
    kernel.run(*upto(cells, "write"))
    lab.check("write")
    assert 'Compare with another solution: lab.solution("write")' in read_output()
    lab.solution(kernel.user_ns["write_memory"])
    assert "no step 'write_memory'" in read_output()
    lab.solution("write")
    assert cells["write"] in read_output()
    kernel.run("# lab06: write\ndef write_memory(*args): pass")
    lab.check("write")
    read_output()
    lab.solution("write")
    assert read_output() == refused


def test_a_copy_without_solutions_says_so(
    lab: Notebook, kernel: Kernel, cells: dict[str, str], read_output: ReadOutput, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel.run(*upto(cells, "write"))
    lab.check("write")
    read_output()

    def missing(_: Path) -> None:
        raise FileNotFoundError(2, "No such file", "solution.py")

    monkeypatch.setattr(reference, "Pages", missing)
    lab.solution("write")
    assert "solution.py is not in this copy of memlab; ask your teacher" in read_output()


def test_each_check_ends_with_the_steps_that_are_done_and_left(
    lab: Notebook, kernel: Kernel, cells: dict[str, str], read_output: ReadOutput
) -> None:
    kernel.run(*upto(cells, "write"))
    lab.check("write")
    output = read_output()
    assert "Core   █░░░░░░░  1 of 8 done, 7 left: recall, stale, verify, gate, words, trust, guard\n" in output
    assert "Extra  ░░░░      0 of 4 done, 4 left\n" in output


def test_without_a_name_the_first_open_step_is_checked_and_a_function_names_its_step(
    lab: Notebook, kernel: Kernel, cells: dict[str, str], read_output: ReadOutput
) -> None:
    kernel.run(*upto(cells, "recall"))
    lab.check()
    assert "✓ write" in read_output()
    lab.check(kernel.user_ns["recall"])
    assert "✓ recall" in read_output()


def test_the_message_for_an_unfilled_cell_says_so(
    lab: Notebook, kernel: Kernel, to_fill: dict[str, str], read_output: ReadOutput
) -> None:
    kernel.run(*upto(to_fill, "write"))
    lab.check("write")
    assert "write_memory is not written yet" in (output := read_output())
    assert 'lab.hint("write")' in output


def test_cells_that_were_not_run_are_named(
    lab: Notebook, kernel: Kernel, cells: dict[str, str], read_output: ReadOutput
) -> None:
    lab.check("write")
    assert "Not run yet since this lab was opened: '# lab06: imports', '# lab06: write'." in read_output()
    kernel.run(*upto(cells, "write"))
    lab.check("recall")
    assert "'# lab06: index', '# lab06: recall'" in read_output()


def test_a_changed_name_is_reported_with_its_old_name(
    lab: Notebook, kernel: Kernel, cells: dict[str, str], read_output: ReadOutput
) -> None:
    kernel.run(*upto(cells, "index"), cells["recall"].replace("def recall(", "def remember("))
    lab.check("recall")
    assert "memory_store.py has no recall" in read_output()


def test_an_endless_loop_is_reported(
    lab: Notebook, kernel: Kernel, cells: dict[str, str], read_output: ReadOutput, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check_order, "check_step", partial(check_step, limit=0.3))
    kernel.run(*upto(cells, "imports"), "# lab06: write\ndef write_memory(*args):\n    while True: pass")
    lab.check("write")
    assert "Is there an endless loop?" in " ".join(read_output().split())


def test_the_message_for_a_helper_in_an_untagged_cell_says_where_it_belongs(
    lab: Notebook, kernel: Kernel, cells: dict[str, str], read_output: ReadOutput
) -> None:
    calls_it = cells["write"].replace("MEM_DIR.mkdir(exist_ok=True)", "make_room()")
    assert calls_it != cells["write"]
    helper = "def make_room():\n    MEM_DIR.mkdir(exist_ok=True)"
    kernel.run(*upto(cells, "imports"), helper, calls_it)
    lab.check("write")
    assert "make_room is in a cell without a tag" in read_output()
    kernel.run(f"# lab06: my-helpers\n{helper}", calls_it)
    lab.check("write")
    assert "✓ write" in read_output()


def test_a_cell_without_its_tag_is_reported_when_a_check_fails(
    lab: Notebook, kernel: Kernel, cells: dict[str, str], to_fill: dict[str, str], read_output: ReadOutput
) -> None:
    kernel.run(*upto(to_fill, "write"), cells["write"].partition("\n")[2])
    lab.check("write")
    assert "write_memory was last run in a cell without a tag" in read_output()
    kernel.run(cells["write"])
    lab.check("write")
    assert "✓ write" in read_output()


def test_a_step_that_breaks_an_earlier_one_is_reported_with_its_answer_and_where_to_look(
    lab: Notebook, kernel: Kernel, cells: dict[str, str], read_output: ReadOutput
) -> None:
    kernel.run(*upto(cells, "recall"))
    lab.check("recall")
    kernel.run(cells["stale"] + "\n\ndef recall(query):\n    return None\n")
    read_output()
    lab.check("stale")
    assert "✓ stale" in (output := read_output())
    assert "✗ recall passed before and fails now" in output
    assert "returned None, expected" in output
    assert "check first what you changed last, here the cell '# lab06: stale'" in output
    assert output.endswith('lab.hint("recall")\n')
    assert read(Path("lab06-work"), "06", print).held == ["write", "stale"]


def test_a_passed_step_is_not_checked_again_before_its_cells_run_again(
    lab: Notebook, kernel: Kernel, cells: dict[str, str], read_output: ReadOutput
) -> None:
    write(Path("lab06-work"), "06", Progress(["recall", "trust"]))
    kernel.run(*upto(cells, "write"))
    lab.check("write")
    assert "✗" not in read_output()
    assert read(Path("lab06-work"), "06", print).held == ["recall", "trust", "write"]


def test_an_unchanged_tagged_cell_is_reported(
    lab: Notebook, kernel: Kernel, cells: dict[str, str], to_fill: dict[str, str], read_output: ReadOutput
) -> None:
    kernel.run(cells["imports"], cells["write"].partition("\n")[2], *upto(to_fill, "write"))
    lab.check("write")
    assert "You haven't changed the cell '# lab06: write' yet." in read_output()
    kernel.run(cells["write"].replace("def write_memory(", "def write_memory ("))
    lab.check("write")
    assert "as the lab gave it" not in read_output()


def test_the_message_for_a_method_outside_the_class_says_where_it_belongs(
    kernel: Kernel, read_output: ReadOutput
) -> None:
    given = {cell.label: cell.source for cell in Pages(load("07").folder).learner() if cell.label}
    lab = open_lab("07")
    kernel.run(given["imports"], given["mix"], "# lab07: rules\ndef rules(self):\n    return RULES.read_text()")
    lab.check("rules")
    assert "rules is outside the class" in (output := read_output())
    assert "class MemoryMix(MemoryMix):" in output
    kernel.run(f"{given['rules'].partition('raise')[0]}return RULES.read_text().strip()")
    lab.check("rules")
    assert "✓ rules" in read_output()


@pytest.mark.parametrize("body", ["    raise KeyError(name)", "    raise KeyError(name"])
def test_a_line_number_is_converted_to_a_line_of_its_cell(
    lab: Notebook, kernel: Kernel, cells: dict[str, str], read_output: ReadOutput, body: str
) -> None:
    kernel.run(*upto(cells, "imports"))
    raising = f"# lab06: write\ndef write_memory(name, description, type, body):\n    # soon\n{body}"
    kernel.history_manager.input_hist_raw.append(raising)
    lab.check("write")
    assert "line 4 of the cell '# lab06: write'" in " ".join(read_output().split())


def test_a_line_number_of_a_file_not_made_of_cells_is_unchanged() -> None:
    cell = "# lab06: write\nx = 1\n"
    assert by_cell("it raised KeyError: 1 (line 2)", cell) == "it raised KeyError: 1 (line 2)"
    assert by_cell("line 2", from_cells([cell], ["write"])) == "line 2", "what a learner's own words say"


def test_a_long_message_is_broken_into_lines_as_answers_are(lab: Notebook, read_output: ReadOutput) -> None:
    read_output()
    lab.check("trust")
    output = read_output()
    assert output.startswith("Not run yet")
    assert max(map(len, output.splitlines())) <= 88
    with pytest.raises(NotebookError) as unknown:
        open_lab("9" * 30 + " and a half, which is a number that no lab has, nor ever will have")
    assert max(len(line) for line in "".join(unknown.value._render_traceback_()).splitlines()) <= 88


def test_a_check_that_is_interrupted_says_so_in_a_sentence(
    lab: Notebook, kernel: Kernel, cells: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    kernel.run(*upto(cells, "write"))
    monkeypatch.setattr(check_order, "check_until_failure", interrupt)
    with pytest.raises(NotebookError, match="check was interrupted"):
        lab.check("write")


def test_a_check_out_of_order_says_what_comes_first(
    lab: Notebook, kernel: Kernel, cells: dict[str, str], to_fill: dict[str, str], read_output: ReadOutput
) -> None:
    kernel.run(*upto(cells | {"write": to_fill["write"]}, "recall"))
    lab.check("recall")
    assert "recall builds on write, which comes first" in (output := read_output())
    assert "write_memory is not written yet" in output


def test_a_cell_that_does_not_load_is_reported(
    lab: Notebook, kernel: Kernel, cells: dict[str, str], read_output: ReadOutput
) -> None:
    kernel.run(*upto(cells, "write"))
    kernel.history_manager.input_hist_raw.append("# lab06: write\ndef write_memory(:")
    lab.check("write")
    assert "memory_store.py does not load" in read_output()
