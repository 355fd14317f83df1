"""Whether what a person may have edited is of the types that it is read as."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass
from functools import cache
from math import isfinite
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

LONGEST_INTEGER = 63
"""In bits: SQLite keeps no longer one."""


def has_type(value: Any, wanted: Any) -> bool:  # noqa: ANN401 - both may be anything
    """Tell whether JSON keeps a type so: a tuple as a list, a dataclass as all its fields, a number as a finite one."""
    if wanted is float:
        return (
            isfinite(value)
            if isinstance(value, float)
            else isinstance(value, int) and value.bit_length() <= LONGEST_INTEGER
        )
    if isinstance(wanted, type) and is_dataclass(wanted):
        fields = field_types(wanted)
        return isinstance(value, dict) and value.keys() == fields.keys() and has_types(value, fields)
    kind, parts = get_origin(wanted), get_args(wanted)
    if kind is Literal:
        return value in parts
    if kind in {Union, UnionType}:
        return any(has_type(value, part) for part in parts)
    if kind is tuple:
        return isinstance(value, list) and all(has_type(one, parts[0]) for one in value)
    return isinstance(value, wanted)


@cache
def field_types(made: type) -> Mapping[str, object]:
    """Give the types of a dataclass's fields by their names."""
    return get_type_hints(made)


def has_types(record: Mapping[str, object], fields: Mapping[str, object]) -> bool:
    """Tell whether a record has nothing of another type under these names, whatever else it has or lacks."""
    return all(has_type(value, fields[name]) for name, value in record.items() if name in fields)
