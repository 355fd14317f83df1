"""How the server of memory systems starts: our own Python with its packages, in a sandbox."""

from __future__ import annotations

import json
import os
from pathlib import Path

from memlab.sandbox import fork_server
from memlab.sandbox.fork_server import Launch
from memlab.sandbox.isolation.level import Wrapped
from memlab.sandbox.isolation.view import executable

PROGRAM = "memlab.systems.child.program"
ABOVE = str(Path(__file__).resolve().parents[3])
"""The folder that holds the package: the supervisor must find it, installed or not."""
START = """\
import json, site, sys
site.main()
settings = json.loads(sys.argv[1])
sys.path[:] = settings["path"]
from importlib import import_module
from memlab.sandbox.forked_children import supervise_many
program = import_module(settings["program"])
for name in settings["preload"]:
    try:
        import_module(name)
    except BaseException:
        pass  # a child that needs it reports why
supervise_many(program.run)
"""
ENVIRONMENT = dict(os.environ)
"""The variables at the start: later ones may be those of a scenario."""
HIDDEN = frozenset({"PYTEST_CURRENT_TEST", "_", "PWD", "OLDPWD"})
"""Variables of memlab's own process that reveal which scenario is played, or from where."""


def launch_server(wrapped: Wrapped, path: tuple[str, ...], preload: tuple[str, ...], temporary: str) -> Launch:
    """Return how to start a server of memory systems, in the sandbox around it.

    `preload` are modules that it imports once, for all its children; `temporary` is a folder that it can write to.
    """
    settings = {"program": PROGRAM, "path": [*path, ABOVE], "preload": preload}
    python = (executable(), "-S", "-P", "-c", wrapped.first + START, json.dumps(settings))
    variables = {name: value for name, value in ENVIRONMENT.items() if name not in HIDDEN}
    variables |= {"TMPDIR": temporary} if temporary else {}
    # the salt is fixed, else sets of strings would have another order in each run
    return Launch((*wrapped.command, *python), tuple(variables.items()), 0, fork_server.LONGEST, bool(wrapped.command))
