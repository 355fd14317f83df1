"""The main loop of every untrusted process: answers numbered JSON lines until the parent closes the channel.

Imports little, since it starts for every task and memlab may not be installed where it runs.
"""

from __future__ import annotations

import json
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing takes as long as starting Python
    from collections.abc import Callable
    from typing import IO, Any

    Message = dict[str, Any]


def serve(reading: IO[str], writing: IO[str], answer: Callable[[Message], Message]) -> None:
    """Write one reply for each request. `answer` must catch every exception and return it as its reply."""
    own = os.getpid()
    for line in reading:
        request = json.loads(line)
        reply = answer(request)
        if os.getpid() != own:
            os._exit(0)  # the foreign code forked and this is the copy, which must not answer
        writing.write(json.dumps({**reply, "number": request["number"]}) + "\n")
        writing.flush()


def discard_output() -> None:
    """Connect the standard streams to the null device, also for processes that the foreign code starts."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.close(nothing)


def redirect_output(path: str) -> None:
    """Append the output of this process, and of those that it starts, to a file that exists."""
    file = os.open(path, os.O_WRONLY | os.O_APPEND)
    for stream in (1, 2):
        os.dup2(file, stream)
    os.close(file)
    for text in (sys.stdout, sys.stderr):
        text.reconfigure(line_buffering=True)  # type: ignore[union-attr] # at the start; the process may end at any time
