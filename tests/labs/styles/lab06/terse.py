"""Lab 06 by somebody who writes short: few helpers, one-letter names, no more lines than needed.

Makes an unsafe name safe; the guard gives True or False and says itself what is stale; old pages are renamed into one
folder; words are compared by Dice; the index is rewritten in the order of the names.
"""

import os
import re
from hashlib import blake2b
from pathlib import Path

MEM_DIR, HELP = Path("memory"), {}
INDEX = MEM_DIR / "MEMORY.md"
STOP = set(
    "a about all an and any are as at be by can did do does for from had has have how i if in is it its me my no not "
    "of on or our so than that the their them then there these they this those to us was we were what when where which "
    "who whom whose why will with would you your should could tell please".split()
)
RANK = {"user": 4, "tool": 3, "agent": 2}
EXT = r"sh|py|js|ts|json|ya?ml|toml|md|txt|html|css|csv|sql|ini|cfg|conf|lock|xml"
FILE = re.compile(rf"(^|/)(Makefile|Dockerfile|Procfile|Gemfile|\.env)$|\w\.({EXT})$")
NOT = re.compile(r"://|[@*{}$%=?\0]|^-|^[A-Z]\w*\.js$|^([\w-]+\.)+[a-z]{2,}/")
DO = re.compile(
    r"(?im)(^\W*|[.!?:;,]\s+)((please|now|then|first|and) )*(always|never|do not|don't|ignore|disregard|forget|run"
    r"|execute|use|send|mail|copy|delete|remove|install|download|upload|push|deploy|tell|approve|pay)\b"
    r"|\b(you|agents?) (must|should|have to|need to)\b|\bfrom now on\b"
)


def line(s):
    return " ".join(str(s).split())


def words(s):
    return set(re.findall(r"[^\W_]+", s.lower())) - STOP


def read(p):
    try:
        return p.read_text("utf-8", "replace")
    except OSError:
        return ""


def page(n):
    m = re.match(r"(?s)---\n(.*?\n)---\n(.*)", t := read(MEM_DIR / f"{n}.md"))
    return (dict(re.findall(r"(?m)^(\w+): (.*)$", m[1])), m[2].strip()) if m else ({"source": "unknown"}, t.strip())


def src(n):
    return page(n)[0].get("source", "user")


def rows():
    d = dict(re.findall(r"(?m)^- \[(.+?)\]\(.+?\) -- (.+)$", read(INDEX)))
    ns = sorted(p.stem for p in MEM_DIR.glob("*.md") if p.name != INDEX.name)
    return {n: d.get(n) or page(n)[0].get("description", n) for n in ns}


def safe(n):
    if re.fullmatch(r"[a-z0-9]+([-_][a-z0-9]+)*", n) and len(n) < 99 and n != "memory":
        return n
    return "-".join(
        [*re.findall("[a-z0-9]+", n.lower()[:50]), blake2b(n.encode("utf-8", "replace"), digest_size=4).hexdigest()]
    )


def write_memory(name, description, mtype, body, *, source="user", session=None):
    n, d = safe(name), line(description)
    if source not in RANK and DO.search(body):
        raise ValueError(f"{source} gives orders: {line(body)[:60]!r}")
    p = MEM_DIR / f"{n}.md"
    if p.exists():
        if RANK.get(src(n), 1) > RANK.get(source, 1):
            raise ValueError(f"{source} may not rewrite {n}: {src(n)} wrote it")
        old = MEM_DIR / "old"
        old.mkdir(exist_ok=True)
        p.rename(old / f"{n}.{len(list(old.glob(f'{n}.*')))}.md")
    MEM_DIR.mkdir(exist_ok=True)
    who = source if source == line(source) else "unknown"
    extra = f"source: {who}\n" * (source != "user") + f"session: {line(session)}\n" * (session is not None)
    p.write_text(f"---\nname: {n}\ndescription: {d}\ntype: {line(mtype)}\n{extra}---\n\n{body.strip()}\n", "utf-8")
    INDEX.write_text("".join(f"- [{k}]({k}.md) -- {v}\n" for k, v in {**rows(), n: d}.items()), "utf-8")
    print("wrote", p)


def found(q):
    q, hits = words(q), []
    for n, d in rows().items():
        if q & (w := words(d)):
            if (s := src(n)) not in RANK and DO.search(page(n)[1]):
                print(f"({n} gives orders and is from {s}: not served)")
            else:
                hits.append((2 * len(q & w) / (len(q) + len(w)) * RANK.get(s, 1), n))
    return [n for _, n in sorted(hits, reverse=True)]


def give(n):
    if src(n) not in RANK:
        print(f"({n} is from {src(n)})")
    return page(n)[1]


def recall(query):
    return next(map(give, found(query)), None)


def plant_stale():
    b = "To ship, run scripts/old_deploy.sh from the repo root."
    write_memory("deploy-script-old", "where the deploy script lives", "reference", b)


def look(m):
    bad, dunno = [], []
    for w in [c.rstrip(".:!?*_") for c in re.findall(r"[^\s\"'`()\[\]<>,;|]+", m)]:
        a, s, _ = w.partition("/")
        if NOT.search(w) or not (
            FILE.search(w) or (s and (a in "scripts src bin docs tools . .. ~ ".split(" ") or Path(a).is_dir()))
        ):
            continue
        if re.search(r"^[/~]|[:\\]|(^|/)\.\.(/|$)", w) or Path.cwd().resolve() not in Path(w).resolve().parents:
            dunno.append(w)
        elif not Path(w).exists():
            bad.append(f"path does not exist: {w}")
    env = re.findall(r"\$\{?([A-Z_][A-Z0-9_]*)", m) + re.findall(r"\b([A-Z][A-Z0-9_]*)=", m)
    for s in re.split(r"[.!?;]\s|\n", m):
        if re.search(r"(?i)\benv(ironment)? var|\benvironment\b", s):
            env += re.findall(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b", s) + re.findall(r"var\w* ([A-Z]+)\b", s)
    bad += [f"env var is not set: {v}" for v in env if not os.environ.get(v)]
    h = [t for c, t in HELP.items() if c in re.findall(r"[\w.-]+", m)]
    for f in re.findall(r"(?<![\w-])--[a-z][\w-]*", m):
        if not h:
            dunno.append(f)
        elif f not in re.findall(r"--[\w-]+", " ".join(h)):
            bad.append(f"flag is not in the help: {f}")
    return bad, dunno


def verify_before_trust(memory):
    bad, dunno = look(memory)
    if dunno and not bad:
        print("unchecked:", *dunno)
    return not bad, bad


def recall_and_trust(query):
    for n in found(query):
        ok, bad = verify_before_trust(page(n)[1])
        if ok:
            return give(n)
        print("STALE -- not serving as fact. flag for refresh:", *bad, sep="\n  - ")
    return None
