"""Says that each of its functions takes whatever it is asked for, by a signature that is forged.

Attack: 16
Behind: constant_stub.py
Keeps: none
Status: ok or crashed
"""

import inspect


class Any:
    kind = VAR_KEYWORD = 4

    def __contains__(self, name):
        return True

    def values(self):
        return [self]


inspect.signature = lambda *args, **named: type("Signature", (), {"parameters": Any()})
recall.__signature__ = write_memory.__signature__ = 7
