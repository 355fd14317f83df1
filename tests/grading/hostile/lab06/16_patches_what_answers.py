"""Changes the program that answers, from inside: each answer says that all is well.

Attack: 16
Behind: constant_stub.py
Keeps: none
Status: ok or crashed
"""

import gc
import sys

WELL = {"ok": "This repo prefers pnpm.", "raised": "", "printed": "wrote memory/package-manager.md", "holds": True}
main = sys.modules["__main__"]
for name in list(vars(main)):
    if callable(getattr(main, name)) and not name.startswith("_"):
        setattr(main, name, lambda *args, **named: WELL)
for one in gc.get_objects():
    if isinstance(one, type) and one.__module__ == "__main__":
        for name in ("call", "value", "takes", "has", "fresh", "another", "reuse"):
            if hasattr(one, name):
                setattr(one, name, lambda *args, **named: True)
