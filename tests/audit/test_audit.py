"""The audit finds what was planted, and little else."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from planted import plant
from typer.testing import CliRunner

from memlab.audit.audit import Audit, audit
from memlab.cli import app

KINDS = ["missing", "contradiction", "duplicate", "near-duplicate", "secret", "instruction"]


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Counter[tuple[str, str, int]], Audit]:
    folder = tmp_path_factory.mktemp("planted")
    key = Counter(plant(folder))
    return folder, key, audit(folder)


@pytest.mark.parametrize("kind", KINDS)
def test_of_the_planted_findings_of_a_kind_most_are_found_and_few_are_wrong(
    kind: str, planted: tuple[Path, Counter[tuple[str, str, int]], Audit]
) -> None:
    _, key, done = planted
    wanted = Counter({place: times for place, times in key.items() if place[0] == kind})
    found = Counter[tuple[str, str, int]]((one.kind, one.file, one.line) for one in done.findings if one.kind == kind)
    right = (wanted & found).total()
    assert wanted.total() >= 15
    assert right >= 0.85 * wanted.total()
    assert right >= 0.95 * found.total(), [place for place in found if place not in wanted][:5]


def test_there_are_300_planted_findings(planted: tuple[Path, Counter[tuple[str, str, int]], Audit]) -> None:
    assert planted[1].total() >= 300


def test_a_memory_without_faults_has_no_findings(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("def start():\n    pass\n", encoding="utf-8")
    text = "# App\n\nThe app begins in `main.py`.\n\n- Use 2 spaces in JSON.\n- Use 4 spaces in Python.\n"
    (tmp_path / "CLAUDE.md").write_text(text, encoding="utf-8")
    assert audit(tmp_path).findings == ()


def test_what_cannot_be_read_is_named_and_the_rest_is_audited(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("- See gone/a.py.\n", encoding="utf-8")
    (tmp_path / "gone").mkdir()
    (tmp_path / "bad.json").write_text("{", encoding="utf-8")
    (tmp_path / "empty.db").write_bytes(b"SQLite format 3\0 and no more")
    (tmp_path / "image.md").write_bytes(b"\0\1\2")
    (tmp_path / "link.md").symlink_to("/etc/passwd")
    done = audit(tmp_path)
    assert {one.file for one in done.unreadable} == {"bad.json", "empty.db", "image.md", "link.md"}
    assert [(one.file, one.line, one.about) for one in done.findings] == [("note.md", 1, "gone/a.py")]


def test_of_a_million_lines_the_first_are_audited_and_the_place_of_the_others_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memlab.audit.audit.MOST_STATEMENTS", 3)
    (tmp_path / "note.md").write_text("".join(f"- See gone/{one}.py.\n" for one in "abcde"), encoding="utf-8")
    (tmp_path / "gone").mkdir()
    done = audit(tmp_path)
    assert [one.about for one in done.findings] == ["gone/a.py", "gone/b.py", "gone/c.py"]
    ((file, reason),) = done.unreadable
    assert (file, reason) == (
        "note.md", "from line 4 on: the first 3 of 5 statements are audited; audit it in parts"
    )  # fmt: skip


def test_a_secret_is_never_printed(tmp_path: Path) -> None:
    line = "The database of the shop opens if the password is hunter2hunter2, says Ada.\n"
    (tmp_path / "CLAUDE.md").write_text(f"{line}\n{line}", encoding="utf-8")  # repeated: two kinds of findings
    for form in ("text", "json", "sarif"):
        done = CliRunner().invoke(app, ["audit", str(tmp_path), "--format", form])
        assert done.exit_code == 1
        assert "secret" in done.stdout
        assert "hunter2hunter2" not in done.stdout


def test_a_baseline_lets_known_findings_pass_and_new_ones_fail(tmp_path: Path) -> None:
    note, known = tmp_path / "note.md", tmp_path / "known.json"
    (tmp_path / "src").mkdir()
    note.write_text("- See src/a.py.\n", encoding="utf-8")
    run = CliRunner().invoke
    assert run(app, ["audit", str(note), "--write-baseline", str(known)]).exit_code == 0
    note.write_text("Moved down.\n\n- See src/a.py.\n", encoding="utf-8")
    assert run(app, ["audit", str(note), "--baseline", str(known)]).exit_code == 0
    note.write_text("- See src/a.py.\n- See src/b.py.\n", encoding="utf-8")
    done = run(app, ["audit", str(note), "--baseline", str(known)])
    assert (done.exit_code, "src/b.py" in done.stdout, "src/a.py" in done.stdout) == (1, True, False)
    known.write_text("[]", encoding="utf-8")
    assert run(app, ["audit", str(note), "--baseline", str(known)]).exit_code == 2


def test_the_patch_applies_and_leaves_fewer_findings(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "src").mkdir()
    (tmp_path / "lib" / "charge.py").write_text("", encoding="utf-8")
    note = tmp_path / "CLAUDE.md"
    note.write_text(
        "- Charging is done in src/charge.py by the worker.\n- Keep all logs for thirty days here.\n" * 2,
        encoding="utf-8",
    )
    before = note.read_text(encoding="utf-8")
    done = CliRunner().invoke(app, ["audit", str(tmp_path), "--fix"])
    assert note.read_text(encoding="utf-8") == before
    (tmp_path / "fix.patch").write_text(done.stdout, encoding="utf-8")
    subprocess.run(["git", "apply", "fix.patch"], cwd=tmp_path, check=True)  # noqa: S607 - wherever git is
    assert (
        note.read_text(encoding="utf-8")
        == "- Charging is done in lib/charge.py by the worker.\n- Keep all logs for thirty days here.\n"
    )
    assert audit(note, tmp_path).findings == ()


def test_the_budget_is_counted_from_the_first_line(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text(
        "\n".join(f"- Rule {number} is about a thing." for number in range(20)), encoding="utf-8"
    )
    (finding,) = audit(tmp_path, budget=50).findings
    assert (finding.kind, finding.line) == ("over-budget", 8)


def test_a_note_outside_the_index_is_unreachable(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("- [one](one.md) the first\n", encoding="utf-8")
    (tmp_path / "one.md").write_text("The first note is about lamps.\n", encoding="utf-8")
    (tmp_path / "two.md").write_text("The second note is about doors.\n", encoding="utf-8")
    assert [(one.kind, one.file) for one in audit(tmp_path).findings] == [("unreachable", "two.md")]


def test_sarif_names_file_line_and_rule(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "CLAUDE.md").write_text("\n- See src/a.py.\n", encoding="utf-8")
    done = json.loads(CliRunner().invoke(app, ["audit", str(tmp_path), "--format", "sarif"]).stdout)
    (result,) = done["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert (result["ruleId"], place["artifactLocation"]["uri"], place["region"]["startLine"]) == (
        "missing",
        "CLAUDE.md",
        2,
    )
    assert result["ruleId"] in {rule["id"] for rule in done["runs"][0]["tool"]["driver"]["rules"]}
