"""What a text names is checked when it is asked for: the refuted is never served, and no alarm is false."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from profiles import cheap_settings, property_settings
from strategies import NOON, sources, texts

from memlab.memory import LiveWorld, MemoryMix, Provenance, Refused, ScriptedWorld
from memlab.memory.heuristics.reference_check import check, verdict
from memlab.memory.world import Change, symbols

PLACES = ["bin/light.sh", "docs/lamp.md", "src/lamp.py", "tools/deep/trim.py", "lamp.toml"]
CLAIMS = {
    **{f"The lamp is lit by {path}.": path for path in PLACES},
    **{f"To light it, run `{path}` from the repo root.": path for path in PLACES},
    "It reads $LAMP_KEY at start.": "$LAMP_KEY",
    "The lamp connects with LAMP_URL.": "$LAMP_URL",
    "Run `lamp light --bright` at dusk.": "lamp --bright",
    "Run `stove light --hot` at dusk.": "stove --hot",
    "Call kindle() at dusk.": "kindle()",
    "The `snuff` function snuffs it.": "snuff()",
}
actors = st.sampled_from(["user", "user", "tool", "web", "document"])
changes = st.builds(
    Change,
    actors,
    st.dictionaries(st.sampled_from(PLACES), st.sampled_from([None, "", "def kindle(): ...", "class snuff: ...", "("])),
    st.dictionaries(st.sampled_from(["LAMP_KEY", "LAMP_URL"]), st.sampled_from([None, "", "x"])),
    st.dictionaries(
        st.sampled_from(["lamp", "stove"]), st.sampled_from([None, (), ("--bright",), ("--hot", "--bright")])
    ),
)
worlds = st.lists(changes, max_size=4)


def made(events: list[Change]) -> ScriptedWorld:
    world = ScriptedWorld()
    for change in events:
        world.change(change)
    return world


def expected(thing: str, world: ScriptedWorld) -> str:
    """Say naively what a world makes of a thing: absent it is refuted, put there by the untrusted it proves nothing."""
    if thing.startswith("$"):
        value, by = world.env.get(thing[1:], ("", "user"))
        found = [by] if value else []
    elif thing.endswith("()"):
        sources = [(source, by) for path, (source, by) in world.files.items() if path.endswith(".py")]
        if not any(symbols(source) for source, _ in sources):
            return "unverifiable"
        found = [by for source, by in sources if f" {thing[:-2]}" in source]
    elif " " in thing:
        command, flag = thing.split()
        if command not in world.commands:
            return "unverifiable"
        flags, by = world.commands[command]
        found = [by] if flag in flags else []
    else:
        found = [by for path, (_, by) in world.files.items() if path == thing]
    if not found:
        return "refuted"
    return "confirmed" if {"user", "tool"}.intersection(found) else "unverifiable"


@cheap_settings
@given(st.sampled_from(list(CLAIMS)), worlds)
def test_each_claim_of_a_text_gets_the_verdict_of_the_world_with_a_reason(claim: str, events: list[Change]) -> None:
    world = made(events)
    findings = check(claim, world)
    assert verdict(findings) == expected(CLAIMS[claim], world)
    assert all(finding.reason for finding in findings)


@cheap_settings
@given(st.lists(st.sampled_from(list(CLAIMS)), min_size=1, max_size=3), worlds)
def test_one_refuted_reference_refutes_the_whole_text(claims: list[str], events: list[Change]) -> None:
    world = made(events)
    each = {expected(CLAIMS[claim], world) for claim in claims}
    expected_verdict = "refuted" if "refuted" in each else "confirmed" if each == {"confirmed"} else "unverifiable"
    assert verdict(check("\n".join(claims), world)) == expected_verdict


@property_settings
@given(
    st.lists(st.tuples(st.sampled_from(["fact", "turn", "skill"]), st.sampled_from(list(CLAIMS)), sources), max_size=5),
    worlds,
    worlds,
)
def test_a_refuted_memory_is_not_served_but_listed_until_a_person_clears_it(
    events: list[tuple[str, str, str]], before: list[Change], after: list[Change]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = made(before)
        mix = MemoryMix(Path(folder), world, lambda: NOON, sync="never")
        for place, (what, claim, source) in enumerate(events):
            try:
                keep(mix, what, claim, Provenance(source, id=f"id{place}", time=NOON + place))
            except Refused:
                continue
        mix.recall(" ".join(CLAIMS), 20)
        for change in after:
            world.change(change)
        mix.mark_refreshed({record["id"] for record in mix.needs_refreshing()})
        for claim, thing in CLAIMS.items():
            text = "\n".join([*(found.text for found in mix.recall(claim, 20)), mix.assemble(claim, 4000)])
            if expected(thing, world) == "refuted":
                assert claim.rstrip(".") not in text
        listed = mix.needs_refreshing()
        assert len({(record["id"], record["names"]) for record in listed}) == len(listed)
        for record in listed:
            claim = events[int(record["id"][2:])][1]
            assert expected(CLAIMS[claim], world) == "refuted"
            assert record["names"].strip("()$") in CLAIMS[claim]
        mix.mark_refreshed({record["id"] for record in listed})
        assert mix.needs_refreshing() == []
        mix.close()


@property_settings
@given(st.sampled_from(PLACES), st.sampled_from(["fact", "turn", "skill"]))
def test_a_refuted_memory_is_served_again_when_the_world_confirms_it_again(path: str, what: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = ScriptedWorld()
        mix = MemoryMix(Path(folder), world, lambda: NOON, sync="never")
        claim = f"The lamp is lit by {path}."
        keep(mix, what, claim, Provenance())
        for there in (False, True, False, True):
            world.change(Change(files={path: "" if there else None}))
            assert [found.text for found in mix.recall("what lights the lamp")] == [claim] * there
        mix.close()


def keep(mix: MemoryMix, what: str, text: str, origin: Provenance) -> None:
    if what == "fact":
        mix.write_fact("", "", text, origin=origin)
    elif what == "skill":
        mix.write_skill("", text, origin=origin)
    else:
        mix.log_episode("turn", text, origin=origin)


labels = st.text("abcdefghijklmnopqrstuvwxyz", min_size=2, max_size=8)
files = labels.map(lambda label: f"{label}.sh")
no_alarms = st.one_of(
    st.builds("See https://{}.example/{}/{} for more.".format, labels, labels, files),
    st.builds("Read {}.com/{}/{} first.".format, labels, labels, files),
    st.builds("Clone git@{}.org:{}/{}.git today.".format, labels, labels, labels),
    st.builds("It lies at /{}/{}/{} there.".format, labels, labels, files),
    st.builds("Her notes are in ~/{}/{}.".format, labels, files),
    st.builds("On the {} server, run scripts/{}.".format, labels, files),
    st.builds("In the {} repo, see src/{}.".format, labels, files),
    st.builds("The script scripts/{} was removed in May.".format, files),
    st.builds("The script scripts/{} no longer exists.".format, files),
    st.builds("We plan to add scripts/{} in May.".format, files),
    st.builds("Use version {}.{}.{} of it.".format, st.integers(0, 99), st.integers(0, 99), st.integers(0, 99)),
    st.builds(
        "We met on {}/{:02}/{:02} there.".format, st.integers(1990, 2030), st.integers(1, 12), st.integers(1, 28)
    ),
    st.builds("It holds {} and/or {}.".format, labels, labels),
    st.builds("The zone is Europe/{}.".format, labels.map(str.title)),
    st.builds("NOTE: the {} IS {} IMPORTANT.".format, labels.map(str.upper), labels.map(str.upper)),
    st.builds("Run {}_{}=1 make.".format, labels.map(str.upper), labels.map(str.upper)),
    st.builds("Take the files in <{}> or {}*.py or src/{}*.py there.".format, labels, labels, labels),
    st.builds("Add @{}/{}.js to it.".format, labels, labels),
    st.builds("It is called src/%{}.py there.".format, labels),
    st.builds("It is the folder docs/.../{} there.".format, files),
    st.builds("Use {} --{} twice.".format, labels, labels),
    st.text("abcdefghijklmnopqrstuvwxyz ,", max_size=60),
)


@cheap_settings
@given(no_alarms, worlds)
def test_no_alarm_for_what_is_elsewhere_gone_yet_to_come_or_no_name_of_a_thing_at_all(
    text: str, events: list[Change]
) -> None:
    assert verdict(check(text, made(events))) != "refuted"


@cheap_settings
@given(worlds, st.lists(st.sampled_from(list(CLAIMS)) | texts, min_size=1, max_size=4))
def test_the_live_world_gives_the_verdicts_of_the_scripted_one(events: list[Change], statements: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = [Change(change.actor, change.files) for change in events]
        others = [Change("user", {}, change.env, change.commands) for change in events]  # a person registers and sets
        scripted, root = made([*files, *others]), Path(folder)
        live = stage(scripted, root)
        for text in statements:
            assert check(text, live) == check(text, scripted)


def stage(world: ScriptedWorld, root: Path) -> LiveWorld:
    """Make the files of a world for real."""
    for name, (text, _) in world.files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    env = {"HOME": "/", **{name: value for name, (value, _) in world.env.items()}}  # an empty one says nothing
    commands = {name: flags for name, (flags, _) in world.commands.items()}
    return LiveWorld(root, env, commands, {name: by for name, (_, by) in world.files.items()})


@property_settings
@given(st.sampled_from(PLACES), st.sampled_from(["/etc/hosts", "{up}../out.txt", "{up}../../x", "{root}/../out.txt"]))
def test_a_link_that_leads_out_of_the_root_confirms_nothing_and_refutes_nothing(path: str, target: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "root"
        link = root / path
        link.parent.mkdir(parents=True)
        (Path(folder) / "out.txt").touch()
        link.symlink_to(target.format(root=root, up="../" * path.count("/")))
        assert verdict(check(f"The lamp is lit by {path}.", LiveWorld(root))) != "confirmed"


@property_settings
@given(st.lists(st.sampled_from(list(CLAIMS)) | texts, max_size=4))
def test_checking_runs_and_imports_nothing_of_what_a_text_names(statements: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root, mark = Path(folder) / "root", Path(folder) / "ran"
        for place in [*PLACES, "lamp", "stove", "bin/lamp", "lamp.py"]:
            trap = root / place
            trap.parent.mkdir(parents=True, exist_ok=True)
            python = f"open({str(mark)!r}, 'w')\ndef kindle(): ...\n"
            trap.write_text(python if trap.suffix == ".py" else f"#!/bin/sh\ntouch {mark}\n", encoding="utf-8")
            trap.chmod(0o755)
        world = LiveWorld(root, {"PATH": f"{root}:{root}/bin", "LAMP_KEY": "x"}, {"lamp": "usage: lamp --bright"})
        for text in [*statements, *CLAIMS]:
            check(text, world)
        assert not mark.exists()
