"""Detects instructions in untrusted text: a web page may describe the world, but not direct its reader."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

from memlab.memory.heuristics.clauses import Feature, clause_features
from memlab.memory.retrieval.relevance import LONGEST_PASSAGE, passages

MODEL = Path(__file__).with_name("injection.json")
"""A linear model over clauses. All weights are positive, so that no words added to an instruction hide it."""
_model = json.loads(MODEL.read_text(encoding="utf-8"))
_VERBS = frozenset[str](_model["verbs"])
_WEIGHTS: dict[Feature, float] = {tuple(feature.split()): weight for feature, weight in _model["weights"].items()}
_THRESHOLD: float = _model["threshold"]


@lru_cache(maxsize=4096)
def has_instruction(text: str) -> bool:
    """Return whether a clause of a text is an instruction: an imperative, "you must", "from now on", an override.

    A false statement is no instruction: ranks and subjects handle those.
    """
    return any(
        sum(map(_WEIGHTS.__getitem__, _WEIGHTS.keys() & features)) > _THRESHOLD
        for features in clause_features(text, _VERBS)
    )


def is_instruction(statement: str) -> bool:
    """Return whether a statement is an instruction.

    A short one is if it contains one; a long one (a page, a tool's output) if every passage does.
    """
    parts = passages(statement)
    if len(statement) <= LONGEST_PASSAGE:
        return has_instruction(statement) or any(map(has_instruction, parts))
    return bool(parts) and all(map(has_instruction, parts))


def without_instructions(text: str) -> str:
    """Return a text without the passages that contain an instruction."""
    return "\n".join(passage for passage in passages(text) if not has_instruction(passage))
