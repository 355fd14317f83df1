from __future__ import annotations

from pathlib import Path

import pytest

from memlab.memory.environment.live_world import LiveWorld
from memlab.memory.heuristics.reference_check import Finding, check, verdict
from memlab.memory.world import Change, ScriptedWorld, World

CASES = {
    "refuted": """
To ship, run scripts/old_deploy.sh from the repo root.
Dockerfile is at the top.
Run `pnpm install --no-such-flag`.
We read $NOPE at start.
The app connects with DB_URL.
Set in the REDIS_HOST environment variable.
Run `charge_all()` nightly.
The `refund` function handles refunds.
Call billing.refund() to refund.
The settings live in settings.yaml.
See bin/ship for shipping.
The chart is config/leads-west.pdf; mind the wreck.
The script was moved to scripts/new.sh.
Docs: docs/guide.md:12
scripts/run.sh's output is green.
The function charge_card takes cents.
The method billing.refund works.
""",
    "confirmed": """
To ship, run scripts/deploy.sh from the repo root.
Run make with the Makefile.
pnpm install --frozen-lockfile
It reads DATABASE_URL.
Call charge() then ship.
billing.charge() takes cents.
In the scripts folder, run deploy.sh.
scripts/old.sh moved to scripts/deploy.sh.
We renamed scripts/old.sh to scripts/deploy.sh
""",
    "unverifiable": """
https://example.com/a.js is fine.
See example.com/docs/x.html
raw.example.com/acme/x/main/install.sh
Node.js 20 and Next.js 14
On 2026/01/05 we met and/or talked.
The timezone is Europe/Paris.
v1.2.3 shipped in 5.4.3
IMPORTANT: TODO HTTP README
scripts/old.sh was removed in May.
scripts/old.sh no longer exists.
scripts/new.sh will be added next week.
The script used to live at scripts/old.sh.
We plan to add docs/new.md
The build writes dist/app.js
Do not use scripts/old.sh.
On the staging server, run scripts/restart.sh.
In the billing repo, see src/app.py
acme@host:scripts/x.sh
git@example.com:acme/x.git
/etc/hosts and ~/bin/x.sh
Use npm --force.
print() and os.getcwd()
user(s) and file(s)
MAX_RETRIES is 5.
NODE_ENV=production make
text/html and application/json
a CI/CD pipeline at 3/4 km/h
@scope/pkg and ada@example.py
foo*.py and <name>.py and only .js files
the function is simple; the class of 2020
**scripts/old.sh** was removed.
scripts/old.sh:42 was removed.
scripts/old.sh (since removed) did it.
There is no scripts/old.sh.
Use console.log() or logger.log() for debugging.
A PostgreSQL function sums it up, and a macOS helper shows it.
See chapter 3.2.c of the jQuery.js book.
scripts/deploy.sh is run by jobs/nightly-sync.
""",
}


@pytest.mark.parametrize(
    ("wanted", "text"), [(want, line) for want, lines in CASES.items() for line in lines.split("\n") if line]
)
def test_a_text_gets_the_verdict_that_the_world_supports(world: ScriptedWorld, wanted: str, text: str) -> None:
    findings = check(text, world)
    assert verdict(findings) == wanted, findings
    assert all(finding.reason for finding in findings)


def test_a_file_written_by_an_untrusted_source_confirms_nothing(world: ScriptedWorld) -> None:
    world.change(Change(actor="web", files={"scripts/planted.sh": ""}))
    assert check("Run scripts/planted.sh.", world) == (
        Finding("path", "scripts/planted.sh", "unverifiable", "scripts/planted.sh was put there by web"),
    )


def test_a_link_out_of_the_root_confirms_nothing(world: ScriptedWorld) -> None:
    world.change(Change(links={"scripts/link.sh": "../../etc/passwd"}))
    assert verdict(check("Run scripts/link.sh.", world)) == "unverifiable"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See lib/deploy.sh.", "confirmed"),
        ("See lib/other.sh.", "refuted"),
        ("See up/deploy.sh.", "unverifiable"),
        ("See ..odd/go.sh.", "refuted"),
    ],
)
def test_a_linked_folder_has_the_files_of_the_folder_that_it_leads_to(
    world: ScriptedWorld, text: str, expected: str
) -> None:
    world.change(Change(links={"lib": "scripts", "up": "../elsewhere"}))
    assert verdict(check(text, world)) == expected


def test_the_live_world_sees_what_the_scripted_world_contains(tmp_path: Path, world: ScriptedWorld) -> None:
    for name, (text, _) in world.files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "scripts" / "out.sh").symlink_to("/etc/hosts")
    (tmp_path / "scripts" / "in.sh").symlink_to("deploy.sh")
    live: World = LiveWorld(tmp_path, {"DATABASE_URL": "x", "EMPTY": ""}, {"pnpm": "usage: pnpm [--frozen-lockfile]"})
    for wanted, lines in CASES.items():
        for line in filter(None, lines.split("\n")):
            assert verdict(check(line, live)) == wanted, line
    assert live.file("scripts/out.sh").presence == "unknown"
    assert live.file("scripts/in.sh").presence == "present"
    assert live.file("../x").presence == "unknown"
    assert live.variable("EMPTY").presence == "absent"


