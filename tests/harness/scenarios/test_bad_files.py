from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

from memlab.harness.scenarios.errors import BadScenario
from memlab.harness.scenarios.loading import load, load_all
from memlab.harness.scenarios.yaml_lines import DEEPEST

Write = Callable[[str], Path]
FACT = "timeline:\n  - fact: {id: old, name: a, description: where, body: it is here, needles: [here]}\n"
PROBE = "  - probe: {id: p, recall: where is it, expect: [old]}\n"


def errors(path: Path) -> str:
    with pytest.raises(BadScenario) as caught:
        load(path).sample(0)
    return str(caught.value)


@pytest.mark.parametrize(
    ("rest", "line", "words"),
    [
        (FACT + "title: again\n", 6, "'title' is a duplicate key, first in line 2. Keep one."),
        (FACT.replace("name: a", "name: a, name: b"), 5, "'name' is a duplicate key"),
        (FACT + "5: x\n", 6, "the key '5' is not read as a text. Write \"5\" in quotes."),
        (FACT + "on: x\n", 6, "the key 'on' is not read as a text."),
        (FACT + "{a}: x\n", 6, "the key of a map is itself a map or list."),
        ("timeline: &t\n  - *t\n", 5, "uses the alias *t"),
        ("a: &a [x]\nb: &b [*a, *a]\n" + FACT, 5, "uses the alias *a"),
        (f"timeline: {'[' * 100_000}{']' * 100_000}\n", 4, f"nested more than {DEEPEST} deep"),
        ("timeline:\n\t- turn: {text: x}\n", 5, "not YAML: found character that cannot start any token."),
        (FACT + "  - turn: {text: !!python/name:os.system }\n", 6, "not YAML: could not determine a constructor"),
        (
            FACT + "  - turn: {text: !!python/object:os.x {}}\n",
            6,
            "Remove the tag that begins with !, or quote the text.",
        ),
        (FACT + "  - turn: {text: !important hurry}\n", 6, "Remove the tag that begins with !, or quote the text."),
        (FACT + "  - turn: {text: 2024-13-45}\n", 0, "Write it in quotes."),
        (
            FACT + "  - turn: {text: 2024-01-01}\n",
            6,
            "is datetime.date(2024, 1, 1). Valid: a text. Write it in quotes.",
        ),
        (FACT.replace("[here]", "here"), 5, "needles is 'here'. Valid: a list. Write [here]."),
        (FACT + "vary: {a: [1.5]}\n", 6, "vary.a.0 is 1.5. Valid: a map or a text or a whole number."),
        (FACT + "rules: [{body: x, bdy: y}]\n", 6, "unknown key 'bdy' in rules.0. Did you mean 'body'?"),
        (FACT + "  - probe:\n", 6, "`probe:` is empty: fill it in, or remove the step."),
        (FACT + "  - done:\n", 6, "`done:` is empty"),
        (FACT + "  - repeat:\n", 6, "`repeat:` is empty"),
        (FACT + "  - wait: 99999999999999999999999 weeks\n", 6, "it must match pattern"),
        (
            FACT + "  - repeat: {times: 20000, turn: {text: x}}\n" * 3,
            4,
            "60,001 steps are more than the maximum of 50,000.",
        ),
        (FACT + "  - repeat: {times: 2, each: {w: []}, turn: {text: x}}\n", 6, "each.w is empty. Give at least one."),
        (FACT + "vary: {a: []}\n", 6, "vary.a is empty. Give at least one."),
        (FACT + "vary: {A: [x]}\n", 6, "'A' is no valid variable name."),
        (FACT + "vary: {i: [x]}\n", 6, "'i' is no valid variable name."),
        (FACT + "vary: {a: [{b: x}, {c: y}]}\n", 6, "its choices have different parts"),
        (FACT + "vary: {unused: [x]}\n", 6, "the variable {unused} is never used. Use it, or remove it"),
        (
            FACT + "  - repeat: {times: 2, each: {w: [x]}, turn: {text: '{w}'}}\nvary: {w: [y]}\n",
            6,
            "{w} is also in `vary:`: rename one of the two",
        ),
        (FACT + "world: {files: {'{nope}': x}}\n", 6, "the variable {nope} has no value."),
        (FACT + "world: {files: {'{a}': x, b: y}}\nvary: {a: [b]}\n", 6, "two keys are both 'b' after substitution"),
        (FACT.replace("id: old", "id: rules"), 5, "'rules' is the name of a pin in `keep:`. Choose another id."),
        (FACT.replace("id: old", "id: ~old"), 5, "id is '~old': it must match pattern"),
    ],
)
def test_a_value_that_yaml_would_read_as_another_type_is_a_complaint(
    write: Write, rest: str, line: int, words: str
) -> None:
    messages = errors(write(rest)).splitlines()
    place = f"stale/sample.yaml:{line}: " if line else "stale/sample.yaml: "
    assert any(one.startswith(place) and words in one for one in messages)


def test_a_byte_that_is_no_utf_8_is_named_with_its_line(write: Write) -> None:
    path = write(FACT)
    path.write_bytes(path.read_bytes() + b"# caf\xe9\n")
    assert errors(path) == "stale/sample.yaml:6: the byte 0xe9 is not valid UTF-8. Save the file as UTF-8."


