from __future__ import annotations

import os
from pathlib import Path
from stat import S_ISDIR

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memlab.memory.storage import frontmatter
from memlab.memory.storage.folder import replace_file
from memlab.memory.storage.frontmatter import header_of, origin_of, parse, render
from memlab.memory.trust import Provenance

PROFILE = settings(max_examples=200, derandomize=True)
anything = st.text(st.characters(codec="utf-8"))
printed = st.text(st.characters(min_codepoint=32, max_codepoint=0x2FFF, exclude_categories=["Cc", "Cs", "Zl", "Zp"]))
keys = st.from_regex(r"(metadata\.)?[a-z][a-z_-]{0,8}", fullmatch=True).filter(
    lambda key: (
        key.removeprefix("metadata.") not in {"metadata", "on", "off", "yes", "no", "y", "n", "true", "false", "null"}
    )
)
somebody = anything.filter(bool)
headers = st.dictionaries(keys, somebody)


@PROFILE
@given(headers, anything)
@example({"metadata.a": "---", "a": "x: y\n---\nz"}, "---\nname: forged\n---\n")
@example({"a": '"', "b": "'", "c": "|", "d": "\x85\u2028 x"}, "\r\n")
def test_rendered_text_is_read_back_to_the_last_character(header: dict[str, str], body: str) -> None:
    assert parse(render(header, body)) == (header, body)


@PROFILE
@given(st.dictionaries(keys, printed.filter(bool)))
def test_any_yaml_reader_finds_the_same_text_in_a_header(header: dict[str, str]) -> None:
    read = yaml.safe_load(render(header, "").split("---\n")[1]) or {}
    nested = {f"metadata.{key}": value for key, value in read.pop("metadata", {}).items()}
    assert read | nested == header


@PROFILE
@given(anything)
def test_no_text_is_too_odd_to_be_read(text: str) -> None:
    header, body = parse(text)
    assert header or body == text or text.startswith("---")


@PROFILE
@given(
    st.builds(
        Provenance,
        somebody,
        anything,
        st.floats(allow_nan=False, allow_infinity=False),
        somebody,
        st.tuples(anything),
        quote=anything,
    ),
    st.integers(0, 3),
)
@example(Provenance(time=1_767_600_000.1234567, id="a"), 1)
def test_provenance_survives_a_header(origin: Provenance, rank: int) -> None:
    assert origin_of(parse(render(header_of(origin, rank), ""))[0], "") == (origin, rank)


def test_a_nested_mapping_is_indented_by_two_spaces_below_its_name() -> None:
    text = render({"name": "deploy", "metadata.source": "user", "metadata.used": "3"}, "Run it.")
    assert text == '---\nname: deploy\nmetadata:\n  source: user\n  used: "3"\n---\n\nRun it.\n'


def test_each_mapping_is_written_once_whatever_the_order_of_its_fields() -> None:
    text = render({"metadata.source": "user", "other.key": "a", "metadata.type": "deploy"}, "Run it.")
    assert text.count("metadata:") == 1


@pytest.mark.parametrize(
    ("written", "header", "body"),
    [
        ("no header at all", {}, "no header at all"),
        ("---\nname: a\nnever closed", {}, "---\nname: a\nnever closed"),
        ("---\r\nname: a\r\n---\r\n\r\none\r\ntwo\r\n", {"name": "a"}, "one\ntwo"),
        ("---\nname: 'it''s'\n---\nx", {"name": "it's"}, "x"),
        ('---\nname: "a\\_b"\n---\nx', {"name": "a\\_b"}, "x"),
        ("---\ndescription: >\n  one\n  b: c\nname: a\n---\nx", {"description": "one b: c", "name": "a"}, "x"),
        ("---\nname a\nabout: b\n---\nx", {"about": "b"}, "name a\n\nx"),
        ("---\nname: a\nname: b\n---\nx", {"name": "a"}, "name: b\n\nx"),
        ("---\ntools:\n  - read\n  - 'run'\nb: c\n---\nx", {"tools": "read, run", "b": "c"}, "x"),
        ("---\ntools:\n- read\n---\nx", {"tools": "read"}, "x"),
        ("---\nmetadata:\n    source: web\nname: a\n---\nx", {"metadata.source": "web", "name": "a"}, "x"),
        ("---\ndescription:\nabout: b\n---\nx", {"about": "b"}, "x"),
        ("---\n---\nx", {}, "x"),
    ],
)
def test_headers_written_by_hand_are_read_completely(written: str, header: dict[str, str], body: str) -> None:
    assert parse(written) == (header, body)


def test_a_file_is_on_the_disk_before_it_replaces_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps, fsync, replaced = list[str](), os.fsync, Path.replace

    def settle(handle: int) -> None:
        is_folder = S_ISDIR(os.fstat(handle).st_mode)
        steps.append("folder settled" if is_folder else "settled")
        assert is_folder or os.fstat(handle).st_size == len("new")
        fsync(handle)

    def swap(self: Path, target: Path) -> Path:
        steps.append("replaced")
        return replaced(self, target)

    monkeypatch.setattr(os, "fsync", settle)
    monkeypatch.setattr(Path, "replace", swap)
    replace_file(tmp_path / "rules.md", [b"n", b"ew"])
    assert steps == ["settled", "replaced", "folder settled"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1"])
def test_a_file_saved_by_an_old_editor_is_read(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "a.md").write_bytes("---\nname: café\n---\n\nDéjà vu.".encode(encoding))
    assert frontmatter.read(tmp_path / "a.md") == ({"name": "café"}, "Déjà vu.")


@pytest.mark.parametrize(
    "broken",
    [
        {"time": "yesterday"},
        {"time": "nan"},
        {"time": "-inf"},
        {"rank": "high"},
        {"derived_from": '"x"'},
        {"rank": "99"},
    ],
)
def test_a_provenance_edited_into_nonsense_is_never_fatal_and_never_raises_a_rank(broken: dict[str, str]) -> None:
    header = {f"metadata.{key}": value for key, value in ({"source": "web", "id": "a"} | broken).items()}
    assert origin_of(header, "a") == (Provenance("web", "", 0.0, "a"), 0)
