"""Answers each question from both sides of a fork.

Attack: 8
Behind: constant_stub.py
Keeps: none
Status: ok or crashed or timeout
Limits: 2
"""

import os


def recall(query):
    os.fork()
    return "This repo prefers pnpm."
