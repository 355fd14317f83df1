import pytest

from memlab.systems.answers import SystemFailed, context_of, failure, texts_of
from memlab.terms import Memory


def test_strings_and_memories_are_answers_and_the_notes_of_the_first_k_are_read() -> None:
    recalled = [Memory("a", notes=("one",)), "b", Memory("c", notes=("beyond k",))]
    assert texts_of("mine", recalled, 2) == (("a", "b", "c"), ("one",))
    assert texts_of("mine", (), 2) == ((), ())


@pytest.mark.parametrize("junk", [None, "text", b"text", 3, {"a"}, {"a": 1}, iter(["a"]), [["a"]], [3], [None], [b"a"]])
def test_anything_else_is_no_answer(junk: object) -> None:
    with pytest.raises(SystemFailed, match="'mine'"):
        texts_of("mine", junk, 5)


@pytest.mark.parametrize("memory", [Memory(3), Memory("a", notes="b"), Memory("a", notes=(3,))])  # type: ignore[arg-type] # the junk under test
def test_a_memory_of_junk_is_no_answer(memory: Memory) -> None:
    with pytest.raises(SystemFailed, match="is a Memory whose"):
        texts_of("mine", [memory], 5)


@pytest.mark.parametrize("junk", [None, b"text", ["text"], 3])
def test_a_context_is_one_string(junk: object) -> None:
    with pytest.raises(SystemFailed, match=r"assemble\(\) of 'mine' returned .* it must return one string"):
        context_of("mine", junk)


def test_an_error_whose_message_cannot_be_read_is_still_named() -> None:
    class Rude(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    assert str(failure("mine", "recall()", Rude())) == "recall() of 'mine' raised Rude"
    assert str(failure("mine", "recall()", ValueError("x" * 999))).endswith("x" * 300)
