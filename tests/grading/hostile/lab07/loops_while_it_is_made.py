"""Never ends to make an object of its class.

Attack: 6
Behind: solution.py
Keeps: none
Status: timeout
Limits: 1
"""


def forever(self):
    while True:
        pass


MemoryMix.__init__ = forever
