from __future__ import annotations

from random import Random
from typing import get_args

import pytest
from pads import PAD, filled

from memlab.memory.context import TokenCounter, count_tokens
from memlab.memory.episode import Episode, Step
from memlab.memory.text import Refused
from memlab.memory.trust import Provenance
from memlab.memory.working import Note, Scratchpad, rebuild_scratchpad

COUNTERS = [count_tokens, len, lambda text: len(text.split()), lambda text: len(text.encode())]


def test_a_change_returns_a_new_scratchpad_and_does_not_modify_the_old_one() -> None:
    PAD.check_off("build").add_note("a").add_question("b").answer("b", "c")
    assert Scratchpad("ship the page", ("build", "test", "ship"), type="deploy") == PAD


def test_of_two_equal_items_one_is_done_at_a_time() -> None:
    pad = Scratchpad("ship", ("test", "build", "test"))
    assert pad.check_off("test").todo == ("build", "test")
    assert pad.check_off("test").done == ("test",)
    assert pad.check_off("test").check_off("TEST").todo == ("build",)
    with pytest.raises(Refused, match="open to-dos: build"):
        pad.check_off("test").check_off("test").check_off("test")


def test_a_note_replaces_one_with_the_same_text_or_name() -> None:
    pad = (
        PAD.add_note("the port is 80", "port")
        .add_note("Mara signs")
        .add_note("the port is 8080", "port")
        .add_note("  mara SIGNS")
    )
    assert [(note.text, note.name) for note in pad.notes] == [("the port is 8080", "port"), ("  mara SIGNS", "")]
    again = pad.add_note("The port is 8080").notes[-1]
    assert (again.text, again.name) == ("The port is 8080", "port")
    assert pad.add_note("the port is 8080", "gate").notes[-1].name == "gate"


def test_an_answered_question_becomes_a_note_with_the_source_of_the_answer() -> None:
    pad = PAD.add_question("which host?", Provenance(id="q")).add_question("Which  HOST?").add_question("who signs?")
    assert [(one.text, one.origin.id) for one in pad.questions] == [("which host?", "q"), ("who signs?", "")]
    known = pad.answer("WHICH host?", "host one", Provenance("tool", id="a"))
    assert [one.text for one in known.questions] == ["who signs?"]
    assert [(note.text, note.origin.id) for note in known.notes] == [("which host? host one", "a")]


def test_an_answer_to_an_unknown_question_is_refused_and_the_error_lists_the_open_ones() -> None:
    with pytest.raises(Refused, match=r"'when\?'.*open questions: which host\?; who signs\?"):
        PAD.add_question("which host?").add_question("who signs?").answer("when?", "now")
    with pytest.raises(Refused, match="open questions: none"):
        PAD.add_question("which host?").answer("which host?", "one").answer("which host?", "two")


def test_notes_and_questions_need_a_task() -> None:
    for attempt in (Scratchpad().add_note, Scratchpad().add_question):
        with pytest.raises(Refused, match="there is no current task; set one first"):
            attempt("the port is 8080")


@pytest.mark.parametrize("count", COUNTERS)
def test_over_the_cap_done_items_are_dropped_first_then_notes_oldest_first_and_no_more_than_needed(
    count: TokenCounter,
) -> None:
    def size(some: Scratchpad, _: int) -> int:
        return count("\n".join([*some.plan, *(note.text for note in (*some.notes, *some.questions))]))

    pad, seen = filled(4, 4, 2), set[int]()
    resolved = [*pad.done, *pad.notes]
    for cap in range(size(pad, 0), 0, -1):
        lighter, dropped = pad.trim(cap, size)
        assert [*lighter.done, *lighter.notes] == resolved[dropped:]
        assert (lighter.todo, lighter.questions) == (pad.todo, pad.questions)
        assert size(lighter, dropped) <= cap or dropped == len(resolved)
        if dropped:
            fuller, _ = pad.trim(1, lambda _, less: 1 if less >= dropped - 1 else 2)  # noqa: B023 - it is called at once
            assert size(fuller, dropped - 1) > cap
        seen.add(dropped)
    assert len(seen) > 5


