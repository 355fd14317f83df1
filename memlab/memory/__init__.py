"""The reference memory: four stores behind MemoryMix. Standard library only; docs/memory.md gives a reading order."""

from memlab.memory.context import BudgetTooSmall, count_tokens
from memlab.memory.defences import Defences
from memlab.memory.environment.live_world import LiveWorld
from memlab.memory.episode import Run
from memlab.memory.facts import Fact
from memlab.memory.indexing.fact_table import FactTable
from memlab.memory.mix import MemoryMix
from memlab.memory.profile import Profile
from memlab.memory.retrieval.ranking import Recalled
from memlab.memory.text import Refused
from memlab.memory.trust import Provenance
from memlab.memory.window.compression import compress
from memlab.memory.window.window import WindowShares, assemble_window
from memlab.memory.world import ScriptedWorld

__all__ = [
    "BudgetTooSmall",
    "Defences",
    "Fact",
    "FactTable",
    "LiveWorld",
    "MemoryMix",
    "Profile",
    "Provenance",
    "Recalled",
    "Refused",
    "Run",
    "ScriptedWorld",
    "WindowShares",
    "assemble_window",
    "compress",
    "count_tokens",
]
