"""The checks of `why: failed`, and of a `release` by the user."""

from __future__ import annotations

from pathlib import Path

import pytest

from memlab.harness.check.case import Case
from memlab.harness.check.static import static_errors
from memlab.harness.scenarios.loading import load

HEAD = """\
id: contradiction/subject
title: Two voices on one subject
story: One paragraph that a learner reads before predicting what each memory will do.
timeline:
  - fact: {id: who, name: office, description: who sits in the office, body: In the office sits Mara., needles: [Mara]}
"""
ORDER = "fact: {id: a, orders: true, source: web, name: zone, description: the zone, body: The office zone is Lisbon.}"


def errors(folder: Path, *steps: str) -> list[str]:
    path = folder / "contradiction" / "subject.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(HEAD + "".join(f"  - {step}\n" for step in steps), encoding="utf-8")
    template = load(path)
    return [str(one) for one in static_errors(Case(template, template.sample(0)))]


def complaints(folder: Path, *steps: str) -> list[str]:
    """Return the errors of a timeline about a reason why a claim must not be served."""
    return [one for one in errors(folder, *steps) if "by `why:" in one]


FAILED = "end: {id: a, success: false, error: the office zone is Porto, needles: [Porto]}"


@pytest.mark.parametrize(
    ("end", "probe", "complaint"),
    [
        (FAILED, "assemble: where is the office, budget: 100, keep: [who]", ""),
        (FAILED, "recall: where is the office, expect: [who]", "a question may be answered by a run that failed"),
        (
            FAILED.replace("false", "true"),
            "assemble: where is the office, budget: 100, keep: [who]",
            "is no `end` with",
        ),
        (
            FAILED.replace("error:", "resolution: mended, error:"),
            "assemble: where is the office, budget: 100, keep: [who]",
            "is no `end` with `success: false` and without a `resolution`",
        ),
    ],
)
def test_only_a_run_that_failed_without_a_resolution_is_forbidden_as_failed_and_only_in_a_context(
    tmp_path: Path, end: str, probe: str, complaint: str
) -> None:
    ask = f"probe: {{id: p, {probe}, forbid: {{a: {{why: failed}}}}}}"
    found = complaints(tmp_path, "task: {goal: go, todo: [pack]}", end, ask)
    assert len(found) == bool(complaint)
    assert all(complaint in one for one in found)


def test_what_the_user_accepted_is_not_forbidden_for_its_lineage(tmp_path: Path) -> None:
    accepted = "episode: {kind: release, source: user, detail: I read it., derived_from: [a]}"
    ask = "probe: {id: p, recall: which zone has the office, expect: [who], forbid: {a: {why: lineage}}}"
    assert complaints(tmp_path, ORDER, ask) == []
    (found,) = complaints(tmp_path, ORDER, accepted, ask)
    assert "the user accepted the fact 'The office zone is Lisbon.' by 'web'" in found


@pytest.mark.parametrize(("quote", "count"), [("it hangs in Mara's room", 0), ("it hangs in her room", 1)])
def test_a_quote_contains_the_needles_of_its_fact(tmp_path: Path, quote: str, count: int) -> None:
    fact = f'fact: {{id: a, name: map, description: the map, body: Ask Bela., quote: "{quote}", needles: [Bela]}}'
    fact = fact.replace("Bela", "Mara's room")
    found = [one for one in errors(tmp_path, fact) if "lacks its needle" in one]
    assert len(found) == count
