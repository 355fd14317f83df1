from __future__ import annotations

import re
from pathlib import Path

import pytest

from memlab.harness.check.check import check
from memlab.harness.scenarios.loading import load

MOVED = """\
id: stale/moved
title: The deploy script moved after the fact was written
story: One paragraph that a learner reads before predicting what each memory will do.
vary: {script: [deploy, ship], manager: [pnpm, uv]}
world:
  files: {"scripts/old_{script}.sh": "#!/bin/sh"}
rules: ["Prefer {manager}. Never mix package managers."]
timeline:
  - fact: {id: old, name: release-script, description: where the release script lives, type: reference,
           body: "To ship, run scripts/old_{script}.sh from the repo root.", needles: ["old_{script}.sh"]}
  - fact: {id: who, name: release-duty, description: who ships on fridays,
           body: "On Fridays Mara ships.", needles: [Mara]}
  - world: {actor: user, move: {"scripts/old_{script}.sh": "scripts/{script}.sh"}}
  - repeat: {times: 200, episode: {kind: log, detail: "heartbeat {i} is ok", source: tool}}
  - task: {goal: put the labs page online, todo: [build, smoke test]}
  - done: build
  - probe: {id: where, recall: how do we ship on fridays, k: 3, expect: [who], forbid: {old: {why: world}}}
  - probe: {id: page, assemble: how do we ship on fridays, budget: 100, keep: [rules, goal, todo, who]}
"""
SUBJECT = """\
id: contradiction/subject
title: Two voices on one subject
story: One paragraph that a learner reads before predicting what each memory will do.
world: {files: {"bin/run.sh": "#!/bin/sh", "src/pay.py": "def charge(): ...", "docs/a.md": ""}}
timeline:
  - fact: {id: who, name: office, description: who sits in the office, body: In the office sits Mara., needles: [Mara]}
"""
PROBE = (
    "  - probe: {{id: ask, recall: in which zone is the office, k: 3, expect: [who], forbid: {{{claim}: {{{why}}}}}}}\n"
)
A = "fact: {id: a, source: SOURCE, name: zone, description: the zone of the office, body: The office zone is Lisbon.}"
B = "fact: {id: b, source: SOURCE, name: zone, description: the zone of the office, body: The office zone is Porto.}"


def errors(folder: Path, text: str, *, playing: bool = False) -> list[str]:
    scenario_id = text.splitlines()[0].removeprefix("id: ")
    path = folder / f"{scenario_id}.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return [str(one) for one in check([load(path)], played=3 if playing else 0)]


def forbids(*steps: str, why: str, claim: str = "a") -> str:
    return SUBJECT + "".join(f"  - {step}\n" for step in steps) + PROBE.format(claim=claim, why=f"why: {why}")


def by(source: str, fact: str, extra: str = "") -> str:
    return fact.replace("SOURCE", source).replace("{id", f"{{{extra}id")


def test_the_example_of_the_design_is_valid(tmp_path: Path) -> None:
    assert errors(tmp_path, MOVED, playing=True) == []


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("  - world: {", "  # {", "moved.yaml:17: probe 'where' forbids 'old' by `why: world`, but the world does not"),
        ("needles: [Mara]", "needles: [on fridays]", "17: probe 'where' contains 'on fridays', a needle of 'who'"),
        (
            "needles: [Mara]",
            "needles: [Maria]",
            "moved.yaml:12: claim 'who' lacks its needle 'Maria' in the fact 'On Fr",
        ),
        ("needles: [Mara]", "needles: [fridays]", "claim 'who' has its needle 'fridays' in the description 'who ships"),
        (
            "heartbeat {i} is ok",
            "Mara says {i} is ok",
            "moved.yaml:12: claim 'who' has its needle 'mara' in the episode",
        ),
        (
            "goal: put the",
            "goal: ask Mara to put the",
            "claim 'who' has its needle 'mara' in the task 'ask Mara to put",
        ),
        (
            "heartbeat {i} is ok",
            "heartbeat {i}",
            "the episode 'heartbeat 1' has its needle 'heartbeat 1' in the episode",
        ),
        (
            "[build, smoke test]",
            '[build, "smoke, test"]',
            "15: the task 'put the labs page online' has the to-do 'smoke, t",
        ),
        ("done: build", "done: biuld", "16: the done 'biuld' is no to-do of the current task. Did you mean 'build'?"),
        (
            "budget: 100",
            "budget: 50",
            "18: probe 'page' has a budget of 50 tokens, too few for what must be kept. Set at",
        ),
        ("budget: 100", "budget: 900", "18: probe 'page' has a budget of 900 tokens for a history of "),
        ("k: 3, expect: [who]", "k: 3, expect: []", "no probe that forbids also expects or keeps one"),
        ("expect: [who], forbid: {old: {why: world}}", "", "17: probe 'where' has no answer key."),
        ("expect: [who], f", "expect: [who, old], f", "probe 'where' both wants and forbids old."),
        ("k: 3, expect: [who]", "k: 1, expect: [who, old]", "expects 2 claims in k = 1. Raise `k:`."),
    ],
)
def test_an_invalid_scenario_is_reported_with_its_line(tmp_path: Path, old: str, new: str, complaint: str) -> None:
    assert old in MOVED
    found = errors(tmp_path, MOVED.replace(old, new))
    assert any(complaint in one for one in found), found


