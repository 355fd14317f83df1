"""A day of work through the methods that LangGraph gives every store."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from memlab.memory import MemoryMix, Refused

base: Any = pytest.importorskip("langgraph.store.base", reason="LangGraph is not installed: memlab[langgraph]")

from memlab.serving.langgraph_store import MemlabStore  # noqa: E402 - it needs LangGraph

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "serve.md"
ADA, BOB = ("users", "ada"), ("users", "bob")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[MemlabStore]:
    made = MemlabStore(tmp_path, session="monday")
    yield made
    made.close()


def test_a_day_of_work(store: MemlabStore, tmp_path: Path) -> None:
    store.put(ADA, "deploy", {"text": "Ada deploys on Tuesdays.", "count": 1, "tags": ["a", None]})
    store.put(BOB, "deploy", {"text": "Bob never deploys.", "count": 2})
    store.put(("projects",), "lamp", {"text": "The lamp project is in room 4.", "count": 3})
    store.put(ADA, "deploy", {"text": "Ada deploys on Fridays.", "count": 4})
    item = store.get(ADA, "deploy")
    assert (item.value, item.key, item.namespace) == ({"text": "Ada deploys on Fridays.", "count": 4}, "deploy", ADA)
    assert item.created_at < item.updated_at
    assert store.get(ADA, "none") is None
    assert [one.key for one in store.search(("projects",))] == ["lamp"]
    assert [one.namespace for one in store.search(("users",))] == [ADA, BOB]  # the latest first
    assert [one.namespace for one in store.search(("users",), limit=1, offset=1)] == [BOB]
    (found,) = store.search(("users",), query="when does Ada deploy", limit=1)
    assert (found.value["text"], found.score > 0) == ("Ada deploys on Fridays.", True)
    assert [one.key for one in store.search((), query="where is the lamp project", limit=1)] == ["lamp"]
    assert store.list_namespaces() == [("projects",), ADA, BOB]
    store.delete(ADA, "deploy")
    store.delete(ADA, "deploy")
    assert store.get(ADA, "deploy") is None
    store.close()
    again = MemlabStore(tmp_path)
    assert [one.namespace for one in again.search(())] == [("projects",), BOB]
    again.close()
    assert b"Tuesdays" not in (tmp_path / "facts.db").read_bytes()


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"color": "red"}, {"a", "c"}),
        ({"color": {"$ne": "red"}}, {"b"}),
        ({"size": {"$gt": 1}}, {"b", "c"}),
        ({"size": {"$gte": 1, "$lt": 3}}, {"a", "b"}),
        ({"size": {"$lte": 2}, "color": {"$eq": "red"}}, {"a"}),
        ({"none": {"$gt": 1}}, set()),
        ({"color": {"$gt": 1}}, set()),
        ({"deep": {"x": 1}}, {"c"}),
    ],
)
def test_a_filter_compares_as_langgraphs_does(store: MemlabStore, given: dict[str, Any], found: set[str]) -> None:
    store.put(ADA, "a", {"color": "red", "size": 1})
    store.put(ADA, "b", {"color": "blue", "size": 2})
    store.put(ADA, "c", {"color": "red", "size": 3, "deep": {"x": 1}})
    assert {one.key for one in store.search(ADA, filter=given)} == found
    with pytest.raises(ValueError, match=r"the operators are \$eq"):
        store.search(ADA, filter={"size": {"$near": 1}})


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({}, [("a",), ("a", "b", "c"), ("a", "b", "d"), ("e", "b")]),
        ({"prefix": ("a", "b")}, [("a", "b", "c"), ("a", "b", "d")]),
        ({"suffix": ("b",)}, [("e", "b")]),
        ({"prefix": ("*", "b")}, [("a", "b", "c"), ("a", "b", "d"), ("e", "b")]),
        ({"max_depth": 2}, [("a",), ("a", "b"), ("e", "b")]),
        ({"limit": 1, "offset": 1}, [("a", "b", "c")]),
    ],
)
def test_namespaces_are_listed_as_langgraph_lists_them(
    store: MemlabStore, given: dict[str, Any], found: list[Any]
) -> None:
    from langgraph.store.memory import InMemoryStore  # noqa: PLC0415 - an extra

    theirs = InMemoryStore()
    for namespace in [("a", "b", "d"), ("a",), ("e", "b"), ("a", "b", "c")]:
        store.put(namespace, "k", {"x": 1})
        theirs.put(namespace, "k", {"x": 1})
    assert store.list_namespaces(**given) == found == theirs.list_namespaces(**given)


def test_a_batch_gives_a_result_for_each_operation_and_async_does_the_same(store: MemlabStore) -> None:
    ops = [base.PutOp(ADA, "k", {"x": 1}), base.GetOp(ADA, "k"), base.SearchOp(("users",)), base.ListNamespacesOp()]
    put, item, items, namespaces = store.batch(ops)
    assert (put, item.value, [one.key for one in items], namespaces) == (None, {"x": 1}, ["k"], [ADA])

    async def day() -> None:
        await store.aput(BOB, "k", {"text": "Bob likes lamps."})
        assert (await store.aget(BOB, "k")).value == {"text": "Bob likes lamps."}
        (found,) = await store.asearch((), query="what does Bob like", limit=1)
        assert found.namespace == BOB
        assert await store.alist_namespaces(prefix=("users",)) == [ADA, BOB]
        await store.adelete(BOB, "k")
        assert (await store.abatch([base.GetOp(BOB, "k")])) == [None]

    asyncio.run(day())


def test_keys_and_values_are_kept_as_they_are(store: MemlabStore) -> None:
    value = {"Deep": [{"x": 1.5}, None, True], "text": "Zwölf \u200b lamps"}
    store.put(("Users", "Ada"), "Key", value)
    store.put(("users", "ada"), "key", {"x": 2})
    assert store.get(("Users", "Ada"), "Key").value == value
    assert store.get(("users", "ada"), "key").value == {"x": 2}


def test_an_item_of_the_user_is_not_replaced_by_an_agent(store: MemlabStore, tmp_path: Path) -> None:
    user = MemlabStore(tmp_path, source="user")
    user.put(ADA, "k", {"text": "Never deploy on Fridays."})
    user.close()
    with pytest.raises(Refused, match="user wrote it"):
        store.put(ADA, "k", {"text": "Always deploy on Fridays."})
    with pytest.raises(Refused, match="ask the user"):
        store.delete(ADA, "k")
    assert store.get(ADA, "k").value == {"text": "Never deploy on Fridays."}


def test_what_cannot_be_stored_is_an_error_and_the_store_goes_on(store: MemlabStore) -> None:
    with pytest.raises(TypeError, match="a value is a JSON object"):
        store.put(ADA, "k", {"x": object()})
    with pytest.raises(Refused, match="a statement has at most"):
        store.put(ADA, "k", {"x": "x" * 10_000_000})
    for namespace in ((), ("a.b",), ("",)):
        with pytest.raises(base.InvalidNamespaceError):
            store.put(namespace, "k", {"x": 1})
    store.put(ADA, "../../etc/passwd", {"x": 1})
    assert store.get(ADA, "../../etc/passwd").value == {"x": 1}


def test_threads_share_a_store(store: MemlabStore) -> None:
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda number: store.put(ADA, str(number), {"x": number}), range(40)))
    assert len(store.search(ADA, limit=100)) == 40


def test_the_example_of_the_documents_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (code,) = re.findall(r"^```py\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(code, {})  # noqa: S102 - our own document
    assert capsys.readouterr().out == "{'text': 'Ada deploys on Tuesdays.'}\n"


def test_an_item_is_a_fact_that_recall_serves(store: MemlabStore, tmp_path: Path) -> None:
    store.put(ADA, "deploy", {"text": "Ada deploys on Tuesdays."})
    with MemoryMix(tmp_path) as mix:
        (found,) = mix.recall("when does Ada deploy")
    assert found.text == '{"text": "Ada deploys on Tuesdays."}'
    assert (found.origin.source, found.origin.session) == ("agent", "monday")
