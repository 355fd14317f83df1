"""Never ends to be asked whether it has a function at all.

Attack: 6
Behind: solution.py
Keeps: write
Status: timeout
Limits: 1
"""

del recall


def __getattr__(name):
    while True:
        pass
