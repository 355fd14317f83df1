"""Import a memory that exists."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from memlab.cli.app import UNDECIDED, app, err, out, progress_bar, user_errors
from memlab.cli.audit import Root, Source, print_audit

if TYPE_CHECKING:
    from memlab.importing.importer import Imported


@app.command("import")
def import_memory(
    path: Source,
    directory: Annotated[Path, typer.Argument(help="The directory of the memory; made if it is not there.")],
    root: Root = None,
    *,
    rules: Annotated[
        bool, typer.Option("--rules", help="Accept the list items of instruction files as your own rules.")
    ] = False,
) -> None:
    """Import a memory that exists into the reference memory, and print what an audit finds in it.

    Everything has the source `import`, which is not trusted: what gives instructions waits in quarantine. A second
    import adds nothing. Nothing is run, and no link is followed.
    """
    from memlab import MemoryMix, Refused
    from memlab.importing.importer import import_memory as run_import

    try:
        with user_errors(), progress_bar() as bar:
            path.stat()
            directory.mkdir(parents=True, exist_ok=True)
            task = bar.add_task("import", total=None)
            with MemoryMix(directory, sync="never") as mix:

                def show(number: int, total: int) -> None:
                    bar.update(task, completed=number, total=total)

                done = run_import(path, mix, root=root, rules=rules, progress=show)
    except Refused as refused:
        err.print(Text(str(refused), "red"), soft_wrap=True)
        raise typer.Exit(UNDECIDED) from None
    print_audit(done.found)
    _print(done)


def _print(done: Imported) -> None:
    for file, line, reason in done.left_out:
        out.print(Text(f"{file}:{line}: left out: {reason}", "yellow"), soft_wrap=True)
    stored = ", ".join(f"{number:,} {store}{'s' * (number != 1)}" for store, number in done.stored.items()) or "nothing"
    more = {"already known": done.known, "waiting in quarantine": done.waiting, "left out": len(done.left_out)}
    out.print(
        ", ".join([f"Imported {stored}", *(f"{number:,} {what}" for what, number in more.items() if number)]) + "."
    )
