"""Who acts in a long task: a scripted agent, or a command in its place, such as one that asks a language model."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import PIPE, Popen, TimeoutExpired
from time import monotonic
from typing import Protocol

from memlab.harness.scoring.needles import lines_of
from memlab.harness.scoring.pins import listed_todos
from memlab.memory.context import CHARS_PER_TOKEN
from memlab.memory.text import fold

_FINISHED = re.compile(r"(?:.*[\s(])?(?:\[[x✓]\]|done:) ?(.+)")
GLANCE = 0.05
"""Seconds between two looks at how much a command has written."""
PATIENCE = 300.0
"""Seconds that a command may take for one answer."""
LONGEST = 1_000_000
"""Bytes that a command may write for one answer."""
NEXT = """\
You are in the middle of a long task. This is all that you know:

<<<
{text}
>>>

Which open to-do is the next one? Answer with one line: "TO-DO: " and the to-do, word for word as it stands above, or
"TO-DO: none" if none is open there.
"""
BASIS = """\
You are in the middle of a long task. This is all that you know:

<<<
{text}
>>>

You now do this: {todo}
What above do you act on when you do it? Copy each line of it word for word onto a line of its own, behind "FACT: " what
you hold to be true, behind "RULE: " what you obey. Answer "FACT: none" if there is nothing.
"""


class AgentFailed(Exception):
    """A command in the agent's place is not there, failed, or took too long."""


class UnclearAnswer(Exception):
    """An agent's answer is not in the form that it was asked for."""


class Agent(Protocol):
    """Who acts on an assembled text, and on nothing else; the name says how it reads."""

    @property
    def name(self) -> str:
        """Say who it is."""

    def choose(self, text: str, todos: Collection[str]) -> str | None:
        """Give the to-do that it does now, one of these, or None. Raises Unclear, as `basis` does."""

    def basis(self, text: str, todo: str) -> str:
        """Give what of a text it acts on when it does a to-do."""


@dataclass(frozen=True)
class Scripted:
    """Does the first open to-do that it reads, obeys every rule that it reads, believes every fact that it reads.

    It reads all of a text, or only its first and last `ends` tokens (lost in the middle). A line of which it would read
    a part it does not read: half of `[x] sweep` is `sweep`.
    """

    ends: int = 0

    @property
    def name(self) -> str:
        """Say what it reads."""
        return f"reads first and last {self.ends}" if self.ends else "reads all"

    def choose(self, text: str, todos: Collection[str]) -> str | None:
        """Give the first of these to-dos that stands in what it reads as an open list item, and is not told as done."""
        known = {fold(item): item for item in todos}
        lines = lines_of([self.read(text)])
        finished = {found[1] for line in lines if (found := _FINISHED.fullmatch(line))}
        open_items = (item for line in lines for item in listed_todos(line, known) if item not in finished)
        return next((known[item] for item in open_items), None)

    def basis(self, text: str, todo: str) -> str:
        """Give all that it reads."""
        del todo
        return self.read(text)

    def read(self, text: str) -> str:
        """Give what is read of a text."""
        letters = self.ends * CHARS_PER_TOKEN
        if not 0 < 2 * letters < len(text):
            return text
        head = text[: letters + 1].rpartition("\n")[0] or text[:letters]
        tail = text[-letters - 1 :].partition("\n")[2] or text[-letters:]
        return f"{head}\n{tail}"


@dataclass(frozen=True)
class Command:
    """Runs a command for each question: NEXT or BASIS on its standard input, the answer on its standard output.

    It runs in the folder and with the variables that memlab was started with, whatever world a long task stands in.
    Raises AgentFailed if it is not there, ends with a code other than 0, writes more than LONGEST bytes, or takes
    more than `patience` seconds.
    """

    command: str
    patience: float = PATIENCE
    _folder: Path = field(default_factory=Path.cwd, init=False, repr=False)
    _variables: dict[str, str] = field(default_factory=lambda: dict(os.environ), init=False, repr=False)

    def __post_init__(self) -> None:
        try:
            program = next(iter(shlex.split(self.command)), "")
        except ValueError as error:
            raise self._failed(f"cannot be split into words ({error}). Close its quotes") from error
        if shutil.which(program) is None:
            raise self._failed(f"{program!r} is no program here. Name one on the path, or ./a/script that may be run")

    @property
    def name(self) -> str:
        """Give the command."""
        return self.command

    def choose(self, text: str, todos: Collection[str]) -> str | None:
        """Ask for the next to-do. Raises Unclear unless just one line of the answer names one of these, or none."""
        known = {fold(item): item for item in todos}
        given = {line for line in lines_of([self._ask(NEXT.format(text=text))]) if line.startswith("to-do:")}
        named = {item for line in given for item in listed_todos(line, [*known, "none"])}
        if len(given) != 1 or len(named) != 1:
            raise UnclearAnswer
        return known.get(named.pop())

    def basis(self, text: str, todo: str) -> str:
        """Ask what it acts on; give the lines that say so. Raises Unclear if none does."""
        answer = self._ask(BASIS.format(text=text, todo=todo))
        given = [line for line in answer.splitlines() if fold(line).startswith(("fact:", "rule:"))]
        if not given:
            raise UnclearAnswer
        return "\n".join(line.partition(":")[2].strip() for line in given)

    def _ask(self, question: str) -> str:
        try:
            code, answer, complaint = self._run(question.encode())
        except TimeoutExpired:
            raise self._failed(f"gave no answer within {self.patience:g} seconds. Try it by hand") from None
        except OSError as error:
            raise self._failed(f"cannot be run ({error.strerror}). Try it by hand") from error
        if len(answer) + len(complaint) > LONGEST:
            raise self._failed(f"wrote more than {LONGEST // 1_000_000} MB. Let it give one short answer")
        if code:
            last = _text(complaint).strip().rpartition("\n")[2] or "nothing on standard error"
            raise self._failed(f"ended with code {code}: {last}. Try it by hand")
        return _text(answer)

    def _run(self, question: bytes) -> tuple[int, bytes, bytes]:
        words, place, variables = shlex.split(self.command), self._folder, self._variables
        with Popen(  # noqa: S603 - the user named it
            words, stdin=PIPE, stdout=PIPE, stderr=PIPE, cwd=place, env=variables, start_new_session=True
        ) as process:
            try:
                answer, complaint = _told(process, question, self.patience)
            finally:  # what it has started may hold its pipes open
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
        return process.returncode, answer, complaint

    def _failed(self, what: str) -> AgentFailed:
        asked = "It is asked on standard input, and answers on standard output"
        return AgentFailed(f"--agent {self.command!r} {what}. {asked}.")


def _told(process: Popen[bytes], question: bytes, patience: float) -> tuple[bytes, bytes]:
    """Give what a process writes to its two streams, up to its end or somewhat past LONGEST."""
    end = monotonic() + patience
    asked: bytes | None = question
    while True:
        try:
            return process.communicate(asked, min(GLANCE, patience))
        except TimeoutExpired as late:
            told = late.output or b"", late.stderr or b""
            if sum(map(len, told)) > LONGEST:
                return told
            if monotonic() > end:
                raise
            asked = None


def _text(told: bytes) -> str:
    return told.decode(errors="replace")


SCRIPTED = (Scripted(), Scripted(ends=100))
"""The same agent with full and with limited attention."""
