"""Watches the size of the only folder that a learner's process can write to.

Runs in a thread of the supervisor, which the learner's process cannot reach.
"""

from __future__ import annotations

import os
import threading
import time

MOST_BYTES = 64 << 20
"""Bytes of all files together."""
ENTRIES = 10_000
"""Files and folders."""
DEPTH = 100
"""Folders within folders."""
PAUSE = 0.05


def watch(scratch: str, *folders: str) -> None:
    """Make folders in `scratch`; end the sandbox when their contents are too large."""
    for folder in folders:
        os.mkdir(os.path.join(scratch, folder))
    threading.Thread(target=_watch, args=(scratch,), daemon=True).start()


def _watch(scratch: str) -> None:
    while is_acceptable(scratch):
        time.sleep(PAUSE)
    os._exit(1)  # the learner's process ends with its parent


def is_acceptable(scratch: str) -> bool:
    """Return whether a folder can be read completely and is not too large."""
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
                    if size > MOST_BYTES or entries > ENTRIES or depth > DEPTH:
                        return False
        except (FileNotFoundError, NotADirectoryError):  # removed in the meantime
            continue
        except OSError:  # no permission, or nested too deep
            return False
    return True
