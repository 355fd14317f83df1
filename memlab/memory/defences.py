"""Which defences of the mix are on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Defences:
    """Switches for the defences of the mix: turn one off to measure its effect."""

    guard: bool = True
    trust: bool = True
    versions: bool = True
    pin: bool = True
    recite: bool = True
    log: bool = True


ALL = Defences()
