"""Lab 07 in as few lines as its author could."""

import json
import os
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

HELP: dict[str, str] = {}
ROOT = Path("mix")
EPISODIC, SEMANTIC, RULES = ROOT / "episodes.jsonl", ROOT / "facts.json", ROOT / "rules.md"
FIRST_RULES = """\
# Agent rules (procedural memory)
- Prefer pnpm. Never mix package managers.
- Before acting on a memory that names a file or a flag, see that it exists.
- Ship only when the smoke test on the live page is green.
"""
RANKS = {"user": 3, "tool": 2, "agent": 1}
SMALL = set(
    """a about all an and any are as at be been but by can could did do does for from get had has have he her his
    how i if in into is it its me my no not of on or our out over she should so than that the their them then there
    these they this those to up us was we were what when where which who whose why will with would you your""".split()
)
ORDER = re.compile(
    r"(?i)(^|[.!?:;]\s)\W*(always|never|do|don't|run|send|use|delete|ignore|forget|deploy|install|remove|disable|enable|"
    r"skip|stop|start|move|copy|post|push|give|tell|call|pay|open|visit|click|write|read|upload|download|execute|switch|"
    r"replace|change|set|add|make|put|take|ship|follow|trust|drop|erase|buy|transfer|ask|share|publish)\b"
    r"|must|should|please|from now on"
)
ENDING = r"\.(sh|py|[jt]sx?|ya?ml|json|toml|md|txt|html?|css|csv|ini|cfg|sql|lock|xml|rb|go|rs)"
FILE = re.compile(
    rf"([\w-]+/)*[\w.-]*\w{ENDING}|([\w-]+/)*(Make|Docker|Proc|Gem|Rake|Jenkins)file|(scripts|src|bin|docs|lib|tests|tools)/[\w/-]+"
)
PRODUCT = re.compile(r"(?i)(node|next|nuxt|vue|react|three|d3|express)\.js")
FLAG = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")


def rank(source: str) -> int:
    return RANKS.get(source, 0)


def words(text: str) -> set[str]:
    return {re.sub(r"(?<=\w\w[^s])s$", "", one) for one in set(re.findall(r"[^\W_]+", text.lower())) - SMALL}


def line(text: str, source: str = "user") -> str:
    flat = " ".join(text.split())
    if not rank(source):
        return "" if ORDER.search(flat) else f"according to {source}: {flat}"
    return re.sub(r"^(?=[\s-]*\[)", "> ", flat)


def problems(text: str) -> list[str]:
    found = [one.strip("()[]<>{}\"'`,;:!?").rstrip(".").removeprefix("./") for one in text.split()]
    bad = [
        f"no {one}" for one in found if FILE.fullmatch(one) and not PRODUCT.fullmatch(one) and not Path(one).exists()
    ]
    names = re.findall(r"\$\{?([A-Za-z_]\w*)|\b([A-Z]\w+)=", text)
    if re.search(r"(?i)\benv(ironment)?\b", text):
        names += re.findall(r"\b([A-Z][A-Z_0-9]{2,})\b()", text)
    bad += [f"${one} is not set" for one in map("".join, names) if not os.environ.get(one)]
    known = " ".join(HELP[one] for one in found if one in HELP)
    bad += [f"no {one}" for one in FLAG.findall(text) if known and one not in FLAG.findall(known)]
    if odd := [one for one in found if re.match(r"[/~]\w|~/|\.\./", one) or (FLAG.fullmatch(one) and not known)]:
        print("look yourself:", *odd)
    return bad


