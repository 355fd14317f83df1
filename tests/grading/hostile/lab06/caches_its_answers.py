"""Answers a question that was asked before as it answered then.

Attack: caches answers
Behind: solution.py
Keeps: at most 95 %
"""

from functools import cache

recall = cache(recall)
