"""Each product, where it is installed: `make products` runs these tests in the environment of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from memlab.systems.answers import SystemFailed
from memlab.systems.documents.parts import encoder
from memlab.systems.entry import Entry
from memlab.systems.products import contract
from memlab.systems.products.rows import ENTRIES
from memlab.terms import Event, Workspace

IN_MEMORY = ("langgraph-memory", "langmem")
"""A restart loses all: no file is written."""


@pytest.fixture(params=ENTRIES, ids=lambda entry: entry.name)
def row(request: pytest.FixtureRequest, installed: Callable[[Entry], Entry]) -> Entry:
    return installed(request.param)


@pytest.fixture
def build(row: Entry, workspace: Workspace) -> Iterator[Callable[[], Any]]:
    built: list[Any] = []

    def close_all() -> None:
        for one in built:
            if hasattr(one, "close"):
                one.close()

    def make() -> Any:  # noqa: ANN401 - a product with its verbs
        close_all()
        try:
            built[:] = [row.build(workspace)]
        except SystemFailed as failed:
            if "built without SQLite extensions" in str(failed):
                pytest.skip(str(failed))
            raise
        return built[0]

    yield make
    close_all()


def test_it_finds_the_planted_facts_and_so_is_judged(build: Callable[[], Any]) -> None:
    assert not getattr(build(), "not_judged", "")


def test_it_says_its_version(build: Callable[[], Any]) -> None:
    package, number, *settings = build().version.split()
    assert package
    assert number[0].isdigit()
    assert settings


def test_it_finds_what_it_was_told_and_serves_no_more_than_k(
    build: Callable[[], Any], tell: Callable[..., Event]
) -> None:
    system = build()
    for text in ("The invoices are blue.", "The harbour opens at noon.", "Mara ships on Fridays."):
        system.observe(tell("fact", text))
    assert "harbour" in system.recall("when does the harbour open", 1)[0].text
    assert len(system.recall("when does the harbour open", 2)) <= 2


def test_texts_that_share_words_with_each_other_do_not_outweigh_the_one_that_is_asked_for(
    build: Callable[[], Any], tell: Callable[..., Event]
) -> None:
    system = build()
    system.observe(tell("fact", "The medicine room on ward Clover opens with the code 4471."))
    for number in range(20):
        system.observe(tell("fact", f"Night entry {number}: the patient in bed two on the ward slept well once more."))
    assert "4471" in system.recall("code of the medicine room on ward Clover", 1)[0].text


def test_what_is_embedded_is_the_text_alone_without_the_json_around_it(
    build: Callable[[], Any], tell: Callable[..., Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    embedded: list[str] = []
    vector = encoder.hash512

    def recorded(text: str) -> object:
        embedded.append(text)
        return vector(text)

    monkeypatch.setattr(encoder, "hash512", recorded)
    build().observe(tell("fact", "The harbour opens at noon."))
    build().recall("when does the harbour open", 1)
    assert not [text for text in embedded if "{" in text]


def test_what_is_erased_is_not_found(build: Callable[[], Any], tell: Callable[..., Event]) -> None:
    system = build()
    if "erase" in system.cannot:
        return
    told = tell("fact", "The harbour opens at noon.")
    system.observe(told)
    system.observe(tell("fact", "Mara ships on Fridays."))
    system.observe(tell("erase", erases=(told.id,)))
    assert not [item for item in system.recall("when does the harbour open", 2) if "harbour" in item.text]
    assert [item.text for item in system.recall("who ships on fridays", 2)] == ["Mara ships on Fridays."]


def test_what_was_told_survives_a_restart_unless_its_row_says_otherwise(
    build: Callable[[], Any], tell: Callable[..., Event], row: Entry
) -> None:
    build().observe(tell("fact", "The harbour opens at noon."))
    found = bool(build().recall("when does the harbour open", 1))
    assert found == (not row.name.startswith(IN_MEMORY))
    assert found != ("a restart loses all" in row.about)


def test_it_takes_every_kind_of_event_and_empty_questions(build: Callable[[], Any], tell: Callable[..., Event]) -> None:
    system = build()
    for kind in ("rule", "skill", "episode", "turn", "tool", "done", "end", "compact"):
        system.observe(tell(kind, f"A {kind} with \N{SNOWMAN} and \N{ZERO WIDTH SPACE}."))
        system.observe(tell(kind, ""))
    system.observe(tell("task", "ship", todo=("build", "test")))
    assert len(system.recall("", 3)) <= 3
    assert isinstance(system.assemble("ship", 50), str)


def test_the_contract_is_tried_once_in_a_process(row: Entry, build: Callable[[], Any]) -> None:
    build()
    assert row.name in contract._tried  # noqa: SLF001 - what a second build reads
