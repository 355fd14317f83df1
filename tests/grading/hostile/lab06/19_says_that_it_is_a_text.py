"""Gives an object that says it is a text, a number, a list: by its class, as each is asked for.

Attack: 19
Behind: constant_stub.py
Keeps: none
Status: ok or crashed
"""


class Liar:
    def __init__(self, kind):
        self.kind = kind

    @property
    def __class__(self):
        return self.kind

    def __iter__(self):
        return iter("anything")

    def __abs__(self):
        return 0

    def __eq__(self, other):
        return True

    __hash__ = None


KINDS = [str, int, float, bool, list, tuple, dict, type(None)]


def recall(query):
    return Liar(KINDS[len(query) % len(KINDS)])


def write_memory(*args, **named):
    return Liar(str)
