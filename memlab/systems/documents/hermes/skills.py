"""Semantic memory of document 004: a library of skills, which are retrieved by similarity, quality and use."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from memlab.memory.context import one_line
from memlab.memory.text import digest
from memlab.systems.documents.hermes.legs import WIDER, Fusion, Legs, scaled
from memlab.systems.documents.parts.encoder import best
from memlab.systems.documents.parts.records import Records

Health = Literal["active", "deprecated", "needs_review"]
USES_PER_POINT, MOST_FREQUENCY = 100, 0.2
"""[s] Frequency bonus: min(usage_count / 100, 0.2)."""
DEPRECATED_PENALTY = 0.3
"""[s] A deprecated skill loses 0.3."""
REVIEW_BELOW, REVIEW_AFTER = 0.5, 3
"""[m] A skill needs review if its success rate is below 0.5 after 3 uses."""
DEPRECATED_BELOW, DEPRECATED_AFTER = 0.3, 5
"""[m] A skill is deprecated if its success rate is below 0.3 after 5 uses."""
_PARAMETER = re.compile(r"\{(\w+)\}")
_TECHNICAL = re.compile(r"\S*(?:[\d_/-]|\w\.\w|[a-z][A-Z])\S*")


@dataclass(frozen=True, slots=True)
class Skill:
    """One skill [s]; times are in seconds since 1970."""

    id: str
    name: str
    version: int = 1
    description: str = ""
    trigger_conditions: tuple[str, ...] = ()
    code_template: str = ""
    natural_language_steps: str = ""
    parameters: tuple[str, ...] = ()
    required_parameters: tuple[str, ...] = ()
    dependencies: tuple[str, ...] = ()
    usage_count: int = 0
    success_rate: float = 1.0
    pitfalls: tuple[str, ...] = ()
    created_at: float = 0.0
    last_used_at: float | None = None
    health_status: Health = "active"

    def used(self, *, success: bool, time: float) -> Skill:
        """Return the skill after one more use: the success rate is a running mean."""
        count = self.usage_count + 1
        rate = (self.success_rate * self.usage_count + success) / count
        return replace(
            self, usage_count=count, success_rate=rate, last_used_at=time, health_status=_health(rate, count)
        )

    def rendered(self, **arguments: str) -> str:
        """Return the template with its arguments; its steps if there is no template or an argument is missing."""
        if not self.code_template or any(name not in arguments for name in self.required_parameters):
            return self.natural_language_steps
        return _PARAMETER.sub(lambda found: arguments.get(found[1], found[0]), self.code_template)


class SkillLibrary:
    """Skills by name, on disk."""

    def __init__(self, path: Path, fusion: Fusion = "rrf") -> None:
        self._records = Records(path)
        self._fusion = fusion
        self._legs = Legs(fusion)
        for record in self._records.values():
            self._legs.put(record["name"], _text(_skill(record)))

    def save(self, name: str, description: str, steps: str, time: float, trigger: str = "") -> Skill:
        """Add a skill; one of the same name gets the next version, and keeps its statistics."""
        old = self.get(name)
        named = tuple(dict.fromkeys(_PARAMETER.findall(steps)))
        skill = replace(
            old or Skill(digest(name), name, version=0, created_at=time),
            version=old.version + 1 if old else 1,
            description=description,
            trigger_conditions=(trigger,) if trigger else (),
            code_template=steps if named else "",
            natural_language_steps=steps,
            parameters=named,
            required_parameters=named,
        )
        self._store(skill)
        return skill

    def get(self, name: str) -> Skill | None:
        """Return the skill of a name, None if there is none."""
        record = self._records.get(name)
        return _skill(record) if record else None

    def record_use(self, name: str, *, success: bool, time: float) -> None:
        """Count a use of a skill, if the library has it."""
        if skill := self.get(name):
            self._store(skill.used(success=success, time=time))

    def retrieve(self, task: str, top_k: int = 5) -> list[Skill]:
        """Return the k skills with the best score among the results of both legs."""
        near = self._legs.vector(task, WIDER * top_k)
        similarity = self._legs.cosines(task)
        if self._fusion == "keyword":  # [m] alone, the leg searches all words, and its scores are the similarities
            near = similarity = scaled(self._legs.keyword(task, WIDER * top_k))
        found = near | self._legs.keyword(technical_terms(task), WIDER * top_k)
        skills = [_skill(self._records[name]) for name in found]
        scores = {skill.name: retrieval_score(skill, similarity.get(skill.name, 0.0)) for skill in skills}
        return [_skill(self._records[name]) for name, _ in best(scores, top_k)]

    def _store(self, skill: Skill) -> None:
        self._records[skill.name] = asdict(skill)
        self._legs.put(skill.name, _text(skill))


def retrieval_score(skill: Skill, similarity: float) -> float:
    """Return similarity x quality + frequency bonus - penalty [s]."""
    bonus = min(skill.usage_count / USES_PER_POINT, MOST_FREQUENCY)
    penalty = DEPRECATED_PENALTY if skill.health_status == "deprecated" else 0.0
    return similarity * skill.success_rate + bonus - penalty


def technical_terms(text: str) -> str:
    """Return the words with a digit, `_`, `/`, `-`, an inner dot or an inner capital [m]."""
    return " ".join(_TECHNICAL.findall(text))


def skill_lines(skill: Skill) -> list[str]:
    """Return a skill as it is injected [m]: the document does not show the format."""
    return [f"- **{skill.name}**: {one_line(_text(skill).removeprefix(skill.name).strip())}"]


def _text(skill: Skill) -> str:
    described = f"{skill.name} {skill.description}".strip()
    return f"{described}: {skill.rendered()}"


def _skill(record: dict[str, Any]) -> Skill:
    values: dict[str, Any] = {name: tuple(one) if isinstance(one, list) else one for name, one in record.items()}
    return Skill(**values)


def _health(rate: float, uses: int) -> Health:
    if rate < DEPRECATED_BELOW and uses >= DEPRECATED_AFTER:
        return "deprecated"
    return "needs_review" if rate < REVIEW_BELOW and uses >= REVIEW_AFTER else "active"
