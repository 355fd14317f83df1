"""The defences of a memory, each with a switch."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Defences:
    """Which defences a MemoryMix has: all by default. Turn one off to measure its effect.

    guard: a text is served only if the things that it names (files, symbols, variables) exist.
    trust: sources have ranks, and untrusted text with instructions waits in quarantine.
    versions: a later statement replaces an earlier one of its rank on the same subject.
    pin: the rules, the goal and the next to-do are in every prompt, whatever its budget.
    recite: the task is at the end of the prompt, not after the rules.
    log: episodes and the steps of the task are written to a file, so that a restart loses nothing.
    """

    guard: bool = True
    trust: bool = True
    versions: bool = True
    pin: bool = True
    recite: bool = True
    log: bool = True
