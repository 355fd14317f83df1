"""What the mix does against a memory that misleads, each to be taken away by itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Defences:
    """Which promises the mix keeps; each can be taken away to see what it buys."""

    guard: bool = True
    trust: bool = True
    versions: bool = True
    pin: bool = True
    recite: bool = True
    log: bool = True


ALL = Defences()
