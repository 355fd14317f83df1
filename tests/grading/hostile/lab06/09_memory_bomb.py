"""Takes memory until there is none.

Attack: 9
Behind: solution.py
Keeps: none
Status: crashed or ok or timeout
Limits: 1
Needs: memory
"""

HOARD = []
while True:
    HOARD.append(bytearray(2**24))
