"""Scratchpads that several tests start from."""

from __future__ import annotations

from memlab.memory.working import Scratchpad

PAD = Scratchpad("ship the page", ("build", "test", "ship"), type="deploy")


def filled(done: int, notes: int, questions: int) -> Scratchpad:
    pad = Scratchpad("ship", tuple(f"item {n}" for n in range(done + 2)))
    for n in range(done):
        pad = pad.check_off(f"item {n}")
    for n in range(notes):
        pad = pad.add_note(f"note {n}")
    for n in range(questions):
        pad = pad.add_question(f"question {n}?")
    return pad
