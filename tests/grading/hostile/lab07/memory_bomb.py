"""Takes memory until there is none as soon as it is asked for the rules.

Attack: 9
Behind: solution.py
Tasks: rules
Keeps: none
Status: crashed or timeout or ok
Limits: 1
Needs: memory
"""


def rules(self):
    hoard = [bytearray(2**20)]
    while True:
        hoard += [bytes(one) for one in hoard]


MemoryMix.rules = rules
