"""A command in the place of the scripted agent: what it is asked, what it may answer, and how it may fail."""

from __future__ import annotations

import os
import shlex
import stat
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from memlab.harness.scenarios.loading import library
from memlab.harness.turns.agent import AgentFailed, Command, Scripted, UnclearAnswer
from memlab.harness.turns.long_task import LongTask, load_long, select_long
from memlab.harness.turns.play import ON_TRACK, play_long
from memlab.systems.registry import entry
from memlab.terms import Probe

TODOS = ["call the pilot", "write the log"]
LIKE_THE_SCRIPTED = """\
import sys
from memlab.harness.turns.agent import Scripted

question = sys.stdin.read()
text = question.partition("<<<\\n")[2].rpartition("\\n>>>")[0]
if "TO-DO: none" in question:
    print("TO-DO:", Scripted().choose(text, sys.argv[1:]) or "none")
else:
    print(*(f"FACT: {line}" for line in text.splitlines()), "FACT: none", sep="\\n")
"""


def script(tmp_path: Path, text: str, *arguments: str) -> str:
    """Write a program, and give the command that runs it."""
    path = tmp_path / "agent.py"
    path.write_text(text, encoding="utf-8")
    return shlex.join([sys.executable, str(path), *arguments])


def says(tmp_path: Path, answer: str) -> Command:
    return Command(script(tmp_path, f"print({answer!r})"))


def short_task() -> LongTask:
    """Give the first six turns of a long task."""
    (template,) = select_long(load_long([library()]), "fifteen-rules-*")
    task = template.task(0)
    steps = task.scenario.timeline
    sixth = [place for place, step in enumerate(steps) if isinstance(step, Probe)][5]
    return replace(task, scenario=replace(task.scenario, timeline=steps[: sixth + 1]))


def test_a_command_that_answers_as_the_scripted_agent_acts_takes_the_same_turns(tmp_path: Path) -> None:
    task = short_task()
    command = Command(script(tmp_path, LIKE_THE_SCRIPTED, *task.todos))
    systems = [entry(name) for name in ("oracle", "hybrid", "hybrid-bare", "bucket-search")]
    events = [
        [[turn.event for turn in cell.turns] for cell in play_long(task, systems, [agent])]
        for agent in (Scripted(), command)
    ]
    assert events[0] == events[1]
    assert set(events[0][0]) <= ON_TRACK
    assert not set(events[0][3]) <= ON_TRACK


def test_a_command_that_answers_rubbish_is_unclear_in_every_turn_and_does_nothing(tmp_path: Path) -> None:
    rubbish = says(tmp_path, "Sure! I would first count the opioids.")
    (cell,) = play_long(short_task(), [entry("oracle")], [rubbish])
    assert [turn.event for turn in cell.turns] == ["unclear"] * 6
    assert {turn.agent for turn in cell.turns} == {rubbish.command}


@pytest.mark.parametrize(
    ("answer", "chosen"),
    [
        ("TO-DO: call the pilot", "call the pilot"),
        ("  to-do:   - [ ] Call the pilot\n", "call the pilot"),
        ("I read the list.\nTO-DO: write the log\n", "write the log"),
        ("TO-DO: none", None),
    ],
)
def test_one_line_of_an_answer_names_the_to_do_or_none(tmp_path: Path, answer: str, chosen: str | None) -> None:
    assert says(tmp_path, answer).choose("", TODOS) == chosen


@pytest.mark.parametrize(
    "answer",
    [
        *(
            "",
            "call the pilot",
            "TO-DO:",
            "TO-DO: swim",
            "TO-DO: call the pilot now",
            "TO-DO: call the pilot, write the log",
        ),
        "TO-DO: call the pilot\nTO-DO: write the log",
    ],
)
def test_any_other_answer_is_unclear(tmp_path: Path, answer: str) -> None:
    with pytest.raises(UnclearAnswer):
        says(tmp_path, answer).choose("", TODOS)


def test_it_acts_on_the_text_after_fact_and_rule_and_an_answer_without_them_is_unclear(tmp_path: Path) -> None:
    answer = "Well.\nFACT: Call 111.\nrule: - Write in ink.\nThen I sweep."
    assert says(tmp_path, answer).basis("", "sweep") == "Call 111.\n- Write in ink."
    with pytest.raises(UnclearAnswer):
        says(tmp_path, "Call 111.").basis("", "sweep")


def test_it_reads_the_text_on_standard_input_where_memlab_was_started_whatever_world_it_acts_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLACE", "home")
    monkeypatch.chdir(tmp_path)
    program = "import os, sys\nprint('FACT:', os.getcwd(), os.environ['PLACE'], '{0} ä' in sys.stdin.read())"
    command = Command(script(tmp_path, program))
    monkeypatch.setenv("PLACE", "a world")
    monkeypatch.chdir("/")
    assert command.basis("{0} ä", "sweep") == f"{tmp_path.resolve()} home True"


def test_a_command_that_fails_is_named_with_its_code_and_its_last_words(tmp_path: Path) -> None:
    failing = Command(script(tmp_path, "import sys\nprint('one', file=sys.stderr)\nsys.exit('no key')"))
    with pytest.raises(AgentFailed, match=r"--agent '.*agent\.py' ended with code 1: no key\. Try it by hand"):
        next(play_long(short_task(), [entry("null")], [failing]))


def test_a_missing_program_is_reported_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(AgentFailed, match="'nobody-here' was not found"):
        Command("nobody-here --now")
    with pytest.raises(AgentFailed, match="'' was not found"):
        Command(" ")
    with pytest.raises(AgentFailed, match="is not a valid shell command"):
        Command("'ask")
    path = tmp_path / "no-program"
    path.write_text("neither a script nor a binary", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    with pytest.raises(AgentFailed, match=r"cannot be run \(.+\)"):
        Command(str(path)).choose("", TODOS)


def test_a_command_that_takes_too_long_is_ended_with_all_that_it_has_started(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    program = (
        "import os, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"open({str(pids)!r}, 'w').write(str(child.pid))\n"
        "time.sleep(600)"
    )
    with pytest.raises(AgentFailed, match="gave no answer within 2 seconds"):
        Command(script(tmp_path, program), patience=2).choose("", TODOS)
    assert ended(int(pids.read_text(encoding="utf-8")))


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
@pytest.mark.parametrize("pieces", [2, 10**9])
def test_a_command_with_endless_output_is_stopped_long_before_its_time_limit(
    tmp_path: Path, stream: str, pieces: int
) -> None:
    program = f"import sys\nfor _ in range({pieces}): sys.{stream}.write('TO-DO: none' * 90_000)"
    with pytest.raises(AgentFailed, match=r"wrote more than 1 MB\. Let it give one short answer"):
        Command(script(tmp_path, program), patience=60).choose("", TODOS)


def ended(pid: int) -> bool:
    for _ in range(1200):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        if Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.05)
    return False
