"""The reference mix: four stores, one memory. Standard library only."""

from memlab.memory.context import BudgetTooSmall, count_tokens
from memlab.memory.mix import Defences, MemoryMix
from memlab.memory.naming import Refused
from memlab.memory.recall import Recalled
from memlab.memory.semantic import Fact
from memlab.memory.trust import Provenance
from memlab.memory.world import LiveWorld, ScriptedWorld

__all__ = [
    "BudgetTooSmall",
    "Defences",
    "Fact",
    "LiveWorld",
    "MemoryMix",
    "Provenance",
    "Recalled",
    "Refused",
    "ScriptedWorld",
    "count_tokens",
]
