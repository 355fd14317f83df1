"""Hooks of the documentation site: the home page from the README, the page of commands, links, and llms.txt."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

import typer
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from typer.cli import get_docs_for_click
from typer.main import get_command

from memlab.cli import app

ROOT = Path(__file__).resolve().parents[1]
COMMANDS = "reference/commands.md"
_LINK = re.compile(r"(!?)\[([^\]]+)\]\((?!https?:|#)([^)#\s]+)(#[^)\s]+)?\)")
_COMMENT = re.compile(r"<!--.*?-->\n*", re.DOTALL)
_FENCE_PATH = re.compile(r"^```(\w+) (\S+)$", re.MULTILINE)
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LIST = re.compile(r"^\*\*Commands\*\*:\n\n(?:\* .*\n)+\n", re.MULTILINE)  # each with half a sentence
_SPACES = re.compile(r"\s+")
_summaries: dict[str, str] = {}
_titles: dict[str, Page] = {}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages: the README as the home page, and the page of all commands."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    files.append(File.generated(config, "index.md", content=readme.replace("](docs/", "](")))
    command = get_command(app)
    text = get_docs_for_click(obj=command, ctx=typer.Context(command, info_name="memlab"), name="memlab")
    files.append(File.generated(config, COMMANDS, content="# Commands\n" + _LIST.sub("", text.partition("\n")[2])))
    return files


def on_page_markdown(markdown: str, page: Page, files: Files, **_: object) -> str:
    """Keep links to other pages; show a link to a file of the repository as its path. Record the page for llms.txt."""
    folder = posixpath.dirname(page.file.src_uri)

    def link(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, match[3]))
        if target == "../README.md":
            return f"[{match[2]}]({posixpath.relpath('index.md', folder or '.')})"
        if files.get_file_from_path(target):
            return match[0]
        return f"{match[2]} (`{posixpath.normpath(posixpath.join('docs', target))}`)"

    text = _LINK.sub(link, _FENCE_PATH.sub(r'```\1 title="\2"', _COMMENT.sub("", markdown)))
    _summaries[page.file.dest_uri] = _first_paragraph(text)
    return text


def on_nav(nav: Navigation, **_: object) -> None:
    """Remember the order of the pages."""
    _titles.clear()
    _titles.update({page.file.dest_uri: page for page in nav.pages})


def on_post_build(config: MkDocsConfig) -> None:
    """Write llms.txt: one line for each page, with its address and its first paragraph (llmstxt.org)."""
    lines = [f"# {config.site_name}", "", f"> {config.site_description}", "", "## Pages", ""]
    lines += [f"- [{page.title}]({address}): {_summaries[address]}" for address, page in _titles.items()]
    (Path(config.site_dir) / "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _first_paragraph(text: str) -> str:
    """Return the first paragraph of prose without its links, in one line."""
    parts = (part for part in _FENCE.sub("", text).split("\n\n") if part.strip() and part.strip()[0] not in "#|-!<")
    return _SPACES.sub(" ", _LINK.sub(r"\2", next(parts, ""))).strip()
