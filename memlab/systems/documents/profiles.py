"""profile-auto and profile-safe: a page about the user that a model keeps up to date.

Source: the three-tier architecture (document 004), which lets a model rewrite the user's page after each conversation
and asks (question 3): "How do you prevent the LLM from accidentally deleting important information during
auto-updates?" `profile-auto` is its code: the answer overwrites the file. `profile-safe` treats the answer as a
proposed difference, by the rules of `memlab.memory.Profile`: at most one line is removed in an update.

Writes: after each session, the facts that the extractor finds, as lines of the page. profile-auto takes a whole new
    page from its writer; profile-safe only what is safe of it.
Stores: one markdown page about the user.
Recalls: the lines of the page with the largest cosine.
Prompt: the page from its beginning, and the plan.
Wins: a person can read and correct all of it. The safe edits keep every line that a person wrote, and nearly all facts.
Loses: a page does not grow well: facts without an order, old values beside new ones. profile-auto loses lines of the
    user as soon as the page is over 60 lines. Neither asks who said something.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter

from memlab.memory.context import one_line
from memlab.memory.profile import safe_changes
from memlab.memory.text import digest
from memlab.models.extraction import Candidate
from memlab.systems.documents.hermes.profile import Profile
from memlab.systems.documents.parts.bracket import Bracket
from memlab.systems.documents.parts.encoder import NAME, VectorIndex
from memlab.systems.documents.parts.profile_writer import Proposal, propose
from memlab.systems.documents.parts.prompt import Plan, compose
from memlab.systems.documents.parts.records import Records
from memlab.systems.documents.parts.stand_ins import RULES, StandIns
from memlab.systems.documents.parts.transcript import MESSAGES, Message, Transcript
from memlab.terms import Event, Memory, Workspace

PINNED = "Pinned"
"""The section of the user's own lines."""
LEARNED = "## Learned"
"""The heading of the section that safe updates add lines to: it is the last one, and never the pinned one."""
_is_statement = attrgetter("is_statement")


class ProfileAuto:
    """One page; after each session the writer answers a whole new page, which overwrites the old one."""

    def __init__(self, workspace: Workspace, stand_ins: StandIns = RULES) -> None:
        self._page = Profile(workspace.directory)
        self._transcript = Transcript(workspace.directory)
        self._plan = Plan()
        self._stand_ins = stand_ins

    def observe(self, event: Event) -> None:
        """Let a person edit the page, or keep a message for the end of its session."""
        self._update(event.session)
        self._plan.follow(event)
        if event.kind == "rule" and event.source == "user":
            self._page.put(PINNED, event.name or event.text, one_line(event.text))
        elif event.kind in {*MESSAGES, "fact", "skill"}:
            self._transcript.add(event)
        elif event.kind == "end":
            self._update()

    def recall(self, query: str, k: int = 5) -> list[Memory]:
        """Return the k lines of the page that are most similar to the query."""
        self._update()
        lines = VectorIndex()
        for item in self._page.items():
            lines.put(item, item)
        return [Memory(item, (), "profile", score) for item, score in lines.nearest(query, k)]

    def assemble(self, task: str, budget: int) -> str:  # noqa: ARG002 - the page is the same for every task
        """Return the page from its beginning, and last the plan."""
        self._update()
        return compose(budget, [], self._page.text().splitlines(), self._plan.lines())

    def _update(self, current: str | None = None) -> None:
        """Show the writer the page and each session that is over, and apply what it proposes."""
        for messages in self._transcript.take_finished(current):
            session = "\n".join(message.text for message in messages)
            found = [one for _, part in groupby(messages, _is_statement) for one in self._discoveries(list(part))]
            proposal = propose(self._page.text(), found, session)
            if proposal is not None:
                self._apply(proposal, session)

    def _discoveries(self, messages: Sequence[Message]) -> Sequence[Candidate]:
        """Return the facts in messages; those that were handed over as facts are discoveries as they are."""
        if _is_statement(messages[0]):
            return [Candidate(one.text, one.text, self._stand_ins.importance(one.text)) for one in messages]
        return self._stand_ins.extract([one.turn for one in messages])

    def _apply(self, proposal: Proposal, session: str) -> None:  # noqa: ARG002 - a safe update reads the session
        self._page.write(proposal.page)


class ProfileSafe(ProfileAuto):
    """The proposal is a difference: what a person wrote stays, an added line is quoted, and the old page is kept."""

    def __init__(self, workspace: Workspace, stand_ins: StandIns = RULES) -> None:
        super().__init__(workspace, stand_ins)
        self._by_writer = Records(workspace.directory / "by_writer.jsonl")
        self._history = workspace.directory / "history"

    def _apply(self, proposal: Proposal, session: str) -> None:
        old, new = self._page.text().splitlines(), proposal.page.splitlines()
        by_writer = {record["line"] for record in self._by_writer.values()}
        removed, added, _ = safe_changes(old, new, by_writer, proposal.quotes, session)
        if removed or added:
            self._history.mkdir(exist_ok=True)
            number = sum(1 for _ in self._history.iterdir())
            (self._history / f"{number:04}.md").write_text(self._page.text(), encoding="utf-8", errors="replace")
            for line in added:
                self._by_writer[digest(line)] = {"line": line}
            page = [line for line in old if line not in removed]
            heading = [] if LEARNED in page or not added else [LEARNED]
            self._page.write("\n".join([*page, *heading, *added]))


BRACKETS = (
    Bracket(
        "profile-auto",
        f"Document 004: a page that its writer overwrites after each session; {NAME}, rules-v1, scripted writer.",
        "extracts",
        ProfileAuto,
    ),
    Bracket(
        "profile-safe",
        f"profile-auto with updates that cannot remove what a person wrote; {NAME}, rules-v1, scripted writer.",
        "extracts",
        ProfileSafe,
    ),
)
ENTRIES = tuple(entry for one in BRACKETS for entry in one.entries())
