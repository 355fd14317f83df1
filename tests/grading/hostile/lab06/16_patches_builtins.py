"""Changes what is built in: whatever is compared is equal, and is an instance, and is long enough.

Attack: 16
Behind: constant_stub.py
Keeps: none
Status: ok or crashed
"""

import builtins

builtins.isinstance = lambda *args: True
builtins.len = lambda *args: 1
builtins.all = builtins.any = lambda *args: True
builtins.getattr = lambda *args: lambda *args, **named: True
builtins.open = builtins.compile = builtins.exec = lambda *args, **named: None
builtins.__import__ = lambda *args, **named: builtins
