"""Never ends to recall.

Attack: 6
Behind: solution.py
Keeps: write
Status: timeout
Limits: 1
"""


def recall(query):
    while True:
        pass
