"""Becomes another program, which says that all is well.

Attack: 1
Behind: solution.py
Keeps: none
Status: crashed
"""

import os

os.execv("/bin/sh", ["sh", "-c", """while read line; do echo '{"ok": null, "printed": ""}'; done"""])