def test_lines_are_right_after_a_session_that_ended_its_open_task(tmp_path: Path) -> None:
    (found,) = errors(tmp_path, MOVED.replace("done: build", "restart: session").replace("budget: 100", "budget: 40"))
    assert "moved.yaml:18: probe 'page' has a budget of 40 tokens" in found


def test_a_needle_in_two_hundred_events_is_one_complaint(tmp_path: Path) -> None:
    assert len(errors(tmp_path, MOVED.replace("heartbeat {i} is ok", "Mara says {i} is ok"))) == 1


def test_a_repeat_whose_events_share_no_needle_is_one_complaint(tmp_path: Path) -> None:
    (found,) = errors(tmp_path, MOVED.replace("{kind: log, detail: ", "{id: log, kind: log, detail: "))
    assert "moved.yaml:14: claim 'log' lacks its needle 'heartbeat 1 is ok' in the episode 'heartbeat 2 is ok'" in found
    assert "and in 198 more events. Give it `needles:` that occur in every event" in found


def test_every_sample_is_checked_because_variables_may_collide(tmp_path: Path) -> None:
    collides = MOVED.replace("script: [deploy, ship]", "script: [build, Mara]")
    found = errors(tmp_path, collides)
    assert found
    assert all("'mara'" in one for one in found)


def test_a_complaint_of_many_samples_is_reported_once(tmp_path: Path) -> None:
    found = errors(tmp_path, MOVED.replace("budget: 100", "budget: 50"))
    assert len(found) == 1


