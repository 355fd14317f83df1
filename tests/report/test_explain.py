from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from explain_cases import ASK, MOVED, NEW, OLD, explained, play_cell

from memlab.harness.running.results import BadResults
from memlab.harness.scenarios.loading import library
from memlab.report.explain.cell import select_cell
from memlab.report.explain.sentence import sentence
from memlab.systems.registry import entry
from memlab.terms import Memory, Result


def test_the_first_sentence_says_what_was_served_why_it_could_be_known_at_which_line_and_what_catches_it() -> None:
    first, *rest = explained(play_cell(library() / f"{MOVED}.yaml")).splitlines()
    served, output = re.fullmatch(
        r'Asked "[^"]+", bucket-search served "([^"]+)", though the environment refutes it '
        r"\(line 4, after Mon 05 Jan 09:03: "
        r"(user removes [^;]+); .*\)\. The defence that catches this is a freshness guard, .*\.",
        first,
    ).groups()  # type: ignore[union-attr] # else there is no such sentence
    assert served in output
    assert any(line.startswith("  4 ") and line.endswith(output) for line in rest)


def test_each_item_is_marked_with_what_it_is_to_the_probe_and_shown_with_its_store(write: Callable[..., Path]) -> None:
    path = write(
        OLD % "user",
        NEW % "user",
        "turn: {text: It rains.}",
        "probe: {id: p, recall: ship, expect: [new], forbid: {old: {why: version}}}",
    )
    (result,) = play_cell(path, "null")
    served = replace(result, items=("Ship by road.", "x " * 400 + "Ship BY RAIL. " + "y " * 400, "It rains."))
    output = explained([replace(served, stores=("semantic", "", ""), notes=("old news",))], path.parents[1])
    assert "1. expected [new]   | Ship by road.  (store: semantic)" in output
    assert re.search(r"2\. FORBIDDEN \[old\] +\| \.\.\. [x ]{20,60}Ship BY RAIL\. [y ]{20,100} \.\.\.\n", output)
    assert "3. neither (line 3) | It rains." in output
    why = "Why: a newer statement superseded it; see line 2, Mon 05 Jan 09:02."
    assert f'FORBIDDEN [old]: "by rail" (line 1). {why}' in output
    assert "notes: old news" in output


def test_a_missing_claim_is_named_with_its_needles_and_the_line_that_stated_it() -> None:
    output = explained(play_cell(library() / f"{MOVED}.yaml", "null"))
    first = output.splitlines()[0]
    assert re.search(r'null served nothing, but "\w+" \(line 3\) was expected\. .* stores every event', first)
    assert re.search(r'MISSING \[who\]: "\w+" \(line 3\) was expected\.', output)
    assert 'MISSING: the goal "ship the labs page" (line 6) must be in every context.' in output
    assert "served nothing\n" in output
    assert "correctly not served" not in output  # silence keeps nothing back


def test_only_lines_before_a_probe_are_named_as_evidence(write: Callable[..., Path]) -> None:
    ask = "probe: {id: %s, recall: how do we ship, expect: [new]}"
    again = "turn: {source: user, text: By road., states: [new]}"
    path = write(NEW % "user", ask % "p", again, ask % "q")
    output = explained(play_cell(path, "null"), path.parents[1])
    assert re.findall(r"MISSING \[new\]: (.*) was expected", output) == ['"by road" (line 1)', '"by road" (lines 1, 3)']


def test_in_family_promotion_a_missing_claim_should_have_been_promoted(make: Callable[..., Result]) -> None:
    for family, words in (("promotion", "It lacks promotion, so that"), ("recall", "a search that finds")):
        (result,) = [replace(make("hybrid", f"{family}/a", good=False), items=("Nothing of the kind.",))]
        assert words in explained([result]).splitlines()[0]


def test_a_page_says_what_the_system_is_in_the_words_of_the_list_of_systems() -> None:
    (line,) = [one for one in explained(play_cell(library() / f"{MOVED}.yaml")).splitlines() if "BM25" in one]
    assert line == f"bucket-search: {next(one.about for one in [entry('bucket-search')])}"


def test_a_context_shows_the_lines_that_matter_and_counts_the_others(write: Callable[..., Path]) -> None:
    path = write(
        "task: {goal: ship, todo: [pack, send]}",
        NEW % "user",
        "probe: {id: p, assemble: ship, budget: 99, keep: [goal, todo, new]}",
    )
    (result,) = play_cell(path, "null")
    context = "\n".join(["heading", *"abcdefgh", "Ship by road.", "- ship", "i", "- pack"])
    output = explained([replace(result, items=(context,))], path.parents[1])
    assert "next to-do    | - pack" in output
    assert "to keep [new] | Ship by road." in output
    assert "| heading  (and 8 more lines)" in output
    assert "| i\n" in output
    assert output.count("passed ? ship  (assemble, 0 of 99 tokens used)") == 1


