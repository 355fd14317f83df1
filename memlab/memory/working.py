"""The scratchpad of the current task (goal, plan, notes, questions), and Task, which keeps it in step with the log."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache

from memlab.memory.admission import Admission
from memlab.memory.context import largest_that_fits
from memlab.memory.episode import Episode
from memlab.memory.episodes import Episodes
from memlab.memory.facts import Fact
from memlab.memory.text import Refused, digest, fold
from memlab.memory.trust import AGENT, BY_USER, Provenance

_cached_fold = lru_cache(maxsize=8192)(fold)  # each step of a long task is compared with all earlier ones


@dataclass(frozen=True, slots=True)
class Note:
    """A note or a question, its source, and the name of the fact it becomes when the task ends (or none)."""

    text: str
    name: str = ""
    origin: Provenance = field(default_factory=Provenance)


@dataclass(frozen=True, slots=True)
class Scratchpad:
    """The state of one task. Immutable: every change returns a new scratchpad.

    `plan` holds all to-do items in order, `done` those that are finished; `type` selects the skills for the task.
    """

    goal: str = ""
    plan: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    type: str = ""
    notes: tuple[Note, ...] = ()
    questions: tuple[Note, ...] = ()

    @property
    def todo(self) -> tuple[str, ...]:
        """The open items, the next one first; of two equal items one is done at a time."""
        return _subtract(self.plan, self.done)

    def check_off(self, item: str) -> Scratchpad:
        """Mark one open item as done. Raises Refused if no open item has this text."""
        todo, wanted = self.todo, fold(item)
        for known in todo:
            if _cached_fold(known) == wanted:
                return replace(self, done=(*self.done, known))
        open_items = "; ".join(todo) or "none"
        raise Refused(f"done {item!r}: no open to-do has this text; open to-dos: {open_items}")

    def add_note(self, text: str, name: str = "", origin: Provenance = BY_USER) -> Scratchpad:
        """Add a note; it replaces one of the same text, whose name it keeps, or of its name.

        Raises Refused if there is no task.
        """
        self._require_task("note", text)
        folded = fold(text)
        name = name or next((one.name for one in self.notes if _cached_fold(one.text) == folded), "")
        others = [one for one in self.notes if _cached_fold(one.text) != folded and (not name or one.name != name)]
        return replace(self, notes=(*others, Note(text, name, origin)))

    def add_question(self, question: str, origin: Provenance = BY_USER) -> Scratchpad:
        """Add an open question, unless it is already open. Raises Refused if there is no task."""
        self._require_task("ask", question)
        folded = fold(question)
        if any(_cached_fold(one.text) == folded for one in self.questions):
            return self
        return replace(self, questions=(*self.questions, Note(question, "", origin)))

    def answer(self, question: str, text: str, origin: Provenance = BY_USER) -> Scratchpad:
        """Replace an open question by a note with its answer. Raises Refused if it is not open."""
        folded = fold(question)
        for known in self.questions:
            if fold(known.text) == folded:
                rest = tuple(one for one in self.questions if one is not known)
                return replace(self, questions=rest).add_note(f"{known.text} {text}", "", origin)
        questions = "; ".join(one.text for one in self.questions) or "none"
        raise Refused(f"answer to {question!r}: no open question has this text; open questions: {questions}")

    def apply(self, step: Episode) -> Scratchpad:
        """Apply one step from the log. Raises Refused if the step does not fit this scratchpad."""
        if step.step == "task":
            return Scratchpad(step.detail, step.todo, type=step.name)
        if step.step == "done":
            return self.check_off(step.detail)
        if step.step == "note":
            return self.add_note(step.detail, step.name, step.origin)
        if step.step == "ask":
            return self.add_question(step.detail, step.origin)
        if step.step == "answer":
            return self.answer(step.name, step.detail, step.origin)
        return Scratchpad() if step.step == "end" else self

    def trim(self, cap: int, size: Callable[[Scratchpad, int], int]) -> tuple[Scratchpad, int]:
        """Drop resolved items, no more than needed, until `size(pad, dropped)` is at most `cap`; return pad and number.

        Done items are dropped first, then notes, oldest first. Open items always stay, even above the cap.
        """
        resolved = len(self.done) + len(self.notes)
        if size(self, 0) <= cap:
            return self, 0
        kept = largest_that_fits(resolved, lambda kept: size(self._drop(resolved - kept), resolved - kept) <= cap)
        dropped = resolved - max(kept, 0)
        return self._drop(dropped), dropped

    def _drop(self, dropped: int) -> Scratchpad:
        plan, notes = _subtract(self.plan, self.done[:dropped]), self.notes[max(0, dropped - len(self.done)) :]
        return replace(self, plan=plan, done=self.done[dropped:], notes=notes)

    def _require_task(self, step: str, text: str) -> None:
        if not (self.goal or self.plan):
            raise Refused(f"{step} {text!r}: there is no current task; set one first, or log it as an episode")


def rebuild_scratchpad(newest_first: Sequence[Episode]) -> Scratchpad:
    """Rebuild the scratchpad from the steps in the log; those before the last task or end do not matter."""
    pad = Scratchpad()
    for step in reversed(newest_first):
        with suppress(Refused):  # the step it depends on was erased
            pad = pad.apply(step)
    return pad


def _subtract(plan: Sequence[str], done: Iterable[str]) -> tuple[str, ...]:
    """Return the open items of a plan: each done item removes the first equal one."""
    left = list(plan)
    for item in done:
        if item in left:
            left.remove(item)
    return tuple(left)


@dataclass
class Task:
    """The current task: admits and logs its steps (unless `logged` is off) and keeps its scratchpad.

    Notices when another process wrote to the log, and then rebuilds the scratchpad from it.
    """

    episodes: Episodes
    admission: Admission
    logged: bool
    _pad: Scratchpad = field(default_factory=Scratchpad, init=False)
    _log_identity: tuple[int, int] = field(default=(-1, 0), init=False)

    @property
    def pad(self) -> Scratchpad:
        """The scratchpad, rebuilt if another process wrote to the log."""
        identity = self.episodes.identity
        if self.logged and self._log_identity != identity:
            self._pad = rebuild_scratchpad(self.episodes.steps(("task", "end")))
            self._log_identity = identity  # last: after an error it is read again
        return self._pad

    def log(self, episode: Episode) -> None:
        """Log an admitted episode."""
        if self.logged:
            with self.episodes.exclusive():
                inode, start, length = self.episodes.append(episode)
                if self._log_identity == (inode, start):
                    self._log_identity = inode, start + length

    def log_forgotten(self, text: str) -> None:
        """Log what is forgotten, once: a method that was cut short after this is repeated."""
        origin = Provenance("tool", id=f"forgotten-{digest(text)}")
        if not (self.episodes.get(origin.id) or self.episodes.is_erased(origin.id)):
            origin = self.admission.stamp(origin)
            self.log(Episode("forgotten", text, origin, self.admission.rank(origin)))

    def step(self, step: Episode) -> None:
        """Admit, apply and log one step. Raises Refused if the source is untrusted or the step does not apply."""
        self.admission.require_rank(AGENT, step.step, step.origin)
        with self.episodes.exclusive():
            episode = self.admission.admit_episode(step)
            pad = self.pad.apply(episode)
            self.log(episode)
            self._pad = pad

    def answer(self, question: str, text: str, origin: Provenance) -> None:
        """Take the step that answers a question; the answer is derived from the question."""
        ids = [one.origin.id for one in self.pad.questions if fold(one.text) == fold(question)] if self.logged else []
        origin = replace(origin, derived_from=(*origin.derived_from, *ids))
        self.step(Episode("answer", text, origin, step="answer", name=question))

    def durable_facts(self) -> Iterator[Fact]:
        """Yield a fact for every note with a name."""
        for note in self.pad.notes:
            if note.name:
                lineage = (note.origin.id,) if self.logged else ()
                origin = replace(note.origin, id=f"kept-{note.origin.id}", derived_from=lineage)
                yield Fact(note.name, note.text, origin=origin, rank=self.admission.rank(note.origin))
