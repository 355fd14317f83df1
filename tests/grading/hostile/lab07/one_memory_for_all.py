"""Keeps everything in the class, and in a file outside its folder, for the process after it.

Attack: 27
Behind: solution.py
Tasks: log
Keeps: at most 50 %
"""

import os

EPISODES = []


def log_episode(self, kind, detail, *, source="user", session=None):
    EPISODES.append({"kind": kind, "detail": detail, "source": source, "session": session})


MemoryMix.log_episode = log_episode
MemoryMix.episodes = lambda self: EPISODES
