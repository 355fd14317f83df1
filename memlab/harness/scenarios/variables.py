"""Variables: `{name}` in a scenario file, replaced by a random choice in each sample."""

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
"""The variable that counts the events of a repeat."""
Place = tuple[str | int, ...]


def _variable_name(name: str) -> str:
    if name == COUNTER or not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise ValueError(f"{name!r} is no valid variable name. Use a-z, 0-9 and _; {COUNTER!r} is reserved")
    return name


def _same_parts(choices: tuple[Choice, ...]) -> tuple[Choice, ...]:
    shapes = {tuple(sorted(one)) if isinstance(one, dict) else () for one in choices}
    if len(shapes) > 1:
        raise ValueError("its choices have different parts, so a variable has no value. Give each the same parts")
    return choices


VariableName = Annotated[str, AfterValidator(_variable_name)]
Choice = str | StrictInt | dict[VariableName, str | StrictInt]
Choices = Annotated[tuple[Choice, ...], Field(min_length=1), AfterValidator(_same_parts)]
Cycle = Annotated[tuple[str, ...], Field(min_length=1)]


def substitute(text: str, words: Mapping[str, str]) -> str:
    """Replace `{variables}` by their words; a variable without a word is left as it is."""
    return VARIABLE.sub(lambda found: words.get(found[1], found[0]), text) if "{" in text else text


def choose(vary: Mapping[str, tuple[Choice, ...]], chance: random.Random) -> dict[str, str]:
    """Draw the words of one sample; the parts of a map are separate variables, called `name.part`."""
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
    """Substitutes the variables of a file; `problems` are errors, each with its place in the file."""

    words: Mapping[str, str]
    problems: list[tuple[Place, str]] = field(default_factory=list)

    def substitute(self, value: object, place: Place = ()) -> Any:  # noqa: ANN401 - the shape of the file
        """Return a value with the variables replaced in every text and key; `place` is its place in the file."""
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
                    self.problems.append(((*place, key), f"two keys are both {name!r} after substitution: keep one"))
                filled[name] = inner.substitute(one, (*place, key))
            return filled
        return value

    def _repeating(self, repeat: Mapping[str, Any], place: Place) -> Substitution:
        """Return a substitution that leaves the variables that the repeat itself replaces."""
        own = [COUNTER, *repeat.get("each", {})]
        for name in own:
            if name in self.words:
                self.problems.append(((*place, "each", name), f"{{{name}}} is also in `vary:`: rename one of the two"))
        return Substitution({**self.words, **{name: f"{{{name}}}" for name in own}}, self.problems)

    def _text(self, text: str, place: Place) -> str:
        for name in VARIABLE.findall(text):
            if name not in self.words:
                fix = f"{suggest(name, self.words)} Add it to `vary:`."
                self.problems.append((place, f"the variable {{{name}}} has no value.{fix}"))
        return substitute(text, self.words)


def unused_variables(data: Mapping[str, Any], words: Mapping[str, str]) -> Iterator[str]:
    """Yield the names in `vary:` that the file never uses."""
    used = {name.split(".")[0] for name in _used_variables(data)}
    yield from sorted({name.split(".")[0] for name in words} - used)


def _used_variables(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield from VARIABLE.findall(value)
    elif isinstance(value, dict | list):
        for one in (*value, *value.values()) if isinstance(value, dict) else value:
            yield from _used_variables(one)
