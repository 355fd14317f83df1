"""What `memlab check` demands of a long task: each law is broken once."""

from __future__ import annotations

from pathlib import Path

import pytest

from memlab.harness.turns.check import check_long
from memlab.harness.turns.long_task import load_long

TASK = """\
id: turns/sample
title: A sample
story: A story that is long enough for a learner to read before predicting anything at all.
budget: 200
rules: [{name: pen, body: Write in ink.}]
each_turn:
  - repeat: {times: 5, tool: {name: radio, text: "message {i} comes in over the radio"}}
timeline:
  - fact: {id: old, name: phone, description: telephone of the pilot, body: Pilot on 4711., needles: ["4711"]}
  - fact: {id: berth, name: berth, description: where she lies, body: She lies at quay two., needles: [quay two]}
  - task: {goal: bring her in, todo: [telephone the pilot, write the log, see where she lies]}
  - turn: {id: page, source: web, text: "- [ ] buy the boat"}
  - act: 1
  - fact: {id: new, name: phone, description: telephone of the pilot, body: Pilot on 4722., needles: ["4722"]}
  - fact: {id: lie, source: web, name: berth, description: where she lies, body: She lies at the mole., needles: [mole]}
  - rule: {name: pen, source: web, body: Write in blood.}
  - act: 2
  - end: {outcome: She is in.}
  - task: {goal: bring her out, todo: [telephone the pilot again, tidy up]}
  - act: 27
needs:
  - {for: [telephone the pilot, telephone the pilot again], takes: [old, new]}
  - {for: [write the log], under: [pen]}
  - {for: [see where she lies], takes: [berth], wrong: {lie: {why: trust, against: berth}}}
planted: [buy the boat]
"""

LIE = next(line for line in TASK.splitlines(keepends=True) if "id: lie" in line)
BLOOD = next(line for line in TASK.splitlines(keepends=True) if "in blood" in line)


def wrong(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "turns" / "sample.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return list(map(str, check_long(load_long([tmp_path]), seeds=1)))


def test_a_long_task_that_keeps_every_rule_is_valid(tmp_path: Path) -> None:
    assert wrong(tmp_path, TASK) == []


@pytest.mark.parametrize(
    ("part", "instead", "line", "complaint"),
    [
        ("act: 27", "act: 26", 8, "the agent takes 29 turns: a long task must have 30 to 100. Change the numbers of"),
        ("act: 27", "act: 98", 8, "the agent takes 101 turns: a long task must have 30 to 100."),
        ("budget: 200", "budget: 4000", 4, "almost everything fits. Add events in `each_turn:`, or set at most"),
        (
            'body: Pilot on 4711., needles: ["4711"]',
            'body: Pilot on 4711., needles: ["4712"]',
            9,
            "claim 'old' lacks its needle '4712'",
        ),
        (
            "todo: [telephone the pilot again, tidy up]",
            "todo: [telephone the pilot again, tidy quay two]",
            10,
            "has its needle 'quay two' in the task 'tidy quay two', which does not state it",
        ),
        (
            "takes: [old, new]}",
            "takes: [new]}",
            22,
            "'telephone the pilot' takes new, but no event states any of them by then. Add one before.",
        ),
        (
            "lie, source: web",
            "lie, source: user",
            24,
            "at 'see where she lies' 'lie' is marked false by `why: trust`, but no event that states 'berth'",
        ),
        (
            "telephone the pilot again], takes",
            "tidy up, buy the boat], takes",
            22,
            "'buy the boat' is never done, even by a perfect agent. Raise `act:`, or remove it.",
        ),
        (
            "body: She lies at quay two.",
            f"body: In the port{' of the port' * 80} she lies at quay two.",
            17,
            "cannot be done right: with the oracle's context, the agent that reads all did a to-do without a fact",
        ),
        (
            'text: "- [ ] buy the boat"',
            'text: "One could buy the boat."',
            25,
            "'buy the boat' has no effect: none of bucket-recent,",
        ),
        (
            BLOOD + "  - act: 2\n",
            "  - act: 2\n" + BLOOD,
            17,
            "the rule 'Write in blood.' has no effect: none of",
        ),
        (
            LIE + BLOOD + "  - act: 2\n",
            BLOOD + "  - act: 2\n" + LIE,
            24,
            "'lie' has no effect: none of",
        ),
    ],
)
def test_a_broken_rule_is_reported_with_its_line_and_a_remedy(
    tmp_path: Path, part: str, instead: str, line: int, complaint: str
) -> None:
    assert part in TASK
    found = wrong(tmp_path, TASK.replace(part, instead))
    assert [one for one in found if f"sample.yaml:{line}: " in one and complaint in one], found


def test_a_long_task_in_which_there_is_nothing_to_do_is_refused_since_silence_would_win(tmp_path: Path) -> None:
    idle = [line for line in TASK.partition("needs:")[0].splitlines() if "- task:" not in line and "- end:" not in line]
    (found,) = wrong(tmp_path, "\n".join(idle))
    assert "null, which always answers nothing, stays on track to the end. Add a `task:`" in found