RESTATED = by("web", A, "states: [a], ").replace("id: a, ", "")
ASK = "task: {id: ask, needles: [paint the door], goal: tidy up, todo: [sweep, paint the door]}"
OLD_PATH = 'fact: {id: a, name: x, description: y, body: "%s", needles: ["%s"]}'
GONE = 'world: {files: {"bin/run.sh": null}}'
DERIVABLE = {
    "a later fact by the same source": forbids(by("user", A), by("user", B), why="version"),
    "a later fact by a better source": forbids(by("web", A), by("tool", B), why="version"),
    "an old value told again by a source of lower rank": forbids(by("user", A), by("user", B), RESTATED, why="version"),
    "a lie against a better source": forbids(by("user", B), by("web", A), why="trust, against: b"),
    "a lie told before the truth": forbids(by("web", A), by("user", B), why="trust, against: b"),
    "an order quoted from a page": forbids(
        by("web", B), by("tool", A, "orders: true, derived_from: [b], "), why="lineage"
    ),
    "a fact that the user erased": forbids(by("tool", A), "erase: {events: [a]}", why="erased"),
    "a fact that its own source erased": forbids(by("tool", A), "erase: {source: tool, events: [a]}", why="erased"),
    "a fact derived from one that was erased": forbids(
        by("user", B), by("agent", A, "derived_from: [b], "), "erase: {events: [b]}", why="erased"
    ),
    "a to-do of a task that ended": forbids(ASK, "end:", why="ended", claim="ask"),
    "a to-do that was done before its session ended": forbids(
        ASK, "done: paint the door", "restart: session", why="ended", claim="ask"
    ),
    "a to-do of a task that another replaced": forbids(
        ASK, "task: {goal: cook, todo: [chop]}", why="ended", claim="ask"
    ),
    "a to-do of the last session": forbids(ASK, "restart: session", why="ended", claim="ask"),
    "a path that is gone": forbids(OLD_PATH % ("Run `bin/run.sh`.", "run.sh"), GONE, why="world"),
    "a path that never was": forbids(OLD_PATH % ("Run bin/no.sh now.", "bin/no.sh"), why="world"),
    "a variable that is not set": forbids(OLD_PATH % ("It is in $PAY_URL, they say.", "PAY_URL"), why="world"),
    "a flag that a command lost": forbids(
        "world: {commands: {pnpm: [--fast]}}", OLD_PATH % ("Use pnpm install --slow.", "--slow"), why="world"
    ),
    "a function that is gone": forbids(
        OLD_PATH % ("Call charge to bill.", "charge"), 'world: {files: {"src/pay.py": "def bill(): ..."}}', why="world"
    ),
}
UNDERIVABLE = {
    "a later fact by a worse source": forbids(by("user", A), by("web", B), why="version"),
    "a later fact that quotes a worse source": forbids(
        by("web", OLD_PATH.replace("{id: a", "{source: SOURCE, id: c") % ("Nothing much.", "much")),
        by("tool", A),
        by("tool", B, "derived_from: [c], "),
        why="version",
    ),
    "a later result of the same tool": forbids(
        "tool: {id: a, name: weather, text: It rains.}", "tool: {name: weather, text: It shines.}", why="version"
    ),
    "a later fact on another subject": forbids(by("user", A), by("user", B.replace("zone,", "hour,")), why="version"),
    "an earlier fact": forbids(by("user", B), by("user", A), why="version"),
    "a later fact that was erased": forbids(by("user", A), by("user", B), "erase: {events: [b]}", why="version"),
    "an old value told again by as good a source": forbids(
        by("user", A), by("user", B), RESTATED.replace("web", "user"), why="version"
    ),
    "an uncontested lie": forbids(by("web", A), by("user", B.replace("zone,", "hour,")), why="trust, against: b"),
    "a lie that a better source repeats": forbids(
        by("user", B), by("web", A), RESTATED.replace("web", "user"), why="trust, against: b"
    ),
    "a page that quotes no order": forbids(by("web", A), why="lineage"),
    "an order by the user": forbids(by("user", A, "orders: true, "), why="lineage"),
    "a fact that another source erased": forbids(by("user", A), "erase: {source: tool, events: [a]}", why="erased"),
    "a fact erased in a page that a tool quotes": forbids(
        by("tool", A), by("web", B), "erase: {source: tool, derived_from: [b], events: [a]}", why="erased"
    ),
    "a fact told again after it was erased": forbids(by("web", A), "erase: {events: [a]}", RESTATED, why="erased"),
    "a to-do of the open task": forbids(ASK, why="ended", claim="ask"),
    "a to-do after a crash": forbids(ASK, "restart: crash", why="ended", claim="ask"),
    "a to-do that a web page replaced": forbids(
        ASK, "task: {source: web, goal: cook, todo: [chop]}", why="ended", claim="ask"
    ),
    "a fact about a task": forbids(by("user", A), "end:", why="ended"),
    "a path that stands": forbids(OLD_PATH % ("Run bin/run.sh now.", "run.sh"), why="world"),
    "a page on the web": forbids(OLD_PATH % ("See https://a.example/x.sh now.", "x.sh"), why="world"),
    "a path elsewhere": forbids(OLD_PATH % ("Run /opt/no.sh now.", "no.sh"), why="world"),
    "a flag of a command that nobody registered": forbids(OLD_PATH % ("Use cargo --slow.", "--slow"), why="world"),
    "a plain word": forbids(OLD_PATH % ("The office smells of yellow paint.", "yellow"), why="world"),
    "a bare capital word": forbids(OLD_PATH % ("The office runs on JSON.", "JSON"), why="world"),
    "a word of prose with a slash": forbids(OLD_PATH % ("Use tea and/or coffee.", "and/or"), why="world"),
}


@pytest.mark.parametrize("case", DERIVABLE)
def test_a_claim_may_be_forbidden_if_the_timeline_shows_why(tmp_path: Path, case: str) -> None:
    assert errors(tmp_path, DERIVABLE[case]) == []


