"""Answers a question that was asked before as it answered then.

Attack: caches answers
Behind: solution.py
Keeps: write
"""

from functools import cache

recall = cache(recall)
