"""The life of a learner's file in a process of its own: load it, then answer calls, one JSON line for each.

Stands alone: it imports nothing but the standard library, and little of it, since it starts for every task; it is told
nothing of what is expected.
"""

from __future__ import annotations

import io
import json
import math
import os
import sys
from types import ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:  # to import typing takes as long as Python itself
    from typing import Any

    Reply = dict[str, Any]
DEEPEST = 20
"""Levels of a value that is given back: a list of dictionaries has two."""
HUGE = 10**30


class Odd(Exception):
    """What a call gave is no plain value."""


class Loaded:
    """The learner's file, loaded, and what was made of it."""

    def __init__(self, source: str, name: str, made: str) -> None:
        self._source = source.encode("utf-8", "surrogateescape")
        self._name = name
        self._code: object = None
        self._made = made
        self._variables = dict(os.environ)
        self._module = ModuleType("nothing")
        self._target: object = None
        self._handed: list[object] = []

    def load(self, asked: Reply) -> None:
        """Stand in a folder, with these variables, and load the file anew; its HELP learns these commands."""
        self._set(asked["env"])
        self._run(asked["folder"], self._name.partition(".")[0])
        self._commands.update(asked["commands"])
        self._target = getattr(self._module, self._made)() if self._made else self._module

    def run_as_program(self, asked: Reply) -> None:
        """Run the file as a program, in a folder."""
        self._set(asked["env"])
        self._run(asked["folder"], "__main__")

    def set_surroundings(self, asked: Reply) -> None:
        """Set these variables and no others; the file's HELP knows these commands and no others."""
        self._set(asked["env"])
        self._commands.clear()
        self._commands.update(asked["commands"])

    @property
    def _commands(self) -> dict[str, str]:
        known = getattr(self._module, "HELP", None)
        return known if isinstance(known, dict) else {}

    def _set(self, variables: dict[str, str]) -> None:
        os.environ.clear()
        os.environ.update(self._variables | variables)

    def _run(self, folder: str, name: str) -> None:
        os.chdir(folder)
        self._module = ModuleType(name)
        vars(self._module)["__file__"] = self._name
        sys.modules[self._module.__name__] = self._module  # a dataclass looks its module up while it is being made
        if self._code is None:  # it is loaded anew for every case
            self._code = compile(self._source, self._name, "exec", dont_inherit=True)
        exec(self._code, vars(self._module))  # type: ignore[arg-type] # a code object  # noqa: S102 - to run the learner's file is the task

    def new_object(self, asked: Reply) -> None:
        """Make a second object, which is called from now on."""
        del asked
        self._target = getattr(self._module, self._made)()

    def call(self, asked: Reply) -> object:
        """Call a function of the file, or a method of its object."""
        self._handed = asked["args"]
        return plain(getattr(self._target, asked["name"])(*asked["args"], **asked["named"]))

    def clear_arguments(self, asked: Reply) -> None:
        """Empty the lists that the last call was handed: they are its caller's."""
        del asked
        for one in self._handed:
            if isinstance(one, list):
                one.clear()

    def get(self, asked: Reply) -> object:
        """Give a value by its name."""
        return plain(getattr(self._target, asked["name"]))

    def has_parameter(self, asked: Reply) -> bool:
        """Tell if a function takes a parameter by its name."""
        import inspect  # noqa: PLC0415 - it takes long

        parameters = inspect.signature(getattr(self._target, asked["name"])).parameters
        return asked["parameter"] in parameters or any(one.kind is one.VAR_KEYWORD for one in parameters.values())

    def has_function(self, asked: Reply) -> bool:
        """Tell if there is something to call under a name."""
        return callable(getattr(self._target, asked["name"], None))


def plain(value: object, depth: int = DEEPEST) -> object:
    """Give a value as JSON has it, a tuple as a list. Raises Odd for anything else."""
    if isinstance(value, int) and abs(value) >= HUGE:
        raise Odd("a number of more than 30 digits")
    if isinstance(value, float) and not math.isfinite(value):
        raise Odd("a number that is none")
    if isinstance(value, str) and whole(value) != value:
        raise Odd("a text with half a character, as errors='surrogateescape' gives")
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if not depth:
        raise Odd("lists within lists without end")
    if isinstance(value, list | tuple):
        return [plain(one, depth - 1) for one in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {plain(key): plain(one, depth - 1) for key, one in value.items()}
    raise Odd(f"an object of type {type(value).__name__}")


def whole(text: str) -> str:
    """Give a text with half characters written out: they cannot be sent."""
    return text.encode("utf-8", "backslashreplace").decode()


def answer(file: Loaded, asked: Reply) -> Reply:
    """Do what is asked, and give its value, or how it failed, and what was printed."""
    sys.stdout = printed = io.StringIO()
    try:
        reply: Reply = {"ok": getattr(file, asked["do"])(asked)}
    except Odd as odd:
        reply = {"odd": str(odd)}
    except BaseException as error:  # noqa: BLE001 - the learner's failure is the answer
        refuses = isinstance(error, ValueError) and not isinstance(error, UnicodeError | json.JSONDecodeError)
        reply = {"raised": type(error).__name__, "says": _says(error), "line": _line(error), "refuses": refuses}
    return {**reply, "printed": whole(printed.getvalue())}


def _says(error: BaseException) -> str:
    try:
        return whole(error.msg if isinstance(error, SyntaxError) else str(error))
    except BaseException as worse:  # noqa: BLE001 - an exception of the learner's own making
        return f"(and its words raised {type(worse).__name__})"


def _line(error: BaseException) -> int:
    """Find the last line of the learner's file that was at work; 0 where none was."""
    if isinstance(error, SyntaxError):
        return error.lineno or 0
    line, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == sys.argv[1]:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def live() -> None:
    """Answer line by line until the other side hangs up; nothing else comes to the channel."""
    asking = os.fdopen(os.dup(0), encoding="utf-8")
    telling = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    file = Loaded(json.loads(asking.readline()), sys.argv[1], sys.argv[2])
    for line in asking:
        asked = json.loads(line)
        telling.write(json.dumps({**answer(file, asked), "number": asked["number"]}) + "\n")
        telling.flush()


if __name__ == "__main__":
    live()