def test_a_scratchpad_rebuilt_from_the_log_equals_the_lost_one_for_any_steps() -> None:
    random = Random(7)  # noqa: S311 - chance from a seed
    for _ in range(300):
        log, pad = list[Episode](), Scratchpad()
        for place in range(random.randint(1, 14)):
            what = random.choice(get_args(Step))
            word, origin = random.choice("abc"), Provenance(id=f"e{place}")
            name = random.choice(["", "a", "b"]) if what in {"note", "answer", "task"} else ""
            step = Episode(
                what or "talk", word, origin, step=what, todo=("a", "b", "a") if what == "task" else (), name=name
            )
            try:
                pad = pad.apply(step)
            except Refused:
                continue
            log.append(step)
        assert rebuild_scratchpad(log[::-1]) == pad


def test_a_rebuilt_scratchpad_holds_the_steps_since_the_last_task() -> None:
    origin = Provenance("agent", id="e1")
    old, task = (Episode("task", goal, step="task", todo=("a",), name="deploy") for goal in ("old", "new"))
    steps = [Episode("ask", "why?", origin, step="ask"), Episode("note", "known", origin, step="note", name="port")]
    assert rebuild_scratchpad([*steps, task, steps[0], old]) == Scratchpad(
        "new", ("a",), (), "deploy", (Note("known", "port", origin),), (Note("why?", "", origin),)
    )


def test_rebuilding_ignores_steps_after_an_end_and_steps_whose_question_was_erased() -> None:
    task, end = Episode("task", "new", step="task", todo=("a",)), Episode("end", "", step="end")
    late = [Episode("note", "x", step="note"), Episode("ask", "x", step="ask"), Episode("done", "a", step="done")]
    for one in late:
        assert rebuild_scratchpad([one, end, task]) == Scratchpad()
        assert rebuild_scratchpad([one]) == Scratchpad()
    answer = Episode("answer", "it is", step="answer", name="is it?")
    assert rebuild_scratchpad([answer, task]) == Scratchpad("new", ("a",))


def test_a_refusal_names_the_given_text_and_the_open_items() -> None:
    with pytest.raises(Refused) as refusal:
        PAD.check_off("x")
    assert str(refusal.value) == "done 'x': no open to-do has this text; open to-dos: build; test; ship"
    with pytest.raises(Refused, match="open to-dos: none"):
        Scratchpad("ship").check_off("x")
    with pytest.raises(Refused) as refusal:
        Scratchpad().add_note("x")
    assert str(refusal.value) == "note 'x': there is no current task; set one first, or log it as an episode"
    with pytest.raises(Refused, match="ask 'x': there is no current task"):
        Scratchpad().add_question("x")


def test_a_goal_without_a_plan_and_a_plan_without_a_goal_are_tasks() -> None:
    assert Scratchpad("ship").add_note("x").notes == (Note("x"),)
    assert Scratchpad(plan=("ship",)).add_question("x?").questions == (Note("x?"),)


def test_the_sources_of_question_and_answer_survive_a_crash() -> None:
    asker, teller = Provenance("tool", id="q"), Provenance("agent", id="a")
    pad = PAD.apply(Episode("question", "which host?", asker, step="ask"))
    assert pad.questions == (Note("which host?", "", asker),)
    answered = pad.apply(Episode("answer", "one.", teller, step="answer", name="which host?"))
    assert (answered.questions, answered.notes) == ((), (Note("which host? one.", "", teller),))


def test_an_episode_that_is_no_step_does_not_change_the_scratchpad() -> None:
    assert PAD.apply(Episode("turn", "hello")) == PAD


def test_size_is_called_with_the_trimmed_scratchpad_and_the_number_dropped() -> None:
    pad = filled(3, 3, 1)

    def size(lighter: Scratchpad, gone: int) -> int:
        assert len(lighter.done) + len(lighter.notes) == 6 - gone
        return 8 - gone

    assert pad.trim(8, size) == (pad, 0)
    assert [pad.trim(cap, size)[1] for cap in (7, 5, 2, 1)] == [1, 3, 6, 6]
