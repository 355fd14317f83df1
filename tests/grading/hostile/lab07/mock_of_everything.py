"""Is an object that has every method and every value, each of which is such an object again.

Attack: constant stub
Behind: nothing
Tasks: all
Keeps: at most 5 %
"""

from unittest.mock import MagicMock as MemoryMix
