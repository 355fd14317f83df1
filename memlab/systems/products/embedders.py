"""Embedders for products that need one: offline, without a key, the same on every run."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from memlab.systems.documents.parts import encoder

Embed = Callable[[Sequence[str]], list[list[float]]]


@dataclass(frozen=True, slots=True)
class Embedder:
    """Texts as vectors of length 1 with `width` places; `name` stands in the results, `module` is imported by it."""

    name: str
    width: int
    embed: Embed
    module: str = ""


def _hashed(texts: Sequence[str]) -> list[list[float]]:
    return [_unit(encoder.hash512(text)) for text in texts]


def _weighted(texts: Sequence[str]) -> list[list[float]]:
    return [_unit(vector) for vector in _wordllama().embed(list(texts))]


@cache
def _wordllama() -> Any:  # noqa: ANN401 - an extra without types
    """Return the model whose weights are in the package itself: nothing is downloaded."""
    import wordllama

    logging.getLogger().setLevel(logging.WARNING)  # importing it has every package log every call
    return wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)


def _unit(vector: Any) -> list[float]:  # noqa: ANN401 - an array of any float
    """Return a vector of length 1; that of a text without words has one place, since a cosine needs a length."""
    length = float(np.linalg.norm(vector))
    found: list[float] = (np.asarray(vector, float) / length).tolist() if length else [1.0] + [0.0] * (len(vector) - 1)
    return found


HASHED = Embedder(encoder.NAME, encoder.WIDTH, _hashed)
"""Shared words and parts of words: no weights."""
WORDLLAMA = Embedder("wordllama", 256, _weighted, "wordllama")
"""Averages of trained word vectors, which find some paraphrases."""
