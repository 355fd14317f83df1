"""The process of a learner's file: load the file, call its functions by name.

Imports nothing but the standard library, and little of it, since it starts for every task. It does not know which
answers are expected.
"""

from __future__ import annotations

import _thread
import gc
import io
import json
import math
import os
import sys
from types import FunctionType, MethodType, ModuleType

from memlab.sandbox.child_loop import discard_output, serve
from memlab.sandbox.learner_bounds import FolderBound, explain
from memlab.sandbox.learner_fallbacks import install_fallbacks

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing takes as long as starting Python
    from typing import IO, Any

    from memlab.sandbox.child_loop import Message
DEEPEST = 20
"""Levels of a value that is returned: a list of dictionaries has two."""
HUGE = 10**30
ANY_NAMED = 0x08
"""The flag of a code object whose function takes any named argument."""
MOST_LEFT = 12
"""Threads and open files of a process in which a file is loaded again."""
MOST_PRINTED = 2_000_000
"""Bytes of what was printed that are kept: more than a reply may have."""


class NotPlain(Exception):
    """A call returned a value that is not plain."""


class PrintedBytes(io.BytesIO):
    """What a call prints. A stream that the learner's code opens over it does not close it."""

    name = "<stdout>"

    def fileno(self) -> int:
        """Return the number of the standard output, which is the null device."""
        return 1

    def close(self) -> None:
        """Stay open."""


class LoadedFile:
    """The learner's file, loaded as a module, and the object that calls go to."""

    def __init__(self) -> None:
        self.bound = FolderBound()
        self._printed = PrintedBytes()
        self._source = b""
        self.name = ""
        self._code: object = None
        self._class_name = ""
        self._variables = dict(os.environ)
        self._module = ModuleType("nothing")
        self._target: object = None
        self._arguments: list[object] = []

    def set_file(self, request: Message) -> None:
        """Set the text of the file, its name, the class whose object receives the calls, and the variables."""
        self._source = request["source"].encode("utf-8", "surrogateescape")
        self.name, self._class_name = request["name"], request["class_name"]
        if request["variables"] is not None:
            self._variables = request["variables"]

    def _is_worn_out(self) -> bool:
        """Return whether the files that were loaded before left so many threads or open files that others may lack."""
        gc.collect()  # closes the files of the modules that were loaded before
        try:
            free = os.open(os.devnull, os.O_RDONLY)
        except OSError:  # too many are open
            return True
        os.close(free)
        return _thread._count() > MOST_LEFT or free > MOST_LEFT  # noqa: SLF001 - the count of all threads

    def load(self, request: Message) -> bool:
        """Load the file again in a folder, with these variables; add these commands to its HELP.

        Return False, and load nothing, if this process is worn out.
        """
        if self._is_worn_out():
            return False
        self._set(request["env"])
        self._new_stdout()
        self._run(request["folder"])
        self._commands.update(request["commands"])
        if self._class_name and not hasattr(self._module, self._class_name):
            raise AttributeError(f"it has no class {self._class_name}. Keep the name that it had")
        self._target = getattr(self._module, self._class_name)() if self._class_name else self._module
        return True

    def set_surroundings(self, request: Message) -> None:
        """Set the variables and the entries of the file's HELP to exactly these."""
        self._set(request["env"])
        self._commands.clear()
        self._commands.update(request["commands"])

    @property
    def _commands(self) -> dict[str, str]:
        known = getattr(self._module, "HELP", None)
        return known if isinstance(known, dict) else {}

    def _set(self, variables: dict[str, str]) -> None:
        os.environ.clear()
        os.environ.update(self._variables | variables)

    def begin_printing(self) -> None:
        """Forget what was printed; replace `sys.stdout` if it is no stream for what is printed here."""
        self._printed.seek(0)
        self._printed.truncate()
        if self._stream() is None:
            self._new_stdout()

    def printed(self) -> str:
        """Return what was printed since then."""
        stream = self._stream()
        try:
            encoding = "utf-8" if stream is None else stream.encoding
            if stream is not None:
                stream.flush()
            text = self._printed.getvalue()[:MOST_PRINTED].decode(encoding, "backslashreplace")
        except (OSError, ValueError, LookupError) as error:
            return f"(it cannot be read: {type(error).__name__})"
        return escape_surrogates(text)

    def _stream(self) -> io.TextIOWrapper | None:
        """Return `sys.stdout` if it is a stream over the printed bytes, ours or one that the learner's code opened."""
        try:
            found = sys.stdout
            return found if type(found) is io.TextIOWrapper and found.buffer is self._printed else None
        except ValueError:  # detached from its bytes
            return None

    def _new_stdout(self) -> None:
        stream: Any = io.TextIOWrapper(self._printed, "utf-8", "backslashreplace", newline="", write_through=True)
        stream.mode = "w"
        sys.stdout = sys.__stdout__ = stream  # type: ignore[misc] # also for code that restores it

    def _run(self, folder: str) -> None:
        self.bound.allow(os.path.dirname(os.path.dirname(folder)))
        os.chdir(folder)
        self._module = ModuleType(self.name.partition(".")[0])
        vars(self._module)["__file__"] = self.name
        sys.modules[self._module.__name__] = self._module  # the dataclass decorator looks up the module
        if self._code is None:  # compiled once, since the file is loaded again for every case
            self._code = compile(self._source, self.name, "exec", dont_inherit=True)
        exec(self._code, vars(self._module))  # type: ignore[arg-type] # a code object  # noqa: S102 - running the learner's file is the purpose

    def new_object(self, _: Message) -> None:
        """Make a second object. Later calls go to it."""
        self._target = getattr(self._module, self._class_name)()

    def call(self, request: Message) -> object:
        """Call a function of the file, or a method of its object."""
        self._arguments = request["args"]
        return plain(getattr(self._target, request["name"])(*request["args"], **request["named"]))

    def clear_arguments(self, _: Message) -> None:
        """Empty the lists that were passed to the last call: they belong to its caller."""
        for argument in self._arguments:
            if isinstance(argument, list):
                argument.clear()

    def get(self, request: Message) -> object:
        """Return an attribute."""
        return plain(getattr(self._target, request["name"]))

    def has_parameter(self, request: Message) -> bool:
        """Return whether a function takes a parameter of this name."""
        function = getattr(self._target, request["name"])
        if type(function) in {FunctionType, MethodType} and not hasattr(function, "__wrapped__"):
            code = function.__code__
            names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            return request["parameter"] in names or bool(code.co_flags & ANY_NAMED)
        import inspect  # noqa: PLC0415 - slow to import

        parameters = inspect.signature(function).parameters
        return request["parameter"] in parameters or any(one.kind is one.VAR_KEYWORD for one in parameters.values())

    def has_function(self, request: Message) -> bool:
        """Return whether there is a callable of this name."""
        return callable(getattr(self._target, request["name"], None))


