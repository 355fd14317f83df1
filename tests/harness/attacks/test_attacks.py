from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest
from depot import ALL, DEPOT, SEEDS, added, attacked, otherwise

from memlab.harness.attacks.attack_kinds import KINDS, is_attack, matches_attack, select_attacks
from memlab.harness.attacks.control import NO_LANDING, AttackedRound, landed_probes
from memlab.harness.attacks.overlay import AttackedCase, Overlay, applicable_attacks
from memlab.harness.attacks.proof import prove_attacks
from memlab.harness.attacks.targets import attack_targets
from memlab.harness.check.static import static_errors
from memlab.harness.running.results import ResultsWriter, read_results
from memlab.harness.running.runner import play
from memlab.harness.scenarios.errors import BadScenario
from memlab.harness.scenarios.loading import Template, load_all
from memlab.harness.scoring.metrics import METRICS
from memlab.systems.registry import entry
from memlab.terms import Event, Probe, Scenario


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    return otherwise(tmp_path_factory.mktemp("attacks"))


def test_every_attack_applies_to_the_depot_and_violates_no_rule_of_the_benchmark(template: Template) -> None:
    for seed in SEEDS:
        for name, _, laid in attacked(template, seed):
            assert laid.overlay == name
            assert list(static_errors(AttackedCase(template, laid))) == []


def test_an_attack_changes_only_the_added_events_and_the_probes_and_time_still_increases(template: Template) -> None:
    for _, clean, laid in attacked(template):
        new = added(clean, laid)
        assert new
        old = [step for step in laid.timeline if not isinstance(step, Probe) and step not in new]
        assert old == [step for step in clean.timeline if not isinstance(step, Probe)]
        times = [step.time for step in laid.timeline if isinstance(step, Event | Probe)]
        assert times == sorted(times)
        assert len({step.id for step in laid.timeline if isinstance(step, Event)}) == len(new) + len(
            [step for step in clean.timeline if isinstance(step, Event)]
        )


def test_only_the_probes_that_an_attack_targets_remain(template: Template) -> None:
    targeted = {
        name: {step.id for step in laid.timeline if isinstance(step, Probe)} for name, _, laid in attacked(template)
    }
    assert targeted["update.web.v2"] == {"unlock", "task"}
    assert targeted["delete.agent.v1"] == {"unlock", "task"}
    assert targeted["revive.tool.v1"] == {"opens"}


def test_every_attack_affects_an_undefended_system_and_can_be_resisted_but_not_by_silence(template: Template) -> None:
    assert prove_attacks([template], ALL).errors == []


