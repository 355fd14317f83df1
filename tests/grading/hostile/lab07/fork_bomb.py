"""Forks without end as soon as an episode is logged.

Attack: 8
Behind: solution.py
Tasks: log
Keeps: none
Status: crashed or timeout or ok
Limits: 2
Needs: processes
"""

import os


def log_episode(self, kind, detail, *, source="user", session=None):
    while True:
        try:
            os.fork()
        except OSError:
            pass


MemoryMix.log_episode = log_episode
