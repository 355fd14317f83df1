"""Nothing is forgotten silently: what leaves the log was summed up, and what anything still rests on stays."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from profiles import property_settings
from stories import Move, moves, tell_story
from strategies import NOON

from memlab.memory import MemoryMix, ScriptedWorld
from memlab.memory.procedural import DAY

long_stories = st.lists(moves, min_size=6, max_size=16)
keeps = st.integers(0, 4)


@contextmanager
def keeping(keep: int) -> Iterator[MemoryMix]:
    with tempfile.TemporaryDirectory() as folder:
        mix = MemoryMix(Path(folder), ScriptedWorld(), lambda: NOON, sync="never", keep=keep)
        yield mix
        mix.close()


@property_settings
@given(long_stories, keeps)
def test_each_dropped_episode_is_in_one_summary_and_the_latest_episodes_stay(story: list[Move], keep: int) -> None:
    with keeping(keep) as mix:
        tell_story(mix, story)
        mix.promote()
        before = [one.id for one in mix.episodes.replay()]
        report = mix.compact().sessions
        left = list(mix.episodes.replay())
        gone = set(before) - {one.id for one in left}
        summed_up = [identity for one in left for identity in one.forgot]
        assert sorted(summed_up) == sorted(gone)
        assert sum(one.count for one in report) == len(gone)
        assert {one.summary for one in report} == {one.id for one in left if one.forgot}
        assert set(before[len(before) - keep :]) <= {one.id for one in left}


@property_settings
@given(long_stories, keeps)
def test_the_origins_of_kept_memories_stay_and_so_do_facts_rules_and_the_current_task(
    story: list[Move], keep: int
) -> None:
    with keeping(keep) as mix:
        tell_story(mix, story)
        mix.promote()
        known = {one.id for one in mix.episodes.replay()}
        facts, pad = list(mix.facts.as_of(NOON * 2)), mix.working
        mix.compact()
        left = [one for one in mix.episodes.replay() if not one.forgot]
        origins = (
            [one.origin for one in left] + [one.origin for one in facts] + [one.origin for one in mix.skills.all()]
        )
        rests = {identity for origin in origins for identity in origin.derived_from}
        assert rests & known <= {one.id for one in left}
        assert list(mix.facts.as_of(NOON * 2)) == facts
        assert mix.working == pad
        later = MemoryMix(mix.directory, ScriptedWorld(), lambda: NOON, sync="never")
        assert later.working == pad
        later.close()


@property_settings
@given(long_stories, keeps)
def test_forgetting_twice_forgets_nothing_more(story: list[Move], keep: int) -> None:
    with keeping(keep) as mix:
        tell_story(mix, story)
        mix.compact()
        log, facts = list(mix.episodes.replay()), mix.facts.as_of(NOON * 2)
        assert not mix.compact().sessions
        assert (list(mix.episodes.replay()), mix.facts.as_of(NOON * 2)) == (log, facts)


@property_settings
@given(long_stories, st.sets(st.integers(0, 15), min_size=1, max_size=3))
def test_erasing_a_forgotten_episode_erases_its_summary(story: list[Move], some: set[int]) -> None:
    with keeping(0) as mix:
        tell_story(mix, story)
        mix.compact()
        doomed = {f"id{place}" for place in some}
        mix.erase(doomed)
        assert not [one for one in mix.episodes.replay() if doomed.intersection(one.forgot)]


@property_settings
@given(long_stories, keeps)
def test_a_summary_is_trusted_no_further_than_the_least_of_what_it_sums_up(story: list[Move], keep: int) -> None:
    with keeping(keep) as mix:
        tell_story(mix, story)
        ranks = {one.id: one.rank for one in mix.episodes.replay()}
        mix.compact()
        for one in mix.episodes.replay():
            assert not one.forgot or one.rank == min(ranks[identity] for identity in one.forgot)


@property_settings
@given(st.lists(st.tuples(st.sampled_from(["lamp", "stove"]), st.booleans()), max_size=12), st.integers(0, 400))
def test_a_skill_is_put_away_only_for_disuse_or_failure_and_the_log_says_why(
    uses: list[tuple[str, bool]], days: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        now = [NOON]
        mix = MemoryMix(Path(folder), ScriptedWorld(), lambda: now[0], sync="never")
        for name in ("lamp", "stove"):
            mix.write_skill(name, f"Light the {name}.")
        for name, success in uses:
            mix.skills.record_use(name, success=success, time=NOON)
        now[0] += days * DAY
        put_away = {skill.name for skill, _ in mix.compact().skills}
        for name in ("lamp", "stove"):
            failed = [success for one, success in uses if one == name]
            useless = days > 180 or (len(failed) >= 5 and sum(failed) * 2 < len(failed))
            assert (name in put_away) == useless
            assert any(f"skill {name} was put away" in one.detail for one in mix.episodes.replay()) == useless
        mix.close()
