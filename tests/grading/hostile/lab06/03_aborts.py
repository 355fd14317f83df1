"""Makes the C library abort, with a core to be dumped.

Attack: 3
Behind: solution.py
Keeps: write
Status: crashed
"""

import os
import resource


def recall(query):
    resource.setrlimit(resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2)
    os.abort()
