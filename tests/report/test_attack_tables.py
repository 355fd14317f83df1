from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from io import StringIO

import pytest
from rich.console import Console

from memlab.harness.attacks.attack_kinds import ATTACKS, attack_description
from memlab.harness.attacks.control import no_landing_result
from memlab.report.html.attacks import (
    CANNOT_LAND,
    RESISTANCE,
    TOGETHER,
    attack_tables,
    attacks_section,
    resistances,
    with_attacks,
)
from memlab.report.html.failures import anchor
from memlab.report.tables.scores import score_all
from memlab.report.tables.tidy import tidy
from memlab.terms import Result

Make = Callable[..., Result]
UPDATE, FLOOD = "update.web.v1", "flood.tool.v99"


def attacked(result: Result, attack: str) -> Result:
    return replace(result, key=replace(result.key, overlay=attack, forbid={"old": "trust"}))


@pytest.fixture
def results(make: Make) -> list[Result]:
    """Four scenarios: the reference withstands all, the bucket serves the lie; one flood cannot land."""
    found = []
    for number in range(4):
        for system, bad in (("hybrid", False), ("bucket-recent", True)):
            plain = make(system, f"recall/case-{number}")
            found += [plain, attacked(replace(plain, items=(*plain.items, "old.sh") if bad else plain.items), UPDATE)]
            flood = attacked(plain, FLOOD)
            found.append(no_landing_result(flood) if number == 3 else flood)
    return found


def test_serving_the_lie_fails_the_attack_even_if_the_truth_is_served_too(
    results: list[Result],
) -> None:
    found = resistances(score_all(results))[UPDATE]
    assert (found["hybrid"][RESISTANCE].mean, found["hybrid"][RESISTANCE].n) == (1, 4)
    assert (found["bucket-recent"][RESISTANCE].mean, found["bucket-recent"]["useful"].mean) == (0, 1)


def test_an_attack_without_effect_is_not_counted_for_any_system(results: list[Result]) -> None:
    found = resistances(score_all(results))[FLOOD]
    assert all((row[RESISTANCE].mean, row[RESISTANCE].n) == (1, 3) for row in found.values())
    assert all(row[CANNOT_LAND].mean == 1 / 4 for row in found.values())


def test_a_system_with_an_error_under_attack_has_not_resisted_it(results: list[Result]) -> None:
    broken = [replace(one, items=(), error="it raised") if one.key.overlay == UPDATE else one for one in results]
    assert resistances(score_all(broken))[UPDATE]["hybrid"][RESISTANCE].mean == 0


def test_all_attacks_together_are_averaged_within_each_scenario_first(results: list[Result]) -> None:
    found = resistances(score_all(results))[TOGETHER]["bucket-recent"][RESISTANCE]
    assert (found.mean, found.n) == (3 * 0.5 / 4, 4)


def test_the_table_the_terminal_and_the_page_name_every_attack_with_its_version_and_its_errors(
    results: list[Result],
) -> None:
    scores = score_all(results)
    console = Console(file=StringIO(), width=200)
    console.print(*attack_tables(scores))
    output = console.file.getvalue()  # type: ignore[attr-defined] # it is a StringIO
    rows = {line.split()[0]: line.split() for line in output.splitlines() if line.split()[:1] in ([UPDATE], [FLOOD])}
    assert rows[UPDATE][1] == "4"
    assert "100" in rows[UPDATE]
    assert rows[FLOOD][1:6] == ["3", "1", "of", "4", "100"]
    page = attacks_section("attacks", scores).replace("<wbr>", "")
    assert f'<th scope="row">{UPDATE}<small>n=4</small></th>' in page
    assert f'<th scope="row">{FLOOD}<small>n=3, ERROR 1 of 4</small></th>' in page
    table = with_attacks(tidy(scores), scores)
    assert set(table["family"]) == {"all", "recall", TOGETHER, UPDATE, FLOOD}


def test_the_page_describes_each_attack_and_shows_each_systems_resistance(results: list[Result]) -> None:
    newest = next(one for one in ATTACKS if one.startswith("update.web."))
    renamed = [
        replace(one, key=replace(one.key, overlay=newest)) if one.key.overlay == UPDATE else one for one in results
    ]
    page = unescape(attacks_section("attacks", score_all(renamed))).replace("<wbr>", "")
    rows = dict(re.findall(r'<tr><th scope="row">([^<]+)(.*?)</tr>', page))
    assert list(rows) == ["all attacks", newest, FLOOD]
    assert attack_description(newest) in rows[newest]
    assert "an attack from another version of memlab" in rows[FLOOD]
    columns = re.findall(r'<th scope="col" class="[^"]+" data-system="([^"]+)"', page)
    shares = [float(share) for share in re.findall(r"--share:([\d.]+)", rows[newest])]
    assert dict(zip(columns, shares, strict=True)) == {"bucket-recent": 0, "hybrid": 1}
    assert 'title="safe 0, useful 100"' in rows[newest]
    assert rows[newest].count("<a ") == 0
    place = ("bucket-recent", newest)
    linked = attacks_section("attacks", score_all(renamed), [place])
    assert linked.count(f'<a href="#{anchor(place)}"><b>0</b></a>') == linked.count("<a ") == 1


def test_attacks_are_shown_in_the_order_of_the_catalogue(make: Make) -> None:
    listed = [*ATTACKS][:6]
    scores = score_all([attacked(make("hybrid", "recall/a"), one) for one in ("gone.web.v9", *listed[::-1])])
    assert list(resistances(scores)) == [TOGETHER, *listed, "gone.web.v9"]


def test_without_an_attack_the_table_stays_as_it_was(results: list[Result]) -> None:
    scores = score_all([one for one in results if not one.key.overlay])
    assert list(attack_tables(scores)) == []
    assert with_attacks(tidy(scores), scores).equals(tidy(scores))
    assert "--attacks all" in attacks_section("attacks", scores)


def test_an_attack_that_never_has_an_effect_shows_error_for_every_system(results: list[Result]) -> None:
    scores = score_all([no_landing_result(one) if one.key.overlay == FLOOD else one for one in results])
    console = Console(file=StringIO(), width=200)
    console.print(*attack_tables(scores))
    output = console.file.getvalue()  # type: ignore[attr-defined] # it is a StringIO
    assert f"{FLOOD} 0 4 of 4 ERROR ERROR" in " ".join(output.split())