def test_a_scenario_that_was_passed_is_explained_as_well() -> None:
    output = explained(play_cell(library() / f"{MOVED}.yaml", "oracle"))
    assert output.startswith("oracle passes: it served everything expected and nothing forbidden; this needs a fr")
    assert "0 of 2 probes failed" in output
    assert re.search(
        r"correctly not served \[old\]: .* Why: the environment refutes it; see line 4, after Mon 05 Jan 09:03\.",
        output,
    )


def test_a_missing_file_is_reported_and_the_answers_are_explained_without_it(write: Callable[..., Path]) -> None:
    path = write(OLD % "user", NEW % "user", ASK % "version")
    results = play_cell(path)
    path.write_text("id: stale/case\nnonsense: 1\n", encoding="utf-8")
    assert "its file cannot be read. stale/case.yaml" in explained(results, path.parents[1])
    path.unlink()
    output = explained(results, path.parents[1])
    assert "there is no file for stale/case. Name its folder with `--folder`." in output
    assert "FAILED ? how do we ship  (recall, 5 items at most)" in output


def test_the_results_of_older_versions_are_explained(write: Callable[..., Path]) -> None:
    path = write(OLD % "user", NEW % "user", ASK % "version")
    results = [replace(one, key=replace(one.key, file="")) for one in play_cell(path)]
    assert "  1  Mon 05 Jan 09:01" in explained(results, path.parents[1])


def test_nothing_hides_in_what_is_shown(write: Callable[..., Path]) -> None:
    path = write(OLD % "user", NEW % "user", ASK % "version")
    (result,) = play_cell(path, "null")
    output = explained([replace(result, items=("a\x1b[31m b\u200b",), notes=("\x07",))], path.parents[1])
    assert all(line.isprintable() for line in output.split("\n"))
    assert "\N{WHITE SQUARE}001b" in output


def test_a_system_that_failed_is_shown_as_an_error() -> None:
    results = [replace(one, items=(), error="recall() raised.") for one in play_cell(library() / f"{MOVED}.yaml")]
    output = explained(results)
    assert "bucket-search gave no answer: recall() raised." in output.splitlines()[0]
    assert output.count("ERROR: recall() raised.") == 2


def test_the_default_cell_is_the_first_that_failed(make: Callable[..., Result]) -> None:
    results = [make("oracle", "stale/a"), make("null", "stale/a"), make("null", "stale/b", 1, good=False)]
    results += [make("null", "stale/b", 2, good=False), replace(make("null", "stale/0", good=False), system="late")]
    assert [one.key.scenario for one in select_cell(results, system="null")] == ["stale/b"]
    assert [one.key.seed for one in select_cell(results, "stale/b", "null", 2)] == [2]
    assert [one.system for one in select_cell(results, "stale/a", "oracle")] == ["oracle"]


@pytest.mark.parametrize(
    ("meant", "message"),
    [
        (
            {"scenario": "stale/mooved"},
            r"no scenario 'stale/mooved'.* Did you mean 'stale/moved'\? Valid: stale/moved",
        ),
        ({"scenario": "moved"}, "Did you mean 'stale/moved'"),
        ({"system": "orakle"}, r"no system 'orakle'.* Did you mean 'oracle'\? Valid: oracle, null\."),
        ({"seed": 7}, r"no seed '7'.* Valid: 0, 1\."),
    ],
)
def test_a_cell_that_was_not_run_is_refused_with_those_that_were(
    make: Callable[..., Result], meant: dict[str, str], message: str
) -> None:
    results = [make("oracle", "stale/moved"), make("null", "stale/moved", 1)]
    with pytest.raises(BadResults, match=message):
        select_cell(results, **meant)  # type: ignore[arg-type] # one of three options


def test_a_memory_that_names_its_stores_is_shown_with_them(write: Callable[..., Path]) -> None:
    path = write(NEW % "user", "probe: {id: p, recall: how do we ship, expect: [new]}")
    (result,) = play_cell(path, "hybrid")
    assert result.stores == ("semantic",)
    assert Memory("a").store == ""
    assert "(store: semantic)" in explained([result], path.parents[1])


def test_the_failure_of_an_ablation_names_its_missing_part(make: Callable[..., Result]) -> None:
    missing = [make(system, "recall/a", good=False) for system in ("hybrid-no-log", "hybrid-no-pin", "lab06", "hybrid")]
    log, pins, memory, reference = (sentence([one], None) for one in missing)
    assert "the log that this ablation lacks" in log
    assert "pins, so that" in pins
    assert memory.endswith("a memory that stores every event, and a search that finds it.")
    assert reference.endswith("hybrid has this and still failed: a known limit or a defect.")
