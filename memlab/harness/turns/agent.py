"""The agents of long tasks: a scripted one, or a command, such as one that asks a language model."""

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
"""Seconds between two checks of how much a command has written."""
PATIENCE = 300.0
"""Timeout of a command for one answer, in seconds."""
LONGEST = 1_000_000
"""Maximum bytes of one answer of a command."""
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
    """An agent command does not exist, failed, or took too long."""


class UnclearAnswer(Exception):
    """An agent's answer has the wrong format."""


class Agent(Protocol):
    """Acts on an assembled context and on nothing else; the name describes how it reads."""

    @property
    def name(self) -> str:
        """Return the name of the agent."""

    def choose(self, text: str, todos: Collection[str]) -> str | None:
        """Return its next to-do, one of `todos`, or None. Raises UnclearAnswer, as `basis` does."""

    def basis(self, text: str, todo: str) -> str:
        """Return the part of a text that it acts on when it does a to-do."""


@dataclass(frozen=True)
class Scripted:
    """Does the first open to-do, obeys every rule and believes every fact that it reads.

    It reads all of a text, or only its first and last `ends` tokens (lost in the middle). It skips lines of which it
    would read only a part: half of `[x] sweep` is `sweep`.
    """

    ends: int = 0

    @property
    def name(self) -> str:
        """Return a description of what it reads."""
        return f"reads first and last {self.ends}" if self.ends else "reads all"

    def choose(self, text: str, todos: Collection[str]) -> str | None:
        """Return the first of the to-dos that is an open list item in the text and not marked as done."""
        known = {fold(item): item for item in todos}
        lines = lines_of([self.read(text)])
        finished = {found[1] for line in lines if (found := _FINISHED.fullmatch(line))}
        open_items = (item for line in lines for item in listed_todos(line, known) if item not in finished)
        return next((known[item] for item in open_items), None)

    def basis(self, text: str, todo: str) -> str:
        """Return all that it reads."""
        del todo
        return self.read(text)

    def read(self, text: str) -> str:
        """Return the part of a text that it reads."""
        letters = self.ends * CHARS_PER_TOKEN
        if not 0 < 2 * letters < len(text):
            return text
        head = text[: letters + 1].rpartition("\n")[0] or text[:letters]
        tail = text[-letters - 1 :].partition("\n")[2] or text[-letters:]
        return f"{head}\n{tail}"


@dataclass(frozen=True)
class Command:
    """Runs a command for each question: NEXT or BASIS on its standard input, the answer on its standard output.

    It runs in the folder and with the variables of the memlab process, not those of the scripted world.
    Raises AgentFailed if it does not exist, ends with a code other than 0, writes more than LONGEST bytes, or takes
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
            raise self._failed(f"is not a valid shell command ({error}). Close its quotes") from error
        if shutil.which(program) is None:
            raise self._failed(f"{program!r} was not found. Give a program on the path, or an executable ./a/script")

    @property
    def name(self) -> str:
        """Return the command."""
        return self.command

    def choose(self, text: str, todos: Collection[str]) -> str | None:
        """Ask for the next to-do. Raises UnclearAnswer unless exactly one line names one of `todos` or none."""
        known = {fold(item): item for item in todos}
        answers = {line for line in lines_of([self._ask(NEXT.format(text=text))]) if line.startswith("to-do:")}
        named = {item for line in answers for item in listed_todos(line, [*known, "none"])}
        if len(answers) != 1 or len(named) != 1:
            raise UnclearAnswer
        return known.get(named.pop())

    def basis(self, text: str, todo: str) -> str:
        """Ask what it acts on; return these lines of the answer. Raises UnclearAnswer if there is none."""
        answer = self._ask(BASIS.format(text=text, todo=todo))
        lines = [line for line in answer.splitlines() if fold(line).startswith(("fact:", "rule:"))]
        if not lines:
            raise UnclearAnswer
        return "\n".join(line.partition(":")[2].strip() for line in lines)

    def _ask(self, question: str) -> str:
        try:
            code, answer, errors = self._run(question.encode())
        except TimeoutExpired:
            raise self._failed(f"gave no answer within {self.patience:g} seconds. Try it by hand") from None
        except OSError as error:
            raise self._failed(f"cannot be run ({error.strerror}). Try it by hand") from error
        if len(answer) + len(errors) > LONGEST:
            raise self._failed(f"wrote more than {LONGEST // 1_000_000} MB. Let it give one short answer")
        if code:
            last = _text(errors).strip().rpartition("\n")[2] or "nothing on standard error"
            raise self._failed(f"ended with code {code}: {last}. Try it by hand")
        return _text(answer)

    def _run(self, question: bytes) -> tuple[int, bytes, bytes]:
        words, place, variables = shlex.split(self.command), self._folder, self._variables
        with Popen(  # noqa: S603 - the user named it
            words, stdin=PIPE, stdout=PIPE, stderr=PIPE, cwd=place, env=variables, start_new_session=True
        ) as process:
            try:
                answer, errors = _output(process, question, self.patience)
            finally:  # its child processes may keep its pipes open
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
        return process.returncode, answer, errors

    def _failed(self, what: str) -> AgentFailed:
        protocol = "It reads a question on standard input and must answer on standard output"
        return AgentFailed(f"--agent {self.command!r} {what}. {protocol}.")


def _output(process: Popen[bytes], question: bytes, patience: float) -> tuple[bytes, bytes]:
    """Return what a process writes to its two streams, up to its end or a little more than LONGEST bytes."""
    end = monotonic() + patience
    unsent: bytes | None = question
    while True:
        try:
            return process.communicate(unsent, min(GLANCE, patience))
        except TimeoutExpired as late:
            streams = late.output or b"", late.stderr or b""
            if sum(map(len, streams)) > LONGEST:
                return streams
            if monotonic() > end:
                raise
            unsent = None


def _text(output: bytes) -> str:
    return output.decode(errors="replace")


SCRIPTED = (Scripted(), Scripted(ends=100))
