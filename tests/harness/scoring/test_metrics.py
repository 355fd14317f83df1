from __future__ import annotations

import math
import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.harness.scoring.metrics import METRICS, score
from memlab.memory.text import fold
from memlab.terms import Key, Result

RECALL = Key(
    scenario="stale/moved",
    family="stale",
    seed=0,
    overlay="",
    probe="where",
    verb="recall",
    query="how do we ship on fridays",
    k=3,
    budget=0,
    expect=("who", "new"),
    forbid={"old": "world"},
    keep=(),
    claims={
        "old": ("old_ship.sh",),
        "who": ("Mara", "Fridays"),
        "new": ("scripts/ship.sh",),
        "log1": ("heartbeat 1 ok",),
        "log2": ("heartbeat 2 ok",),
    },
    texts={
        "old": ("To ship, run scripts/old_ship.sh from the repo root.",),
        "who": ("On Fridays Mara ships.\nShe has done so since May.",),
        "new": ("To ship, run scripts/ship.sh.",),
        "log1": ("heartbeat 1 ok",),
        "log2": ("heartbeat 2 ok",),
    },
    rules=(),
    goal="",
    todo=(),
    done=(),
)
ASSEMBLE = replace(
    RECALL,
    verb="assemble",
    budget=300,
    expect=None,
    keep=("who",),
    rules=("Prefer pnpm. Never mix package managers.", "Verify it exists before acting."),
    goal="ship the labs page",
    todo=("smoke test", "deploy"),
    done=("build",),
)
WHO, NEW, OLD, LOG1, LOG2 = (RECALL.texts[one][0] for one in ("who", "new", "old", "log1", "log2"))
CONTEXT = "\n".join([*ASSEMBLE.rules, f"goal: {ASSEMBLE.goal}", WHO, "- smoke test", "- deploy"])


def recalled(*items: str, key: Key = RECALL, error: str = "") -> dict[str, float]:
    return score(Result(key, "a system", items, error=error))


def assembled(context: str, key: Key = ASSEMBLE, error: str = "") -> dict[str, float]:
    return score(Result(key, "a system", (context,), error=error))


QUALITY = ("passes", "recall", "precision", "r_precision", "ndcg", "mrr", "survives", "kept", "recited")


def test_a_worked_example_of_every_recall_metric() -> None:
    scores = recalled(LOG1, NEW, "A line that nobody told.\n" + OLD)
    assert scores["recall"] == 1 / 2
    assert scores["precision"] == 1 / (3 + 1)
    assert scores["r_precision"] == 1 / 2
    assert scores["ndcg"] == pytest.approx((1 / math.log2(3)) / (1 + 1 / math.log2(3)))
    assert scores["mrr"] == 1 / 2
    assert scores["safe"] == 0
    assert scores["useful"] == 0
    assert scores["passes"] == 0
    for name in ("abstains", "survives", "kept", "recited", "context_precision"):
        assert math.isnan(scores[name]), name


def test_an_exact_answer_scores_1_in_every_metric_that_applies() -> None:
    assert all(value == 1 for value in recalled(WHO, NEW).values() if not math.isnan(value))
    context = "\n".join([*ASSEMBLE.rules, "goal: ship the labs page", WHO, "- smoke test"])
    assert all(value == 1 for value in assembled(context).values() if not math.isnan(value))


@pytest.mark.parametrize("error", ["", "recall() raised KeyError"])
def test_an_empty_answer_scores_0_in_every_quality(error: str) -> None:
    for scores in (recalled(error=error), recalled("", " \n", error=error), assembled("", error=error)):
        assert all(scores[name] in {0, math.nan} or math.isnan(scores[name]) for name in QUALITY)
    assert assembled("")["context_precision"] == 0


def test_a_failure_is_0_wherever_a_metric_applies_even_where_silence_would_be_right() -> None:
    nothing = replace(RECALL, expect=())
    assert recalled(key=nothing)["abstains"] == recalled(key=nothing)["safe"] == recalled(key=nothing)["passes"] == 1
    failed = recalled(key=nothing, error="recall() raised KeyError")
    assert failed["abstains"] == failed["safe"] == failed["passes"] == 0
    assert math.isnan(failed["recall"])
    assert assembled(CONTEXT, error="assemble() raised KeyError")["survives"] == 0


def test_all_expected_claims_with_one_forbidden_claim_are_useful_but_no_pass() -> None:
    scores = recalled(WHO, NEW, OLD)
    assert (scores["useful"], scores["safe"], scores["passes"]) == (1, 0, 0)


def test_an_unmatched_line_counts_where_nothing_may_be_served() -> None:
    nothing = replace(RECALL, expect=())
    assert recalled(" \n\u200b", key=nothing)["abstains"] == 1
    assert recalled("I do not know.", key=nothing)["abstains"] == 0
    assert recalled("I do not know.", key=nothing)["passes"] == 0


