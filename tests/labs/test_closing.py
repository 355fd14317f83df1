from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pandas as pd
import pytest

from memlab.harness.scoring.thresholds import ALL
from memlab.labs.checks.checking import open_steps
from memlab.labs.lab import UnknownLab, load, numbers
from memlab.labs.pictures import closing
from memlab.labs.pictures.closing import (
    BUCKET,
    REFERENCE,
    WIDTH,
    count_halves,
    finish,
    learner_entry,
    load_templates,
    pass_rates,
    play_story,
    progress_chart,
    score_scenarios,
)
from memlab.systems.child.file_reference import parse_reference
from memlab.systems.entry import UnknownSystem
from memlab.systems.labs.lab_file import published_file

LABS = numbers()
LOOP = "\n\ndef recall_and_trust(query):\n    while True:\n        pass\n"


@cache
def known(number: str) -> pd.DataFrame:
    """Play a lab's scenarios to its published design, once for all tests."""
    lab = load(number)
    return score_scenarios(lab, lab.folder / "published.py")


@pytest.fixture
def instant_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every file be as good as the published design, at once."""
    monkeypatch.setattr(closing, "score_scenarios", lambda lab, _: known(lab.number))


@pytest.fixture
def grown(tmp_path: Path) -> Path:
    """Give a file in which a class grows cell by cell, as a notebook hands it in."""
    code = published_file("lab07").read_text(encoding="utf-8")
    head, assemble, rest = code.partition("    def assemble(")
    path = tmp_path / "memory_mix.py"
    path.write_text(f"{head}\n\nclass MemoryMix(MemoryMix):\n{assemble}{rest}", encoding="utf-8")
    return path


@pytest.mark.parametrize("number", LABS)
def test_the_shares_of_the_families_make_the_share_of_all(number: str) -> None:
    found = pass_rates(known(number), "yours")
    sizes: dict[str, int] = {}
    for one in load_templates(number):
        sizes[one.family] = sizes.get(one.family, 0) + 1
    assert set(found) == {ALL, *sizes}
    overall = sum(found[family] * size for family, size in sizes.items()) / sum(sizes.values())
    assert found[ALL] == pytest.approx(overall)


@pytest.mark.usefixtures("instant_scores")
@pytest.mark.parametrize("number", LABS)
def test_the_chart_compares_a_step_with_the_last_charted_step_before_it(number: str) -> None:
    lab = load(number)
    first, second, third = (one.name for one in lab.steps[:3])
    nothing = {ALL: 0.0}
    later = progress_chart(
        lab, lab.folder / "published.py", third, {first: {ALL: 1.0}, second: nothing, third: {ALL: 0.5}}
    )
    assert f"Since the chart of {second!r}: 0 to " in later.words
    assert "Since" not in progress_chart(lab, lab.folder / "published.py", first, {second: nothing}).words


@pytest.mark.usefixtures("instant_scores")
def test_the_values_of_a_chart_are_the_baseline_of_the_next() -> None:
    lab = load("06")
    gate = progress_chart(lab, lab.folder / "published.py", "gate", {})
    again = progress_chart(lab, lab.folder / "published.py", "names", {"gate": gate.shares})
    assert again.shares == gate.shares
    assert "No score changed" in again.words


@pytest.mark.parametrize("number", LABS)
def test_the_closing_chart_counts_the_scenarios_that_are_safe_and_useful_at_every_seed(number: str) -> None:
    scores = known(number)
    for half, systems in count_halves(scores).items():
        for name, rows in systems.items():
            own = scores[(scores["system"] == name) & scores[half].notna()]
            worst = own.groupby(["family", "scenario"])[half].min().reset_index()
            families = {str(family): (int(one[half].sum()), len(one)) for family, one in worst.groupby("family")}
            assert {family: rows[family] for family in families} == families
            assert rows[ALL] == tuple(map(sum, zip(*families.values(), strict=True)))


@pytest.mark.usefixtures("instant_scores")
def test_the_title_of_the_closing_chart_states_its_finding(tmp_path: Path) -> None:
    lab = load("06")
    counts = count_halves(known("06"))
    (safe, of), (bucket, _) = counts["safe"]["yours"][ALL], counts["safe"][BUCKET][ALL]
    finished = finish(lab, lab.folder / "published.py", tmp_path)
    assert (
        finished.picture.figure.texts[0].get_text()
        == f"Yours is safe in {safe} of {of} scenarios, the single bucket in {bucket}"
    )


def test_a_class_that_grows_cell_by_cell_is_judged_as_the_lab_that_it_is(grown: Path) -> None:
    assert parse_reference(f"{grown}:MemoryMix").interface == "lab07"


def test_a_learners_memory_is_compared_with_the_single_bucket_and_the_reference() -> None:
    scores = known("06")
    assert set(scores["system"]) == {"yours", BUCKET, REFERENCE}
    assert pass_rates(scores, REFERENCE)[ALL] > pass_rates(scores, BUCKET)[ALL]


@pytest.mark.parametrize("code", ["x = 1\n", "def recall_and_trust(query):\n    return None\n", "def broken(:\n"])
def test_a_file_without_the_required_names_gives_one_sentence(tmp_path: Path, code: str) -> None:
    path = tmp_path / "memory_store.py"
    path.write_text(code, encoding="utf-8")
    with pytest.raises(UnknownSystem, match=r"memory_store\.py"):
        learner_entry(load("06"), path)


def test_a_memory_that_did_not_return_is_run_again_after_it_is_fixed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(closing, "LIMIT", 0.2)
    lab = load("06")
    right = (lab.folder / "published.py").read_text(encoding="utf-8")
    path = tmp_path / "memory_store.py"
    path.write_text(right + LOOP, encoding="utf-8")
    stuck = progress_chart(lab, path, "gate", {})
    assert "probes were not answered" in stuck.words
    assert stuck.shares[ALL] == 0
    path.write_text(right, encoding="utf-8")
    mended = progress_chart(lab, path, "gate", {})
    assert "not answered" not in mended.words
    assert mended.shares[ALL] > 0


def test_a_report_says_what_was_served_and_what_was_wrong_within_the_width_of_a_cell() -> None:
    lab = load("06")
    text = play_story(lab, lab.folder / "published.py", "stale/script-that-moved")
    assert max(map(len, text.splitlines())) <= WIDTH
    assert "PASSED  ?" in text
    assert "FAILED  ?" in text
    assert re.search(r"^  expected:  new: ", text, re.MULTILINE)
    assert len(text.splitlines()) < 60


def test_an_unknown_scenario_gives_the_nearest_name() -> None:
    lab = load("06")
    with pytest.raises(
        UnknownLab, match=r"no scenario 'stale/script-that-move'\. Did you mean 'stale/script-that-moved'"
    ):
        play_story(lab, lab.folder / "published.py", "stale/script-that-move")


def test_a_loop_in_one_function_leaves_open_only_the_steps_that_call_it(tmp_path: Path) -> None:
    path = tmp_path / "memory_store.py"
    solution = (load("06").folder / "solution.py").read_text(encoding="utf-8")
    path.write_text(f"{solution}\n\ndef plant_stale():\n    while True:\n        pass\n", encoding="utf-8")
    assert open_steps(load("06"), path, limit=0.5) == ("stale", "gate", "next")


def test_the_steps_that_the_published_design_leaves_open_are_those_of_fix() -> None:
    lab = load("06")
    assert open_steps(lab, lab.folder / "published.py") == tuple(one.name for one in lab.steps if one.part == "fix")


@pytest.mark.usefixtures("instant_scores")
@pytest.mark.parametrize(
    ("open_steps", "word"),
    [
        ((), "Lab 06 is done: every step passes."),
        (("words", "trust", "next"), "Lab 06 is not done yet. Open: words, trust. Go on with words."),
        (("next", "repair"), "The core of lab 06 is done. Extra steps, if you like: next, repair."),
    ],
)
def test_finish_saves_the_chart_and_says_whether_the_lab_is_done(
    tmp_path: Path, open_steps: tuple[str, ...], word: str
) -> None:
    lab = load("06")
    finished = finish(lab, lab.folder / "published.py", tmp_path / "kept", open_steps)
    assert finished.open_steps == open_steps
    assert finished.words.endswith(word)
    assert finished.png == tmp_path / "kept" / "lab06-chart.png"
    assert finished.png.read_bytes() == finished.picture.png()
