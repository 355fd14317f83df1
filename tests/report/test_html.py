import re
from collections import Counter
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.harness.scoring.thresholds import ALL, Threshold, Thresholds
from memlab.report.folder import write
from memlab.report.html.elements import breakable, element, fragment, with_code
from memlab.report.html.thresholds import Requirements
from memlab.report.tables.scores import NO_RESULT
from memlab.report.text import escape_invisible
from memlab.terms import Result

Tag = tuple[str, dict[str, str | None]]
VOID = {"meta", "input", "img", "wbr"}


class Reader(HTMLParser):
    """Lists the tags of a page, and checks that each is closed in its turn."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[Tag] = []
        self.open: list[str] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def folder(results: list[Result], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    write(results, folder)
    return folder


def test_one_folder_holds_table_charts_page_and_junit_the_same_bytes_each_time(
    results: list[Result], folder: Path, tmp_path: Path
) -> None:
    names = sorted(str(path.relative_to(tmp_path)) for path in write(results, tmp_path).files)
    charts = [f"charts/{name}.{kind}" for name in ("ablations", "budgets", "headline") for kind in ("png", "svg")]
    assert names == [*charts, "junit.xml", "paired.csv", "report.html", "table.csv"]
    for name in names:
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes(), name


def test_stored_text_is_escaped(folder: Path) -> None:
    page = (folder / "report.html").read_text(encoding="utf-8")
    tags = Counter(tag for tag, _ in Reader(page).tags)
    assert tags["script"] == 1
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "\x00" not in page


def test_the_page_needs_nothing_but_itself(folder: Path) -> None:
    page = (folder / "report.html").read_text(encoding="utf-8")
    tags = Reader(page).tags
    targets = [value or "" for _, names in tags for name, value in names.items() if name in {"src", "href"}]
    assert targets
    assert all(target.startswith(("#", "data:image/svg+xml,")) for target in targets)
    assert not any(name.startswith("on") for _, names in tags for name in names)
    assert "@import" not in page
    assert "url(" not in page


def test_a_chart_on_the_page_is_that_of_the_folder_with_shorter_numbers(folder: Path) -> None:
    tags = Reader((folder / "report.html").read_text(encoding="utf-8")).tags
    source = next(names["src"] or "" for tag, names in tags if tag == "img")
    chart = (folder / "charts" / "headline.svg").read_text(encoding="utf-8")
    shown, drawn = (ET.fromstring(one) for one in (unquote(source.partition(",")[2]), chart))  # noqa: S314 - our own
    for one, other in zip(shown.iter(), drawn.iter(), strict=True):
        for name, value in other.attrib.items():
            numbers = [list(map(float, re.findall(r"-?\d+\.?\d*", text))) for text in (one.attrib[name], value)]
            assert numbers[0] == pytest.approx(numbers[1], rel=0.01)
    assert len(source) < len(chart)


def test_every_link_leads_somewhere_and_every_id_is_one(folder: Path) -> None:
    tags = Reader((folder / "report.html").read_text(encoding="utf-8")).tags
    ids = [names["id"] for _, names in tags if "id" in names]
    links = {(names["href"] or "")[1:] for tag, names in tags if tag == "a"}
    assert len(ids) == len(set(ids))
    assert links <= set(ids)


def test_every_chart_has_words_and_every_table_a_caption(folder: Path) -> None:
    tags = Reader((folder / "report.html").read_text(encoding="utf-8")).tags
    counts = Counter(tag for tag, _ in tags)
    assert counts["img"] == 3
    assert all(len(names["alt"] or "") > 40 for tag, names in tags if tag == "img")
    assert counts["table"] == counts["caption"] == 2 + 6


@pytest.mark.usefixtures("no_charts")
def test_thresholds_come_first_on_the_page_and_missed_ones_before_met_ones(
    results: list[Result], tmp_path: Path
) -> None:
    each = (
        Threshold(ALL, "scenarios_passed", 0.1),
        Threshold("recall", "recall", 0.9),
        Threshold(ALL, "recall", 0.01),
        Threshold("lifetimes", "recall", 0.1),
    )
    demanded = Thresholds(Path("pyproject.toml"), each, ("hybrid",))
    write(results, tmp_path, Requirements(demanded))
    page = unescape((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert page.index('href="#thresholds"') < page.index('href="#headline"')
    section = page[page.index('<section id="thresholds">') : page.index('<section id="headline">')]
    assert "The build fails (exit code 1): 2 of 4 thresholds met, 1 missed, 1 undecided." in section
    missed, met = section.split("<details>")
    assert "recall recall >= 0.9" in missed
    assert "0.000 (95 %: 0.000 to" in missed
    assert "<summary>2 met</summary>" in met
    assert "all scenarios_passed >= 0.1" in met


@pytest.mark.usefixtures("no_charts")
def test_scenarios_that_are_worse_than_the_baseline_are_listed(results: list[Result], tmp_path: Path) -> None:
    worse = [replace(one, items=()) if one.system == "oracle" else one for one in results]
    write(worse, tmp_path, Requirements(baseline=results))
    page = unescape((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert "<summary>30 worse and 0 better of 30 scenarios, p<.001</summary>" in page
    assert "<small>stale/case-0 -100</small>" in page


def test_a_page_without_thresholds_does_not_mention_them(folder: Path) -> None:
    assert "threshold" not in (folder / "report.html").read_text(encoding="utf-8").replace(_css(), "")


def test_elements_of_one_system_or_scenario_are_marked_for_the_search(folder: Path) -> None:
    tags = Reader((folder / "report.html").read_text(encoding="utf-8")).tags
    section = Counter((tag, *sorted(set(names) & {"data-system", "data-scenario"})) for tag, names in tags)
    assert section["tr", "data-system"] == 5 + 6 * 5  # the headline, and a matrix for each family
    assert section["th", "data-scenario"] == 6 * 6
    assert section["article", "data-scenario"] == 6
    assert section["details", "data-scenario", "data-system"] == 6 + 5 * 6
    assert [names["id"] for tag, names in tags if tag == "input"] == ["systems", "scenarios"]


def _css() -> str:
    return files("memlab.report").joinpath("page.css").read_text(encoding="utf-8")


def test_each_failed_scenario_of_a_main_system_is_shown_once(folder: Path) -> None:
    tags = Reader((folder / "report.html").read_text(encoding="utf-8")).tags
    # hybrid fails six plain ones; bucket-search fails four attack families and the limits
    assert sum(tag == "details" for tag, _ in tags) == 6 + 5 * 6


@pytest.mark.usefixtures("no_charts")
def test_the_page_and_junit_survive_a_run_that_was_killed(results: list[Result], tmp_path: Path) -> None:
    write(results[: len(results) // 2 + 1], tmp_path)
    assert NO_RESULT in (tmp_path / "junit.xml").read_text(encoding="utf-8")


def test_junit_is_valid_and_counts_what_it_holds(folder: Path) -> None:
    root = ET.parse(folder / "junit.xml").getroot()  # noqa: S314 - we wrote it ourselves
    suites = {suite.get("name"): suite for suite in root}
    assert list(suites) == ["oracle", "hybrid", "hybrid-no-guard", "bucket-search", "null"]
    for suite in root:
        for outcome, count in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
            assert suite.get(count) == str(len(suite.findall(f"testcase/{outcome}")))
    assert suites["oracle"].get("failures") == "0"
    assert (suites["hybrid"].get("tests"), suites["hybrid"].get("failures")) == ("36", "6")
    assert suites["bucket-search"].get("skipped") == "6"


@given(st.text())
def test_any_text_is_valid_in_xml_and_html(text: str) -> None:
    html = element("p", text, title=text)
    parsed = ET.fromstring(html)  # noqa: S314 - likewise
    assert re.sub(r"\s", "", "".join(parsed.itertext())) == re.sub(r"\s", "", escape_invisible(text))


@given(st.text("ab/:._-<&", max_size=12))
def test_a_name_that_may_be_broken_reads_as_before(name: str) -> None:
    assert breakable(name).replace("<wbr>", "") == fragment(name)


def test_a_path_may_be_broken_after_its_signs() -> None:
    assert breakable("my_agent/memory.py:M") == "my_<wbr>agent/<wbr>memory.<wbr>py:<wbr>M"


def test_the_page_marks_commands_as_code_and_names_a_class_without_its_path(
    results: list[Result], tmp_path: Path
) -> None:
    assert with_code("Run `a <b>` or `c`.") == "Run <code>a &lt;b&gt;</code> or <code>c</code>."
    mine = [replace(one, system="deep/memory.py:MyMemory") for one in results if one.system == "null"]
    write([*results, *mine], tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert '<th scope="col">MyMemory</th>' in page
    assert re.search(r"<summary>[^<]*: MyMemory", page)


def test_on_a_narrow_screen_charts_scale_and_a_table_that_continues_says_so(folder: Path) -> None:
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "figure img { display: block; width: 100%; height: auto; }" in page
    assert ".scroll.more::before" in page
    assert 'classList.toggle("more"' in page
