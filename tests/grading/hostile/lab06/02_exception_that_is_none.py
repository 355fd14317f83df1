"""Raises from a class whose metaclass lies about what it is an instance of, and whose trace is forged.

Attack: 2
Behind: constant_stub.py
Keeps: none
Status: ok or crashed
"""


class Liar(type):
    def __instancecheck__(cls, other):
        return True

    __name__ = property(lambda cls: {"ok": True})


class Worse(BaseException, metaclass=Liar):
    @property
    def __traceback__(self):
        return self

    @property
    def __class__(self):
        return ValueError


def write_memory(*args, **named):
    raise Worse


recall = write_memory