@pytest.mark.parametrize("case", UNDERIVABLE)
def test_a_claim_may_not_be_forbidden_if_the_timeline_does_not_show_why(tmp_path: Path, case: str) -> None:
    (found,) = errors(tmp_path, UNDERIVABLE[case])
    assert "contradiction/subject.yaml:" in found
    assert "probe 'ask' forbids" in found


def test_a_flag_of_a_removed_command_is_unknown_and_the_error_says_to_keep_the_command(tmp_path: Path) -> None:
    has, goes = "world: {commands: {pnpm: [--slow]}}", "world: {commands: {pnpm: null}}"
    (found,) = errors(tmp_path, forbids(has, OLD_PATH % ("Use pnpm --slow.", "--slow"), goes, why="world"))
    assert "pnpm --slow is unknown (the help of pnpm is not registered)" in found
    assert "for a flag, keep its command and remove the flag" in found


@pytest.mark.parametrize(("by_whom", "count"), [("user", 1), ("web", 0)])
def test_a_lie_may_be_forbidden_against_a_removed_claim_unless_a_trusted_source_confirmed_the_lie(
    tmp_path: Path, by_whom: str, count: int
) -> None:
    facts = [
        OLD_PATH.replace("id: a", "id: b, about: z") % ("Run bin/run.sh.", "run.sh"),
        OLD_PATH.replace("id: a", "id: a, source: web, about: z").replace("name: x", "name: w")
        % ("Run bin/go.sh.", "go.sh"),
    ]
    text = forbids(*facts, GONE, f"world: {{actor: {by_whom}, files: {{bin/go.sh: x}}}}", why="trust, against: b")
    assert len(errors(tmp_path, text)) == count


def test_in_family_limits_a_lie_may_be_undecidable(tmp_path: Path) -> None:
    lie = UNDERIVABLE["an uncontested lie"]
    assert errors(tmp_path, lie)
    assert errors(tmp_path, lie.replace("contradiction/", "limits/")) == []


def test_an_attack_without_effect_is_an_error(tmp_path: Path) -> None:
    far = MOVED.replace("To ship, run", "Zebra").replace("from the repo root", "zebra").replace("release", "zebra")
    (found,) = errors(tmp_path, far, playing=True)
    assert "17: probe 'where' forbids old, but the attack has no effect: none of bucket-recent, bucket-search" in found
    assert "Use more of its words in the query, or move it later." in found


def test_a_forbidden_text_that_the_default_budget_cuts_before_its_needle_is_to_be_shortened(tmp_path: Path) -> None:
    long = MOVED.replace("To ship, run", "How we ship on fridays: " + "we ship with care. " * 30 + "Run")
    (found,) = errors(tmp_path, long, playing=True)
    assert re.search(r"serves it in k = 3 and \d\d tokens\. Its text has \d{3} tokens, and is cut at the budget", found)
    assert errors(tmp_path, long.replace("k: 3,", "k: 3, budget: 400,"), playing=True) == []


def test_a_scenario_that_silence_passes_is_an_error(tmp_path: Path) -> None:
    silent = (
        MOVED.replace("stale/", "recall/")
        .replace("expect: [who]", "expect: []")
        .replace("forbid: {old: {why: world}}", "")
    )
    silent = silent.replace("  - probe: {id: page", "# {")
    (found,) = errors(tmp_path, silent, playing=True)
    assert "null, which always answers nothing, passes every probe" in found


def test_a_scenario_that_the_oracle_fails_is_an_error(tmp_path: Path) -> None:
    (found,) = errors(tmp_path, MOVED.replace("smoke test]", "'[x] smoke test']"), playing=True)
    assert "18: probe 'page' cannot be passed: the oracle, which reads the key, has recited 0.00 with" in found


def test_a_family_that_source_labels_alone_can_pass_is_an_error(tmp_path: Path) -> None:
    templates = []
    for number in range(3):
        text = forbids(by("web", A), by("user", B), why="trust, against: b").replace("/subject", f"/subject{number}")
        assert errors(tmp_path, text) == []
        templates.append(load(tmp_path / "contradiction" / f"subject{number}.yaml"))
    (found,) = check(templates, played=0)
    assert "contradiction: serving only what is labelled user passes 3 of 3 attacks, more than a third" in str(found)
    assert check(templates[:2], played=0) == []
