"""Lacks the function that is asked for last.

Attack: 29
Behind: solution.py
Keeps: write
"""

del recall
