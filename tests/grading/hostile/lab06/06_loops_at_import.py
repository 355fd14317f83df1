"""Never ends to be loaded.

Attack: 6
Behind: solution.py
Tasks: write, recall, verify
Keeps: none
Status: timeout
Limits: 1
"""

while True:
    pass
