"""Prints and gives halves of letters, which no file can hold.

Attack: 11
Behind: solution.py
Keeps: write
Status: ok or crashed
"""


def recall(query):
    print("\ud800\udfff\ud800")
    return "\udfff\ud800"
