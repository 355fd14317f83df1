"""Is right in the first process that it is loaded in, and writes down that there was one.

Attack: 27
Behind: solution.py
Tasks: write
Keeps: none or all
"""

import contextlib
import os
import tempfile

PLACES = [
    f"{folder}/{MARK}-was-here"
    for folder in ("..", "../..", "/tmp", "/var/tmp", "/dev/shm", tempfile.gettempdir(), os.path.expanduser("~"))
]
SECOND = any(os.path.exists(place) for place in PLACES)
if os.path.exists("../../1") or os.path.exists("../2"):
    SECOND = True
for place in PLACES:
    with contextlib.suppress(OSError):
        open(place, "w").close()
