"""How much a learner's process keeps in the only folder that it can write: somebody looks, again and again.

A thread of the supervisor, which the learner's process cannot reach.
"""

from __future__ import annotations

import os
import threading
import time

ROOM = 64 << 20
"""Bytes of all files together."""
ENTRIES = 10_000
"""Files and folders."""
DEPTH = 100
"""Folders within folders."""
PAUSE = 0.05


def keep(scratch: str, *folders: str) -> None:
    """Make folders in `scratch`, then end the whole room once there is too much in it."""
    for folder in folders:
        os.mkdir(os.path.join(scratch, folder))
    threading.Thread(target=_watch, args=(scratch,), daemon=True).start()


def _watch(scratch: str) -> None:
    while sensible(scratch):
        time.sleep(PAUSE)
    os._exit(1)  # the learner's process ends with its parent


def sensible(scratch: str) -> bool:
    """Tell if what lies in a folder can be looked through, and is not too much."""
    size, entries, folders = 0, 0, [(scratch, 0)]
    while folders:
        folder, depth = folders.pop()
        try:
            with os.scandir(folder) as inside:
                for one in inside:
                    entries += 1
                    found = one.stat(follow_symlinks=False)
                    size += found.st_blocks * 512
                    if one.is_dir(follow_symlinks=False):
                        folders.append((one.path, depth + 1))
                    if size > ROOM or entries > ENTRIES or depth > DEPTH:
                        return False
        except (FileNotFoundError, NotADirectoryError):  # removed in the meantime
            continue
        except OSError:  # shut, or nested too deep
            return False
    return True
