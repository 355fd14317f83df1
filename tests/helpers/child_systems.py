"""Systems that run in a process of their own, and what the tests see of them."""

import fcntl
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from memlab.memory.world import ScriptedWorld
from memlab.systems.answers import SystemFailed, texts_of
from memlab.systems.child.system import from_path
from memlab.terms import Event, MemorySystem, Workspace

Tell = Callable[..., Event]
Make = Callable[..., MemorySystem]
HONEST = """
class Mine:
    def __init__(self):
        self.seen = []
    def observe(self, event):
        self.seen.append(event.text)
    def recall(self, query, k=5):
        return self.seen[-k:]
    def assemble(self, task, budget):
        return "\\n".join(self.seen)[: budget * 4]
"""


IS_SOCKET = """
def live(fd):
    try:
        return os.fstat(fd).st_mode & 0o140000 == 0o140000
    except OSError:
        return False
"""


def with_recall(body: str, head: str = "") -> str:
    return f"""
import os, signal, sys, time
{head}
class Mine:
    def observe(self, event): pass
    def assemble(self, task, budget): return "still here"
    def recall(self, query, k=5):
        {body}
"""


def failing(system: MemorySystem, k: int = 5) -> str:
    with pytest.raises(SystemFailed) as caught:
        texts_of("mine", system.recall("q", k), k)
    return str(caught.value)


def in_python(path: Path) -> subprocess.CompletedProcess[str]:
    script = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import child_systems
print(*child_systems.in_worker({str(path)!r} + ":Mine", keep=[]))
"""
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)


TRIES = 6_000
"""Looks at what another process does, every hundredth of a second: a busy machine may take long."""


def in_worker(name: str, keep: list[MemorySystem] | None = None) -> tuple[str, ...]:
    home = Path.cwd()
    system = from_path(name).build(Workspace(home, home, ScriptedWorld(), clock=float))
    if keep is not None:
        keep.append(system)
    return texts_of("m", system.recall("q"), 5)[0]


def is_running(words: str) -> bool:
    """Tell whether a process with these words in its command is still running, after at most a minute."""
    for _ in range(TRIES):
        if not any(words in command for command in _commands()):
            return False
        time.sleep(0.01)
    return True


def starts_running(words: str) -> bool:
    """Tell whether a process with these words in its command runs, at the latest after a minute."""
    for _ in range(TRIES):
        if any(words in command for command in _commands()):
            return True
        time.sleep(0.01)
    return False


def _commands() -> Iterator[str]:
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            yield place.read_text(encoding="utf-8", errors="replace").replace("\0", " ")


def unique_seconds() -> str:
    """Give a number of seconds for a `sleep` that no other process has in its command."""
    return f"61.{secrets.randbelow(10**9):09}"


def is_released(path: Path) -> bool:
    """Tell whether the process that locked a file has ended, after at most a minute."""
    with path.open("w") as file:
        for _ in range(TRIES):
            with suppress(BlockingIOError):
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return True
            time.sleep(0.01)
    return False
