"""Every order in which a learner can run the cells ends in a sentence that helps."""

from __future__ import annotations

from functools import partial

import pytest
from notebook_kernel import Kernel, ReadOutput, upto

from memlab.labs.handout.pages import Pages
from memlab.labs.lab import load
from memlab.labs.learner.notebook_commands import Notebook, open_lab

pytest_plugins = ["notebook_kernel"]  # its fixtures

BASE = "class MemoryMix(MemoryMix):"
AGAIN = "Run the cells from '# lab07: {}' down\nto here again, and then make new objects: MemoryMix()."


@pytest.fixture(scope="module")
def of_lab07() -> dict[str, str]:
    return {cell.label: cell.source for cell in Pages(load("07").folder).solved() if cell.label}


@pytest.fixture
def lab07(kernel: Kernel, of_lab07: dict[str, str], read_output: ReadOutput) -> Notebook:
    opened = open_lab("07")
    kernel.run(of_lab07["imports"], of_lab07["mix"])
    read_output()
    return opened


@pytest.mark.parametrize("head", ["class MemoryMix:", "class MemoryMix():", "class MemoryMix(object):"])
def test_a_class_without_its_base_is_named_with_the_line_to_write(
    lab07: Notebook, kernel: Kernel, of_lab07: dict[str, str], read_output: ReadOutput, head: str
) -> None:
    kernel.run(of_lab07["rules"].replace(BASE, head))
    lab07.check("rules")
    assert "The cell '# lab07: rules' has `class MemoryMix:` without its base" in (output := read_output())
    assert f"Write `{BASE}` in that cell, and run the cells from\n'# lab07: mix' down again." in output
    assert "FileNotFoundError" not in output


def test_after_its_base_is_added_a_class_that_is_still_broken_in_the_notebook_is_named(
    lab07: Notebook, kernel: Kernel, of_lab07: dict[str, str], read_output: ReadOutput
) -> None:
    kernel.run(of_lab07["rules"].replace(BASE, "class MemoryMix:"), of_lab07["rules"])
    lab07.check("rules")
    assert "✓ rules" in (output := read_output())
    assert "MemoryMix.__init__ is not the one that a check runs" in output
    assert AGAIN.format("mix") in output
    kernel.run(of_lab07["mix"], of_lab07["rules"])
    lab07.check("rules")
    assert "not the one" not in read_output()


def test_a_given_cell_that_is_run_again_is_named_with_the_cells_to_run_after_it(
    lab07: Notebook, kernel: Kernel, of_lab07: dict[str, str], read_output: ReadOutput
) -> None:
    kernel.run(of_lab07["rules"], of_lab07["mix"])
    for ask in (partial(lab07.check, "rules"), lab07.fresh):
        ask()
        assert "MemoryMix.rules is not the one that a check runs" in (output := read_output())
        assert AGAIN.format("rules") in output


@pytest.mark.parametrize("helper", ["class MemoryMix:\n    pass", "MemoryMix = dict"])
def test_a_helper_with_the_name_of_the_class_is_named(
    lab07: Notebook, kernel: Kernel, of_lab07: dict[str, str], read_output: ReadOutput, helper: str
) -> None:
    kernel.run(of_lab07["rules"], helper)
    lab07.check("rules")
    assert AGAIN.format("mix") in read_output()


def test_a_tagged_helper_class_of_the_same_name_is_named_with_its_cell(
    lab07: Notebook, kernel: Kernel, of_lab07: dict[str, str], read_output: ReadOutput
) -> None:
    kernel.run(of_lab07["rules"], "# lab07: my-helpers\nclass MemoryMix:\n    pass")
    lab07.check("rules")
    assert "The cell '# lab07: my-helpers' has `class MemoryMix:` without its base" in read_output()


def test_a_method_in_a_class_with_a_misspelt_name_is_outside_the_class(
    lab07: Notebook, kernel: Kernel, of_lab07: dict[str, str], read_output: ReadOutput
) -> None:
    kernel.run(of_lab07["rules"].replace(BASE, "class MemoryMx(MemoryMix):"))
    lab07.check("rules")
    assert "rules is outside the class MemoryMix." in read_output()


def test_a_cell_of_build_run_again_after_its_fix_is_named(
    lab: Notebook, kernel: Kernel, cells: dict[str, str], read_output: ReadOutput
) -> None:
    kernel.run(*upto(cells, "gate"), cells["write"].replace("wrote", "has written"), cells["write"])
    lab.check("recall")
    assert "not the one" not in read_output()
    kernel.user_ns["write_memory"] = lambda *_: None
    lab.check("recall")
    assert "write_memory is not the one that a check runs" in (output := read_output())
    assert "Run the cells from '# lab06: write' down\nto here again." in output


def test_an_unfilled_cell_that_replaced_a_working_function_is_named(
    lab: Notebook, kernel: Kernel, cells: dict[str, str], to_fill: dict[str, str], read_output: ReadOutput
) -> None:
    kernel.run(*upto(cells, "gate"), to_fill["next"])
    lab.check("gate")
    assert "✓ gate" in (output := read_output())
    assert "recall_and_trust is the one of the unfilled cell '# lab06: next'." in output
    advice = "Fill in that cell and run it, or leave it out and run the cells from '# lab06: gate' down to here again."
    assert advice in " ".join(output.split())


@pytest.mark.parametrize("number", ["06", "07"])
def test_the_cells_in_their_order_are_never_called_out_of_order(
    kernel: Kernel, read_output: ReadOutput, number: str
) -> None:
    opened = open_lab(number)
    for cell in Pages(load(number).folder).solved():
        if cell.label:
            kernel.run(cell.source)
        elif "lab.fresh(" in cell.source:
            opened.fresh()
            assert "In this notebook" not in read_output(), f"line {cell.line}"


def test_after_a_restart_a_learner_reads_that_the_cells_must_run_again(
    lab: Notebook, kernel: Kernel, cells: dict[str, str], read_output: ReadOutput
) -> None:
    kernel.run(*upto(cells, "write"))
    lab.check("write")
    assert "from the top" not in read_output()
    kernel.user_ns.clear()
    kernel.history_manager.input_hist_raw[1:] = []
    again = open_lab("06")
    assert "Python has to see your cells again: run them from the top." in read_output()
    again.check("recall")
    assert "Not run yet since this lab was opened" in read_output()