@pytest.mark.parametrize(
    ("world", "words"),
    [
        *(
            (f'{kind}: {{"{path}": x}}', "is no path below the world's root")
            for kind in ("files", "links")
            for path in (
                "../x",
                "/etc/x",
                "a/../../x",
                "~/x",
                ".",
                "",
                "a//b",
                "a/",
                "C:\\\\x",
                "a\\nb",
                "a\\0b",
                "x" * 300,
            )
        ),
        ('links: {a: ""}', "is no valid link target"),
        ("commands: {../git: []}", "'../git' is no valid command name"),
        ("commands: {git: [HELP]}", "'HELP' is no valid flag"),
        ('env: {"A=B": x}', "'A=B' is no valid variable name"),
        ('env: {A: "\\0"}', "contains a NUL byte"),
        *(
            (f"env: {{{name}: x}}", f"{name} changes how processes")
            for name in ("PATH", "HOME", "LD_PRELOAD", "PYTHONPATH")
        ),
        ("files: {a: x, a/b: y}", "'a/b' is below 'a', which is no folder"),
        ("files: {a/b: x}, links: {a: c}", "'a/b' is below 'a', which is no folder"),
        ("files: {a: x}, links: {a: b}", "'a' is both a file and a link"),
    ],
)
def test_an_impossible_world_or_one_that_leads_out_of_its_root_is_a_complaint_with_its_line(
    write: Write, world: str, words: str
) -> None:
    message = errors(write(f"{FACT}world: {{{world}}}\n"))
    assert message.startswith("stale/sample.yaml:6: ")
    assert words in message


def test_a_path_that_leads_out_only_by_its_variable_is_a_complaint_too(write: Write) -> None:
    message = errors(write(FACT + "world: {files: {'{a}/x': y}}\nvary: {a: [..]}\n"))
    assert "'../x' is no path below the world's root" in message


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("files: {gone.sh: null}", "there is no 'gone.sh' to remove at this point"),
        ("env: {GONE: null}", "there is no 'GONE' to remove at this point"),
        ("move: {b.sh: c.sh}", "there is no file 'b.sh' to move at this point. Did you mean 'a.sh'?"),
        ("files: {a.sh/b: x}", "'a.sh/b' is below 'a.sh', which is no folder"),
    ],
)
def test_a_change_that_cannot_be_made_is_a_complaint(write: Write, change: str, words: str) -> None:
    message = errors(write(f"world: {{files: {{a.sh: x}}}}\n{FACT}  - world: {{{change}}}\n"))
    assert message.startswith("stale/sample.yaml:7: ")
    assert words in message


def test_two_files_that_are_swapped_keep_their_contents(write: Write) -> None:
    world = "world: {files: {a: one, b: two}}\n"
    steps = load(write(f"{world}{FACT}  - world: {{move: {{a: b, b: a}}}}\n")).sample(0).timeline
    assert steps[-1].files == {"a": "two", "b": "one"}  # type: ignore[union-attr] # the last step is the change


@pytest.mark.parametrize(
    ("text", "what"), [("", "nothing"), ("# soon\n", "nothing"), ("- a\n", "a list"), ("a", "'a'")]
)
def test_the_error_for_a_file_that_is_not_a_mapping_names_its_type_and_what_to_do(
    write: Write, text: str, what: str
) -> None:
    path = write(FACT)
    path.write_text(text, encoding="utf-8")
    words = f"a scenario is a map that starts with `id:`, but this is {what}."
    assert errors(path) == f"stale/sample.yaml:1: {words} Write one, or move the file out of the folder."


def test_a_yaml_name_that_is_not_a_regular_file_is_reported_without_waiting_for_it(
    write: Write, tmp_path: Path
) -> None:
    path = write(FACT)
    folder = path.parent
    (folder / "broken.yaml").symlink_to("gone")
    (folder / "circle.yaml").symlink_to("circle.yaml")
    (folder / "folder.yaml").mkdir()
    os.mkfifo(folder / "pipe.yaml")
    (folder / "good.yaml").symlink_to(path)
    with pytest.raises(BadScenario) as caught:
        load_all([tmp_path])
    astray = "is a link to a file that does not exist. Fix the link, or move it out of the folder."
    other = "is a folder, a pipe or a device, not a file. Rename it, or move it out of the folder."
    messages = {complaint.path.name: complaint.text for complaint in caught.value.errors}
    assert messages.pop("good.yaml").startswith("id is ")
    assert messages == {"broken.yaml": astray, "circle.yaml": astray, "folder.yaml": other, "pipe.yaml": other}


@pytest.mark.parametrize("name", ["nowhere", "empty", "file.yaml"])
def test_a_folder_without_scenarios_is_a_complaint_and_not_a_proof(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file.yaml").write_text("id: x", encoding="utf-8")
    with pytest.raises(BadScenario, match=r"Give a folder that contains <family>/<name>\.yaml"):
        load_all([tmp_path / name])


def test_one_id_in_two_folders_is_a_complaint(write: Write, tmp_path: Path) -> None:
    path = write(FACT + PROBE)
    other = tmp_path / "more" / "stale" / "sample.yaml"
    other.parent.mkdir(parents=True)
    other.write_bytes(path.read_bytes())
    with pytest.raises(BadScenario, match=r"the id is also that of .*sample\.yaml"):
        load_all([tmp_path])


def test_complaints_can_be_pickled_between_processes(write: Write) -> None:
    with pytest.raises(BadScenario) as caught:
        load(write(FACT + "x: 1\ny: 2\n"))
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 - what was just written
    assert again.errors == caught.value.errors
    assert str(again) == str(caught.value)
