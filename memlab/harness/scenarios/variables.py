"""Blanks: `{words}` in a scenario file that each sample fills in by chance."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import AfterValidator, Field, StrictInt

from memlab.harness.scenarios.errors import suggest

VARIABLE = re.compile(r"\{([a-z][a-z0-9_]*(?:\.[a-z0-9_]+)?)\}")
COUNTER = "i"
"""The blank in which a repeat counts."""
Place = tuple[str | int, ...]


def _blank(name: str) -> str:
    if name == COUNTER or not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise ValueError(f"{name!r} cannot be a blank. Use lower-case letters, digits and _, and not {COUNTER!r} alone")
    return name


def _alike(choices: tuple[Choice, ...]) -> tuple[Choice, ...]:
    shapes = {tuple(sorted(one)) if isinstance(one, dict) else () for one in choices}
    if len(shapes) > 1:
        raise ValueError("its choices have different parts, so a blank would stay empty. Give each the same parts")
    return choices


VariableName = Annotated[str, AfterValidator(_blank)]
Choice = str | StrictInt | dict[VariableName, str | StrictInt]
Choices = Annotated[tuple[Choice, ...], Field(min_length=1), AfterValidator(_alike)]
Cycle = Annotated[tuple[str, ...], Field(min_length=1)]


def substitute(text: str, words: Mapping[str, str]) -> str:
    """Put words into `{blanks}`; a blank without a word stays as it is."""
    return VARIABLE.sub(lambda found: words.get(found[1], found[0]), text) if "{" in text else text


def choose(vary: Mapping[str, tuple[Choice, ...]], chance: random.Random) -> dict[str, str]:
    """Draw the words of one sample; the parts of a map are words of their own, called `name.part`."""
    words: dict[str, str] = {}
    for name, choices in vary.items():
        pick = chance.choice(choices)
        if isinstance(pick, dict):
            words |= {f"{name}.{part}": str(value) for part, value in pick.items()}
        else:
            words[name] = str(pick)
    return words


@dataclass
class Substitution:
    """Fills the blanks of a file; `problems` are what does not fit, each with its place in the file."""

    words: Mapping[str, str]
    problems: list[tuple[Place, str]] = field(default_factory=list)

    def substitute(self, value: object, place: Place = ()) -> Any:  # noqa: ANN401 - the shape of the file
        """Fill every text and every key at a place and below it."""
        if isinstance(value, str):
            return self._text(value, place)
        if isinstance(value, list):
            return [self.substitute(one, (*place, number)) for number, one in enumerate(value)]
        if isinstance(value, dict):
            inner = self._repeating(value, place) if place[-1:] == ("repeat",) else self
            filled: dict[str, Any] = {}
            for key, one in value.items():
                name = inner.substitute(key, (*place, key))
                if name in filled:
                    self.problems.append(((*place, key), f"two keys are {name!r} once the blanks are filled: keep one"))
                filled[name] = inner.substitute(one, (*place, key))
            return filled
        return value

    def _repeating(self, repeat: Mapping[str, Any], place: Place) -> Substitution:
        """Leave the blanks that a repeat fills itself, each time it tells its event."""
        own = [COUNTER, *repeat.get("each", {})]
        for name in own:
            if name in self.words:
                self.problems.append(
                    ((*place, "each", name), f"{{{name}}} stands in `vary:` too: rename one of the two")
                )
        return Substitution({**self.words, **{name: f"{{{name}}}" for name in own}}, self.problems)

    def _text(self, text: str, place: Place) -> str:
        for name in VARIABLE.findall(text):
            if name not in self.words:
                fix = f"{suggest(name, self.words)} Add it to `vary:`."
                self.problems.append((place, f"nothing fills the blank {{{name}}}.{fix}"))
        return substitute(text, self.words)


def unused_variables(data: Mapping[str, Any], words: Mapping[str, str]) -> Iterator[str]:
    """Name the words of `vary:` that no blank of a file asks for: it does not vary as its author thinks."""
    asked = {name.split(".")[0] for name in _asked(data)}
    yield from sorted({name.split(".")[0] for name in words} - asked)


def _asked(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield from VARIABLE.findall(value)
    elif isinstance(value, dict | list):
        for one in (*value, *value.values()) if isinstance(value, dict) else value:
            yield from _asked(one)
