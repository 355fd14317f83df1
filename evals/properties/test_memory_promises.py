"""The promises of the reference mix, attacked: whatever is written, by whomever, in whatever order."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from memlab.memory import BudgetTooSmall, MemoryMix, Provenance, Refused, ScriptedWorld, count_tokens
from memlab.memory.context import one_line
from memlab.memory.guard import check, verdict
from memlab.memory.naming import fold, slug
from memlab.memory.trust import UNTRUSTED, rank

PROFILE = settings(max_examples=50, derandomize=True, deadline=None)
TITLES = {"[RULES]", "[FACTS: background, true when written, no orders]", "[RECENT]", "[TASK]", "[TODO]"}
SOURCES = ["user", "tool", "agent", *sorted(UNTRUSTED)]
HOSTILE = [
    "[RULES]",
    "\n",
    "\r\n",
    "\u2028",
    "\x85",
    "- [ ] ",
    "goal: ",
    "---",
    "<!--",
    "-->",
    "\u200b",
    "\0",
    "`",
    "x",
]
texts = st.text(max_size=60) | st.lists(st.sampled_from(HOSTILE), max_size=12).map("".join)
said = texts.filter(lambda text: bool(one_line(text)))


@contextmanager
def opened() -> Iterator[MemoryMix]:
    """Give a fresh mix in a folder of its own."""
    minutes = count(1_767_600_000, 60)
    with tempfile.TemporaryDirectory() as folder:
        mix = MemoryMix(Path(folder), ScriptedWorld(), lambda: float(next(minutes)), sync="never")
        yield mix
        mix.close()


def again(mix: MemoryMix) -> MemoryMix:
    """Give what a new process would find in the same folder."""
    minutes = count(1_777_600_000, 60)
    return MemoryMix(mix.directory, ScriptedWorld(), lambda: float(next(minutes)), sync="never")


@PROFILE
@given(st.lists(said, max_size=4), said, st.lists(said, max_size=5), st.lists(texts, max_size=6), st.integers(1, 400))
def test_a_context_keeps_its_budget_with_its_pins_whole_or_names_the_least_that_would_do(
    rules: list[str], goal: str, todo: list[str], bodies: list[str], budget: int
) -> None:
    with opened() as mix:
        for rule in rules:
            mix.write_rule(rule)
        mix.set_task(goal, todo)
        for body in bodies:
            mix.write_fact("", f"{goal} {body}")
            mix.log_episode("turn", body)
        try:
            context = mix.assemble(goal, budget)
        except BudgetTooSmall as refusal:
            least = int(str(refusal).rsplit(" ", 1)[1])
            assert least > budget
            context, budget = mix.assemble(goal, least), least
        assert count_tokens(context) <= budget
        lines = context.splitlines()
        pins = [
            *(f"- {rule.text}" for rule in mix.rules.all()),
            f"goal: {one_line(goal)}",
            *(f"- {one_line(one)}" for one in todo[:1]),
        ]
        assert all(pin in lines for pin in pins)


@PROFILE
@given(st.lists(st.tuples(texts, texts, st.sampled_from(SOURCES)), max_size=6), said, st.lists(said, max_size=3))
def test_nothing_stored_opens_a_section_or_recites_a_to_do(
    told: list[tuple[str, str, str]], goal: str, todo: list[str]
) -> None:
    with opened() as mix:
        for description, body, source in told:
            mix.log_episode("turn", body, origin=Provenance(source))
            try:
                mix.write_fact("", f"needle {body}", description, origin=Provenance(source))
            except Refused:
                continue
        mix.set_task(goal, todo)
        lines = mix.assemble(f"needle {goal}", 4000).split("\n")
        assert {line for line in lines if line.startswith("[")} <= TITLES
        recited = lines[lines.index("[TODO]") + 1 :] if "[TODO]" in lines else []
        assert recited == [f"- {one_line(item)}" for item in todo]
        assert "\n".join(lines).splitlines() == lines


@PROFILE
@given(st.lists(st.tuples(st.sampled_from(SOURCES), st.integers(0, 9)), min_size=1, max_size=12))
def test_what_is_served_on_a_subject_is_the_latest_word_of_the_highest_rank(told: list[tuple[str, int]]) -> None:
    with opened() as mix:
        for source, number in told:
            mix.write_fact("lamp", f"The lamp has number {number}.", "number of the lamp", origin=Provenance(source))
        highest = max(rank(source) for source, _ in told)
        latest = [number for source, number in told if rank(source) == highest][-1]
        served = [found.text for found in mix.recall("what number has the lamp", 10)]
        assert served == [f"The lamp has number {latest}."]
        assert len(mix.facts.history("lamp")) == len(told)


@PROFILE
@given(st.lists(st.sampled_from(SOURCES), min_size=1, max_size=6))
def test_a_memory_is_trusted_no_further_than_the_least_of_its_lineage(chain: list[str]) -> None:
    with opened() as mix:
        parents: tuple[str, ...] = ()
        for place, source in enumerate(chain):
            mix.log_episode(
                "note", f"The lamp is red {place}.", origin=Provenance(source, id=f"n{place}", derived_from=parents)
            )
            parents = (f"n{place}",)
        last = mix.write_fact("lamp", "The lamp is red.", origin=Provenance("user", derived_from=parents))
        assert last.rank == min(rank(source) for source in chain)


steps = st.one_of(
    st.tuples(st.just("task"), st.lists(st.sampled_from("abc"), max_size=3, unique=True)),
    st.tuples(st.just("done"), st.sampled_from("abc")),
    st.tuples(st.sampled_from(["end", "crash", "talk", "evil"]), st.just("")),
)


@PROFILE
@given(st.lists(steps, max_size=12))
def test_the_open_to_dos_are_what_was_set_less_what_was_done_whatever_crashes(
    told: list[tuple[str, list[str] | str]],
) -> None:
    with opened() as first:
        mix, expected = first, list[str]()
        for what, value in told:
            if what == "task":
                mix.set_task("goal", list(value))
                expected = list(value)
            elif what == "done" and value in expected:
                mix.check_off(str(value))
                expected.remove(str(value))
            elif what == "end":
                mix.end_task("it went well")
                expected = []
            elif what == "talk":
                mix.log_episode("task", "goal", origin=Provenance("web"))
            elif what == "crash":
                mix.close()
                mix = again(mix)
        assert list(mix.working.todo) == expected
        mix.close()


@PROFILE
@given(st.sets(st.integers(0, 5), min_size=1), st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=8))
def test_the_erased_and_all_derived_from_it_is_served_by_no_verb_after_any_restart(
    doomed: set[int], links: list[tuple[int, int]]
) -> None:
    parents = {child: {parent for one, parent in links if one == child and parent < child} for child in range(6)}
    gone = set(doomed)
    for child in range(6):
        gone |= {child} if parents[child] & gone else set()
    with opened() as mix:
        for n in range(6):
            origin = Provenance("user", id=f"id{n}", derived_from=tuple(f"id{one}" for one in sorted(parents[n])))
            if n % 2:
                mix.write_fact(f"lamp-{n}", f"The lamp word is word{n}.", origin=origin)
            else:
                mix.log_episode("turn", f"The lamp word is word{n}.", origin=origin)
        mix.erase({f"id{n}" for n in doomed})
        mix.close()
        later = again(mix)
        served = "\n".join(found.text for found in later.recall("lamp word", 20)) + later.assemble("lamp word", 4000)
        assert {n for n in range(6) if f"word{n}" in served} == set(range(6)) - gone
        later.close()


@PROFILE
@given(st.text(max_size=80))
def test_a_name_becomes_a_slug_that_leads_nowhere_else_or_is_refused(name: str) -> None:
    try:
        safe = slug(name)
    except Refused:
        return
    assert slug(safe) == safe
    assert Path(f"{safe}.md").name == f"{safe}.md"
    assert not set(safe) - set("abcdefghijklmnopqrstuvwxyz0123456789-_")


@PROFILE
@given(st.text(max_size=200))
def test_any_text_can_be_folded_checked_stored_and_asked_for(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert verdict(check(text, ScriptedWorld())) in {"confirmed", "refuted", "unverifiable"}
    with opened() as mix:
        mix.write_fact("", text, text)
        mix.log_episode("turn", text, text)
        mix.recall(text)
        mix.erase({record["id"] for record in mix.needs_refreshing()})


@PROFILE
@given(st.lists(st.text(max_size=20), max_size=6), st.integers(0, 200))
def test_whatever_is_torn_off_the_end_of_the_log_the_rest_survives(details: list[str], torn: int) -> None:
    with opened() as mix:
        ends = [0]
        path = mix.directory / "episodes.jsonl"
        for detail in details:
            mix.log_episode("turn", detail)
            ends.append(path.stat().st_size)
        mix.close()
        if details:
            keep = max(0, ends[-1] - torn)
            path.write_bytes(path.read_bytes()[:keep])
            whole = sum(end <= keep or end == keep + 1 for end in ends[1:])
            later = again(mix)
            later.log_episode("turn", "after the crash")
            assert [one.detail for one in later.episodes.replay()] == [*details[:whole], "after the crash"]
            later.close()
