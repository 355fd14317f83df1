"""The documentation site builds without a warning, and has a page for every command."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
import yaml

import memlab
from memlab.cli import app

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md"))


class Links(HTMLParser):
    """Collects what a page loads and links to."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in {"script", "img"}:
            self.loaded.append(given.get("src") or "")
        elif tag == "link" and given.get("rel") != "canonical":
            self.loaded.append(given.get("href") or "")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-f", ".mkdocs.yml", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def test_every_page_is_built_and_listed_for_language_models(site: Path) -> None:
    listed = re.findall(r"^- \[[^\]]+\]\(([^)]+)\): \S", (site / "llms.txt").read_text(encoding="utf-8"), re.MULTILINE)
    wanted = {"index.html", "reference/commands.html", *(page.removesuffix(".md") + ".html" for page in PAGES)}
    assert set(listed) == wanted
    assert not [page for page in wanted if not (site / page).is_file()]


def test_every_command_has_its_section(site: Path) -> None:
    page = (site / "reference" / "commands.html").read_text(encoding="utf-8")
    names = [one.name or one.callback.__name__ for one in app.registered_commands if one.callback]
    assert not [name for name in names if f'id="memlab-{name}"' not in page]


def test_every_public_name_is_on_the_page_of_python(site: Path) -> None:
    page = (site / "reference" / "python.html").read_text(encoding="utf-8")
    headings = set(re.findall(r'<h3 id="[\w.]+\.(\w+)"', page))
    assert headings == set(memlab.__all__)
    assert page.count("&gt;&gt;&gt;") >= len(memlab.__all__)


def test_no_page_loads_anything_from_another_server(site: Path) -> None:
    links = Links()
    for page in site.rglob("*.html"):
        links.feed(page.read_text(encoding="utf-8"))
    assert links.loaded
    assert not [address for address in links.loaded if re.match(r"(https?:)?//", address)]


def test_the_workflow_for_github_posts_the_table_and_fails_with_the_command(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "how-to" / "ci.md").read_text(encoding="utf-8")
    (workflow,) = re.findall(r"^```yaml \S+\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    steps = {one.get("name"): one for one in yaml.safe_load(workflow)["jobs"]["judge"]["steps"]}
    fake = tmp_path / "memlab"
    fake.write_text("#!/bin/sh\necho the table\nexit 1\n", encoding="utf-8")
    fake.chmod(0o755)
    env = {"PATH": f"{tmp_path}:/usr/bin:/bin", "GITHUB_STEP_SUMMARY": str(tmp_path / "summary")}

    def run(name: str) -> int:
        assert steps[name].get("shell", "bash") == "bash"
        shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", steps[name]["run"]]
        return subprocess.run(shell, cwd=tmp_path, env=env, capture_output=True, check=False).returncode

    assert run("judge") == 1
    assert run("summary") == 0
    assert (tmp_path / "summary").read_text(encoding="utf-8") == "```text\nthe table\n```\n"
    assert steps["summary"]["if"] == "always()"
