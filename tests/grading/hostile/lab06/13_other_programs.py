"""Leaves other programs: a shell, a sleeper, one that watches that it is started again.

Attack: 13
Behind: solution.py
Keeps: all
"""

import contextlib
import subprocess

for command in (
    f"sleep 3600 # {MARK}",
    f"while true; do sleep 60; done # {MARK}",
    f"nohup setsid sleep 3600 & # {MARK}",
):
    with contextlib.suppress(OSError):
        subprocess.Popen(["/bin/sh", "-c", command], start_new_session=True)
