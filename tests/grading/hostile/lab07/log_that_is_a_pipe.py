"""Makes its log a pipe without a reader, and its facts a link to themselves.

Attack: 24
Behind: constant_stub.py
Keeps: none
Status: ok or crashed
"""

import os


def laid(self):
    os.makedirs("mix", exist_ok=True)
    for make, place in ((os.mkfifo, "mix/episodes.jsonl"), (lambda at: os.symlink(at, at), "mix/facts.json")):
        try:
            make(place)
        except OSError:
            pass
    self.working = {}


MemoryMix.__init__ = laid
