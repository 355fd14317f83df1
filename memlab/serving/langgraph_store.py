"""The reference memory as a LangGraph store. No other file imports LangGraph, an extra: `memlab[langgraph]`."""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from memlab.extras import NotInstalled
from memlab.memory import Fact, MemoryMix, Provenance, Refused
from memlab.memory.text import digest
from memlab.serving.memory_thread import MemoryThread

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        Item,
        ListNamespacesOp,
        MatchCondition,
        PutOp,
        SearchItem,
        SearchOp,
        validate_op_namespace,
    )
except ModuleNotFoundError:
    raise NotInstalled("the store", "langgraph", "langgraph") from None

Namespace = tuple[str, ...]
ITEM = "store-item"
"""The type of the facts that are items: their description is namespace and key, their body the value, both as JSON."""
MOST_RECALLED = 1_000
_COMPARED: Mapping[str, Callable[[Any, Any], bool]] = {
    "$eq": operator.eq,
    "$ne": operator.ne,
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


class _Stored(NamedTuple):
    """An item as a fact."""

    namespace: Namespace
    key: str
    value: dict[str, Any]
    fact: Fact
    score: float | None


class MemlabStore(BaseStore):
    """A LangGraph store whose items are facts of a MemoryMix: with versions, provenance and erasure.

    A search with a query is a recall: it returns valid items, best first, and needs no embeddings, so `index` has no
    effect. One without a query returns the latest first. `delete` erases all versions. Every item has the source
    `source`; Refused is raised where the owner of an item ranks higher.
    """

    def __init__(self, directory: Path | str, *, source: str = "agent", session: str = "") -> None:
        self._origin = Provenance(source, session)
        self._thread = MemoryThread(lambda: MemoryMix(directory))

    def close(self) -> None:
        """Close the memory's files."""
        self._thread.close()

    def batch(self, ops: Iterable[Any]) -> list[Any]:
        """Carry out operations in order; return the result of each."""
        operations = list(ops)
        return self._thread.run(lambda mix: [self._do(mix, one) for one in operations])

    async def abatch(self, ops: Iterable[Any]) -> list[Any]:
        """Carry out operations in order without blocking the event loop; return the result of each."""
        operations = list(ops)
        return await self._thread.run_async(lambda mix: [self._do(mix, one) for one in operations])

    def _do(self, mix: MemoryMix, op: Any) -> Any:  # noqa: ANN401 - LangGraph has no types here, see pyproject.toml
        validate_op_namespace(op)
        if isinstance(op, GetOp):
            found = _current(mix, op.namespace, op.key)
            return _item(mix, found) if found else None
        if isinstance(op, SearchOp):
            return _search(mix, op)
        if isinstance(op, ListNamespacesOp):
            return _namespaces(mix, op)
        if isinstance(op, PutOp):
            return self._put(mix, op)
        raise ValueError(f"{op!r}: an operation is a GetOp, SearchOp, PutOp or ListNamespacesOp")

    def _put(self, mix: MemoryMix, op: PutOp) -> None:
        name = _name(op.namespace, op.key)
        if op.value is None:
            if ids := [one.id for one in mix.facts.history(name)]:
                mix.erase(ids, self._origin)
            return
        try:
            body = json.dumps(op.value, ensure_ascii=False)
        except TypeError as error:
            raise TypeError(f"put {op.key!r}: {error}; a value is a JSON object") from None
        place = json.dumps([list(op.namespace), op.key], ensure_ascii=False)
        written = mix.write_fact(name, place, body, type=ITEM, origin=self._origin)
        current = _current(mix, op.namespace, op.key)
        if current and current.fact.id != written.id:
            raise Refused(f"put {op.key!r}: {current.fact.origin.source} wrote it and ranks higher; its value stays")


def _name(namespace: Sequence[str], key: str) -> str:
    return f"item-{digest(*namespace, '', key)}"


def _stored(fact: Fact, score: float | None = None) -> _Stored:
    namespace, key = json.loads(fact.description)
    return _Stored(tuple(namespace), key, json.loads(fact.body), fact, score)


def _current(mix: MemoryMix, namespace: Sequence[str], key: str) -> _Stored | None:
    current = [fact for fact in mix.facts.history(_name(namespace, key)) if not fact.superseded_by]
    return _stored(max(current, key=lambda fact: fact.rank)) if current else None


def _item(mix: MemoryMix, one: _Stored, kind: Callable[..., Any] = Item, **more: Any) -> Any:  # noqa: ANN401 - see _do
    first = mix.facts.history(one.fact.name)[0]
    created, updated = (datetime.fromtimestamp(fact.origin.time, UTC) for fact in (first, one.fact))
    return kind(value=one.value, key=one.key, namespace=one.namespace, created_at=created, updated_at=updated, **more)


def _search(mix: MemoryMix, op: SearchOp) -> list[SearchItem]:
    end = op.offset + op.limit
    if op.query:
        found = _recalled(mix, op, end)
    else:
        found = [one for one in map(_stored, reversed(mix.facts.of_type(ITEM))) if _is_wanted(one, op)]
    return [_item(mix, one, SearchItem, score=one.score) for one in found[op.offset : end]]


def _recalled(mix: MemoryMix, op: SearchOp, wanted: int) -> list[_Stored]:
    """Return the wanted items that answer a query; other memories may answer better, so more are recalled."""
    k = 4 * wanted
    while True:
        answers = mix.recall(op.query, k)
        facts = ((mix.facts.get(one.origin.id), one.score) for one in answers if one.store == "semantic")
        items = [_stored(fact, score) for fact, score in facts if fact and fact.type == ITEM]
        found = [one for one in items if _is_wanted(one, op)]
        if len(found) >= wanted or len(answers) < k or k >= MOST_RECALLED:
            return found
        k = min(4 * k, MOST_RECALLED)


def _is_wanted(one: _Stored, op: SearchOp) -> bool:
    if one.namespace[: len(op.namespace_prefix)] != tuple(op.namespace_prefix):
        return False
    return all(_has(one.value.get(field), wanted) for field, wanted in (op.filter or {}).items())


def _has(value: Any, wanted: Any) -> bool:  # noqa: ANN401 - any JSON value
    """Return whether a value equals another one, or meets conditions such as {"$gt": 3}."""
    if not (isinstance(wanted, dict) and any(one.startswith("$") for one in wanted)):
        return bool(value == wanted)
    unknown = [one for one in wanted if one not in _COMPARED]
    if unknown:
        raise ValueError(f"filter {unknown[0]!r}: the operators are {', '.join(_COMPARED)}")
    try:
        return all(_COMPARED[one](value, other) for one, other in wanted.items())
    except TypeError:  # a number against a text, or a field that is not there
        return False


def _namespaces(mix: MemoryMix, op: ListNamespacesOp) -> list[Namespace]:
    every = {_stored(fact).namespace for fact in mix.facts.of_type(ITEM)}
    found = {one[: op.max_depth] for one in every if all(_matches(one, only) for only in op.match_conditions or ())}
    return sorted(found)[op.offset : op.offset + op.limit]


def _matches(namespace: Namespace, condition: MatchCondition) -> bool:
    path = tuple(condition.path)
    part = (
        namespace[: len(path)] if condition.match_type == "prefix" else namespace[max(0, len(namespace) - len(path)) :]
    )
    return len(part) == len(path) and all(want in {"*", label} for label, want in zip(part, path, strict=True))