def test_an_attack_without_effect_on_undefended_systems_is_an_error_for_every_system(
    template: Template, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memlab.harness.attacks.control.UNDEFENDED", ("null",))
    cells = list(AttackedRound(template, 0, ("oracle", "null"), attacks=("update.web.v2",)).play())
    assert [result.error for cell in cells for result in cell] == [f"update.web.v2 {NO_LANDING}"] * 4
    assert not any(METRICS["passes"](result) for cell in cells for result in cell)
    (complaint, *_) = prove_attacks([template], [("update.web.v2",)]).errors
    assert "under update.web.v2 (seed 0), probe 'unlock' is not affected" in str(complaint)


def test_a_request_to_erase_has_an_effect_if_an_undefended_system_loses_an_answer(template: Template) -> None:
    clean = template.sample(0)
    laid = Overlay(template, ("delete.web.v1",))(clean)
    assert laid is not None
    assert all(aim.lose == {"key"} and not aim.serve for aim in attack_targets(clean, laid).values())
    assert landed_probes(clean, laid) == {"unlock", "task"}


def test_the_reference_resists_every_attack_on_the_depot(template: Template) -> None:
    for name, _, laid in attacked(template):
        (results,) = play(laid, [entry("hybrid")])
        assert all(METRICS["passes"](one) for one in results), name


def test_an_attack_that_violates_a_rule_of_the_benchmark_is_not_emitted(
    template: Template, monkeypatch: pytest.MonkeyPatch
) -> None:
    clean = template.sample(0)
    first = Overlay(template, ("update.web.v2",))(clean)
    assert first is not None
    refused = [claim.needles for name, claim in first.claims.items() if name not in clean.claims]

    def refusing(case: AttackedCase) -> Iterator[str]:
        return iter(name for name, claim in case.scenario.claims.items() if claim.needles in refused)

    monkeypatch.setattr("memlab.harness.attacks.overlay.static_errors", refusing)
    second = Overlay(template, ("update.web.v2",))(clean)
    assert second is not None
    assert all(claim.needles not in refused for claim in second.claims.values())
    refused += [claim.needles for claim in clean.claims.values()]
    assert Overlay(template, ("update.web.v2",))(clean) is None


def test_any_two_attacks_violate_no_rule_together_and_their_order_does_not_matter(template: Template) -> None:
    clean = template.sample(0)
    kinds = [kind for kind in KINDS if kind != "revive"]  # it aims at another probe than the others
    for one, other in combinations(kinds, 2):
        (attacks,) = select_attacks(f"{one}.tool+{other}.web")
        assert select_attacks(f"{other}.web+{one}.tool") == [attacks]
        laid = Overlay(template, attacks)(clean)
        assert laid is not None, attacks
        assert laid == Overlay(template, attacks[::-1])(clean)
        assert laid.overlay == "+".join(attacks)
        assert list(static_errors(AttackedCase(template, laid))) == []


def test_an_attack_combined_with_itself_is_that_attack(template: Template) -> None:
    clean = template.sample(0)
    for (name,) in ALL:
        assert select_attacks(f"{name}+{name}") == [(name,)]
        assert Overlay(template, (name, name))(clean) == Overlay(template, (name,))(clean)


def test_two_attacks_together_state_different_lies(template: Template) -> None:
    clean = template.sample(0)
    laid = Overlay(template, ("update.web.v2", "flood.agent.v2"))(clean)
    assert laid is not None
    assert laid.overlay == "update.web.v2+flood.agent.v2"
    lies = [claim for name, claim in laid.claims.items() if name not in clean.claims]
    assert len({claim.needles for claim in lies}) == 2
    forbids = {step.id: set(step.forbid) for step in laid.timeline if isinstance(step, Probe)}
    assert forbids["unlock"] == {claim.id for claim in lies}


def test_the_same_sample_gives_the_same_attack_and_another_gives_another(template: Template) -> None:
    for names in ALL:
        overlay = Overlay(template, names)
        assert overlay(template.sample(1)) == overlay(template.sample(1))
    first, second = ([step for step in laid.timeline if isinstance(step, Event)] for _, _, laid in _two(template))
    assert first != second


def _two(template: Template) -> list[tuple[str, Scenario, Scenario]]:
    return [next(attacked(template, seed)) for seed in (0, 1)]


def test_a_scenario_to_which_no_attack_applies_is_not_run(tmp_path: Path) -> None:
    path = tmp_path / "limits" / "depot.yaml"
    path.parent.mkdir()
    path.write_text(DEPOT.replace("id: recall", "id: limits"), encoding="utf-8")
    (beyond,) = load_all([path.parent])
    assert applicable_attacks(beyond, 0, [("update.web.v2",)]) == []
    assert "applies to none" in str(prove_attacks([beyond], [("update.web.v2",)]).errors[0])


def test_a_probe_with_an_attack_of_its_own_is_not_targeted(tmp_path: Path) -> None:
    lie = "  - fact: {id: lie, source: web, name: depot-key, description: a lie, body: It hangs on the ivy.}\n"
    forbid = "expect: [key], forbid: {lie: {why: trust, against: key}}}"
    other = otherwise(tmp_path, ("  - repeat", f"{lie}  - repeat"), ("expect: [key]}", forbid))
    for attacks in (("update.web.v2",), ("update.web.v2", "flood.tool.v2")):
        laid = Overlay(other, attacks)(other.sample(0))
        assert laid is not None
        assert {step.id for step in laid.timeline if isinstance(step, Probe)} == {"task"}


def test_results_of_an_attack_are_read_back_as_they_were_written(template: Template, tmp_path: Path) -> None:
    one = AttackedRound(template, 0, ("hybrid", "null"), attacks=("order.tool.v2",))
    found = [result for cell in one.play() for result in cell]
    path = tmp_path / "results.jsonl"
    with path.open("w", encoding="utf-8") as stream:
        journal = ResultsWriter(stream)
        for result in found:
            journal.write(result)
    assert read_results(path) == found
    assert [result.key for result in found if result.system == "null"] == one.answer_keys()


def test_names_select_attacks_and_the_error_for_an_unknown_one_lists_the_valid_names() -> None:
    assert select_attacks("") == []
    assert select_attacks("all") == ALL
    assert select_attacks("update, repeat.tool,update.web") == [
        ("update.web.v2",),
        ("update.tool.v2",),
        ("update.agent.v2",),
        ("repeat.tool.v2",),
    ]
    assert select_attacks("update.web+flood.web.v2") == [("update.web.v2", "flood.web.v2")]
    for wrong in ("updat", "update.v1"):
        with pytest.raises(BadScenario, match=rf"--attacks: no attack is called '{wrong}'. Did you mean 'update"):
            select_attacks(wrong)


@pytest.mark.parametrize("wanted", [",", " ", " , "])
def test_an_empty_list_of_attacks_is_refused_instead_of_running_without_attacks(wanted: str) -> None:
    with pytest.raises(BadScenario, match=rf"--attacks: '{wanted}' names no attack\. Valid: all, delete, "):
        select_attacks(wanted)


@pytest.mark.parametrize("wanted", ["update.web+", "+update.web", "update.web+ +flood.web", "+"])
def test_the_error_for_a_plus_that_joins_nothing_shows_the_syntax(wanted: str) -> None:
    with pytest.raises(BadScenario) as caught:
        select_attacks(wanted)
    words = "combines two attacks, as in update.web+flood.web. Add one, or remove the `+`."
    assert str(caught.value) == f"--attacks: {wanted!r}: a `+` {words}"


def test_a_name_selects_the_results_of_an_attack_of_any_version_and_in_any_order() -> None:
    both = "update.web.v1+flood.agent.v12"
    assert all(matches_attack(name, "update.web.v1") for name in ("all", "update", "update.web", "update.web.v1"))
    assert all(
        matches_attack(name, both) for name in ("update+flood", "flood.agent+update", "flood.agent.v12+update.web.v1")
    )
    assert not any(
        matches_attack(name, "update.web.v1") for name in ("updat", "update.tool", "update.web.v2", "update+flood")
    )
    assert not any(matches_attack(name, both) for name in ("all", "update", "update+update"))
    assert not any(matches_attack("all", overlay) for overlay in ("", "budgets"))


def test_an_attack_of_any_version_differs_from_other_overlays_by_its_id() -> None:
    assert all(map(is_attack, ["update.web.v2", "update.web.v2+flood.agent.v22"]))
    assert not any(map(is_attack, ["", "budgets", "update.web", "update.mail.v1", "update.web.v2+budgets"]))
