from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

import pytest

from memlab.memory.method_checks import checked


class Log:
    """A log that knows whether its lock is held."""

    def __init__(self) -> None:
        self.is_held = False

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        assert not self.is_held
        self.is_held = True
        yield
        self.is_held = False


@pytest.fixture
def memory_type() -> Any:  # noqa: ANN401 - its methods are called with wrong types
    """Guard a class within the test: mutmut runs no mutant while a module is imported."""

    @checked(without_lock=("look",))
    class Memory:
        """Its methods return whether they hold the lock."""

        limit = 5

        def __init__(self, size: int = 1) -> None:
            self.size = size
            self.episodes = Log()

        def put(self, number: int, kind: Literal["a", "b"] = "a", *, name: str = "") -> bool:
            """Write."""
            assert self._inner("no number") == self.episodes.is_held  # type: ignore[arg-type]
            return self.episodes.is_held

        def look(self, number: int) -> bool:
            """Read."""
            return self.episodes.is_held

        def _inner(self, number: int) -> bool:
            return self.episodes.is_held

    return Memory


def test_a_public_method_that_writes_holds_the_lock_and_one_that_reads_does_not(memory_type: Any) -> None:  # noqa: ANN401
    memory = memory_type(size=3)
    assert memory.size == 3
    assert memory.put(1, name="x")
    assert not memory.look(1)
    assert not memory._inner(1)  # noqa: SLF001 - what is private is not checked
    assert memory_type.put.__doc__ == "Write."


@pytest.mark.parametrize(
    ("name", "values", "options", "message"),
    [
        ("put", ("1",), {}, "put: number '1': must be of type int, and '1' is a str"),
        ("put", (1,), {"name": 2}, "put: name 2: must be of type str, and 2 is a int"),
        ("look", (None,), {}, "look: number None: must be of type int, and None is a NoneType"),
    ],
)
def test_a_wrong_type_is_reported_before_the_method_runs(
    memory_type: Any,  # noqa: ANN401
    name: str,
    values: tuple[Any, ...],
    options: dict[str, Any],
    message: str,
) -> None:
    for _ in range(2):
        with pytest.raises(TypeError) as refusal:
            getattr(memory_type(), name)(*values, **options)
        assert str(refusal.value) == message
    with pytest.raises(TypeError, match=r"^Memory: size 'x': must be of type int"):
        memory_type("x")


def test_an_invalid_choice_and_an_unknown_argument_are_left_to_the_method(memory_type: Any) -> None:  # noqa: ANN401
    assert memory_type().put(1, "c")
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        memory_type().put(1, colour="red")
    with pytest.raises(TypeError, match="takes from 2 to 3 positional arguments"):
        memory_type().put(1, "a", "x")
