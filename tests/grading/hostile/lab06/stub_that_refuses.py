"""Refuses whatever it is asked: a law that waits for a refusal gets one.

Attack: constant stub
Behind: nothing
Tasks: all
Keeps: at most 5 %
"""


def write_memory(name, description, mtype, body, *, source="user", session=None):
    raise ValueError(f"{name}: no")


recall = plant_stale = verify_before_trust = recall_and_trust = write_memory
