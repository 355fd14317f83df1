"""What every method of the memory does first: it checks the types of its arguments, and if it writes, others wait."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from contextlib import nullcontext
from functools import wraps
from itertools import chain
from typing import Any, Literal, TypeVar, get_origin, get_type_hints

from memlab.memory.storage.value_types import type_error

Memory = TypeVar("Memory")
Method = Callable[..., Any]
CONSTRUCTOR = "__init__"


def checked(without_lock: Collection[str]) -> Callable[[type[Memory]], type[Memory]]:
    """Check the arguments of the constructor and the public methods of a class.

    A wrong type raises TypeError with one sentence. The methods, but not those named in `without_lock`, hold the lock
    of the log from their first step to their last, so that no erasure by another process happens in between.
    """

    def check(memory: type[Memory]) -> type[Memory]:
        for name, method in list(vars(memory).items()):
            if inspect.isfunction(method) and (name == CONSTRUCTOR or not name.startswith("_")):
                title = memory.__name__ if name == CONSTRUCTOR else name
                setattr(memory, name, _checked(method, title, locked=name not in {CONSTRUCTOR, *without_lock}))
        return memory

    return check


def _checked(method: Method, title: str, *, locked: bool) -> Method:
    names = tuple(inspect.signature(method).parameters)[1:]
    # of a wrong choice the method's own error lists the valid ones
    hints = {name: hint for name, hint in get_type_hints(method).items() if get_origin(hint) is not Literal}

    @wraps(method)
    def checked_method(self: Any, *args: object, **kwargs: object) -> object:  # noqa: ANN401 - a memory
        for name, value in chain(zip(names, args, strict=False), kwargs.items()):
            error = name in hints and type_error(f"{title}: {name}", value, hints[name])
            if error:
                raise TypeError(error)
        with self.episodes.exclusive() if locked else nullcontext():
            return method(self, *args, **kwargs)

    return checked_method
