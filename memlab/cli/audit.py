"""Audit a memory that exists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.text import Text

from memlab.cli.app import app, err, out, user_errors

if TYPE_CHECKING:
    from memlab.audit.audit import Audit
    from memlab.audit.entry import Finding

SHOWN = 160
"""Characters of the evidence that are printed in text."""

Source = Annotated[
    Path, typer.Argument(help="A repository, an instruction file, a folder of notes, an export or a database.")
]
Root = Annotated[
    Path | None, typer.Option(help="The repository that the memory speaks of. Default: the one that it is in.")
]
Form = Annotated[Literal["text", "json", "sarif"], typer.Option("--format", help="The form of the output.")]
Budget = Annotated[int | None, typer.Option(min=1, help="Tokens of an instruction file that your agent loads.")]


@app.command()
def audit(  # noqa: PLR0913, PLR0917 - one parameter for each option
    path: Source,
    root: Root = None,
    form: Form = "text",
    budget: Budget = None,
    baseline: Annotated[Path | None, typer.Option(help="Known findings: report and fail on new ones only.")] = None,
    write_baseline: Annotated[Path | None, typer.Option(help="Write the findings to this file as known.")] = None,
    *,
    fix: Annotated[bool, typer.Option("--fix", help="Print a patch for what can be corrected; write nothing.")] = False,
) -> None:
    """Find what is wrong in a memory: what is gone, contradictions, repetitions, orders, secrets.

    Nothing is run, changed or sent. Exit code 1: there are findings (with --baseline: new ones).
    """
    from memlab.audit.audit import audit as run_audit
    from memlab.audit.audit import repository_of
    from memlab.audit.output import baseline as known
    from memlab.audit.output import json_report, patch

    with user_errors():
        found = run_audit(path, root, budget)
        found = _without_known(found, baseline) if baseline else found
        if write_baseline:
            known.write(write_baseline, found.findings)
            err.print(f"{len(found.findings)} known findings are in {write_baseline}.", markup=False)
            return
        if fix:
            typer.echo(patch.propose(found.findings, path, root or repository_of(path)), nl=False)
            return
    if form == "text":
        print_audit(found)
    else:
        typer.echo(json_report.to_json(found) if form == "json" else json_report.to_sarif(found))
    raise typer.Exit(int(bool(found.findings)))


def _without_known(found: Audit, baseline: Path) -> Audit:
    from memlab.audit.output.baseline import BadBaselineError, new_findings

    try:
        return found._replace(findings=tuple(new_findings(baseline, found.findings)))
    except BadBaselineError as error:
        raise typer.BadParameter(str(error), param_hint="--baseline") from None


def print_audit(found: Audit) -> None:
    """Print two lines for each finding, the files left out, and the counts."""
    for one in found.findings:
        out.print(Text(f"{one.file}:{one.line}: {one.kind}: {one.message}"), soft_wrap=True)
        out.print(Text(f"    {_shown(one)}", "dim"), soft_wrap=True)
    for file, reason in found.unreadable:
        out.print(Text(f"{file}: left out: {reason}", "yellow"), soft_wrap=True)
    out.print(f"{found.entries:,} statements, {_counts(found.findings)}.")


def _shown(one: Finding) -> str:
    text = " ".join(one.evidence.split())
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."


def _counts(findings: Sequence[Finding]) -> str:
    counts = Counter(one.kind for one in findings).most_common()
    return ", ".join(f"{number} {kind}" for kind, number in counts) or "no findings"
