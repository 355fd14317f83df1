"""What every method of the memory does first: it checks the types of its arguments, and if it writes, others wait."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator
from functools import wraps
from itertools import chain
from typing import Any, TypeVar, get_origin, get_type_hints

from memlab.memory.text import require_list

Memory = TypeVar("Memory")
Verb = Callable[..., Any]


def guarded(reading: Collection[str]) -> Callable[[type[Memory]], type[Memory]]:
    """Guard the public methods of a class: arguments of a wrong type raise TypeError with one sentence.

    All methods but those named in `reading` hold the lock of the log from their first step to their last, so that no
    erasure by another process happens in between.
    """

    def guard(memory: type[Memory]) -> type[Memory]:
        for name, verb in list(vars(memory).items()):
            if inspect.isfunction(verb) and not name.startswith("_"):
                setattr(memory, name, _checked(verb if name in reading else _alone(verb)))
        return memory

    return guard


def _alone(verb: Verb) -> Verb:
    @wraps(verb)
    def alone(self: Any, *args: object, **kwargs: object) -> object:  # noqa: ANN401 - a memory
        with self.episodes.exclusive():
            return verb(self, *args, **kwargs)

    return alone


def _checked(verb: Verb) -> Verb:
    names, hints = tuple(inspect.signature(verb).parameters), dict[str, Any]()

    @wraps(verb)
    def checked(*args: object, **kwargs: object) -> object:
        hints.update(hints or get_type_hints(verb))
        for name, value in chain(zip(names, args, strict=False), kwargs.items()):
            if name not in hints or (type(hints[name]) is type and isinstance(value, hints[name])):
                continue
            for wrong in _wrong_values(name, value, hints[name]):
                wanted = verb.__annotations__[name]
                advice = ", such as Provenance('tool', session='monday')" if wanted == "Provenance" else ""
                what = f"{wrong!r} is a {type(wrong).__name__}"
                raise TypeError(f"{verb.__name__}: {name} {value!r}: must be of type {wanted}{advice}, and {what}")
        return verb(*args, **kwargs)

    return checked


def _wrong_values(name: str, value: object, hint: Any) -> Iterator[object]:  # noqa: ANN401 - any type
    """Yield what is of another type than a parameter: the value, or an item of it."""
    if get_origin(hint) is None:
        is_right = hasattr(value, "__index__") if hint is int else isinstance(value, hint)
        yield from () if is_right else (value,)
    elif isinstance(value, Collection):
        yield from (one for one in require_list(name, value) if not isinstance(one, str))
    else:
        yield value
