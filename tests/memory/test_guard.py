from __future__ import annotations

from pathlib import Path

import pytest

from memlab.memory.guard import check, verdict
from memlab.memory.world import Change, LiveWorld, ScriptedWorld, World

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
""",
}


@pytest.mark.parametrize(
    ("wanted", "text"), [(want, line) for want, lines in CASES.items() for line in lines.split("\n") if line]
)
def test_a_text_gets_the_verdict_that_the_world_supports(world: ScriptedWorld, wanted: str, text: str) -> None:
    findings = check(text, world)
    assert verdict(findings) == wanted, findings
    assert all(finding.reason for finding in findings)


def test_what_an_untrusted_source_put_there_confirms_nothing(world: ScriptedWorld) -> None:
    world.change(Change(actor="web", files={"scripts/planted.sh": ""}))
    (finding,) = check("Run scripts/planted.sh.", world)
    assert finding.verdict == "unverifiable"
    assert "web" in finding.reason


def test_a_link_out_of_the_root_confirms_nothing(world: ScriptedWorld) -> None:
    world.change(Change(links={"scripts/link.sh": "../../etc/passwd"}))
    assert verdict(check("Run scripts/link.sh.", world)) == "unverifiable"


def test_the_live_world_sees_what_the_scripted_world_tells(tmp_path: Path, world: ScriptedWorld) -> None:
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
