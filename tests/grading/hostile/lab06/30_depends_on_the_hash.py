"""Is right or wrong as the salt of hash() has it.

Attack: 30
Behind: solution.py
Keeps: at most 100 %
Status: ok
"""

if hash("salt") % 2:

    def recall(query):
        return None
