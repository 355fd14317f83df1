"""The scratchpad: the one task at hand, its plan and its progress; small, rewritten, gone when the task is over."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache

from memlab.memory.admission import Admission
from memlab.memory.context import Counter, count_tokens, largest_that_fits, one_line
from memlab.memory.episode import Episode
from memlab.memory.episodes import Episodes
from memlab.memory.text import Refused, fold
from memlab.memory.trust import AGENT, Provenance

CAP = 300
"""So many tokens a scratchpad may take before what is resolved leaves it."""
_BY_USER = Provenance()
_folded = lru_cache(maxsize=8192)(fold)  # a long task is read back step by step, and each step looks at all before it


@dataclass(frozen=True, slots=True)
class Note:
    """One line that was noted or asked, who did so, and the name of the fact that it becomes when the task is over."""

    text: str
    name: str = ""
    origin: Provenance = field(default_factory=Provenance)


@dataclass(frozen=True, slots=True)
class Scratchpad:
    """What is being done: the goal, the plan in its order, which of its items are done, what is known and what is not.

    `type` is the type of the task, by which skills are looked up. Every change gives a new pad and leaves this one.
    """

    goal: str = ""
    plan: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    type: str = ""
    notes: tuple[Note, ...] = ()
    questions: tuple[Note, ...] = ()

    @property
    def todo(self) -> tuple[str, ...]:
        """The open items, the next one first; of two that read alike one is done at a time."""
        return _less(self.plan, self.done)

    def checked_off(self, item: str) -> Scratchpad:
        """Give the pad with one open item done. Raises Refused if no open item is called that."""
        todo, wanted = self.todo, fold(item)
        for known in todo:
            if _folded(known) == wanted:
                return replace(self, done=(*self.done, known))
        open_items = "; ".join(todo) or "none"
        raise Refused(f"done {item!r}: no open to-do is called that; open are: {open_items}")

    def noted(self, text: str, name: str = "", origin: Provenance = _BY_USER) -> Scratchpad:
        """Give the pad with a fact of the task; it replaces one of the same text or name.

        Raises Refused, as `asked` does, if no task is at hand.
        """
        self._need_task("note", text)
        said = fold(text)
        others = [one for one in self.notes if _folded(one.text) != said and (not name or one.name != name)]
        return replace(self, notes=(*others, Note(text, name, origin)))

    def asked(self, question: str, origin: Provenance = _BY_USER) -> Scratchpad:
        """Give the pad with an open question; one that is open already stays as it is."""
        self._need_task("ask", question)
        said = fold(question)
        if any(_folded(one.text) == said for one in self.questions):
            return self
        return replace(self, questions=(*self.questions, Note(question, "", origin)))

    def answered(self, question: str, text: str, origin: Provenance = _BY_USER) -> Scratchpad:
        """Give the pad with an open question closed and noted with its answer. Raises Refused if it is not open."""
        said = fold(question)
        for known in self.questions:
            if _folded(known.text) == said:
                rest = tuple(one for one in self.questions if one is not known)
                return replace(self, questions=rest).noted(f"{known.text} {text}", "", origin)
        questions = "; ".join(one.text for one in self.questions) or "none"
        raise Refused(f"answer to {question!r}: no open question reads so; open are: {questions}")

    def after(self, step: Episode) -> Scratchpad:
        """Give the pad after one step of the log. Raises Refused if the step does not apply to this pad."""
        if step.step == "task":
            return Scratchpad(step.detail, step.todo, type=step.name)
        if step.step == "done":
            return self.checked_off(step.detail)
        if step.step == "note":
            return self.noted(step.detail, step.name, step.origin)
        if step.step == "ask":
            return self.asked(step.detail, step.origin)
        if step.step == "answer":
            return self.answered(step.name, step.detail, step.origin)
        return Scratchpad() if step.step == "end" else self

    def text(self, cap: int = CAP, count: Counter = count_tokens) -> str:
        """Render the pad for a person: goal, plan, notes, open questions, each on a line (for a model, see prompt.py).

        Over the cap, in tokens, resolved items go: done ones, then notes, the oldest first; a last line counts them.
        What is open never goes, even if it alone takes more.
        """
        pad, gone = self.within(cap, lambda pad, gone: count(_rendered(pad, gone)))
        return _rendered(pad, gone)

    def within(self, cap: int, size: Callable[[Scratchpad, int], int]) -> tuple[Scratchpad, int]:
        """Drop as few resolved items as it takes for the pad to be within the cap; give the lighter pad, and how many.

        `size` gives the tokens of a pad that so many items have left.
        """
        resolved = len(self.done) + len(self.notes)
        if size(self, 0) <= cap:
            return self, 0
        kept = largest_that_fits(resolved, lambda kept: size(self._lighter(resolved - kept), resolved - kept) <= cap)
        gone = resolved - max(kept, 0)
        return self._lighter(gone), gone

    def _lighter(self, gone: int) -> Scratchpad:
        plan, notes = _less(self.plan, self.done[:gone]), self.notes[max(0, gone - len(self.done)) :]
        return replace(self, plan=plan, done=self.done[gone:], notes=notes)

    def _need_task(self, what: str, text: str) -> None:
        if not (self.goal or self.plan):
            raise Refused(f"{what} {text!r}: no task is at hand; set one first, or log it as an episode")


def rebuilt(newest_first: Iterable[Episode]) -> Scratchpad:
    """Rebuild the scratchpad from the log after a crash: the last task set and all its steps, unless it has ended."""
    steps: list[Episode] = []
    for episode in newest_first:
        steps.append(episode)
        if episode.step in {"task", "end"}:
            break
    pad = Scratchpad()
    for step in reversed(steps):
        with suppress(Refused):  # what it rests on was erased
            pad = pad.after(step)
    return pad


def left_out(gone: int) -> list[str]:
    """Give the line that says how many resolved items have left a pad, if any."""
    return [f"({gone} resolved {'item' if gone == 1 else 'items'} left out; read the log)"] if gone else []


def _rendered(pad: Scratchpad, gone: int) -> str:
    ticked, plan = Tally(pad.done), list[str]()
    for item in pad.plan:
        plan.append(f"[{'x' if ticked[item] > 0 else ' '}] {item}")
        ticked[item] -= 1
    notes, questions = [note.text for note in pad.notes], [note.text for note in pad.questions]
    parts = {"plan": plan, "notes": notes, "open questions": questions}
    lines = [f"goal: {one_line(pad.goal)}"] if pad.goal else []
    for title, items in parts.items():
        lines += [f"{title}:", *(f"- {one_line(item)}" for item in items)] if items else []
    return "\n".join([*lines, *left_out(gone)])


def _less(plan: Sequence[str], done: Iterable[str]) -> tuple[str, ...]:
    """Give what remains of a plan: each thing done takes the first item that reads like it."""
    ticked, left = Tally(done), list[str]()
    for item in plan:
        if ticked.get(item):
            ticked[item] -= 1
        else:
            left.append(item)
    return tuple(left)


@dataclass
class Task:
    """Writes what happens into the log, unless nothing is `logged`, and knows whether others have written there."""

    episodes: Episodes
    admission: Admission
    logged: bool
    _pad: Scratchpad = field(default_factory=Scratchpad, init=False)
    _seen: tuple[int, int] = field(default=(-1, 0), init=False)

    @property
    def pad(self) -> Scratchpad:
        """Give the scratchpad, rebuilt from the log if another process has written there."""
        if self.logged and self._seen != self.episodes.identity:
            self._seen = self.episodes.identity
            self._pad = rebuilt(self.episodes.steps())
        return self._pad

    def log(self, episode: Episode) -> None:
        """Log one thing that happened, as it was admitted."""
        if self.logged:
            with self.episodes.exclusive():
                current = self._seen == self.episodes.identity
                self.episodes.append(episode)
                self._seen = self.episodes.identity if current else self._seen

    def step(self, told: Episode) -> None:
        """Take one step. Raises Refused if its source may not, or if it does not apply to the scratchpad."""
        self.admission.require_rank(AGENT, told.step, told.origin)
        with self.episodes.exclusive():
            episode = self.admission.episode(told)
            pad = self.pad.after(episode)
            self.log(episode)
            self._pad = pad
