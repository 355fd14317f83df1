"""Type checks for JSON records that a person may have edited."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass
from functools import cache
from math import isfinite
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

LONGEST_INTEGER = 63
"""In bits: SQLite stores no longer integer."""


def has_type(value: Any, wanted: Any) -> bool:  # noqa: ANN401 - both may be anything
    """Return whether a JSON value is of a type; a tuple is a list, a dataclass an object of all its fields."""
    if wanted is float:
        fits = isinstance(value, int) and value.bit_length() <= LONGEST_INTEGER
        return isfinite(value) if isinstance(value, float) else fits
    if isinstance(wanted, type) and is_dataclass(wanted):
        fields = field_types(wanted)
        return isinstance(value, dict) and value.keys() == fields.keys() and has_types(value, fields)
    kind, parts = get_origin(wanted), get_args(wanted)
    if kind is Literal:
        return value in parts
    if kind in {Union, UnionType}:
        return any(has_type(value, part) for part in parts)
    if kind is tuple:
        return isinstance(value, list) and all(has_type(item, parts[0]) for item in value)
    return isinstance(value, wanted)


@cache
def field_types(dataclass: type) -> Mapping[str, object]:
    """Return the types of a dataclass's fields by their names."""
    return get_type_hints(dataclass)


def has_types(record: Mapping[str, object], fields: Mapping[str, object]) -> bool:
    """Return whether every field of a record has its type; other fields are ignored, and fields may be missing."""
    return all(has_type(value, fields[name]) for name, value in record.items() if name in fields)
