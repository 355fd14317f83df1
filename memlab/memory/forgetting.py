"""Forgetting: what is old and referred to by nothing leaves the log, once a summary stands in its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import chain, islice

from memlab.memory.episode import Episode
from memlab.memory.episodes import Episodes
from memlab.memory.facts import Fact
from memlab.memory.heuristics.injection import is_instruction
from memlab.memory.procedural import Skill
from memlab.memory.retrieval.stores import Stores
from memlab.memory.text import digest, replace_surrogates
from memlab.memory.trust import NOT_TRUSTED, Provenance

Summarizer = Callable[[Sequence[Episode]], str]
KEEP = 10_000
"""So many episodes, the latest, are never forgotten."""
PORTION = 25_000
"""So many are forgotten at a time, lest a log of millions has to be held in memory."""
SUMMARY = "summary"
MOST_KINDS = 5
_LAST_SECOND = 253_402_300_799


@dataclass(frozen=True, slots=True)
class ForgottenSession:
    """What was forgotten of one session: how many episodes, from when to when (seconds since 1970, UTC).

    `summary` is the id of what the log says in their place, `text` what that says; both are empty if an earlier
    summary, whose forgetting was cut short, says it.
    """

    session: str
    episodes: int
    since: float
    until: float
    summary: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Compaction:
    """What condensing did: the facts lifted, what the log forgot, the skills put away with the reason for each."""

    promoted: list[Fact]
    episodes: list[ForgottenSession]
    skills: list[tuple[Skill, str]]


def forget_episodes(
    episodes: Episodes, kept_ids: Collection[str], keep: int = KEEP, summary: Summarizer | None = None
) -> list[ForgottenSession]:
    """Forget the oldest episodes beyond the `keep` latest, session by session, each once it is summed up.

    What stays, however old: `kept_ids` (what facts and skills came from), what a remaining episode restates, the steps
    of the task at hand, tombstones and summaries. `summary` writes a better summary than the mechanical one, from the
    episodes that are not held; a summary ranks as the least of what it sums up. Each is on the disk before anything is
    dropped, so that a crash loses nothing, and running again sums nothing up twice. Other writers wait meanwhile.
    """
    with episodes.exclusive():
        staying = _staying(episodes, set(kept_ids), keep)
        summed_up = episodes.summarised_ids()
        forgotten: list[ForgottenSession] = []
        while portion := list(islice(_going(episodes, staying), PORTION)):
            for told in _by_session(portion):
                fresh = [one for one in told if one.id not in summed_up]
                forgotten.append(_recorded(told, _sum_up(episodes, fresh, summary) if fresh else None))
            episodes.drop({one.id for one in portion})
        return forgotten


def referenced_ids(stores: Stores) -> set[str]:
    """Give the ids that a fact or a skill has come from."""
    facts = (fact.origin for fact in stores.facts.statements())
    skills = (skill.origin for skill in stores.skills.all() + stores.skills.list_forgotten())
    return {identity for origin in chain(facts, skills) for identity in origin.derived_from}


def mechanical(told: Sequence[Episode]) -> str:
    """Sum up episodes without understanding them: how many, from when to when, of which kinds, how their runs went."""
    times = [one.origin.time for one in told]
    kinds = Counter(one.kind for one in told).most_common()
    counted = [f"{number} {kind}" for kind, number in kinds[:MOST_KINDS]]
    if kinds[MOST_KINDS:]:
        counted.append(f"{sum(number for _, number in kinds[MOST_KINDS:])} of other kinds")
    runs = [one.run for one in told if one.run]
    went = f"; {sum(run.success for run in runs)} of {len(runs)} runs succeeded" if runs else ""
    period = f"from {_minute(min(times))} to {_minute(max(times))} UTC"
    return f"Session {told[0].origin.session or 'without a name'}, {period}: {', '.join(counted)}{went}."


def _staying(episodes: Episodes, needed: set[str], keep: int) -> set[str]:
    """Give the ids of what stays. What restates is mostly told later, but not always: look until no more is needed."""
    staying: set[str] = set()
    known = -1
    while known < len(needed):
        known, left, at_hand = len(needed), keep, True
        for one in episodes.recent():
            if left > 0 or one.id in needed or (at_hand and one.step) or _is_summary(one):
                staying.add(one.id)
                needed.update(one.origin.derived_from)
            at_hand = at_hand and one.step not in {"task", "end"}
            left -= not _is_summary(one)
    return staying


def _going(episodes: Episodes, staying: Collection[str]) -> Iterator[Episode]:
    return (one for one in episodes.replay() if one.id not in staying and not _is_summary(one))


def _by_session(portion: Sequence[Episode]) -> Iterable[list[Episode]]:
    sessions: dict[str, list[Episode]] = {}
    for one in portion:
        sessions.setdefault(one.origin.session, []).append(one)
    return sessions.values()


def _is_summary(one: Episode) -> bool:
    """Tell whether an episode sums others up; an untrusted source only says so, and is forgotten like others."""
    return bool(one.forgot) or (one.kind == SUMMARY and one.rank > NOT_TRUSTED)


def _sum_up(episodes: Episodes, told: Sequence[Episode], write: Summarizer | None) -> Episode:
    """Log a summary of what happened in one session. No model is shown what gives orders and was held for it."""
    open_to_all = [one for one in told if not one.held]
    text = (write(open_to_all) if write and open_to_all else "") or mechanical(told)
    if not isinstance(text, str):
        raise TypeError(
            f"summary of session {told[0].origin.session!r}: {text!r} is no text, so nothing was forgotten; "
            "give a str, or an empty one for a count of what happened"
        )
    lowest = min(told, key=lambda one: one.rank)
    ids = tuple(dict.fromkeys(one.id for one in told))
    session, time = lowest.origin.session, max(one.origin.time for one in told)
    origin = Provenance(lowest.origin.source, session, time, f"{SUMMARY}-{digest(session, *ids)}")
    held = lowest.rank == NOT_TRUSTED and is_instruction(text)
    summary = Episode(SUMMARY, replace_surrogates(text), origin, lowest.rank, held=held, forgot=ids)
    episodes.append(summary)
    return summary


def _recorded(told: Sequence[Episode], summary: Episode | None) -> ForgottenSession:
    times = [one.origin.time for one in told]
    record = ForgottenSession(told[0].origin.session, len(told), min(times), max(times))
    return record if summary is None else replace(record, summary=summary.id, text=summary.detail)


def _minute(time: float) -> str:
    return f"{datetime.fromtimestamp(min(max(time, 0), _LAST_SECOND), UTC):%Y-%m-%d %H:%M}"
