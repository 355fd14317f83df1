"""Finds and reads scenario files, and samples scenarios from them by a seed."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cached_property
from pathlib import Path
from typing import Any

from memlab.harness.scenarios.errors import BadScenario, ScenarioError, suggest
from memlab.harness.scenarios.schema import FAMILIES, ScenarioFile
from memlab.harness.scenarios.timeline import Timeline, build_timeline
from memlab.harness.scenarios.validation import validate
from memlab.harness.scenarios.variables import Place, Substitution, choose, unused_variables
from memlab.harness.scenarios.yaml_lines import line_of, read_yaml
from memlab.systems.entry import did_you_mean
from memlab.terms import Scenario

LONG_TASKS, CURVES = "turns", "curves"
"""Folders that `memlab compare` skips: see turns/long_task.py and curves.py."""
_HERE = Path(__file__).resolve().parents[2]


def library() -> Path:
    """Return the folder of memlab's scenarios: in the package, or next to it in a checkout."""
    packaged = _HERE / "data" / "scenarios"
    return packaged if packaged.is_dir() else _HERE.parent / "scenarios"


@dataclass(frozen=True)
class Template:
    """A valid scenario file, ready to be sampled."""

    path: Path
    data: Mapping[str, Any]
    file: ScenarioFile

    @property
    def family(self) -> str:
        """Return the family: the first half of the id."""
        return self.file.id.split("/")[0]

    @cached_property
    def digest(self) -> str:
        """Return a digest of the file's content, without comments and layout."""
        return hashlib.blake2s(repr(self.data).encode(), digest_size=6).hexdigest()

    def line(self, *place: str | int) -> int:
        """Return the line of a place in the file, such as `line("timeline", 3, "fact")`, counting from 1."""
        return line_of(self.path, place)

    def error_at(self, text: str, *place: str | int) -> ScenarioError:
        """Return an error at a place in this file."""
        return ScenarioError(self.path, self.line(*place), text)

    def sample(self, seed: int) -> Scenario:
        """Return the scenario with its variables drawn at random from the seed; the same seed gives the same scenario.

        Raises BadScenario for an invalid id, variable or key.
        """
        filled = self._fill(seed)
        file = validate(filled, self.path, ScenarioFile)
        timeline = build_timeline(file, salt=f"{file.id}:{seed}")
        self._raise_problems(timeline.problems)
        return self._scenario(file, seed, timeline)

    def timeline_without_repeats(self, seed: int) -> Timeline:
        """Return the timeline of a sample without its repeated events, whatever refers to them."""
        chance = random.Random(f"{self.file.id}:{seed}")  # noqa: S311 - a sample, not a secret
        substitution = Substitution(choose(self.file.vary, chance))
        once = {**self.data, "timeline": [step for step in self.data["timeline"] if "repeat" not in step]}
        file = ScenarioFile.model_validate(substitution.substitute(once))
        return build_timeline(file, salt=f"{file.id}:{seed}")

    def _scenario(self, filled: ScenarioFile, seed: int, timeline: Timeline) -> Scenario:
        return Scenario(
            id=filled.id,
            family=self.family,
            title=filled.title,
            story=filled.story,
            seed=seed,
            world=timeline.start,
            timeline=tuple(timeline.steps),
            claims=timeline.claims(),
            file=self.digest,
        )

    def _fill(self, seed: int) -> dict[str, Any]:
        chance = random.Random(f"{self.file.id}:{seed}")  # noqa: S311 - a sample, not a secret
        substitution = Substitution(choose(self.file.vary, chance))
        rest = {key: value for key, value in self.data.items() if key != "vary"}
        filled: dict[str, Any] = substitution.substitute(rest)
        for name in unused_variables(rest, substitution.words):
            substitution.problems.append(
                (("vary", name), f"the variable {{{name}}} is never used. Use it, or remove it")
            )
        self._raise_problems(substitution.problems)
        return filled

    def _raise_problems(self, problems: Sequence[tuple[Place, str]]) -> None:
        if problems:
            raise BadScenario(self.error_at(text, *place) for place, text in problems)


def load(path: Path) -> Template:
    """Read one scenario file. Raises BadScenario with every error and its line."""
    data = read_yaml(path)
    file = validate(data, path, ScenarioFile)
    template = Template(path, data, file)
    place = f"{path.parent.name}/{path.stem}"
    if file.id != place:
        raise BadScenario([template.error_at(f"id is {file.id!r}, but the file is at {place}. Make them equal.", "id")])
    if template.family not in FAMILIES:
        text = f"unknown family {template.family!r}.{suggest(template.family, FAMILIES)}"
        raise BadScenario([template.error_at(text, "id")])
    return template


def select(templates: Sequence[Template], wanted: str) -> list[Template]:
    """Keep the templates whose id or family matches a pattern in `wanted` (comma-separated; "" keeps all).

    Raises BadScenario where a pattern matches nothing.
    """
    patterns = [one.strip() for one in wanted.split(",") if one.strip()]
    for pattern in patterns:
        if not any(_matches(one, pattern) for one in templates):
            families = sorted({one.family for one in templates})
            near = did_you_mean(pattern, [*families, *(one.file.id for one in templates)])
            words = f"no scenario or family is called {pattern!r}.{near} Families: {', '.join(families)}."
            text = f"{words} `memlab scenarios` lists all."
            raise BadScenario([ScenarioError(Path("--scenarios"), 0, text)])
    return [one for one in templates if not patterns or any(_matches(one, pattern) for pattern in patterns)]


def _matches(template: Template, pattern: str) -> bool:
    return fnmatch(template.file.id, pattern) or template.family == pattern


def load_all(folders: Iterable[Path]) -> list[Template]:
    """Read every scenario file below some folders, in the order of their ids.

    Raises BadScenario with the errors of all files, or if a folder contains no file.
    """
    templates: dict[str, Template] = {}
    errors: list[ScenarioError] = []
    for path in (path for folder in folders for path in _files(folder)):
        try:
            template = load(path)
        except BadScenario as bad:
            errors += bad.errors
            continue
        first = templates.setdefault(template.file.id, template)
        if first is not template:
            errors.append(template.error_at(f"the id is also that of {first.path}. Give it another.", "id"))
    if errors:
        raise BadScenario(errors)
    return [templates[name] for name in sorted(templates)]


def _files(folder: Path) -> list[Path]:
    found = sorted(path for path in folder.rglob("*.yaml") if path.parent.name not in {LONG_TASKS, CURVES})
    if not found:
        what = "has no *.yaml file" if folder.is_dir() else "is not a folder"
        raise BadScenario([ScenarioError(folder, 0, f"{what}. Give a folder that contains <family>/<name>.yaml.")])
    return found
