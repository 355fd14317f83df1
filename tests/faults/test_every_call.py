"""A method cut short at any of its calls to the system happened or did not; called again, it has happened once."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import every_call
import pytest

EVERY = int(os.environ.get("EVERY", "60"))
"""Every so many-th call is cut short; `make faults` takes minutes for one in four."""
HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile the shim that counts calls."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler or sys.platform != "linux":
        pytest.skip("a C compiler is needed for the shim that counts the calls to the system: install gcc")
    library = tmp_path_factory.mktemp("shim") / "system_calls.so"
    source = HERE / "system_calls.c"
    command = [compiler, "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"]
    built = subprocess.run(command, capture_output=True, check=False)
    if built.returncode:
        pytest.skip(f"{compiler} cannot build the shim: {built.stderr.decode().splitlines()[:1]}")
    return library


@pytest.mark.parametrize("name", every_call.VERBS)
def test_a_method_cut_short_at_any_call_to_the_system_has_happened_or_has_not(
    name: str, shim: Path, tmp_path: Path
) -> None:
    environment = os.environ | {"LD_PRELOAD": str(shim)}
    command = [sys.executable, every_call.__file__, str(tmp_path), name, str(EVERY)]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert not ran.returncode, ran.stderr
    report = json.loads(ran.stdout)
    print(f"\n{name}: {report['tried']} calls cut short left {report['states']} states", end="")  # noqa: T201 - the output of `make faults`
    assert not report["faults"], "\n".join([*map(" at ".join, report["faults"].items()), ran.stderr])
