"""Changes whatever compares in the frameworks that test: an assertion that fails has passed.

Attack: 16
Behind: constant_stub.py
Keeps: none
Status: ok or crashed
"""

import operator
import random
import sys
import unittest

for name in dir(unittest.TestCase):
    if name.startswith("assert"):
        setattr(unittest.TestCase, name, lambda *args, **named: None)
unittest.TestResult.wasSuccessful = lambda self: True
operator.eq = operator.is_ = operator.contains = lambda *args: True
random.random = lambda: 0.0
random.Random.__init__ = lambda self, *args: None
sys.exit = sys.setprofile = sys.settrace = lambda *args: None
