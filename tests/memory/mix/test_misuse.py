"""What is handed over by mistake is named, with what would be right, and nothing is kept of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memlab.memory import LiveWorld, MemoryMix, Provenance, Run, WindowShares, count_tokens
from memlab.memory.window.window import assemble_window


@pytest.fixture
def mix(make: Callable[[], Any]) -> Any:  # noqa: ANN401 - what is tried here no type allows
    return make()


LETTERS = Provenance(derived_from="e1")  # type: ignore[arg-type]
MISTAKES: dict[str, Callable[[Any], object]] = {
    r"todo 'build': .* write \['build'\]": lambda mix: mix.set_task("ship", "build"),
    r"ids 'abc': .* write \['abc'\]": lambda mix: mix.erase("abc"),
    r"ids 'a': .* write \['a'\]": lambda mix: mix.mark_refreshed("a"),
    r"origin 'web': .*Provenance\('tool'": lambda mix: mix.set_task("ship", ["build"], "web"),
    r"log_episode: origin 'web': .*Provenance": lambda mix: mix.log_episode("tool", "hello", origin="web"),
    r"log_episode: about Provenance.*: .*type str": lambda mix: mix.log_episode("tool", "hello", Provenance("tool")),
    r"log_episode: detail None: .*type str, and None is a NoneType": lambda mix: mix.log_episode("tool", None),
    r"write_fact: body \['x'\]: .*type str, and .* is a list": lambda mix: mix.write_fact("lamp", "", ["x"]),
    r"Run error 3: .*type str, and 3 is a int": lambda mix: mix.log_run(Run("ship", error=3)),  # type: ignore[arg-type]
    r"Run seconds '5': .*type float": lambda mix: mix.log_run(Run("ship", seconds="5")),  # type: ignore[arg-type]
    r"Run success 'no': .*type bool": lambda mix: mix.log_run(Run("ship", success="no")),  # type: ignore[arg-type]
    r"skills 'ship': .* write \['ship'\]": lambda mix: mix.log_run(Run("ship", skills="ship")),  # type: ignore[arg-type]
    r"set_task: todo \[5\]: .* and 5 is a int": lambda mix: mix.set_task("ship", [5]),
    r"recall: query None: .*type str, and None is a NoneType$": lambda mix: mix.recall(None),
    r"recall: k '5': .*type int": lambda mix: mix.recall("lamp", "5"),
    r"assemble: budget 400.0: .*type int": lambda mix: mix.assemble("lamp", 400.0),
    r"note: text 5: .*type str": lambda mix: mix.note(5),
    r"write_rule: text None: .*type str": lambda mix: mix.write_rule(None),
    r"erase: ids \[5\]: .* and 5 is a int": lambda mix: mix.erase([5]),
    r"release: identity \['a'\]: .*type str": lambda mix: mix.release(["a"]),
    r"log_run: run 'ship': .*type Run": lambda mix: mix.log_run("ship"),
    r"compact: origin 'agent': .*Provenance": lambda mix: mix.compact("agent"),
    r"Provenance derived_from 'e1': .*tuple": lambda mix: mix.write_fact("a", "", "b", origin=LETTERS),
}


@pytest.mark.parametrize("message", MISTAKES)
def test_a_value_of_a_wrong_type_is_reported_with_the_right_type(mix: Any, message: str) -> None:  # noqa: ANN401
    with pytest.raises(TypeError, match=message):
        MISTAKES[message](mix)
    assert list(mix.episodes.replay()) == list(mix.facts.statements()) == []
    assert not mix.working.goal


def test_the_error_for_an_invalid_choice_lists_the_valid_ones(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="sync 'Always': choose one of always, batch, never"):
        MemoryMix(tmp_path, sync="Always")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"keep -1: .* 0 or more"):
        MemoryMix(tmp_path, keep=-1)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"directory": None}, r"MemoryMix: directory None: .*Path \| str, and None is a NoneType$"),
        ({"world": "here"}, r"MemoryMix: world 'here': .*World \| None, and 'here' is a str$"),
        ({"clock": 3.0}, r"MemoryMix: clock 3.0: .*Callable.* and 3.0 is a float$"),
        ({"facts": "facts.db"}, r"MemoryMix: facts 'facts.db': .*FactTable \| None, and 'facts.db' is a str$"),
        ({"defences": {"guard": True}}, r"MemoryMix: defences .*type Defences, and .* is a dict$"),
        ({"count": 4}, r"MemoryMix: count 4: .*Callable.* and 4 is a int$"),
        ({"keep": "3"}, r"MemoryMix: keep '3': .*type int, and '3' is a str$"),
        ({"max_bytes": None}, r"MemoryMix: max_bytes None: .*type int, and None is a NoneType$"),
        ({"links": "no"}, r"MemoryMix: links 'no': .*type bool, and 'no' is a str$"),
        ({"encoder": "minilm"}, r"MemoryMix: encoder 'minilm': .*Encoder \| None, and 'minilm' is a str$"),
    ],
)
def test_an_option_of_a_wrong_type_is_reported_when_the_memory_is_opened(
    tmp_path: Path, wrong: dict[str, Any], message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        MemoryMix(**({"directory": tmp_path} | wrong))
    assert not list(tmp_path.iterdir())


def test_a_number_of_memories_may_be_of_any_size_but_not_negative(mix: MemoryMix) -> None:
    mix.write_fact("lamp", "", "The lamp is in the hall.")
    for size in (2**62, 2**64, 10**400):
        assert [one.text for one in mix.recall("where is the lamp", size)] == ["The lamp is in the hall."]
        assert "The lamp is in the hall." in mix.assemble("where is the lamp", size)
    for size in (-1, -2, -(2**70)):
        with pytest.raises(ValueError, match=rf"k {size}: .* must be 0 or more"):
            mix.recall("where is the lamp", size)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), 10**30, 10**400])
def test_a_run_with_a_number_that_the_log_cannot_hold_is_refused_and_counts_for_no_skill(
    mix: MemoryMix, number: float
) -> None:
    mix.write_skill("walk", "Walk.")
    for run in (Run("go", seconds=number, skills=("walk",)), Run("go", steps=number, skills=("walk",))):  # type: ignore[arg-type]
        with pytest.raises((ValueError, TypeError), match="must be"):
            mix.log_run(run)
    assert not mix.skills.named("walk").used
    assert not [*mix.episodes.replay(), *mix.damaged()]


def test_erase_returns_the_erased_ids(mix: MemoryMix) -> None:
    kept = mix.write_fact("lamp", "", "The lamp is in the hall.")
    mix.log_episode("note", "The lamp moved.", origin=Provenance("agent", id="moved", derived_from=(kept.id,)))
    assert mix.erase(["lamp", "nobody"]) == set()  # a name is no id
    assert mix.erase([kept.id]) == {kept.id, "moved"}
    mix.write_rule("Be kind.", "kind", Provenance(id="kindness"))
    assert mix.erase(["kindness"]) == {"kindness"}


def test_a_root_that_is_no_folder_refutes_nothing(tmp_path: Path) -> None:
    sight = LiveWorld(tmp_path / "nowhere").file("scripts/deploy.sh")
    assert sight.presence == "unknown"
    assert "nowhere is no folder" in sight.reason


def test_a_world_that_is_shown_shows_no_secret(tmp_path: Path) -> None:
    assert "hunter2" not in repr(LiveWorld(tmp_path, {"PASSWORD": "hunter2"}))


def test_a_mix_is_closed_at_the_end_of_its_block_and_opened_by_what_comes_after(tmp_path: Path) -> None:
    with MemoryMix(str(tmp_path)) as mix:
        mix.log_episode("note", "The lamp is lit.")
    assert [one.detail for one in mix.episodes.replay()] == ["The lamp is lit."]
    mix.close()


def test_a_result_that_would_take_its_whole_share_is_condensed_and_not_left_out() -> None:
    table = "\n".join(f"{n},{n * n}" for n in range(150))
    text = assemble_window("", lambda _: "", results=[table], shares=WindowShares(1000))
    assert "left out)" not in text.splitlines()[0]
    assert "- " in text
    assert count_tokens(text) <= 350
    for name in ("turns", "results"):
        with pytest.raises(TypeError, match=f"^{name} 'hello': this is one text where a list is meant"):
            assemble_window("", lambda _: "", **{name: "hello"})  # type: ignore[arg-type]