def plain(value: object, depth: int = DEEPEST) -> object:
    """Return a value as plain JSON types, tuples as lists. Raises NotPlain for anything else."""
    if isinstance(value, int) and abs(value) >= HUGE:
        raise NotPlain("a number of more than 30 digits")
    if isinstance(value, float) and not math.isfinite(value):
        raise NotPlain("a number that is infinite or NaN")
    if isinstance(value, str) and escape_surrogates(value) != value:
        raise NotPlain("a text with a lone surrogate, as errors='surrogateescape' makes")
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if not depth:
        raise NotPlain("lists nested too deep")
    if isinstance(value, list | tuple):
        return [plain(item, depth - 1) for item in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {plain(key): plain(item, depth - 1) for key, item in value.items()}
    raise NotPlain(f"an object of type {type(value).__name__}")


def escape_surrogates(text: str) -> str:
    """Return a text that can be sent: surrogates are written as escapes."""
    return text.encode("utf-8", "backslashreplace").decode()


def answer(file: LoadedFile, request: Message) -> Message:
    """Execute a request; return the value, or how it failed, and what was printed."""
    file.begin_printing()
    try:
        reply: Message = {"ok": getattr(file, request["do"])(request)}
    except NotPlain as error:
        reply = {"not_plain": str(error)}
    except BaseException as error:  # noqa: BLE001 - the failure of foreign code is the answer
        is_refusal = isinstance(error, ValueError) and not isinstance(error, UnicodeError | json.JSONDecodeError)
        reply = {"raised": type(error).__name__, "message": _message(error), "line": _line(error, file.name)}
        reply["is_refusal"] = is_refusal
    return {**reply, "printed": file.printed()}


def _message(error: BaseException) -> str:
    try:
        message = error.msg if isinstance(error, SyntaxError) else str(error)
        return escape_surrogates(": ".join(filter(None, [message, explain(error)])))
    except BaseException as second:  # noqa: BLE001 - an exception class that the learner defined
        return f"(and its __str__ raised {type(second).__name__})"


def _line(error: BaseException, name: str) -> int:
    """Return the last line of the learner's file in the traceback; 0 if there is none."""
    if isinstance(error, SyntaxError):
        return error.lineno or 0
    line, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == name:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def run_executed() -> None:
    """Answer requests on the standard streams; the first request has the file."""
    with os.fdopen(os.dup(0), encoding="utf-8") as reading, os.fdopen(os.dup(1), "w", encoding="utf-8") as writing:
        _run(reading, writing)


def run_copy(descriptor: int, _: object) -> None:
    """Answer requests on a socket, in a copy of a process that has loaded no file."""
    os.set_inheritable(descriptor, False)  # noqa: FBT003 - its second argument has no name
    with (
        open(descriptor, encoding="utf-8", closefd=False) as reading,
        open(descriptor, "w", encoding="utf-8", closefd=False) as writing,
    ):
        _run(reading, writing)


def _run(reading: IO[str], writing: IO[str]) -> None:
    discard_output()
    file = LoadedFile()
    install_fallbacks()
    sys.addaudithook(file.bound.check)
    gc.freeze()  # the collection before each load then visits only what the learner's file made
    serve(reading, writing, lambda request: answer(file, request))
