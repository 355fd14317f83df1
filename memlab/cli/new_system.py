"""Write an adapter for a memory of your own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from memlab.cli.app import UNDECIDED, app, err, out, user_errors


@app.command("new-system")
def new_system(
    name: Annotated[str, typer.Argument(help="The name of the module, such as my_memory.")],
    folder: Annotated[Path, typer.Option(help="The folder of both files.")] = Path(),
) -> None:
    """Write a commented adapter that works, and a test beside it. Nothing is overwritten.

    Exit code 2: the name is wrong, or a file of that name exists.
    """
    from memlab.systems.adapter_template import BadAdapterName, class_name, write_adapter

    with user_errors():
        try:
            adapter, test = write_adapter(name, folder)
        except (BadAdapterName, FileExistsError) as error:
            if isinstance(error, FileExistsError) and error.errno:
                raise
            err.print(Text(str(error), "red"), soft_wrap=True)
            raise typer.Exit(UNDECIDED) from None
    out.print(f"Written: {adapter} and {test}. Next:", markup=False, soft_wrap=True)
    out.print(f"  python -m pytest {test}", markup=False, soft_wrap=True)
    out.print(f"  memlab run recall/first-week {adapter}:{class_name(name)}", markup=False, soft_wrap=True)
