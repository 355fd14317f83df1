"""Leaves folders and files that nobody may open, list or remove.

Attack: 10
Behind: constant_stub.py
Keeps: none
Status: ok or crashed
"""

import os

os.makedirs("memory/locked/inside", exist_ok=True)
open("memory/locked/inside/MEMORY.md", "w").close()
os.chmod("memory/locked/inside/MEMORY.md", 0)
os.chmod("memory/locked/inside", 0)
os.chmod("memory/locked", 0)
os.chmod("memory", 0o111)
os.chmod(".", 0o111)
os.chmod("..", 0o111)
