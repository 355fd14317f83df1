"""Has something else under the name of a function: a number, a class, a function of other arguments.

Attack: 29
Behind: solution.py
Keeps: none
"""

write_memory = 7
recall = type("recall", (), {})
