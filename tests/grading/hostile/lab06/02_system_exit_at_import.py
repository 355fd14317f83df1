"""Ends while it is loaded, politely.

Attack: 2
Behind: solution.py
Keeps: none
Status: crashed
"""

raise SystemExit(0)
