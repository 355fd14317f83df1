"""The log, torn and with its index broken, holds what a list of episodes would."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import get_args

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from profiles import property_settings
from strategies import NOON, names, sources, valid_texts

from memlab.memory import Provenance
from memlab.memory.episode import Episode, Run, Step
from memlab.memory.episodes import Episodes
from memlab.memory.indexing.episode_schema import FIRST_EVIDENCE
from memlab.memory.retrieval.relevance import stems
from memlab.memory.text import fold
from memlab.memory.trust import AGENT, rank

some = st.sets(st.integers(0, 20).map(lambda place: f"id{place}"), max_size=3)
lineages = st.lists(st.integers(0, 20).map(lambda place: f"id{place}"), max_size=2).map(tuple)
runs = st.none() | st.builds(
    Run, valid_texts, valid_texts, st.integers(0, 9), st.just(("a", "b")), st.floats(0, 9), st.booleans(), valid_texts
)


class NaiveLog:
    """What is promised of the log, in the plainest words: a list."""

    def __init__(self) -> None:
        self.episodes: list[Episode] = []
        self.erased: set[str] = set()

    def erase(self, ids: set[str]) -> None:
        self.episodes = [one for one in self.episodes if one.id not in ids]
        self.erased |= ids

    def texts(self) -> dict[str, list[Episode]]:
        """Give what is served by what it says: the same words in any spelling are one text."""
        found: dict[str, list[Episode]] = {}
        for one in self.episodes:
            if one.is_searchable:
                found.setdefault(fold(one.detail), []).append(one)
        return found

    def recurring(self, sessions: int) -> list[tuple[list[str], list[str]]]:
        """Give for each text told in so many sessions its first tellings: its evidence, and those by any source."""
        found = []
        for tellings in self.texts().values():
            by_any = first_tellings(tellings)[:sessions]
            if len(by_any) == sessions:
                found.append(([one.id for one in evidence(tellings)][:sessions], by_any))
        return found


def evidence(tellings: list[Episode]) -> list[Episode]:
    """Give the tellings by which a text is promoted, in order of time: each of a trusted source and another origin."""
    told: dict[tuple[str, bool], Episode] = {}
    for one in tellings:
        in_order = sorted(
            ((taught, known) for (_, taught), known in told.items()), key=lambda pair: pair[1].origin.time
        )
        by_untrusted = bool(in_order) and not in_order[0][0]
        known = [other for taught, other in in_order if taught][:FIRST_EVIDENCE]
        origins = {origin for other in known for origin in (other.id, *other.origin.derived_from, *other.forgot)}
        is_own = one.rank > AGENT or (one.rank == AGENT and not by_untrusted)
        told.setdefault((one.origin.session, is_own and origins.isdisjoint(one.origin.derived_from)), one)
    return sorted((one for (_, taught), one in told.items() if taught), key=lambda one: one.origin.time)


def first_tellings(tellings: list[Episode]) -> list[str]:
    first = {one.origin.session: one for one in reversed(tellings)}
    return [one.id for one in sorted(tellings, key=lambda one: one.origin.time) if one is first[one.origin.session]]


class EpisodeMachine(RuleBasedStateMachine):
    """Anything is told, erased and asked for, and the process ends at any moment."""

    @initialize()
    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.place = Path(self.folder.name)
        self.log = self.opened()
        self.model = NaiveLog()
        self.count = 0
        self.last: Episode | None = None

    def opened(self) -> Episodes:
        return Episodes(self.place, "never")

    def tell(self, episode: Episode) -> None:
        self.log.append(episode)
        self.model.episodes.append(episode)
        self.count += 1
        self.last = episode

    @rule(
        name=names,
        text=valid_texts,
        source=sources,
        lineage=lineages,
        forgot=lineages,
        hour=st.integers(0, 5),
        run=runs,
    )
    def tell_something_new(  # noqa: PLR0913 - an episode has that many sides
        self,
        *,
        name: str,
        text: str,
        source: str,
        lineage: tuple[str, ...],
        forgot: tuple[str, ...],
        hour: int,
        run: Run | None,
    ) -> None:
        origin = Provenance(source, text[:5], NOON + hour, f"id{self.count}", lineage, text[::-1])
        detail = f"The {name} has word{self.count}. {text}"
        self.tell(Episode(name, detail, origin, rank(source), run=run, forgot=forgot))

    @rule(
        name=names,
        spelling=st.sampled_from([str, str.upper, "  {}\u200b".format]),
        source=sources,
        lineage=lineages,
        session=st.integers(0, 3),
        hour=st.integers(0, 5),
    )
    def tell_the_same_again(  # noqa: PLR0913 - an episode has that many sides
        self,
        *,
        name: str,
        spelling: Callable[[str], str],
        source: str,
        lineage: tuple[str, ...],
        session: int,
        hour: int,
    ) -> None:
        origin = Provenance(source, f"s{session}", NOON + hour, f"id{self.count}", lineage)
        self.tell(Episode("note", spelling(f"The valve of the {name} sticks."), origin, rank(source)))

    @rule(
        step=st.sampled_from(get_args(Step)),
        text=valid_texts,
        about=st.sampled_from(["", "lamp"]),
        held=st.booleans(),
    )
    def tell_what_is_not_served(self, step: Step, text: str, about: str, *, held: bool) -> None:
        origin = Provenance("user", "s", NOON, f"id{self.count}")
        todo = (text, "lamp") if step == "task" else ()
        self.tell(Episode("step", text, origin, 3, step, todo, about, held, text))

    @rule(places=st.sets(st.integers(0, 20), max_size=3))
    def erase(self, places: set[int]) -> None:
        ids = {f"id{place}" for place in places if place < self.count} | {"of another store"}
        self.log.erase(ids, NOON)
        self.model.erase(ids)
        self.last = None

    @rule()
    def restart(self) -> None:
        self.log.close()
        self.log = self.opened()

    @rule(lost=st.integers(1, 200))
    def tear_the_tail(self, lost: int) -> None:
        """Take the end of the last line, as a power cut may: it is lost, unless it lacks only its newline."""
        path = self.place / "episodes.jsonl"
        if self.last is not None and path.exists():
            self.log.close()
            data = path.read_bytes()
            line = data.splitlines(keepends=True)[-1]
            lost = min(lost, len(line))
            path.write_bytes(data[: len(data) - lost])
            if lost > 1:
                self.model.episodes.remove(self.last)
            self.last = None
            self.log = self.opened()

    @rule(how=st.sampled_from(["delete", "empty", "garbage", "half"]))
    def break_the_index(self, how: str) -> None:
        path = self.place / "episodes.index"
        self.log.close()
        if path.exists():
            data = path.read_bytes()
            path.write_bytes({"garbage": b"garbage" * 600, "half": data[: len(data) // 2]}.get(how, b""))
            if how == "delete":
                path.unlink()
        self.log = self.opened()

    @rule()
    def another_process_writes(self) -> None:
        other = self.opened()
        episode = Episode("turn", f"word{self.count} by another", Provenance("tool", "s", NOON, f"id{self.count}"), 2)
        other.append(episode)
        other.close()
        self.model.episodes.append(episode)
        self.count += 1
        self.last = episode

    @rule(place=st.integers(0, 20))
    def get(self, place: int) -> None:
        known = {one.id: one for one in self.model.episodes}
        assert self.log.get(f"id{place}") == known.get(f"id{place}")
        assert self.log.is_erased(f"id{place}") == (f"id{place}" in self.model.erased)

    @rule(place=st.integers(0, 20))
    def a_rare_word_finds_its_episode(self, place: int) -> None:
        holding = [one for one in self.model.episodes if one.is_searchable and f"word{place}" in stems(one.detail)]
        assert [one for one, _ in self.log.search([f"word{place}"], 3)] == holding

    @rule(name=names, limit=st.integers(0, 3))
    def a_common_word_finds_each_text_once_in_its_most_trusted_latest_episode(self, name: str, limit: int) -> None:
        (word,) = stems(name)
        held = [one for one in self.model.texts().values() if word in stems(f"{one[0].kind} {one[0].detail}")]
        spoken = [max(reversed(tellings), key=lambda one: one.rank) for tellings in held]
        found = [one for one, _ in self.log.search([word], limit)]
        assert all(one in spoken for one in found)
        for trusted in (True, False):
            side = [one for one in spoken if (one.rank > 0) == trusted]
            assert len([one for one in found if (one.rank > 0) == trusted]) == min(limit, len(side))

    @rule(sessions=st.integers(1, 3))
    def recurring_details_come_with_their_first_episodes(self, sessions: int) -> None:
        found = [
            ([one.id for one in taught], [one.id for one in episodes])
            for taught, episodes in self.log.recurring(sessions)
        ]
        assert found == self.model.recurring(sessions)

    @rule(ids=some)
    def trace(self, ids: set[str]) -> None:
        assert self.log.derived_ids(ids) == {
            one.id for one in self.model.episodes if ids.intersection((*one.origin.derived_from, *one.forgot))
        }

    @rule()
    def count_words(self) -> None:
        texts = [set(stems(f"{one[0].kind} {one[0].detail}")) for one in self.model.texts().values()]
        held = Counter(word for text in texts for word in text & {"lamp", "valv"})
        assert self.log.frequency(["lamp", "valv"]) == (held, len(texts))

    @rule()
    def the_steps_come_newest_first(self) -> None:
        assert list(self.log.steps()) == [one for one in reversed(self.model.episodes) if one.step]

    @invariant()
    def all_is_replayed_in_order_and_the_latest_are_recent(self) -> None:
        assert list(self.log.replay()) == self.model.episodes
        assert list(self.log.recent()) == self.model.episodes[::-1]

    def teardown(self) -> None:
        for place in range(self.count + 1):
            self.get(place)
            self.a_rare_word_finds_its_episode(place)
        for name in ("lamp", "lantern", "stove"):
            self.a_common_word_finds_each_text_once_in_its_most_trusted_latest_episode(name, 99)
        self.recurring_details_come_with_their_first_episodes(2)
        self.the_steps_come_newest_first()
        self.log.close()
        self.folder.cleanup()


TestTheLogHoldsWhatAListOfEpisodesHolds = EpisodeMachine.TestCase
TestTheLogHoldsWhatAListOfEpisodesHolds.settings = property_settings
