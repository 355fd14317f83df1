from __future__ import annotations

import contextlib
import errno
import itertools
import os
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from memlab.sandbox.isolation import (
    users,
)
from memlab.sandbox.isolation.interpreter import interpreter
from memlab.sandbox.isolation.users import NUMBERS, plain_user

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a sandbox its own user")


@as_root
def test_no_two_sandboxes_have_the_same_user_at_once() -> None:
    with plain_user() as one, plain_user() as other:
        assert one != other
        assert {one, other} <= set(NUMBERS)


HOLD_A_USER_ID = """
import sys
from memlab.sandbox.isolation.users import plain_user

with plain_user() as number:
    print(number, flush=True)
    sys.stdin.read()
"""


@contextlib.contextmanager
def user_id_held_by_another_process() -> Iterator[int]:
    """Start a process that reserves a user id, and yield the id."""
    command = [sys.executable, "-c", HOLD_A_USER_ID]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield int(process.stdout.readline())
        process.stdin.close()
    assert process.returncode == 0


@as_root
def test_a_user_id_that_another_process_holds_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that run in parallel reserve ids too, so the test compares with the ids that were in use at that moment."""
    refused = []

    class RecordingSocket(socket.socket):
        def bind(self, address: str) -> None:  # type: ignore[override] # only unix sockets are bound here
            try:
                super().bind(address)
            except OSError as error:
                refused.append((address, error.errno))
                raise

    with user_id_held_by_another_process() as held:
        first = NUMBERS.index(held)
        monkeypatch.setattr(users, "_turns", itertools.count(first))
        monkeypatch.setattr(socket, "socket", RecordingSocket)
        with plain_user() as other:
            assert other is not None
            skipped = (NUMBERS.index(other) - first) % len(NUMBERS)
            assert skipped > 0, "the held id was given again"
            numbers = [NUMBERS[(first + turn) % len(NUMBERS)] for turn in range(skipped)]
            assert refused == [(f"\0memlab-user-{number}", errno.EADDRINUSE) for number in numbers]


def test_the_python_of_a_sandbox_is_readable_by_its_user_and_has_no_packages() -> None:
    found = interpreter()
    assert tuple(int(one) for one in found.version.split(".")) >= (3, 11)
    assert found.libraries
    assert not [one for one in found.modules if "-packages" in one]
