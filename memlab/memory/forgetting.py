"""Forgetting: old episodes that nothing refers to are replaced in the log by a summary of each session."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain, islice

from memlab.memory.admission import YEAR_1, YEAR_10000
from memlab.memory.episode import Episode
from memlab.memory.episodes import Episodes
from memlab.memory.facts import Fact
from memlab.memory.heuristics.injection import is_instruction
from memlab.memory.procedural import Skill
from memlab.memory.retrieval.stores import Stores
from memlab.memory.text import digest
from memlab.memory.trust import NOT_TRUSTED, Provenance

KEEP = 10_000
"""The latest 10,000 episodes of trusted sources, and the latest 10,000 others, are never forgotten."""
CHECK_ONE_IN, OVERFULL = 1_000, 2.5
"""About one event in 1,000 starts a check: a log with 2.5 times `keep` episodes is compacted; 2 times may be kept."""
FORGOTTEN_AT_ONCE = 25_000
"""Episodes forgotten at a time: bounds the memory needed for a log of millions."""
SUMMARY = "summary"
"""The kind of an episode that is a summary."""
MOST_KINDS = 5
"""A summary names the 5 most frequent kinds of episodes."""


@dataclass(frozen=True, slots=True)
class ForgottenSession:
    """The forgotten episodes of one session: their number (`count`), first and last time (seconds since 1970, UTC).

    `summary` is the id of the summary that replaces them, `text` its text; both are empty if an earlier, interrupted
    run had already written it.
    """

    session: str
    count: int
    since: float
    until: float
    summary: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Compaction:
    """The result of compact(): promoted facts, forgotten episodes by session, and forgotten skills with reasons."""

    promoted: list[Fact]
    sessions: list[ForgottenSession]
    skills: list[tuple[Skill, str]]


def forget_episodes(episodes: Episodes, kept_ids: Collection[str], keep: int) -> list[ForgottenSession]:
    """Forget the oldest episodes, except the latest `keep` of trusted sources and as many others, by sessions.

    Each session gets a summary first. Always kept: `kept_ids` (the sources of facts and skills), the sources of kept
    episodes, the steps of the current task, tombstones and summaries. A summary has the lowest rank of its episodes.
    Summaries are on disk before anything is dropped, so a crash loses nothing, and a second run summarises nothing
    twice. Other writers wait meanwhile.
    """
    with episodes.exclusive():
        kept = _ids_to_keep(episodes, set(kept_ids), keep)
        summarised = episodes.summarised_ids()
        forgotten: list[ForgottenSession] = []
        while batch := list(
            islice((one for one in episodes.replay() if one.id not in kept and not _is_summary(one)), FORGOTTEN_AT_ONCE)
        ):
            sessions = defaultdict[str, list[Episode]](list)
            for one in batch:
                sessions[one.origin.session].append(one)
            for session, group in sessions.items():
                fresh = [one for one in group if one.id not in summarised]
                written = _summarise(episodes, session, fresh) if fresh else ("", "")
                times = [one.origin.time for one in group]
                forgotten.append(ForgottenSession(session, len(group), min(times), max(times), *written))
            episodes.drop({one.id for one in batch})
        return forgotten


def is_compaction_due(episodes: Episodes, keep: int, identity: str) -> bool:
    """Return whether the event with this id is one that starts a check, and the log is too large for both limits.

    The id decides, so that processes that share a log need no common counter.
    """
    return int(digest(identity), 16) % CHECK_ONE_IN == 0 and episodes.count() > OVERFULL * keep


def referenced_ids(stores: Stores) -> set[str]:
    """Return the ids from which facts and skills are derived."""
    facts = (fact.origin for fact in stores.facts.statements())
    skills = (skill.origin for skill in stores.skills.all_and_forgotten())
    return {identity for origin in chain(facts, skills) for identity in origin.derived_from}


def _summary(group: Sequence[Episode]) -> str:
    """Return a summary in numbers: session, first and last time, episodes by kind, successful runs."""
    times = [one.origin.time for one in group]
    kinds = Counter(one.kind for one in group).most_common()
    counted = [f"{number} {kind}" for kind, number in kinds[:MOST_KINDS]]
    if kinds[MOST_KINDS:]:
        counted.append(f"{sum(number for _, number in kinds[MOST_KINDS:])} of other kinds")
    runs = [one.run for one in group if one.run]
    went = f"; {sum(run.success for run in runs)} of {len(runs)} runs succeeded" if runs else ""
    period = f"from {_minute(min(times))} to {_minute(max(times))} UTC"
    return f"Session {group[0].origin.session or 'without a name'}, {period}: {', '.join(counted)}{went}."


def _ids_to_keep(episodes: Episodes, needed: set[str], keep: int) -> set[str]:
    """Return the ids to keep. A source may be logged after its restatement, so the log is read until none is added."""
    kept: set[str] = set()
    known = -1
    while known < len(needed):
        known, in_current_task, left = len(needed), True, {True: keep, False: keep}
        for one in episodes.recent():
            is_trusted = one.rank > NOT_TRUSTED
            if left[is_trusted] > 0 or one.id in needed or (in_current_task and one.step) or _is_summary(one):
                kept.add(one.id)
                needed.update(one.origin.derived_from)
            in_current_task = in_current_task and one.step not in {"task", "end"}
            left[is_trusted] -= not _is_summary(one)
    return kept


def _is_summary(one: Episode) -> bool:
    """Return whether an episode is a summary; one that only an untrusted source calls a summary does not count."""
    return bool(one.forgot) or (one.kind == SUMMARY and one.rank > NOT_TRUSTED)


def _summarise(episodes: Episodes, session: str, group: Sequence[Episode]) -> tuple[str, str]:
    """Log a summary of one session, held if an untrusted one has an instruction as its name; return its id and text."""
    text = _summary(group)
    lowest = min(group, key=lambda one: one.rank)
    ids = tuple(dict.fromkeys(one.id for one in group))
    time = max(one.origin.time for one in group)
    origin = Provenance(lowest.origin.source, session, time, f"{SUMMARY}-{digest(session, *ids)}")
    held = lowest.rank == NOT_TRUSTED and is_instruction(text)
    episodes.append(Episode(SUMMARY, text, origin, lowest.rank, held=held, forgot=ids))
    return origin.id, text


def _minute(time: float) -> str:
    return f"{datetime.fromtimestamp(min(max(time, YEAR_1), YEAR_10000 - 1), UTC):%Y-%m-%d %H:%M}"
