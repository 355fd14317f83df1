"""What the checker looks up in the scripted world."""

from __future__ import annotations

from memlab.harness.check.refutation import is_confirmed, why_not_refuted
from memlab.memory.world import ScriptedWorld

HERE = ScriptedWorld({"app/main.py": ("x = 1\n", "user")})
EMPTY = ScriptedWorld({"app/other.py": ("", "user")})


def test_a_path_with_a_line_number_is_the_path() -> None:
    for line in ("42", "42:7"):
        text = f"The bug is in app/main.py:{line}."
        assert is_confirmed(text, "app/main.py", [HERE])
        assert why_not_refuted(text, "app/main.py", [HERE])
        assert why_not_refuted(text, "app/main.py", [HERE, EMPTY]) == ""
