"""Reads and writes results.jsonl, the interface between the runner and the metrics.

Each line is a JSON object of one of two kinds. A key line (`key` and the fields of terms.Key) is written once, before
the first result line (`system`, `key` and the other fields of terms.Result) that refers to it by its digest.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, TextIO, get_type_hints

from pydantic import AllowInfNan, StrictFloat, StrictInt, TypeAdapter, ValidationError

from memlab.harness.scenarios.errors import short_repr, suggest
from memlab.terms import Key, Result

Line = dict[str, Any]
ProbeId = tuple[str, int, str, str]


class BadResults(Exception):
    """An invalid results file; the message names the line, the error and the fix."""


class ResultsWriter:
    """Writes results to a stream, each key before the first result that refers to it.

    Each result is flushed when it is written. If the run is killed, no finished cell is lost.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._digests: set[str] = set()
        self._latest: dict[ProbeId, tuple[Key, str]] = {}

    def write(self, result: Result) -> None:
        """Append one result. Raises ValueError if its `seconds` is not a finite number."""
        digest = self._key(result.key)
        line = {"system": result.system, "key": digest} | _plain(result, without=("key", "system"))
        self._stream.write(json.dumps(line, allow_nan=False) + "\n")
        self._stream.flush()

    def _key(self, key: Key) -> str:
        probe_id = (key.scenario, key.seed, key.overlay, key.probe)
        latest, digest = self._latest.get(probe_id, (None, ""))
        if latest != key:
            content = json.dumps(_plain(key))
            digest = _digest_of(content)
            self._latest[probe_id] = (key, digest)
            if digest not in self._digests:
                self._digests.add(digest)
                self._stream.write(f'{{"key": "{digest}", {content[1:]}\n')
        return digest


def key_digest(key: Key) -> str:
    """Return the digest by which the lines of a results file refer to a key."""
    return _digest_of(json.dumps(_plain(key)))


def read_results(path: Path, warn: Callable[[str], object] = warnings.warn) -> list[Result]:
    """Read every result of a file, in file order; the results of one probe share one Key.

    An incomplete last line (of a run that was killed) is left out and reported to `warn`.
    Raises BadResults for any other error.
    """
    keys: dict[str, Key] = {}
    results: dict[tuple[str, str], Result] = {}
    for number, line in _lines(path, warn):
        where = f"{path}:{number}"
        if "system" in line:
            result = _result(line, keys, where)
            if results.setdefault((line["key"], result.system), result) is not result:
                raise BadResults(
                    f"{where}: {short_repr(result.system)} answered the key {short_repr(line['key'])} before: the file "
                    "mixes two runs. Score each run by itself."
                )
        elif keys.setdefault(_digest(line, where), key := _key(line, where)) != key:
            raise BadResults(
                f"{where}: the key {short_repr(line['key'])} appears twice with different content. {_HOW_TO_FIX}"
            )
    return list(results.values())


def _lines(path: Path, warn: Callable[[str], object]) -> Iterator[tuple[int, Line]]:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise BadResults(
            f"{path}: cannot be read ({error.strerror}). Give a results.jsonl of `memlab compare`, or its folder."
        ) from None
    lines = content.split(b"\n")
    for number, raw in enumerate(lines, 1):
        if not raw:
            continue
        try:
            line = json.loads(raw)
        except (ValueError, RecursionError) as error:
            if number == len(lines):
                warn(f"{path}:{number}: the last line is incomplete, as if the run was killed; it is left out.")
                return
            raise BadResults(f"{path}:{number}: this is not JSON ({error}). {_HOW_TO_FIX}") from None
        if not isinstance(line, dict):
            raise BadResults(f"{path}:{number}: the line is {_short_json(line)}, not a JSON object. {_HOW_TO_FIX}")
        yield number, line


def _digest_of(content: str) -> str:
    return hashlib.blake2s(content.encode(), digest_size=8).hexdigest()


def _digest(line: Line, where: str) -> str:
    digest = line.get("key")
    if not isinstance(digest, str):
        raise BadResults(
            f"{where}: the line has neither `key` nor `system`, so it is not from a results file. {_HOW_TO_FIX}"
        )
    return digest


def _key(line: Line, where: str) -> Key:
    return Key(**_checked(line, _KEY, f"{where}: the key {short_repr(line['key'])}"))


def _result(line: Line, keys: Mapping[str, Key], where: str) -> Result:
    digest = _digest(line, where)
    if digest not in keys:
        known = f"only {len(keys)} other keys come" if keys else "no key comes"
        raise BadResults(
            f"{where}: the result refers to the key {short_repr(digest)}, but {known} before it. {_HOW_TO_FIX}"
        )
    return Result(key=keys[digest], **_checked(line, _RESULT, f"{where}: the result of {short_repr(line['system'])}"))


def _checked(line: Line, types: Mapping[str, TypeAdapter[Any]], what: str) -> dict[str, Any]:
    """Return the validated fields of a line: those of `types` and the key, no others; those in _LATER are optional."""
    valid = {*types, "key"}
    for name in line.keys() - valid:
        raise BadResults(f"{what} has an unknown field {short_repr(name)}.{suggest(name, valid)} {_HOW_TO_FIX}")
    if absent := valid - line.keys() - _LATER:
        raise BadResults(f"{what} lacks {', '.join(sorted(absent))}. {_HOW_TO_FIX}")
    values = {}
    for name, reader in types.items():
        if name not in line:
            continue
        try:
            values[_ATTRIBUTES.get(name, name)] = reader.validate_python(line[name])
        except ValidationError as error:
            must = error.errors()[0]["msg"].replace("Input should", "it must")
            raise BadResults(f"{what} has {name} = {_short_json(line[name])}: {must}. {_HOW_TO_FIX}") from None
    return values


def _short_json(value: object, longest: int = 60) -> str:
    text = json.dumps(value)
    return text if len(text) <= longest else text[:longest] + "..."


def _plain(value: Key | Result, without: tuple[str, ...] = ()) -> Line:
    """Return the fields as a dictionary, one level deep; json writes tuples as lists."""
    content = {one.name: getattr(value, one.name) for one in fields(value) if one.name not in without}
    return {
        _SERIALIZED.get(name, name): dict(one) if isinstance(one, Mapping) else one
        for name, one in content.items()
        if name not in _UNUSUAL or one != _UNUSUAL[name]
    }


def _field_types(of: type[Key | Result]) -> dict[str, TypeAdapter[Any]]:
    """Return a validator for each field; strings and booleans are not accepted as numbers."""
    hints = get_type_hints(of)
    return {
        _SERIALIZED.get(one.name, one.name): TypeAdapter(_EXACT.get(hints[one.name], hints[one.name]))
        for one in fields(of)
        if one.name != "key"
    }


_EXACT: Mapping[Any, Any] = {int: StrictInt, float: Annotated[StrictFloat, AllowInfNan(allow_inf_nan=False)]}
_SERIALIZED = {"fallback": "standin"}
"""Fields of Key and Result whose name in the file is another one."""
_ATTRIBUTES = {serialized: attribute for attribute, serialized in _SERIALIZED.items()}
_UNUSUAL = {"not_applicable": "", "observe_seconds": 0.0, "isolation": "", "printed": "", "version": ""}
"""Fields that a line has only if their value is another one."""
_LATER = frozenset({"file", "stores", "labels", "tell", "noise", *_UNUSUAL})
"""Fields that the runs of older versions lack; they have their default there."""
_KEY, _RESULT = _field_types(Key), _field_types(Result)
_HOW_TO_FIX = "Restore the file, or write it again with `memlab compare`."
