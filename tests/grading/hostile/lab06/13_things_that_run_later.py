"""Asks the machine to run something later: at a login, each minute, at the start of Python.

Attack: 13
Behind: constant_stub.py
Keeps: none
Status: ok or crashed
"""

import contextlib
import os
import subprocess
import sys

HOME = os.path.expanduser("~")
LINE = f"touch /tmp/{MARK}\n"
for place in (
    f"{HOME}/.profile-{MARK}",
    f"{HOME}/.config/autostart/{MARK}.desktop",
    f"{HOME}/.config/systemd/user/{MARK}.service",
    f"/etc/cron.d/{MARK}",
    f"/var/spool/cron/crontabs/{MARK}",
    f"/etc/profile.d/{MARK}.sh",
    f"/etc/ld.so.conf.d/{MARK}.conf",
    *(f"{folder}/{MARK}.pth" for folder in sys.path if folder),
    *(f"{folder}/{MARK}/sitecustomize.py" for folder in sys.path if folder),
):
    with contextlib.suppress(OSError):
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "w") as later:
            later.write(LINE)
with contextlib.suppress(OSError):
    subprocess.run(["at", "now"], input=LINE.encode(), timeout=1, check=False)
