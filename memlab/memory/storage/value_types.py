"""Type checks: for the arguments of a method, and for JSON records that a person may have edited."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import is_dataclass
from functools import cache
from math import isfinite
from types import UnionType
from typing import Any, Literal, SupportsIndex, Union, get_args, get_origin, get_type_hints

LONGEST_INTEGER = 63
"""In bits: SQLite stores no longer integer."""
_ACCEPTED: Mapping[Any, Any] = {float: (int, float), int: SupportsIndex}
"""The classes of the values that are accepted for a type, if they are others."""


def type_error(name: str, value: Any, wanted: Any, *, json: bool = False) -> str:  # noqa: ANN401 - both may be anything
    """Return a sentence that says which part of a value has a wrong type, "" if none has; `name` says what it is.

    A type is a class, a dataclass with such fields, a function, a collection of one type, a union, or a Literal. With
    `json`, the value of a dataclass is an object of all its fields, and a float is finite, or an integer of at most 63
    bits.
    """
    kind, parts = get_origin(wanted), get_args(wanted)
    wrong = [value]
    if kind is Literal:
        wrong = [] if value in parts else wrong
    elif kind in {Union, UnionType}:
        wrong = [] if any(not type_error(name, value, part, json=json) for part in parts) else wrong
    elif kind is Callable:
        wrong = [] if callable(value) else wrong
    elif kind:
        if isinstance(value, (tuple, list) if kind is tuple else Collection) and not isinstance(value, (str, Mapping)):
            wrong = [one for one in value if type_error(name, one, parts[0], json=json)]
    elif isinstance(wanted, type) and is_dataclass(wanted) and isinstance(value, dict if json else wanted):
        fields, title = field_types(wanted), wanted.__name__
        values: Any = value if json else {field: getattr(value, field) for field in fields}
        if values.keys() == fields.keys():
            errors = (type_error(f"{title} {one}", values[one], fields[one], json=json) for one in fields)
            return next(filter(None, errors), "")
    elif wanted is float and json:
        fits = isinstance(value, int) and value.bit_length() <= LONGEST_INTEGER
        wrong = [] if fits or (isinstance(value, float) and isfinite(value)) else wrong
    else:
        wrong = [] if isinstance(value, _ACCEPTED.get(wanted, wanted)) else wrong
    return _sentence(name, value, wanted, wrong[0]) if wrong else ""


@cache
def field_types(dataclass: type) -> Mapping[str, object]:
    """Return the types of a dataclass's fields by their names."""
    return get_type_hints(dataclass)


def has_types(record: Mapping[str, object], fields: Mapping[str, object]) -> bool:
    """Return whether every field of a JSON record has its type; others are ignored, and fields may be missing."""
    return not any(type_error(name, value, fields[name], json=True) for name, value in record.items() if name in fields)


def _sentence(name: str, value: object, wanted: Any, wrong: object) -> str:  # noqa: ANN401 - any type
    title = wanted.__name__ if isinstance(wanted, type) else str(wanted).removeprefix("collections.abc.")
    advice = ", such as Provenance('tool', session='monday')" if title == "Provenance" else ""
    is_list = get_origin(wanted) not in {None, Callable, Union, UnionType}
    written = f"; write [{value!r}]" if isinstance(value, str) and is_list else ""
    return f"{name} {value!r}: must be of type {title}{advice}, and {wrong!r} is a {type(wrong).__name__}{written}"