def test_a_metric_without_its_subject_does_not_apply() -> None:
    scores = recalled(LOG1, key=replace(RECALL, expect=None, forbid={}))
    assert {name for name, value in scores.items() if not math.isnan(value)} == {"passes"}
    bare = replace(ASSEMBLE, rules=(), goal="", todo=(), keep=(), forbid={})
    assert {name for name, value in assembled(CONTEXT, key=bare).items() if not math.isnan(value)} == {"passes"}


def test_all_needles_of_a_claim_must_be_in_one_item() -> None:
    assert recalled("Mara ships.", "Not on Fridays.", NEW)["recall"] == 1 / 2
    assert recalled("Mara ships.\nOn Fridays, that is.", NEW)["recall"] == 1


def test_case_width_zero_width_and_white_space_do_not_hide_a_claim() -> None:
    hidden = "run scripts/old\u200b_SHIP.sh"
    assert recalled(hidden, WHO, NEW)["safe"] == 0
    assert recalled("\uff2dara, on\nfridays", NEW)["recall"] == 1


def test_only_the_first_k_items_count() -> None:
    assert recalled(LOG1, LOG2, LOG1, NEW, OLD)["recall"] == 0
    assert recalled(LOG1, LOG2, LOG1, NEW, OLD)["safe"] == 1


def test_a_claim_served_twice_counts_once_but_takes_a_place_in_the_ranking() -> None:
    twice = recalled(NEW, NEW, WHO)
    assert twice["precision"] == 1
    assert twice["r_precision"] == 1 / 2
    assert twice["ndcg"] == pytest.approx((1 + 1 / math.log2(4)) / (1 + 1 / math.log2(3)))


def test_one_long_item_is_ranked_by_where_each_claim_is_complete() -> None:
    dumped = recalled(f"{LOG1}\n{OLD}\n{LOG2}\n{NEW}\n{WHO}")
    assert dumped["recall"] == 1
    assert dumped["mrr"] == 1 / 4
    assert dumped["r_precision"] == 0
    assert dumped["precision"] == 2 / 5


def test_lines_of_a_served_event_are_not_stray_with_or_without_framing() -> None:
    framed = f"- (2026-01-05, user) {NEW}"
    assert recalled(framed, WHO)["precision"] == 1
    assert recalled(f"{WHO}\n* She has done so since May. (user)", NEW)["precision"] == 1
    assert recalled("On Fridays Mara ships.\nShe has done so", NEW)["precision"] == 1
    assert recalled("Background, true when written:\n" + NEW, WHO)["precision"] == 2 / 3
    assert recalled("As for shipping:", NEW, WHO)["precision"] == 2 / 3


lines = st.sampled_from(
    [*CONTEXT.splitlines(), WHO, NEW, OLD, LOG1, "noise", "- build", "goal: ship the labs page", ""]
)
answers = st.lists(st.lists(lines, max_size=12).map("\n".join), max_size=4)
judged = st.builds(
    replace,
    st.sampled_from([RECALL, ASSEMBLE]),
    forbid=st.sampled_from([{}, {"old": "world"}]),
    todo=st.sampled_from([(), ("smoke test",), ("smoke test", "deploy")]),
)


@given(judged, answers, st.sampled_from(["", "it raised"]))
def test_every_metric_is_a_share_or_not_applicable_and_applies_whatever_the_answer(
    key: Key, items: list[str], error: str
) -> None:
    scores = score(Result(key, "a system", tuple(items), error=error))
    nothing = score(Result(key, "null", ()))
    for name, value in scores.items():
        assert math.isnan(value) == math.isnan(nothing[name]), name
        assert math.isnan(value) or 0 <= value <= 1, name
    assert not (error and scores["passes"])


@given(judged, answers)
def test_a_metric_alone_gives_what_it_gives_among_all(key: Key, items: list[str]) -> None:
    result = Result(key, "a system", tuple(items))
    together = score(result)
    for name, measure in METRICS.items():
        assert measure(replace(result)) == together[name] or math.isnan(together[name])


@pytest.mark.timing
def test_scoring_costs_less_than_looking_for_a_thousand_claims_one_by_one() -> None:
    many_claims = {f"c{n}": (f"build {n} of the parser on node {n % 7} is green",) for n in range(1000)}
    key = replace(ASSEMBLE, claims={**ASSEMBLE.claims, **many_claims}, texts={**ASSEMBLE.texts, **many_claims})
    context = "\n".join(
        [CONTEXT, *(f"- (2026-01-05, tool) {needles[0]}" for needles in list(many_claims.values())[::50])]
    )
    results = [Result(key, "a system", (context + " " * n,)) for n in range(200)]
    score(results[0])
    start = time.perf_counter()
    for result in results:
        score(result)
    scored = time.perf_counter()
    for result in results:
        text = fold(result.items[0])
        assert sum(fold(needles[0]) in text for needles in key.claims.values())
    assert scored - start < time.perf_counter() - scored