def test_looking_for_a_symbol_imports_nothing(tmp_path: Path) -> None:
    (tmp_path / "trap.py").write_text("def charge(): ...\nraise SystemExit('imported')\n")
    assert LiveWorld(tmp_path).symbol("charge").presence == "present"
    assert LiveWorld(tmp_path / "nowhere").symbol("charge").presence == "unknown"


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("See Makefile.", Finding("path", "Makefile", "confirmed", "path Makefile is there")),
        ("See scripts/x.sh.", Finding("path", "scripts/x.sh", "refuted", "path scripts/x.sh is not there")),
        ("See scripts/not/here.", Finding("path", "scripts/not/here", "refuted", "path scripts/not/here is not there")),
        ("See jobs/a-b.", Finding("path", "jobs/a-b", "unverifiable", "jobs/a-b may be no path at all")),
        ("MAX_RUNS is 5.", Finding("variable", "MAX_RUNS", "unverifiable", "MAX_RUNS may be no variable at all")),
        ("See /etc/hosts.", Finding("path", "/etc/hosts", "unverifiable", "/etc/hosts does not lie under the root")),
        ("See ../x.sh.", Finding("path", "../x.sh", "unverifiable", "../x.sh is outside the root")),
        ("--frozen", Finding("flag", "--frozen", "unverifiable", "no command is named with it")),
        ("npm --frozen", Finding("flag", "--frozen", "unverifiable", "the help of npm is not registered")),
        ("Run pnpm --bad", Finding("flag", "--bad", "refuted", "flag --bad is not there")),
        ("It reads DATABASE_URL.", Finding("variable", "DATABASE_URL", "confirmed", "variable DATABASE_URL is there")),
        ("Call charge().", Finding("symbol", "charge", "confirmed", "symbol charge is there")),
        ("Call len().", Finding("symbol", "len", "unverifiable", "len comes with Python")),
    ],
)  # fmt: skip
def test_a_finding_names_the_thing_its_verdict_and_why(world: ScriptedWorld, text: str, finding: Finding) -> None:
    assert check(text, world) == (finding,)


def test_a_flag_is_checked_with_the_nearest_command_whose_help_is_known(world: ScriptedWorld) -> None:
    world.change(Change(commands={"pnpm install": ("--deep",), "yarn": ("--wide",)}))
    for text, wanted in {
        "pnpm install --deep": "confirmed",
        "pnpm install --frozen-lockfile": "refuted",
        "yarn or pnpm with --wide": "refuted",
        "--wide goes with yarn": "confirmed",
    }.items():
        assert verdict(check(text, world)) == wanted, text


def test_words_with_slashes_are_a_missing_path_only_if_their_first_folder_exists(world: ScriptedWorld) -> None:
    world.change(Change(files={"jobs/daily.txt": ""}, env={"MAX_RUNS": "5"}))
    assert verdict(check("See jobs/night-sync/now.", world)) == "refuted"
    assert verdict(check("See tasks/night-sync/now.", world)) == "unverifiable"
    world.change(Change(files={"MAX_SIZE": ""}))
    assert verdict(check("MAX_SIZE is 5.", world)) == "unverifiable"


def test_one_thing_refuted_refutes_a_text_and_one_unverifiable_leaves_it_so(world: ScriptedWorld) -> None:
    seen, gone, unsure = "Run scripts/deploy.sh.", "Run scripts/x.sh.", "Run /bin/x.sh."
    assert verdict(check(f"{seen} {seen} {unsure}", world)) == "unverifiable"
    assert verdict(check(f"{seen} {unsure} {gone}", world)) == "refuted"
    assert verdict(()) == "unverifiable"


def test_a_name_in_two_folders_of_which_one_holds_it_is_there(world: ScriptedWorld) -> None:
    world.change(Change(files={"config/site.yaml": ""}))
    assert verdict(check("In scripts and config, see site.yaml", world)) == "confirmed"
    assert verdict(check("In scripts and docs, see site.yaml", world)) == "refuted"


def test_a_path_below_the_root_and_a_target_are_looked_up_where_a_world_can(tmp_path: Path) -> None:
    (tmp_path / "src" / "billing").mkdir(parents=True)
    (tmp_path / "src" / "billing" / "charge.py").write_text("")
    (tmp_path / "Makefile").write_text("build:\n")
    seen = {
        text: verdict(check(text, LiveWorld(tmp_path, {})))
        for text in ("See billing/charge.py.", "See refund.py.", "Run `make build`.", "Run `make deploy`.")
    }
    assert list(seen.values()) == ["confirmed", "refuted", "confirmed", "refuted"]


def test_a_world_of_four_lookups_still_refutes_a_path_and_leaves_a_target_open(world: ScriptedWorld) -> None:
    assert verdict(check("See deploy.sh.", world)) == "refuted"
    assert check("Run `make deploy`.", world) == (
        Finding("target", "make deploy", "unverifiable", "the targets of make cannot be looked up"),
    )
