"""hermes and its ablations: three tiers of memory, and the page that a user writes.

Source: "Three-Tier Memory Architecture: Working, Episodic and Semantic Memory" (document 004). A finished task becomes
an episode and, if it went well, a skill. A session starts with the user's page, similar skills and valuable episodes in
the sacred zone, which is at the front of the window and is never compressed.

The ablations belong to the document's discussion questions: `hermes-even` and `hermes-tools` have other shares of the
window (1); `hermes-vector`, `hermes-keyword` and `hermes-minmax` another search (2); `hermes-buried` is its wrong
example.

Writes: when a task ends, an episode, and a skill if it went well after three tool results or more. The user's rules and
    facts about him go to his page; other facts to the library.
Stores: a page (profile.md), a library of skills, a table of episodes; the session itself in RAM.
Recalls: items of the page, skills by similarity x success rate + use, episodes by BM25 and vector joined by RRF.
Prompt: sacred zone (page, skills, episodes), plan, turns, tool results, by shares of the window.
Wins: it says in one place what a task needs: how it went the last time, and which error to expect. It holds a whole
    window: shares, compressed results. The page is never cut.
Loses: what was said and belongs to no task is not stored, so most questions about facts find nothing. A crash loses the
    session. The three fusions differ by nothing here, because libraries are small: see question 2 in docs/documents.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain, zip_longest
from pathlib import Path

from memlab.memory.context import one_line
from memlab.memory.text import clean
from memlab.systems.documents.hermes.episodes import SKILL_FROM_TOOLS, EpisodicStore, Session, experience
from memlab.systems.documents.hermes.legs import Fusion
from memlab.systems.documents.hermes.profile import Profile
from memlab.systems.documents.hermes.skills import SkillLibrary, skill_lines
from memlab.systems.documents.hermes.window import DOCUMENT, EVEN, FOR_TOOLS, Parts, Shares, window
from memlab.systems.documents.parts.encoder import NAME, VectorIndex
from memlab.systems.documents.parts.prompt import statement
from memlab.systems.entry import Entry
from memlab.terms import Build, Event, Memory, Workspace

SKILLS, EPISODES, INJECTED = 5, 3, 2
"""[s] A session starts with the top 5 skills; 3 episodes are retrieved, and at most 2 of them injected."""
ON_PAGE = "user"
"""The type of facts that are on the page. Others are in the library, which holds "facts, concepts, skills" [s]: with
all facts on the page, which is never cut, it alone would exceed the budget of nearly every question."""
SEPARATOR = "\n\n---\n\n"
"""[s] What stands between the sections of the sacred zone."""
PAGE_HEADING = "## User-Defined Memory"
SKILLS_HEADING = "## Available Skills (from past experience)"
EPISODES_HEADING = "## Relevant Historical Experience"


class Hermes:
    """Sessions in RAM; episodes, skills and the page on disk."""

    def __init__(
        self, workspace: Workspace, *, shares: Shares = DOCUMENT, fusion: Fusion = "rrf", buried: bool = False
    ) -> None:
        directory: Path = workspace.directory
        self._episodes = EpisodicStore(directory / "episodes.db", fusion)
        self._skills = SkillLibrary(directory / "skills.jsonl", fusion)
        self._profile = Profile(directory)
        self._session = Session("")
        self._shares = shares
        self._buried = buried

    def observe(self, event: Event) -> None:
        """Write the user's rules and facts about him to the page, and all else to the library or the session."""
        event = clean(event)
        if event.session != self._session.id:
            self._archive()
            self._session = Session(event.session)
        self._session.follow(event)
        if event.kind == "rule" and event.source == "user":
            self._profile.put("Rules", event.name or event.text, one_line(event.text))
        elif event.kind == "fact" and event.type == ON_PAGE:
            self._profile.put("User", event.name, one_line(statement(event)))
        elif event.kind in {"fact", "skill"}:
            self._skills.save(event.name, event.description, event.text, event.time, event.type)
        elif event.kind == "end":
            self._archive()
            self._session = Session(event.session)

    def recall(self, query: str, k: int = 5) -> list[Memory]:
        """Return items of the page, skills and episodes in turn, the document's order of priority [s], best first."""
        if not self._session.plan.goal:
            self._archive()
            self._session = Session(self._session.id)
        page = VectorIndex()
        for item in self._profile.items():
            page.put(item, item)
        facts = [Memory(item, (), "profile", score) for item, score in page.nearest(query, k)]
        skills = [Memory("\n".join(skill_lines(one)), (), "skills") for one in self._skills.retrieve(query, k)]
        found = self._episodes.search_similar(query, k)
        episodes = [Memory("\n".join(one.lines()), (), "episodes") for one in found if one.is_valuable]
        return [one for one in chain.from_iterable(zip_longest(facts, skills, episodes)) if one][:k]

    def assemble(self, task: str, budget: int) -> str:
        """Return the window of one turn. Raises Refused if its sacred zone alone exceeds the budget."""
        return self.window(task, budget, self._session.texts("turn", "episode"), self._session.texts("tool"))

    def window(self, task: str, budget: int, turns: Sequence[str], results: Sequence[str]) -> str:
        """Return the window with these turns and tool results in place of those of the session."""
        plan = self._session.plan.lines()
        zone = self._sacred_zone(task, self._shares.zone(budget) - sum(len(line) + 1 for line in plan))
        return window(budget, Parts(zone, plan, turns, results), self._shares, buried=self._buried)

    def close(self) -> None:
        """Close the databases."""
        self._episodes.close()

    def _sacred_zone(self, task: str, room: int) -> str:
        """Return the sections with which a session starts: the page, and as many skills and episodes as fit.

        `room` is in characters. The page is in the zone even if it alone does not fit.
        """
        skills = [skill_lines(skill) for skill in self._skills.retrieve(task, SKILLS)]
        episodes = experience(self._episodes.search_similar(task, EPISODES), INJECTED)
        sections = {PAGE_HEADING: [self._profile.text().strip()], SKILLS_HEADING: [], EPISODES_HEADING: []}
        for heading, items in ((SKILLS_HEADING, skills), (EPISODES_HEADING, episodes)):
            for lines in items:
                sections[heading] += lines
                if len(_joined(sections)) > room:
                    del sections[heading][-len(lines) :]
        return _joined(sections)

    def _archive(self) -> None:
        """Store the episode of the session, and the skill that it taught."""
        session = self._session
        if session.id and (count := self._episodes.count_of(session.id)):
            session.id = f"{session.id}#{count + 1}"
        episode = session.episode()
        if episode is None:
            return
        self._episodes.save_episode(episode)
        for name in episode.skills_applied:
            self._skills.record_use(name, success=episode.success, time=episode.created_at)
        if session.is_successful and session.done and len(session.texts("tool")) >= SKILL_FROM_TOOLS:
            name = "_".join(session.goal.lower().split())
            self._skills.save(name, session.goal, "; ".join(session.done), episode.created_at, episode.task_category)


def _joined(sections: Mapping[str, Sequence[str]]) -> str:
    texts = {heading: "\n".join(filter(None, lines)) for heading, lines in sections.items()}
    return SEPARATOR.join(f"{heading}\n{text}" for heading, text in texts.items() if text)


def _entries() -> tuple[Entry, ...]:
    about = f"Document 004: page, skills and episodes in a window with shares; BM25 + {NAME}, RRF."
    variants: dict[str, tuple[str, Build]] = {
        "buried": ("skills and page behind the conversation", partial(Hermes, buried=True)),
        "vector": ("vectors alone", partial(Hermes, fusion="vector")),
        "keyword": ("BM25 alone", partial(Hermes, fusion="keyword")),
        "minmax": ("the mean of scaled scores in place of RRF", partial(Hermes, fusion="minmax")),
        "even": ("five equal shares", partial(Hermes, shares=EVEN)),
        "tools": ("half of the window for tool results", partial(Hermes, shares=FOR_TOOLS)),
    }
    return (
        Entry("hermes", about, "documents", Hermes),
        *(
            Entry(f"hermes-{name}", f"hermes with {how}.", "documents", build)
            for name, (how, build) in variants.items()
        ),
    )


ENTRIES = _entries()
