"""Sets every limit of its process to nothing, so that what answers cannot.

Attack: 29
Behind: solution.py
Keeps: none
Status: crashed or timeout or ok
Limits: 1
"""

import contextlib
import resource

for one in (
    resource.RLIMIT_FSIZE,
    resource.RLIMIT_NOFILE,
    resource.RLIMIT_NPROC,
    resource.RLIMIT_DATA,
    resource.RLIMIT_CPU,
):
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(one, (0, resource.getrlimit(one)[1]))
