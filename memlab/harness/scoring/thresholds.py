"""Reads the thresholds of a build from `[tool.memlab]` in pyproject.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memlab.harness.scenarios.errors import short_repr, suggest
from memlab.harness.scenarios.schema import FAMILIES

ALL = "all"
"""Stands for all families that count."""
KEYS = ("systems", "thresholds")
TABLE = "tool.memlab"


class BadThresholds(Exception):
    """Invalid thresholds; the message names the file, the key, the value and the fix."""


@dataclass(frozen=True)
class Threshold:
    """The minimum mean, in [0, 1], of a column in one family or in `all`."""

    family: str
    column: str
    least: float


@dataclass(frozen=True)
class Thresholds:
    """Every threshold of a file, and the systems that they apply to (default: every system that memlab does not ship).

    `[tool.memlab.thresholds] recall = 0.9` applies to all families, `[tool.memlab.thresholds.stale] recall = 0.9` to
    one. `[tool.memlab.thresholds.all]` is the same as the first, for a column that has the name of a family.
    """

    path: Path
    each: tuple[Threshold, ...]
    systems: tuple[str, ...] = ()


def find_pyproject(folder: Path) -> Path | None:
    """Return the pyproject.toml of a folder or of its nearest parent that has one; None if there is none."""
    places = (above / "pyproject.toml" for above in (folder, *folder.parents))
    return next((place for place in places if place.is_file()), None)


def read_thresholds(path: Path, columns: Mapping[str, Collection[str]]) -> Thresholds | None:
    """Read the thresholds of a file; None if it has no threshold and names no system.

    `columns` maps `all` and each family to its columns.
    Raises BadThresholds for invalid thresholds, and OSError if the file cannot be read.
    """
    stated = _memlab(path)
    for key in stated:
        if key not in KEYS:
            raise BadThresholds(f"{path}: [{TABLE}] has an unknown key {short_repr(key)}.{suggest(key, KEYS)}")
    systems, each = stated.get("systems", []), stated.get("thresholds", {})
    if not isinstance(systems, list) or not all(isinstance(one, str) for one in systems):
        raise BadThresholds(
            f'{path}: [{TABLE}] systems is {short_repr(systems)}; write a list of names, as in ["hybrid"].'
        )
    if "thresholds" in stated:
        _filled(_table(each, path, f"{TABLE}.thresholds"), f"{path}: [{TABLE}.thresholds]")
    found = tuple(_thresholds(each, path, columns))
    if len({(one.family, one.column) for one in found}) < len(found):
        raise BadThresholds(f"{path}: a column is in [{TABLE}.thresholds] and in its `all`. Keep one.")
    return Thresholds(path, found, tuple(systems)) if found or systems else None


def _memlab(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as stream:
            tool = tomllib.load(stream).get("tool", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadThresholds(f"{path}: not valid TOML ({error}). Fix the file.") from None
    return _table(_table(tool, path, "tool").get("memlab", {}), path, TABLE)


def _table(value: object, path: Path, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadThresholds(f"{path}: {name} is {short_repr(value)}; write it as a table, [{name}].")
    return value


def _filled(table: dict[str, Any], place: str) -> None:
    if not table:
        raise BadThresholds(f"{place} is empty; write a threshold, as in recall = 0.9, or remove the line.")


def _thresholds(stated: dict[str, Any], path: Path, columns: Mapping[str, Collection[str]]) -> Iterator[Threshold]:
    place = f"{path}: [{TABLE}.thresholds"
    valid = columns[ALL]
    for key, value in stated.items():
        if not isinstance(value, dict):
            yield _threshold(ALL, key, value, f"{place}]", valid)
        elif key not in {ALL, *FAMILIES}:
            raise BadThresholds(f"{place}.{key}] names an unknown family.{suggest(key, {ALL, *FAMILIES})}")
        else:
            own = valid if key == ALL else columns[key]
            _filled(value, f"{place}.{key}]")
            yield from (_threshold(key, column, least, f"{place}.{key}]", own) for column, least in value.items())


def _threshold(family: str, column: str, least: object, place: str, valid: Collection[str]) -> Threshold:
    if column not in valid:
        raise BadThresholds(f"{place} has an unknown column {short_repr(column)}.{suggest(column, valid)}")
    if isinstance(least, bool) or not isinstance(least, int | float) or not 0 <= least <= 1:
        raise BadThresholds(f"{place} {column} is {short_repr(least)}; write a share from 0 to 1, as in 0.9 for 90 %.")
    return Threshold(family, column, float(least))