class MemoryMix:
    def __init__(self) -> None:
        self.working: dict[str, Any] = {}
        ROOT.mkdir(exist_ok=True)
        if not RULES.exists():
            RULES.write_text(FIRST_RULES, encoding="utf-8")

    def set_task(self, task: str, todo: list[str], *, source: str = "user", session: str | None = None) -> None:
        if not rank(source):
            raise ValueError(f"no tasks from {source}")
        self.working = {"task": task, "todo": list(todo)}

    def check_off(self, item: str, *, source: str = "user", session: str | None = None) -> None:
        if not rank(source):
            raise ValueError(f"nothing is checked off by {source}")
        self.working["todo"] = [one for one in self.working.get("todo", []) if one != item]

    def log_episode(self, kind: str, detail: str, *, source: str = "user", session: str | None = None) -> None:
        torn = EPISODIC.exists() and EPISODIC.read_bytes()[-1:] not in {b"", b"\n"}
        with EPISODIC.open("a", encoding="utf-8") as log:
            log.write(
                "\n" * torn + json.dumps({"kind": kind, "detail": detail, "source": source, "session": session}) + "\n"
            )

    def episodes(self) -> list[dict[str, Any]]:
        out = []
        for one in EPISODIC.read_bytes().splitlines() if EPISODIC.exists() else []:
            try:
                got = {"source": "user", "session": None} | json.loads(one)
            except (ValueError, TypeError):
                continue
            if isinstance(got.get("kind"), str) and isinstance(got.get("detail"), str):
                out.append(got)
        return out

    def _facts(self) -> dict[str, Any]:
        try:
            facts = json.loads(SEMANTIC.read_bytes())
            return {
                name: {"source": "user", "was": []} | one
                for name, one in facts.items()
                if one["body"] or one["description"]
            }
        except FileNotFoundError:
            return {}
        except (ValueError, TypeError, KeyError, AttributeError):
            aside = SEMANTIC.rename(f"{SEMANTIC}.{sha256(SEMANTIC.read_bytes()).hexdigest()[:8]}")
            print(f"spoiled facts are now in {aside}")
            return {}

    def write_fact(
        self, name: str, description: str, body: str, *, source: str = "user", session: str | None = None
    ) -> None:
        facts = self._facts()
        new = {"description": description, "body": body, "source": source, "session": session, "was": []}
        if old := facts.get(name):
            if rank(old["source"]) > rank(source):
                raise ValueError(f"{source} may not overwrite {name} of {old['source']}")
            new["was"] = old["was"] + [old | {"was": None}] * (old["body"] != body or old["description"] != description)
        draft = SEMANTIC.with_suffix(".new")
        draft.write_text(json.dumps(facts | {name: new}), encoding="utf-8")
        draft.replace(SEMANTIC)

    def rules(self) -> str:
        return RULES.read_text(encoding="utf-8").strip()

    def assemble(self, task: str, budget_chars: int = 1200) -> str:
        recent = [one for e in self.episodes() if (one := line(f"{e['kind']}: {e['detail']}", e["source"]))][-3:]
        todo, facts = [line(one).removeprefix("> ") for one in self.working.get("todo", [])], self._relevant(task)
        for out in range(len(facts) + len(todo) + len(recent) + 1):
            r = recent[out:]
            t = todo[: max(1, len(todo) - max(0, out - len(recent)))]
            f = facts[: max(0, len(facts) - max(0, out - len(recent) - max(0, len(todo) - 1)))]
            parts = [
                "[RULES]\n" + self.rules(),
                "\n".join(["[FACTS]", *f]) * bool(f),
                "\n".join(["[RECENT]", *r]) * bool(r),
            ]
            parts += [f"({out} left out)" * bool(out)]
            if todo:
                parts += [f"[WORKING] task={' '.join(self.working['task'].split())}\ntodo: {', '.join(t)}"]
                parts += [f"[RECITE -> do next] {', '.join(t)}"]
            if len(text := "\n\n".join(filter(None, parts))) <= budget_chars:
                return text
            if not r and not f and len(t) < 2:
                raise ValueError(f"{budget_chars} is too little, {len(text)} is needed")
        raise AssertionError

    def _relevant(self, task: str) -> list[str]:
        found = []
        for one in self._facts().values():
            n, text = len(words(task) & words(one["description"])), line(one["body"], one["source"])
            if n and text and self._verify_fresh(one["body"]):
                found.append((rank(one["source"]) < 1, -n, text))
        return [text for *_, text in sorted(found)]

    def promote_recurring(self, min_count: int = 2) -> list[tuple[str, str, int]]:
        out, log = [], self.episodes()
        for detail in {one["detail"]: 0 for one in log}:
            by = [one for one in log if one["detail"] == detail]
            sure = [one for one in by if rank(one["source"])]
            alone = len(sure) < len(by) and not any(one["source"] == "user" for one in sure)
            if len(sure) < min_count or len({one["session"] for one in sure} - {None}) == 1 or alone:
                continue
            if bad := problems(detail):
                print(f"SKIP (stale, not promoted): {detail}", *bad, sep="\n  - ")
                continue
            facts, name, n = self._facts(), "", 8
            while not name or (
                name in facts and detail not in [one["body"] for one in (facts[name], *facts[name]["was"])]
            ):
                name, n = f"learned-{sha256(detail.encode()).hexdigest()[:n]}", n + 1
            if name not in facts:
                self.write_fact(name, "learned from repeated episodes", detail, source="agent")
                out.append((name, detail, len(sure)))
        return out

    def _verify_fresh(self, body: str) -> bool:
        return not problems(body)


if __name__ == "__main__":
    mix = MemoryMix()
    mix.set_task("ship the labs page", ["build", "smoke test", "deploy"])
    mix.log_episode("deploy", "shipped labs v1 to prod, smoke green")
    mix.write_fact("deploy-cmd", "how this project ships", "Run scripts/deploy.sh from the repo root.")
    print("rules loaded:", len(mix.rules().splitlines()), "lines")
    print("working todo:", mix.working["todo"])
    print("episodes on disk:", len(mix.episodes()))
