"""Never ends, and catches whatever is raised in it.

Attack: 6
Behind: solution.py
Keeps: write
Status: timeout
Limits: 1
"""


def recall(query):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
