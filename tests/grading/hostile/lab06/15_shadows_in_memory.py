"""Puts modules of its own in the place of those that answer.

Attack: 15
Behind: constant_stub.py
Keeps: none
Status: ok or crashed
"""

import sys
from types import ModuleType


class Always(ModuleType):
    def __getattr__(self, name):
        return lambda *args, **named: '{"ok": true, "printed": ""}'


for name in (
    "json",
    "pytest",
    "unittest",
    "memlab",
    "memlab.grading",
    "memlab.labs.checks",
    "hypothesis",
    "selectors",
    "io",
):
    sys.modules[name] = Always(name)
