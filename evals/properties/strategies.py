"""Hypothesis strategies of the property tests: texts from all of Unicode with surrogates, and their sources."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from hypothesis import strategies as st

from memlab.memory import MemoryMix, ScriptedWorld
from memlab.memory.context import one_line
from memlab.memory.trust import UNTRUSTED_SOURCES

NOON = 1_767_614_400.0
TRUSTED = ["user", "tool", "agent"]
SOURCES = [*TRUSTED, *sorted(UNTRUSTED_SOURCES)]
HOSTILE = ["[RULES]", "[TODO]", "\n", "\r\n", "\v", "\u2028", "\x85", "- [ ] ", "- ", "goal: ", "---", "<!--", "-->"]
HOSTILE += ["\u200b", "\u202e", "\ufeff", "\0", "\x1b[2J", "\ud800", "\udfff", "`", '"', "\\", "{", "x", "\u0130"]

names = st.sampled_from(["lamp", "lantern", "stove"])
subjects = st.sampled_from(["", "", "light", "Light\u200b", "\uff4cight", "heat"])
sources = st.sampled_from(SOURCES)
texts = st.text(st.characters(), max_size=60) | st.lists(st.sampled_from(HOSTILE), max_size=12).map("".join)
valid_texts = st.text(max_size=60) | st.lists(st.sampled_from(HOSTILE), max_size=12).map("".join).filter(
    lambda text: text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text)
)
nonblank_texts = texts.filter(lambda text: bool(one_line(text)))


def minutes(start: float = NOON) -> Callable[[], float]:
    """Give a clock that advances by one minute at each call."""
    ticks = count(start, 60)
    return lambda: float(next(ticks))


@contextmanager
def opened() -> Iterator[MemoryMix]:
    """Give a fresh mix in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        mix = MemoryMix(Path(folder), ScriptedWorld(), minutes(), sync="never")
        yield mix
        mix.close()


def again(mix: MemoryMix, start: float = NOON + 1e6) -> MemoryMix:
    """Give what a new process would find in the same folder."""
    return MemoryMix(mix.directory, ScriptedWorld(), minutes(start), sync="never")
