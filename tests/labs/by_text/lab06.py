"""Lab 06 by people who read its text alone: the honest file by_the_text.py with changes, and the check that is lost."""

from __future__ import annotations

from pathlib import Path

Changes = list[tuple[str, str]]


def changed(number: str, changes: Changes) -> str:
    """Return the honest file of a lab with some of its lines changed, each of which it has once."""
    source = (Path(__file__).parents[1] / "styles" / f"lab{number}" / "by_the_text.py").read_text(encoding="utf-8")
    for old, new in changes:
        assert source.count(old) == 1, f"{old!r} is {source.count(old)} times in by_the_text.py of Lab {number}"
        source = source.replace(old, new)
    return source


WRONG: dict[str, tuple[str, Changes]] = {
    "recall gives the page as it is on disk": (
        "recall/gives-the-body",
        [("    return load(name).body\n", '    return (MEM_DIR / f"{name}.md").read_text("utf-8")\n')],
    ),
    "a row has one dash": (
        "write/keeps-one-row-for-each-name",
        [("({one}.md) -- {entries", "({one}.md) - {entries"), (r"\) -- (.*?)", r"\) - (.*?)")],
    ),
    "nobody reads the type": (
        "write/leaves-a-page-with-header-and-body",
        [(r"\ntype: {kind}", "")],
    ),
    "a warning belongs on stderr": (
        "gate/withholds-the-stale-fact-and-prints-why",
        [
            (r'problems), sep="\n")', r'problems), sep="\n", file=sys.stderr)'),
            ("import re\n", "import re\nimport sys\n"),
        ],
    ),
    "the words for a problem are free": (
        "verify/looks-for-paths",
        [('f"path does not exist: {one}" for', 'f"missing file: {one}" for')],
    ),
    "a name may have an underscore": (
        "stale/writes-the-stale-fact",
        [('"deploy-script-old"', '"deploy_script_old"')],
    ),
    "the problems say enough": (
        "verify/looks-for-paths",
        [
            ("-> tuple[bool, list[str]]:", "-> list[str]:"),
            ("    return not problems, problems\n", "    return problems\n"),
            (
                "fine, problems = verify_before_trust(load(name).body)",
                "problems = verify_before_trust(load(name).body)",
            ),
            ("        if fine:", "        if not problems:"),
        ],
    ),
    "a stale memory is an error": (
        "gate/withholds-the-stale-fact-and-prints-why",
        [("    return None\n", '        raise RuntimeError("stale")\n    return None\n')],
    ),
    "all but the user are strangers": (
        "trust/only-untrusted-facts-have-a-note",
        [('{"user": 1.0, "tool": 0.8, "agent": 0.6}', '{"user": 1.0}')],
    ),
    "white space around a source is nothing": (
        "trust/a-lower-rank-overwrites-nothing",
        [
            ('    if not source or source != " ".join(source.split()):\n', ""),
            ('        source = "unknown"\n', '    source = " ".join(source.split()) or "unknown"\n'),
        ],
    ),
    "every answer deserves a note": (
        "trust/only-untrusted-facts-have-a-note",
        [('    if source_of(name) not in BELIEF:\n        print(f"note', '    if name:\n        print(f"note')],
    ),
    "only the guard prints notes": (
        "trust/only-untrusted-facts-have-a-note",
        [("next(map(show, served(query)), None)", "next((load(name).body for name in served(query)), None)")],
    ),
    "capitals are no problem in a name": (
        "names/leave-the-index-alone",
        [('[a-z0-9]+(?:-[a-z0-9]+)*", name)', '[a-z0-9]+(?:-[a-z0-9]+)*", name.lower())')],
    ),
    "every page is text": (
        "repair/outlives-a-spoiled-page",
        [
            ('path.read_bytes().decode("utf-8", "replace") if path', 'path.read_text("utf-8") if path'),
            ('INDEX.read_bytes().decode("utf-8", "replace")', 'INDEX.read_text("utf-8")'),
        ],
    ),
    "a row is proof of a page": (
        "repair/outlives-a-lost-page",
        [(" for name in listed if name in there", " for name in listed")],
    ),
    "two tries are enough": (
        "next/best-is-served",
        [("for name in served(query):", "for name in list(served(query))[:2]:")],
    ),
    "an order is an order, whoever gives it": (
        "trust/untrusted-orders-are-not-served",
        [("if source_of(name) not in BELIEF and ORDER", "if ORDER")],
    ),
    "capitals are variables": (
        "guard/raises-no-false-alarm",
        [('if re.search(r"\\benv', 'if True or re.search(r"\\benv')],
    ),
    "words are English": (
        "words/that-tell-something-still-match",
        [(r'r"[^\W_]+", text.casefold()', 'r"[a-z0-9]+", text.lower()')],
    ),
    "every memory is about the project": (
        "stale/writes-the-stale-fact",
        [('" ".join(mtype.split())', '"project"')],
    ),
    "a body is one line": (
        "write/keeps-any-text",
        [(r'(header + body + "\n")', r'(header + " ".join(body.split()) + "\n")')],
    ),
    "what is not certain is a problem": (
        "guard/says-what-it-cannot-check",
        [("        if not named:\n            doubts.append(flag)\n        elif", "        if")],
    ),
    "a link is a file like any other": (
        "guard/is-not-led-out-by-a-link",
        [("inside = Path(chunk).resolve().is_relative_to(Path.cwd().resolve())", "inside = True")],
    ),
    "what cannot be checked needs no note": (
        "guard/says-what-it-cannot-check",
        [('            print(f"note: could not be checked here: {one}")', "            pass")],
    ),
}
HONEST: dict[str, Changes] = {
    "more lines are printed, with the name of who runs it": [
        ("import os\n", "import getpass\nimport os\n"),
        (
            '    print(f"wrote',
            '    print(f"{getpass.getuser()} writes {name}, {len(body)} characters")\n    print(f"wrote',
        ),
    ],
    "pages are read by a pool of threads, and the output is configured": [
        ("import re\n", "import re\nimport sys\nfrom concurrent.futures import ThreadPoolExecutor\n"),
        ('MEM_DIR = Path("memory")\n', 'sys.stdout.reconfigure(line_buffering=True)\nMEM_DIR = Path("memory")\n'),
        (
            (
                "    for name in there:\n        if name not in found:\n"
                '            found[name] = (load(name).labels or {}).get("description", "")\n    return found\n'
            ),
            (
                "    new = [name for name in there if name not in found]\n    with ThreadPoolExecutor(4) as pool:\n"
                '        said = pool.map(lambda name: (load(name).labels or {}).get("description", ""), new)\n'
                "    return found | dict(zip(new, said))\n"
            ),
        ),
    ],
    "a lock, a locale and a temporary file": [
        ("import os\n", "import locale\nimport multiprocessing\nimport os\nimport tempfile\n"),
        (
            'MEM_DIR = Path("memory")\n',
            'locale.setlocale(locale.LC_ALL, "")\nLOCK = multiprocessing.Lock()\nMEM_DIR = Path("memory")\n',
        ),
        (
            '    path.write_bytes((header + body + "\\n").encode("utf-8", "replace"))\n',
            (
                "    with LOCK, tempfile.NamedTemporaryFile(dir=MEM_DIR, delete=False) as draft:\n"
                '        draft.write((header + body + "\\n").encode())\n    os.replace(draft.name, path)\n'
            ),
        ),
    ],
}
