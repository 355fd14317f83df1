"""Never ends inside a single operation, where Python looks at no signal.

Attack: 6
Behind: solution.py
Keeps: write
Status: timeout
Limits: 1
"""

import re


def recall(query):
    return re.match("(a*)*b", "a" * 64)
