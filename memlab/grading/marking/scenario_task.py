"""Grades a scenarios task: plays scenarios to the submission in a sandbox; the harness scores the answers here."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path

from memlab.grading.grade import Reason
from memlab.grading.marking.attempt import GradingAttempt
from memlab.grading.marking.config import GradingConfig
from memlab.grading.marking.points import Outcome
from memlab.grading.marking.sandboxed_lab import SandboxedLab
from memlab.harness.running.runner import Cell, scenario_environment
from memlab.harness.scenarios.answer_keys import answer_keys
from memlab.harness.scenarios.errors import BadScenario, ScenarioError
from memlab.harness.scenarios.loading import Template, load_all
from memlab.harness.scoring.explanations import explanation
from memlab.harness.scoring.metrics import METRICS
from memlab.labs.lab import Lab
from memlab.labs.rubric import Scenarios
from memlab.sandbox.client import CheckFailed
from memlab.systems.entry import Entry
from memlab.systems.fallback import AssembledFromRecall, RecalledFromContext
from memlab.systems.labs.lab06 import Lab06
from memlab.systems.labs.lab07 import Lab07
from memlab.terms import MemorySystem, Result, Scenario, Workspace

YOURS = "the file"
"""The name of the graded file in an error."""
MAX_CALLS = 30
"""Calls before a wrong answer that are kept: the last ones."""


def grade_scenarios(task: Scenarios, attempt: GradingAttempt) -> Outcome:
    """Play a sample of the scenarios, and count those that the file passes."""
    scenarios = sample_scenarios(task, attempt.config)
    reasons = [reason for one in scenarios if (reason := _play(one, attempt))]
    return Outcome(len(scenarios) - len(reasons), len(scenarios), tuple(reasons))


def sample_scenarios(task: Scenarios, config: GradingConfig) -> list[Scenario]:
    """Draw the scenarios of a task with the private seed. No template is drawn twice before each is drawn once.

    All students get the same; those of the overlay come first. Raises BadScenario as `eligible_templates` does.
    """
    yours, ours = eligible_templates(task, config)
    rng = random.Random(config.derive_seed("scenarios", task.name))  # noqa: S311 - the sample is no secret
    drawn: list[Template] = []
    while len(drawn) < task.count:
        drawn += [*rng.sample(yours, len(yours)), *rng.sample(ours, len(ours))]
    return [one.sample(config.derive_seed("blanks", one.file.id, at)) for at, one in enumerate(drawn[: task.count])]


def eligible_templates(task: Scenarios, config: GradingConfig) -> tuple[list[Template], list[Template]]:
    """Return the templates that a task may draw, by id: the instructor's, and the lab's own.

    A template of the overlay replaces the lab's own of the same id. Raises BadScenario if a file is invalid, or no
    template belongs to the task's families.
    """
    own, private = (
        {one.file.id: one for one in load_templates(folder) if not task.families or one.family in task.families}
        for folder in (config.lab.scenarios, config.overlay)
    )
    if not own and not private:
        why = f"task {task.name!r} has no scenarios of the families {', '.join(task.families)}. Name others."
        raise BadScenario([ScenarioError(config.lab.rubric.path, 0, why)])
    return [private[name] for name in sorted(private)], [own[name] for name in sorted(own) if name not in private]


@cache
def load_templates(folder: Path | None) -> Sequence[Template]:
    """Read the scenarios of a folder; none if there is no folder."""
    return load_all([folder]) if folder else ()


def _play(scenario: Scenario, attempt: GradingAttempt) -> Reason | None:
    """Play a scenario in a new sandbox. Returns the reason if it is not passed, None if it is."""
    attempt.close_sandbox()
    try:
        work = attempt.open_sandbox()
    except CheckFailed as error:
        return Reason(scenario.id, scenario.title, str(error))
    file = SandboxedLab(work)
    with scenario_environment(scenario) as environment:
        entry = Entry(YOURS, "", "yours", partial(make_system, attempt.config.lab, file))
        results = Cell(entry, environment, answer_keys(scenario)).play(scenario)
    failed = next((at for at, one in enumerate(results) if METRICS["passes"](one) != 1), None)
    if failed is None:
        return None
    calls = file.probe_calls[failed] if failed < len(file.probe_calls) else tuple(work.calls)
    return Reason(scenario.id, scenario.title, _explain(results[failed]), calls[-MAX_CALLS:])


def make_system(lab: Lab, file: SandboxedLab, workspace: Workspace) -> MemorySystem:
    """Return the file as a memory system; after a restart, the file is loaded again in the same folder."""
    if lab.class_name:
        return RecalledFromContext(YOURS, Lab07(file, workspace))
    return AssembledFromRecall(YOURS, Lab06(file, workspace.world))


def _explain(result: Result) -> str:
    """Return the question, the answer, and what was expected or forbidden."""
    _, *wrong = explanation(result).splitlines()
    return f"asked {result.key.query!r}: {'; '.join(' '.join(one.split()) for one in wrong)}"
