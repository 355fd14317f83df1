from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from child_systems import HONEST, Make, Tell, failing, in_python, with_recall

from memlab.memory.episode import Run
from memlab.memory.text import Refused
from memlab.memory.world import Change, ScriptedWorld
from memlab.systems.answers import LONGEST, context_of, texts_of
from memlab.terms import Memory, Workspace


def test_the_three_verbs_reach_a_system_in_another_process(submit: Make, tell: Tell) -> None:
    system = submit(HONEST)
    system.observe(tell("fact", "Mara ships on Fridays.", name="duty"))
    assert texts_of("mine", system.recall("who ships", 3), 3) == (("Mara ships on Fridays.",), ())
    assert context_of("mine", system.assemble("ship", 3)) == "Mara ships o"


def test_events_arrive_as_they_were_sent(submit: Make, tell: Tell) -> None:
    system = submit(HONEST.replace("event.text", "repr(event)"))
    event = replace(tell("task", "ship \u2713", todo=("build", "deploy")), derived_from=("a",), about="x")
    end = tell("end", "it failed", run=Run("ship", "deploy", tools=("ssh",), success=False, error="late"))
    for one in (event, end):
        system.observe(one)
    assert system.recall("q", 2) == [Memory(repr(event)), Memory(repr(end))]


def test_notes_travel_beside_the_text(submit: Make) -> None:
    source = "from memlab.terms import Memory\n" + with_recall('return [Memory("a", notes=("stale",)), "b"]')
    assert texts_of("mine", submit(source).recall("q", 2), 2) == (("a", "b"), ("stale",))


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("raise ValueError('no such\\nluck')", "raised ValueError: no such luck (mine.py, line 8)"),
        ("return 1 / 0", "ZeroDivisionError"),
        ("sys.exit(0)", "raised SystemExit: 0"),
        ("raise KeyboardInterrupt", "raised KeyboardInterrupt"),
        ("return self.recall(query, k)", "raised RecursionError"),
        ("return None", "returned None; it must return a list"),
        ("return b'bytes'", "type bytes"),
        ("return 'one string'", "type str; it must return a list"),
        ("return 42", "type int"),
        ("return {'a': 1}", "type dict"),
        ("return (text for text in 'ab')", "type generator"),
        ("return ['a', None]", "item 2 of recall() of"),
        ("return [['a']]", "type list; every item must be a string or a Memory"),
        ("return [b'a']", "type bytes"),
        ("return ['\\udc80']", "half of a surrogate pair"),
        (f"return ['x' * {LONGEST + 1}]", "at most 16,777,216 are read"),
        ("return ['x' * (2**28)]", "returned 268,435,457 characters"),
    ],
)
def test_an_invalid_answer_gives_one_sentence_and_the_process_continues(submit: Make, body: str, says: str) -> None:
    system = submit(with_recall(body))
    message = failing(system)
    assert says in message
    assert "recall() of" in message
    assert "mine.py:Mine" in message
    assert system.assemble("t", 10) == "still here"


def test_a_changed_directory_lasts_for_one_verb(submit: Make, workspace: Workspace) -> None:
    system = submit(with_recall("here = os.getcwd(); os.chdir('/'); return [here]"))
    for _ in range(2):
        assert texts_of("mine", system.recall("q"), 5)[0] == (str(workspace.root.resolve()),)


def test_the_output_of_a_system_is_discarded(submit: Make, tmp_path: Path) -> None:
    submit(with_recall("print('noise'); sys.stderr.write('noise'); os.system('echo noise'); return ['answer']"))
    completed = in_python(tmp_path / "mine.py")
    assert (completed.stdout, completed.stderr) == ("answer\n", "")


def test_ten_megabytes_are_an_answer(submit: Make) -> None:
    items, _ = texts_of("mine", submit(with_recall("return ['x' * 10_000_000]")).recall("q"), 5)
    assert len(items[0]) == 10_000_000


def test_a_refusal_in_the_child_is_refused_in_the_parent(submit: Make, tell: Tell) -> None:
    source = HONEST.replace("self.seen.append(event.text)", "raise Refused('a name is a slug')")
    system = submit("from memlab.memory import Refused\n" + source)
    with pytest.raises(Refused, match="a name is a slug"):
        system.observe(tell("fact", "x", name="../x"))


def test_the_world_the_clock_and_the_variables_follow_the_scenario(submit: Make, world: ScriptedWorld) -> None:
    source = """
import os
class Mine:
    def __init__(self, workspace): self.at = workspace
    def observe(self, event): pass
    def recall(self, query, k=5):
        see = self.at.world
        seen = see.file("a.sh").presence, see.flag("uv", "--x").presence
        return [repr((self.at.clock(), *seen, os.environ.get("PORT")))]
"""
    system = submit(source)
    assert texts_of("mine", system.recall("q"), 5)[0] == ("(5.0, 'absent', 'unknown', None)",)
    world.change(Change(files={"a.sh": ""}, env={"PORT": "80"}, commands={"uv": ("--x",)}))
    assert texts_of("mine", system.recall("q"), 5)[0] == ("(5.0, 'present', 'present', '80')",)
    world.change(Change(files={"a.sh": None}, env={"PORT": None}))
    assert texts_of("mine", system.recall("q"), 5)[0] == ("(5.0, 'absent', 'present', None)",)


@pytest.mark.parametrize(("lacks", "has"), [("recall", "assemble"), ("assemble", "recall")])
def test_a_missing_verb_has_a_fallback_that_is_reported(submit: Make, tell: Tell, lacks: str, has: str) -> None:
    system = submit(HONEST.replace(f"def {lacks}", f"def other_{lacks}"))
    assert system.fallback == lacks  # type: ignore[attr-defined] # no verb of the Protocol
    system.observe(tell("fact", "Mara ships."))
    assert texts_of("mine", system.recall("who"), 5)[0] == ("Mara ships.",)
    assert system.assemble("ship", 50) == "Mara ships."
    assert has != lacks


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (r"raise ValueError('\\udc80 \\x1b[2J')", r"raised ValueError: \udc80 \x1b[2J"),
        ("raise ValueError('x' * 10_000_000)", "x" * 300),
        ("raise type('E' * 10_000, (Exception,), {})", "raised " + "E" * 300),
        ("raise Trap", "raised Trap (mine.py, line"),
    ],
)
def test_the_message_of_a_systems_error_is_short_and_printable(submit: Make, body: str, says: str) -> None:
    head = "class Trap(BaseException):\n    def __str__(self): raise SystemExit"
    message = failing(submit(with_recall(body, head)))
    assert says in message
    assert message.isprintable()
    assert len(message) < 1000


def test_a_refusal_is_as_short(submit: Make, tell: Tell) -> None:
    source = HONEST.replace("self.seen.append(event.text)", "raise Refused('x' * 10_000_000)")
    system = submit("from memlab.memory import Refused\n" + source)
    with pytest.raises(Refused, match=r"^x{300}$"):
        system.observe(tell("turn", "x"))


def test_a_window_reaches_a_system_in_another_process_and_one_without_it_has_none(submit: Make) -> None:
    method = (
        "    def window(self, task, budget, turns, results):\n        return repr((task, budget, turns, results))\n"
    )
    system: Any = submit(HONEST.rstrip() + "\n" + method)
    assert system.window("ship", 9, ("a", "b"), ("c",)) == "('ship', 9, ['a', 'b'], ['c'])"
    assert getattr(submit(HONEST), "window", None) is None
