"""The command line and the pytest plugin use the public names of `import memlab`, and nothing else that has one.

What a file imports from inside memlab beside them is listed here, with the reason: there is no public name for it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import memlab

PACKAGE = Path(memlab.__file__).parent
COMMANDS = {
    "app.py": "the errors that are a user's mistake, for one message each",
    "audit.py": "audits a memory",
    "costs.py": "measures what a cell costs",
    "curves.py": "measures histories and budgets",
    "datasets.py": "plays data sets of conversations",
    "doctor.py": "reports the sandboxes of the machine",
    "engine.py": "connects to a Dask cluster, and gives `memlab.compare` its Executor",
    "faults.py": "runs a system under faults",
    "grade.py": "grades a class",
    "grade_terminal.py": "prints grades",
    "import_memory.py": "imports a memory",
    "isolation.py": "chooses a sandbox, and may take a weaker one",
    "lab.py": "works through a lab in an editor",
    "lab_terminal.py": "prints the checks of a lab",
    "serve.py": "serves a memory to agents",
    "turns.py": "plays long tasks",
}
"""Commands that no public function does, and what they do instead."""
INNER = {
    "cli/compare.py": {
        "memlab.api.catalogue": "the scenarios of --power, as the public functions select them",
        "memlab.harness.datasets.rounds": "--dataset",
        "memlab.harness.running.results": "the error of a wrong folder",
        "memlab.harness.scenarios.schema": "the name of the family that no mean counts",
        "memlab.harness.scoring.decisions": "the exit code of thresholds",
        "memlab.models.run": "--model",
        "memlab.report.folder": "writes the report with the decisions on thresholds",
        "memlab.report.html.attacks": "prints a table for a terminal",
        "memlab.report.html.thresholds": "thresholds and --baseline",
        "memlab.report.tables.fixes": "prints what to fix, with the commands that explain it",
        "memlab.report.tables.power": "--power",
        "memlab.report.tables.terminal": "prints a table for a terminal",
        "memlab.report.tables.two_by_two": "prints a table for a terminal",
        "memlab.systems.child.system": "the default of --limit",
    },
    "cli/explain.py": {},
    "cli/library.py": {
        "memlab.api.catalogue": "`check` proves scenarios, which no public function returns as such",
        "memlab.harness.attacks.attack_kinds": "`check --attacks`",
        "memlab.harness.attacks.proof": "`check --attacks`",
        "memlab.harness.check.check": "`check`",
        "memlab.harness.plural": "prints a number with its noun",
        "memlab.harness.scenarios.errors": "`check` reports the errors of all scenarios at once",
        "memlab.harness.scenarios.loading": "`check`",
        "memlab.harness.scenarios.schema": "`schema`",
        "memlab.harness.turns.check": "`check --scenarios turns`",
        "memlab.harness.turns.long_task": "`check --scenarios turns`, and `schema --turns`",
        "memlab.report.tables.folding": "prints a list that no pipe cuts",
        "memlab.report.text": "prints a title without invisible characters",
        "memlab.systems.adapter_template": "`new-system`",
        "memlab.systems.registry": "`systems` prints the groups too",
    },
    "cli/options.py": {
        "memlab.harness.running.saved_run": "the name of the file that --overwrite keeps",
        "memlab.models.model": "--model",
        "memlab.models.run": "--model",
        "memlab.systems.documents.rows": "--model",
        "memlab.systems.entry": "says which of the named systems need a sandbox",
        "memlab.systems.products.mcp.server": "--mcp",
        "memlab.systems.registry": "says which of the named systems need a sandbox",
        "memlab.terms": "the values of --labels and --tell",
    },
    "pytest_plugin.py": {
        "memlab.extras": "a wrong option is an error of pytest",
        "memlab.harness.scenarios.conditions": "--memlab-labels",
        "memlab.harness.scenarios.errors": "a wrong option is an error of pytest",
        "memlab.harness.scenarios.loading": "one test for each scenario",
        "memlab.harness.scoring.explanations": "why a test fails: all lines about each result, as one text",
        "memlab.harness.scoring.fixes": "the samples passed by family, and the heading of what to fix",
        "memlab.sandbox.isolation": "--memlab-isolation",
        "memlab.systems.child.confinement": "--memlab-isolation",
        "memlab.systems.entry": "a wrong option is an error of pytest",
        "memlab.systems.registry": "one test for each system",
        "memlab.terms": "the values of --memlab-labels",
    },
}
"""What files with a public counterpart import from inside memlab, and why."""


@pytest.mark.parametrize("file", INNER)
def test_what_a_file_imports_beside_the_public_names_is_listed_with_a_reason(file: str) -> None:
    assert set(_inner_modules(PACKAGE / file)) == set(INNER[file])


def test_every_other_command_does_what_no_public_function_does() -> None:
    files = [path for path in (PACKAGE / "cli").rglob("*.py") if f"cli/{path.name}" not in INNER]
    assert {path.name for path in files if any(_inner_modules(path))} == set(COMMANDS)


def test_no_file_imports_a_public_name_from_the_module_that_defines_it() -> None:
    public = {(getattr(memlab, name).__module__, name) for name in memlab.__all__}
    files = [*(PACKAGE / "cli").rglob("*.py"), PACKAGE / "pytest_plugin.py"]
    assert not [(path.name, name) for path in files for name in _inner_names(path) if name in public]


def test_the_commands_get_the_results_of_scenarios_only_from_the_public_functions() -> None:
    makers = {"memlab.harness.comparison", "memlab.harness.running.runner", "memlab.harness.running.workers"}
    importers = {path.name for path in (PACKAGE / "cli").rglob("*.py") if makers & set(_inner_modules(path))}
    assert importers == {"costs.py"}  # it times how the rounds of a comparison are played


def _inner_modules(path: Path) -> Iterator[str]:
    return (module for module, _ in _inner_names(path))


def _inner_names(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the module and the name of each import from inside memlab, but the command line and its version."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    for node in [one for one in nodes if isinstance(one, ast.ImportFrom)]:
        package, _, module = (node.module or "").partition(".")
        if package == "memlab" and module and module.split(".")[0] not in {"cli", "version"}:
            yield from ((f"memlab.{module}", one.name) for one in node.names)
