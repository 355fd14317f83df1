"""Lab 07 by people who read its text alone: the honest file by_the_text.py with changes, and the check that is lost."""

from __future__ import annotations

from by_text.lab06 import Changes

WRONG: dict[str, tuple[str, Changes]] = {
    "rules are a file, whole": (
        "rules/gives-what-a-person-wrote",
        [('.decode("utf-8", "replace").strip()', '.decode("utf-8", "replace")')],
    ),
    "what is checked off is there": (
        "working/check-off-of-something-else-changes-nothing",
        [('        if item in self.working.get("todo", ()):\n            self', "        if True:\n            self")],
    ),
    "a new task continues the old": (
        "working/set-task-keeps-task-and-todo",
        [('"todo": [*todo]}', '"todo": [*self.working.get("todo", ()), *todo]}')],
    ),
    "the newest episode comes first": (
        "log/replays-what-was-logged",
        [("                found.append(entry)", "                found.insert(0, entry)")],
    ),
    "the first writer of a name is right": (
        "facts/written-again-is-replaced",
        [("        facts[name] = fact\n", "        facts.setdefault(name, fact)\n")],
    ),
    "a description is what the model reads": (
        "assemble/the-published-prompt",
        [('one_line(fact["body"]) + mark)', 'one_line(fact["description"]) + mark)')],
    ),
    "the kind of an episode is for programs": (
        "assemble/the-published-prompt",
        [("""one_line(f"{entry['kind']}: {entry['detail']}")""", 'one_line(entry["detail"])')],
    ),
    "recent means five": ("assemble/latest-three-episodes", [("if len(shown) == 3:", "if len(shown) == 5:")]),
    "to-dos are recited as a list of lines": (
        "trim/todo-recited-last",
        [("f\"[RECITE -> do next] {', '.join(todo)}\"", 'f"[RECITE -> do next] " + "\\n".join(todo)')],
    ),
    "a word may be a part of a word": (
        "assemble/only-facts-about-the-task",
        [
            (
                'shared = about & telling(fact["description"])',
                'shared = {one for one in about if one in fact["description"].lower()}',
            )
        ],
    ),
    "a promoted fact describes itself": (
        "promote/what-recurs-becomes-a-fact",
        [('self.write_fact(name, "learned from repeated episodes", detail', "self.write_fact(name, detail, detail")],
    ),
    "a skipped detail says it all": (
        "promote/the-stale-is-skipped",
        [
            (
                ', *(f"  - {one}" for one in problems), sep="\\n")\n                continue\n            self._note',
                ")\n                continue\n            self._note",
            )
        ],
    ),
    "too small is too small": (
        "budget/too-small-is-said",
        [(": rules, task and next to-do need {len(prompt())}", "")],
    ),
    "nobody needs to know what is left out": (
        "budget/whole-facts-and-one-line-that-counts",
        [('[f"({left_out} left out)"] if left_out else []', "[]")],
    ),
    "a tool knows better than a user": (
        "trust/a-lower-rank-never-overwrites",
        [('{"user": 3, "tool": 2', '{"user": 2, "tool": 3')],
    ),
    "only a higher rank may replace": (
        "trust/a-lower-rank-never-overwrites",
        [
            (
                '> rank_of(source):\n                raise ValueError(f"{name!r} is',
                '>= rank_of(source):\n                raise ValueError(f"{name!r} is',
            )
        ],
    ),
    "a fact needs no source beside it": (
        "trust/a-strangers-fact-is-marked",
        [('one_line(fact["body"]) + mark', 'one_line(fact["body"])')],
    ),
    "an order is an order, whoever gives it": (
        "trust/a-strangers-orders-are-not-served",
        [('(not rank_of(source) and ORDER.search(fact["body"]))', 'ORDER.search(fact["body"])')],
    ),
    "a damaged file is of no use": (
        "repair/spoiled-facts-are-put-aside",
        [("        SEMANTIC.rename(aside)\n", "        SEMANTIC.unlink()\n")],
    ),
    "a damaged file is nobody's business": (
        "repair/spoiled-facts-are-put-aside",
        [('        print(f"{SEMANTIC} cannot be read. It is now {aside}")\n', "")],
    ),
    "a line of JSON is an episode": (
        "repair/damaged-lines-are-skipped",
        [
            (
                '            if is_entry(entry, "kind", "detail"):\n                found',
                "            if entry:\n                found",
            )
        ],
    ),
    "the same fact again is a new beginning": (
        "versions/what-stood-before-is-kept",
        [('fact["earlier"] = earlier if is_same else', 'fact["earlier"] = [] if is_same else')],
    ),
    "stored texts are facts and episodes": (
        "sections/the-recital-is-one-line",
        [
            (
                'todo = [one_line(item) for item in self.working.get("todo", ())]',
                'todo = [*self.working.get("todo", ())]',
            )
        ],
    ),
    "a heading begins a text": (
        "sections/nothing-stored-opens-a-section",
        [('" ".join(text.split())', "text.strip()")],
    ),
    "the guard has nothing to say": (
        "guard/what-nobody-can-check-is-served-with-a-note",
        [('            print(f"note: nobody can check {one} here")', "            pass")],
    ),
    "an address is a path": (
        "guard/no-false-alarm",
        [('if "://" in chunk or "@" in chunk or set', 'if "@" in chunk or set'), ("or TOP_LEVEL.match(first)", "")],
    ),
    "variables have a dollar": (
        "guard/what-is-missing-is-not-promoted",
        [("    for sentence in re.split(", "    for sentence in () and re.split(")],
    ),
    "letter case tells words apart": (
        "assemble/only-facts-about-the-task",
        [('re.findall(r"[^\\W_]+", text.lower())', 're.findall(r"[^\\W_]+", text)')],
    ),
    "a fact is named by how many there are": (
        "names/the-same-in-every-process",
        [('sha256(detail.encode("utf-8", "replace"))', "sha256(str(len(facts)).encode())")],
    ),
}
HONEST: dict[str, Changes] = {
    "the log is written by a thread, and the class tells what it does": [
        ("import re\n", "import re\nimport threading\n"),
        (
            '            log.write(f"{lead}{json.dumps(entry)}\\n")\n',
            (
                '            writer = threading.Thread(target=log.write, args=(f"{lead}{json.dumps(entry)}\\n",))\n'
                '            writer.start()\n            writer.join()\n        print("logged", kind)\n'
            ),
        ),
    ],
    "files are read in asyncio": [
        ("import json\n", "import asyncio\nimport json\n"),
        (
            "facts = json.loads(SEMANTIC.read_bytes())",
            "facts = json.loads(asyncio.run(asyncio.to_thread(SEMANTIC.read_bytes)))",
        ),
    ],
    "the class is a dataclass with slots": [
        ("import os\n", "import os\nfrom dataclasses import dataclass, field\n"),
        ("class MemoryMix:\n", "@dataclass(slots=True)\nclass MemoryMix:\n"),
        (
            "    def __init__(self) -> None:\n        self.working: dict[str, Any] = {}\n",
            "    working: dict[str, Any] = field(default_factory=dict)\n\n    def __post_init__(self) -> None:\n",
        ),
    ],
}
