from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

from memlab.harness.check.evidence import deciding_steps
from memlab.harness.check.past import Past
from memlab.harness.running.results import BadResults
from memlab.harness.running.runner import play
from memlab.harness.scenarios.loading import library, load, load_all
from memlab.report.explain.cell import explanation, select_cell
from memlab.report.explain.sentence import sentence
from memlab.report.explain.timeline import AnnotatedTimeline, scenario_paths
from memlab.report.html.failures import anchor, failures_of, failures_section
from memlab.report.lines import to_plain
from memlab.systems.registry import entry
from memlab.terms import Memory, Probe, Result

MOVED = "stale/deploy-script-moved"
OLD = "fact: {id: old, name: way, description: how to ship, source: %s, body: Ship by rail., needles: [by rail]}"
NEW = "fact: {id: new, name: way, description: how to ship, source: %s, body: Ship by road., needles: [by road]}"
ASK = "probe: {id: p, recall: how do we ship, expect: [], forbid: {old: {why: %s}}}"


def play_cell(path: Path, system: str = "bucket-search", seed: int = 0) -> list[Result]:
    return next(iter(play(load(path).sample(seed), [entry(system)])))


def explained(results: Sequence[Result], folder: Path | None = None) -> str:
    lines = explanation(select_cell(results), scenario_paths([folder or library()]))
    return "\n".join(to_plain(line, 1000) for line in lines)


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write a scenario of one family from the steps of its timeline."""

    def write(*steps: str, world: str = "{}") -> Path:
        path = tmp_path / "stale" / "case.yaml"
        path.parent.mkdir(exist_ok=True)
        output = "".join(f"  - {step}\n" for step in steps)
        head = "id: stale/case\ntitle: A case\nstory: A story that is long enough for a learner to read.\n"
        path.write_text(f"{head}world: {world}\ntimeline:\n{output}", encoding="utf-8")
        return path

    return write


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


NEWER = "fact: {name: way, description: how to ship, source: user, body: Ship by air.}"
TASK = "task: {id: old, source: user, goal: go, todo: [ship by rail], needles: [ship by rail]}"
PAGE = "tool: {name: page, source: web, id: page, text: A page of timetables.}"
ORDER = "fact: {id: old, name: way, description: how, body: Ship by rail., derived_from: [page], orders: true}"


@pytest.mark.parametrize(
    ("why", "place", "steps"),
    [
        ("version", "line 2, Mon 05 Jan 09:02", (OLD % "user", NEW % "user")),
        ("version", "line 3, Mon 05 Jan 09:03", (OLD % "user", NEW % "user", NEWER)),
        ("trust, against: new", "line 1, Mon 05 Jan 09:01", (NEW % "user", OLD % "web")),
        ("lineage", "line 1, Mon 05 Jan 09:01", (PAGE, ORDER)),
        ("erased", "line 2, Mon 05 Jan 09:02", (OLD % "user", "erase: {events: [old]}")),
        ("ended", "line 2, Mon 05 Jan 09:02", (TASK, "end: {}")),
        ("ended", "line 2, after Mon 05 Jan 09:01", (TASK.replace("user", "web"), "restart: session")),
    ],
)
def test_each_reason_refers_to_the_line_that_shows_it(
    write: Callable[..., Path], why: str, place: str, steps: tuple[str, ...]
) -> None:
    path = write(*steps, ASK % why)
    assert [line.place for line in AnnotatedTimeline(load(path).sample(0)).evidence_against("p", "old")] == [place]


def test_a_removed_thing_refers_to_the_change_and_a_thing_that_never_existed_to_the_initial_world(
    write: Callable[..., Path],
) -> None:
    fact = "fact: {id: old, name: way, description: how, body: Run bin/rail.sh now., needles: [rail.sh]}"
    lost = write(fact, 'world: {files: {"bin/rail.sh": null}}', ASK % "world", world='{files: {"bin/rail.sh": ""}}')
    assert [line.number for line in AnnotatedTimeline(load(lost).sample(0)).evidence_against("p", "old")] == [2]
    never = write(fact, ASK % "world")
    assert [line.number for line in AnnotatedTimeline(load(never).sample(0)).evidence_against("p", "old")] == [0]


def test_every_forbidden_claim_of_the_library_has_a_step_that_shows_why() -> None:
    for template in load_all([library()]):
        scenario = template.sample(0)
        for probe in (step for step in scenario.timeline if isinstance(step, Probe)):
            for claim, forbidden in probe.forbid.items():
                found = deciding_steps(Past(scenario, probe), claim, forbidden)
                assert bool(found) == (forbidden.why != "nothing"), (scenario.id, probe.id, claim)
                assert all(step is scenario.world or step in scenario.timeline for step in found)


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


def test_a_line_of_the_timeline_is_cut_around_what_a_probe_asks_for(write: Callable[..., Path]) -> None:
    long = f"{'chat ' * 60}Ship by rail. {'more ' * 60}"
    path = write(f"turn: {{id: old, source: user, text: '{long}', needles: [by rail]}}", NEW % "user", ASK % "version")
    (text,) = [entry.text for entry in AnnotatedTimeline(load(path).sample(0)).entries if entry.number == 1]
    assert re.search(r'^user says "\.\.\. (chat )+Ship by rail\. (more )+\.\.\."$', text)


def test_only_lines_before_a_probe_are_named_as_evidence(write: Callable[..., Path]) -> None:
    ask = "probe: {id: %s, recall: how do we ship, expect: [new]}"
    again = "turn: {source: user, text: By road., states: [new]}"
    path = write(NEW % "user", ask % "p", again, ask % "q")
    output = explained(play_cell(path, "null"), path.parents[1])
    assert re.findall(r"MISSING \[new\]: (.*) was expected", output) == ['"by road" (line 1)', '"by road" (lines 1, 3)']


def test_in_family_promotion_a_missing_claim_should_have_been_promoted(make: Callable[..., Result]) -> None:
    for family, words in (("promotion", "is promotion, so that facts that recur"), ("recall", "a search that ranks")):
        (result,) = [replace(make("hybrid", f"{family}/a", good=False), items=("Nothing of the kind.",))]
        assert words in explained([result]).splitlines()[0]


def test_a_line_says_which_line_it_comes_from(write: Callable[..., Path]) -> None:
    timeline = AnnotatedTimeline(load(write(PAGE, ORDER, ASK % "lineage")).sample(0))
    assert [line.text for line in timeline.entries[2].lines] == [
        'user states way (how): "Ship by rail."  (from line 1)  [old]'
    ]
    assert timeline.entries[1].lines[0].text == 'web reads: "A page of timetables."'


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


@pytest.mark.parametrize(("old", "new"), [("by road.,", "by ship.,"), ("files: {a: x}", "files: {b: x}")])
def test_the_timeline_of_a_file_that_changed_since_the_run_is_not_shown(
    write: Callable[..., Path], old: str, new: str
) -> None:
    path = write(OLD % "user", NEW % "user", "world: {files: {a: x}}", ASK % "version")
    results = play_cell(path)
    path.write_text("# a comment\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    assert "  1  Mon 05 Jan 09:01" in explained(results, path.parents[1])
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    output = explained(results, path.parents[1])
    assert "The timeline is not shown: stale/case has changed since the run." in output
    assert 'FORBIDDEN [old]: "by rail". Why: a newer statement superseded it.' in output
    assert "09:01" not in output


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


def test_the_page_shows_a_sample_once_with_each_main_system_that_failed_it() -> None:
    names = ["bucket-search", "bucket-recent", "hybrid", "null"]
    results = [
        result for some in play(load(library() / f"{MOVED}.yaml").sample(0), list(map(entry, names))) for result in some
    ]
    failures = failures_of(result for result in results if result.system != "hybrid")
    assert list(failures) == [("bucket-search", MOVED), ("bucket-recent", MOVED)]
    section = failures_section("Failures", failures)
    output = unescape(section)
    assert output.count("The deploy script moved after the fact was written") == 1
    for place in failures:
        assert f'<h4 id="{anchor(place)}">' in section
        assert f"{place[0]} served" in output
    assert output.count("Why: the environment refutes it; see line 4") >= 2
    assert re.search(r'<p class="red"><i>       2\. FORBIDDEN \[old\] \| </i>', section)
    assert f'data-scenario="{MOVED}" data-system="bucket-search, bucket-recent"' in section


def test_the_page_shows_the_reference_and_your_system_before_the_others(make: Callable[..., Result]) -> None:
    names = ["null", "bucket-search", "mine.py:Mine", "hybrid"]
    failures = failures_of(make(name, "stale/a", good=False) for name in names)
    assert [system for system, _ in failures] == ["mine.py:Mine", "hybrid", "bucket-search"]


def test_a_long_timeline_is_cut_and_the_page_says_how_many_lines_are_left(write: Callable[..., Path]) -> None:
    steps = [f"rule: {{id: r{number}, name: rule-{number}, body: Rule {number}.}}" for number in range(70)]
    path = write(*steps, NEW % "user", "probe: {id: p, recall: how do we ship, expect: [new]}")
    section = unescape(failures_section("Failures", failures_of(play_cell(path, "lab06")), [path.parents[1]]))
    assert re.search(r"\(1\d more lines; `memlab explain` shows all\)", section)


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
