"""The reference mix: four stores, one memory. Standard library only; docs/memory.md says in which order to read it."""

from memlab.memory.context import BudgetTooSmall, count_tokens
from memlab.memory.defences import Defences
from memlab.memory.episode import Run
from memlab.memory.fact_files import FactFiles
from memlab.memory.fact_table import FactTable
from memlab.memory.mix import MemoryMix
from memlab.memory.naming import Refused
from memlab.memory.question import Recalled
from memlab.memory.semantic import Fact, copy
from memlab.memory.tool_result import compressed
from memlab.memory.trust import Provenance
from memlab.memory.window import WindowShares, window
from memlab.memory.world import LiveWorld, ScriptedWorld

__all__ = [
    "BudgetTooSmall",
    "Defences",
    "Fact",
    "FactFiles",
    "FactTable",
    "LiveWorld",
    "MemoryMix",
    "Provenance",
    "Recalled",
    "Refused",
    "Run",
    "ScriptedWorld",
    "WindowShares",
    "compressed",
    "copy",
    "count_tokens",
    "window",
]
