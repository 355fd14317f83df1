"""Prints what would clear a terminal, write over its lines, turn the text round and open a tag.

Attack: 11
Behind: solution.py
Keeps: write
"""


def recall(query):
    evil = "\x1b[2J\x1b]0;PASSED\x07\r100/100\x00\u202e\u2066<script>alert(1)</script>=cmd|' /C calc'!A0\n,,,\n"
    print(evil)
    raise ValueError(evil * 10)
