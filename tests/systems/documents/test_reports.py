"""The reports that answer the questions of the documents."""

from __future__ import annotations

from pathlib import Path

import pytest
import report_profiles as profiles
import report_search_legs as legs
import report_stores as stores
import report_time
import report_uses as uses
import report_windows as windows
from data_files import write_data

from memlab.harness.datasets import catalogue
from memlab.harness.datasets.shape import Question, Statement
from memlab.harness.running.runner import play
from memlab.harness.scenarios.loading import library, load
from memlab.harness.scoring.intervals import Interval
from memlab.memory.retrieval.relevance import stem_set
from memlab.report.tables.scores import score_all
from memlab.systems.documents.hermes.window import DOCUMENT
from memlab.systems.documents.profiles import ProfileAuto, ProfileSafe
from memlab.systems.registry import entry


def test_the_divisions_share_what_the_document_gives_to_conversation_and_results() -> None:
    found = windows.divisions()
    assert len(found) == 21
    assert [found[0].conversation, found[-1].results] == [0, pytest.approx(0)]
    for one in found:
        parts = (one.system, one.memory, one.conversation, one.results, one.reply)
        assert sum(parts) == pytest.approx(1)
        assert one.conversation + one.results == pytest.approx(0.65)
    assert found[windows.nearest_to_document()].conversation == pytest.approx(DOCUMENT.conversation, abs=0.02)


def test_evidence_is_kept_where_it_has_the_window() -> None:
    chat, tools = windows.measure("chat", [0]), windows.measure("tools", [0])
    sums = [[sum(value for _, value in each) for each in found] for found in (chat, tools)]
    assert sums[0][-1] > sums[0][0]
    assert sums[1][0] > sums[1][-1] == 0
    best, low, high = windows.best_shares(tools)
    assert low <= best <= high
    assert best < windows.nearest_to_document() < windows.best_shares(chat)[0]


def test_of_equal_divisions_the_one_nearest_to_the_document_is_best() -> None:
    assert windows.best([1.0] * windows.STEPS) == windows.nearest_to_document()
    assert windows.best([2.0, *[1.0] * (windows.STEPS - 1)]) == 0


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("What did Ada buy in 2019?", "names and numbers"),
        ("Who bought the canoe?", "other words"),
        ("Who owns a boat?", "paraphrase"),
    ],
)
def test_a_question_is_of_the_kind_of_what_it_shares_with_its_evidence(query: str, kind: str) -> None:
    texts = {"a": "I bought a red canoe in 2019 from Ada.", "b": "It rains."}
    question = Question("q", "k", query, "c", (Statement("a", texts["a"]),))
    rare = frozenset(stem for text in texts.values() for stem in stem_set(text))
    assert legs.kind_of(question, texts, rare) == kind


def test_each_leg_is_asked_every_question_that_has_evidence(tmp_path: Path) -> None:
    conversations = catalogue.load("locomo", write_data(tmp_path, "locomo"), None)
    rows = [row for one in conversations for row in legs.answered("locomo", one)]
    assert len(rows) == sum(bool(question.evidence) for one in conversations for question in one.questions)
    assert all(row.found.keys() == set(legs.FUSIONS) for row in rows)
    assert max(row.found["keyword"] for row in rows) == 1
    lines = list(legs.table(rows))
    assert [line[:32].strip() for line in lines[1:]] == [f"locomo, {kind}" for kind in ("all", *legs.KINDS)]


def test_without_the_data_the_report_says_where_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"locomo-dev5\.json: there is no such file\. docs/datasets\.md"):
        list(legs.conversations(tmp_path))


def test_the_largest_clear_loss_of_a_store_is_named_and_a_store_without_one_is_named_too() -> None:
    clear, open_one = Interval(0.2, 0.02, 0.37, 18), Interval(0.17, -0.02, 0.34, 18)
    found = [
        stores.Loss(store, group, clear if store == "facts" else open_one)
        for store in stores.CONTENT
        for group in ("all", "its scenarios", "recall")
    ]
    lines = list(stores.table(found))
    assert lines[-4] == "facts: at least 15 points, interval above 0; most in recall, 20 [2, 37] of 18 scenarios"
    assert lines[-1].startswith("working: no family with 15 points and an interval above 0; most in recall")


def test_the_words_of_the_chart_of_the_stores_are_text(tmp_path: Path) -> None:
    scenario = load(library() / "recall" / "first-week.yaml").sample(0)
    cells = play(scenario, [entry(name) for name in ("hybrid", *(f"hybrid-no-{store}" for store in stores.CONTENT))])
    stores.draw(score_all([one for cell in cells for one in cell]), tmp_path / "stores.svg")
    drawn = (tmp_path / "stores.svg").read_text(encoding="utf-8")
    assert drawn.count(">hybrid-no-skills</text>") == 1
    assert len(drawn) < 40_000


def test_every_store_and_every_use_has_scenarios() -> None:
    assert all(stores.scenarios_with_content().values())
    assert list(uses.uses()) == ["chat", "coding agent", "fleet of tasks"]
    assert all(uses.uses().values())


def test_the_rows_of_a_use_are_sorted_and_a_row_stands_beside_its_oracle() -> None:
    scenario = load(library() / "recall" / "first-week.yaml").sample(0)
    names = ("null", "hybrid", "lesson-sqlite", "lesson-sqlite+oracle")
    scores = score_all([one for cell in play(scenario, [entry(name) for name in names]) for one in cell])
    found = uses.passed(scores, {scenario.id})
    assert sorted(found) == sorted(names)
    means = [one.mean for one in found.values()]
    assert means == sorted(means, reverse=True)
    lines = list(uses.table("chat", dict(list(found.items())[:3])))
    assert lines[0].startswith("chat (1 scenarios), %")
    assert len(lines) == 4


def test_the_time_of_each_row_is_a_share_of_all() -> None:
    lines = list(report_time.table({"a": 3.0, "b": 1.0}, 2))
    assert [line.split() for line in lines[1:]] == [
        ["a", "3.00", "1500", "75%"],
        ["b", "1.00", "500", "25%"],
        ["all", "4.00", "2000", "100%"],
    ]


def test_automatic_edits_lose_lines_of_the_user_and_safe_ones_none() -> None:
    assert profiles.kept(ProfileAuto, 0, 10) == (1, 1)
    lines, facts = profiles.kept(ProfileAuto, 0, 25)
    assert lines < 0.8
    safe = profiles.kept(ProfileSafe, 0, 25)
    assert safe[0] == 1
    assert safe[1] > facts
