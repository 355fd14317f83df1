from __future__ import annotations

from collections.abc import Mapping

from memlab.memory.heuristics.references import (
    _ENDINGS,
    _FILE_NAMES,
    MOST_FOLDERS,
    NEAR,
    NEARBY,
    Reference,
    find_references,
)

SETTINGS = "ADDR BUCKET DIR DSN ENDPOINT ENV HOME HOST ID KEY NAME PASSWORD PATH PORT REGION SECRET TOKEN URI URL USER"
PATHS = {
    "Run scripts/deploy.sh.": ["scripts/deploy.sh"],
    "Run scripts/deploy.sh; then bin/ship, then lib/a/b!": ["scripts/deploy.sh", "bin/ship", "lib/a/b"],
    "Use **scripts/run.sh**, then *config/site.yaml*.": ["scripts/run.sh", "config/site.yaml"],
    "Read (docs/guide.md:12) and [src/app.py:4:2].": ["docs/guide.md", "src/app.py"],
    "The run of scripts/run.sh\u2019s twin, scripts/two.sh's brother.": ["scripts/run.sh", "scripts/two.sh"],
    "See x/plan.odt and app/Makefile and app/sub/sub/Makefile.": ["x/plan.odt", "app/Makefile", "app/sub/sub/Makefile"],
    "Read ./notes and ../notes and docs/ there.": ["./notes", "../notes", "docs/"],
    "The Makefile and .env and site.conf.j2 are here": ["Makefile", ".env", "site.conf.j2"],
    "Makefile": ["Makefile"],
    "one file: Dockerfile": ["Dockerfile"],
    "The program \u201crun.sh\u201d calls \u00abship.py\u00bb and \u2018go.rb\u2019": ["run.sh", "ship.py", "go.rb"],
    "Run config/a.yaml. Then config/b.yaml? Or config/c.yaml;\nor config/d.yaml": [
        f"config/{one}.yaml" for one in "abcd"
    ],
    "app.js and app.js again": ["app.js"],
    "Run scripts/deploy.sh() now": ["scripts/deploy.sh"],
}


PRODUCTS = "Node node Next next Vue vue nuxt react express three d3 deno alpine ember backbone jQuery p5"


def paths(*names: str, sure: bool = True) -> tuple[Reference, ...]:
    return tuple(Reference("path", name, sure=sure) for name in names)


def wrong(cases: Mapping[str, tuple[Reference, ...]]) -> dict[str, tuple[Reference, ...]]:
    """Return the texts whose references are others than expected, each with those that are found."""
    return {text: found for text, expected in cases.items() if (found := find_references(text)) != expected}


def test_a_path_is_found_whatever_punctuation_surrounds_it() -> None:
    assert wrong({text: paths(*names) for text, names in PATHS.items()}) == {}


def test_each_ending_makes_a_file_of_a_bare_name_and_none_is_a_domain() -> None:
    endings = _ENDINGS.split()
    assert wrong({f"See notes-1.{one} there": paths(f"notes-1.{one}") for one in endings}) == {}
    folders = {f"See notes.{one}/part-1 there": paths(f"notes.{one}/part-1", sure=False) for one in endings}
    assert wrong(folders) == {}


def test_a_product_named_like_a_file_is_no_file() -> None:
    products = PRODUCTS.split()
    assert wrong({f"We use {one}.js and {one}.ts here": () for one in products}) == {}
    assert wrong({f"We use src/{one}.js here": paths(f"src/{one}.js") for one in products}) == {}


def test_each_known_file_name_is_a_file_anywhere() -> None:
    assert wrong({f"See file {name} and app/{name}": paths(name, f"app/{name}") for name in _FILE_NAMES}) == {}


NO_PATHS = """
See https://example.com/a.js, https://cdn.example.com/crop,w_640/b.jpg and www.example.com/a.js and //cdn/a.js.
See example.org/docs/x.html and acme.co/x.
Install @scope/pkg or *.py or {a}/b.py or $HOME/x.py.
We met and/or talked of Europe/Paris.
Marked w/ green tape, b/c it is dark.
See docs/\u2026/x.sh and docs/.../x.sh.
Wait... or \u2026/x, or .../x.
Use Node.js, Next.js, jQuery.js, vue.js and docs.rs.
See chapter 3.2.c and section 4.1.h.
Use console.log() and self.session.lock().
On C:/tools/x.sh and a&b/c.sh.
It costs 3.50 or e.g. 4.
"""


def test_text_that_only_looks_like_a_path_is_none() -> None:
    assert wrong(dict.fromkeys([*NO_PATHS.strip().splitlines(), ""], ())) == {}


DOUBTS = {
    "See acme:srv/x.sh.": ("acme:srv/x.sh", "acme:srv/x.sh lies on another machine"),
    "See db:x.sh/y.": ("db:x.sh/y", "db:x.sh/y lies on another machine"),
    "Read /etc/hosts.": ("/etc/hosts", "/etc/hosts does not lie under the root"),
    "Read ~/bin/x.sh.": ("~/bin/x.sh", "~/bin/x.sh does not lie under the root"),
    "Read ~ada/x.sh.": ("~ada/x.sh", "~ada/x.sh does not lie under the root"),
    "On the staging server, run scripts/x.sh.": (
        "scripts/x.sh",
        "the text speaks of another place: On the staging server",
    ),
    "On the web box, read /etc/x.sh.": ("/etc/x.sh", "/etc/x.sh does not lie under the root"),
}


def test_a_path_that_cannot_be_checked_says_why() -> None:
    assert wrong({text: (Reference("path", name, doubt=doubt),) for text, (name, doubt) in DOUBTS.items()}) == {}


def test_words_with_slashes_may_be_prose() -> None:
    for text in ["Run jobs/nightly-sync daily.", "Pick a/b/c daily.", "Ask team/v2 of it."]:
        assert [(one.kind, one.sure) for one in find_references(text)] == [("path", False)], text


def test_a_bare_file_is_looked_for_in_the_folders_named_beside_it() -> None:
    assert find_references("In the scripts folder or below src/app/, run deploy.sh.") == (
        Reference("path", "src/app/"),
        Reference("path", "deploy.sh", ("scripts/deploy.sh", "src/app/deploy.sh")),
    )


def test_a_flag_belongs_to_the_nearest_words_before_it_or_else_after_it() -> None:
    (flag,) = find_references("Run pnpm install --force now")
    assert flag == Reference("flag", "--force", ("pnpm install", "Run pnpm", "install", "pnpm", "Run", "now"))


def test_the_words_beside_a_flag_are_trimmed_and_other_flags_are_none_of_them() -> None:
    first, second = find_references("Say `git push:` --force --quiet, \u2026 -v or **npm** please")
    assert first.places == ("git push", "Say git", "push", "git", "Say", "or", "npm", "please")
    assert (second.name, "push --force" in second.places) == ("--quiet", True)
    assert not any(place.startswith("-") for place in (*first.places, *second.places))


def test_a_flag_looks_no_farther_than_the_words_nearby() -> None:
    words = [f"w{number}" for number in range(20)]
    (flag,) = find_references(" ".join([*words, "--force", *words]))
    singles = [place for place in flag.places if " " not in place]
    assert singles == [*reversed(words[-NEARBY:]), *words[: NEARBY - 1]]


def test_a_flag_looks_no_farther_than_the_letters_nearby() -> None:
    far, near = "a" * NEAR, "a" * (NEAR - len("--force git "))
    for text in (f"git {far} --force {far} npm", f"git {far}. Use --force {far} npm"):
        (flag,) = find_references(text)
        assert not {"git", "npm"} & set(flag.places)
    for text in (f"git {near} --force", f"--force {near} git", f"git {near}. Use --force"):
        (flag,) = find_references(text)
        assert "git" in flag.places


def test_a_bare_file_is_looked_for_in_the_first_folders_of_a_sentence_each_once() -> None:
    folders = [f"f{number}" for number in range(MOST_FOLDERS + 9)]
    named = " ".join(f"{folder}/ {folder}/" for folder in folders)
    assert find_references(f"{named} run.sh")[-1].places == tuple(
        f"{folder}/run.sh" for folder in folders[:MOST_FOLDERS]
    )


def test_a_flag_that_is_to_be_added_is_claimed_and_its_command_may_stand_in_the_sentence_before() -> None:
    (flag,) = find_references("I fetch with pull-hours. If some are missing, add --fill.")
    assert (flag.kind, flag.name) == ("flag", "--fill")
    assert "pull-hours" in flag.places
    assert [one.name for one in find_references("If some are missing I call pull-hours with --fill.")] == ["--fill"]
    assert find_references("We will add --fill, and --old is gone.") == ()


def test_a_folder_is_named_by_the_slash_behind_it() -> None:
    found = [
        (one.name, one.sure)
        for one in find_references("The cues lie in dome/ and in dome/cues/ but not in dome or a/b.")
    ]
    assert found == [("dome/", True), ("dome/cues/", True)]


def test_a_class_of_a_module_is_named_by_backticks() -> None:
    found = [
        (one.kind, one.name) for one in find_references("Cut with `clips.Clip`, not `Node.JS`, `example.org` or `a.b`.")
    ]
    assert found == [("symbol", "clips.Clip")]


def test_a_flag_with_a_slash_is_no_path() -> None:
    assert [found.kind for found in find_references("Use --config/x-y")] == ["flag"]


def test_a_word_that_is_no_flag_and_a_flag_that_is_gone_are_not_named() -> None:
    assert wrong(dict.fromkeys(["We dropped --force.", "a --Force", "a---force", "x--force", "-f or --"], ())) == {}


VARIABLES = {
    "Use $API_KEY and ${DB_URL}.": {"API_KEY": True, "DB_URL": True},
    "The ORDER_ID column is indexed; the job reads DB_URL.": {"ORDER_ID": False, "DB_URL": True},
    "Use $DEBUG.": {"DEBUG": True},
    "It takes GITHUB_TOKEN.": {"GITHUB_TOKEN": True},
    "It reads MAX_RETRIES.": {"MAX_RETRIES": True},
    "The environment variable MAX_RETRIES counts.": {"MAX_RETRIES": True},
    "MAX_RETRIES is 5": {"MAX_RETRIES": False},
    "Set $HOME and ${PATH} and $DB_URL.": {"DB_URL": True},
    "API_KEY=x make; export API_KEY": {},
    "Run export DB_URL=x and ${DB_URL}=y": {},
    "HTTP and TODO and IMPORTANT": {},
    "DB_URL was removed. It will read DB_URL": {"DB_URL": True},
    "We removed API_KEY, and API_KEY was dropped": {},
    "HOME, A_B=1 and C_D is set": {"C_D": True},
    "a.API_KEY and $x{API_KEY} and API_KEY(": {},
}


def test_a_variable_is_known_by_its_sign_its_ending_or_a_cue() -> None:
    cases = {
        text: tuple(Reference("variable", name, sure=sure) for name, sure in names.items())
        for text, names in VARIABLES.items()
    }
    assert wrong(cases) == {}


SYMBOLS = {
    "Call charge() and then billing.charge().": ["charge", "billing.charge"],
    "The function charge_card takes cents.": ["charge_card"],
    "For the table call dump_table from the console.": ["dump_table"],
    "The method billing.refund and the `charge` function.": ["billing.refund", "charge"],
    "Here def foo_bar and the class 'my_ledger' are used.": ["foo_bar", "my_ledger"],
    "The helper of the function refund_all, the `Ledger` class.": ["refund_all", "Ledger"],
    "The helper run_all and the `Ship` helper, the symbol a_b.": ["run_all", "Ship", "a_b"],
    "the function is simple; the class of 2020": [],
    "the function a_b.5": [],
    "Write a helper e.g. black, a class i.e. none.": [],
    "The function charge_card-old, the class a_b/c, the method a_b-c": [],
    "We removed charge(), and refund() was dropped.": [],
    "We removed refund(); call charge().": ["charge"],
    "The removed pay() is gone, so call charge()": ["charge"],
    "foo.py() and charge()": ["charge"],
    "x/charge() and .charge() and a-charge() and charge(1)": [],
}


def test_a_symbol_is_called_or_named_as_one() -> None:
    assert wrong({text: tuple(Reference("symbol", name) for name in names) for text, names in SYMBOLS.items()}) == {}


def test_each_cue_makes_a_name_in_capitals_surely_a_variable() -> None:
    cues = "env environment variable variables exports .env set unset read reads from credential secret"
    for cue in cues.split():
        assert Reference("variable", "MAX_RUNS") in find_references(f"It {cue} MAX_RUNS here"), cue
        unsure = find_references(f"It x{cue.strip('.')}x MAX_RUNS here")
        assert Reference("variable", "MAX_RUNS", sure=False) in unsure, cue


def test_each_ending_makes_a_name_in_capitals_surely_a_variable() -> None:
    names = [f"MAX_{ending}" for ending in SETTINGS.split()]
    assert wrong({f"It is {name} here": (Reference("variable", name),) for name in names}) == {}
    unsure = {f"It is {name}S here": (Reference("variable", f"{name}S", sure=False),) for name in names}
    assert wrong(unsure) == {}


def test_another_place_is_meant_until_the_sentence_ends() -> None:
    marks = [". ", "! ", "? ", "; ", "\n"]
    cases = {f"On the staging server all is well{mark}Run scripts/x.sh": paths("scripts/x.sh") for mark in marks}
    assert wrong(cases) == {}


def test_builtins_of_python_are_no_symbols_of_the_project() -> None:
    assert find_references("Call os.path.join() and len() and osprey.fly().") == (
        Reference("symbol", "os.path.join", doubt="os comes with Python"),
        Reference("symbol", "len", doubt="len comes with Python"),
        Reference("symbol", "osprey.fly"),
    )


def test_a_name_that_a_product_may_have_is_not_surely_a_symbol() -> None:
    brands = ["PostgreSQL", "JavaScript", "iPhone", "macOS"]
    unsure = {f"We use the {brand} function.": (Reference("symbol", brand, sure=False),) for brand in brands}
    assert wrong(unsure) == {}
    assert wrong({f"We use the `{brand}` function.": (Reference("symbol", brand),) for brand in brands}) == {}


TARGETS = {
    "Run `make deploy` first.": ["make deploy"],
    "  make deploy  # ships": ["make deploy"],
    "$ npm run build && npm run ship": ["npm run build"],
    "`API_KEY=x just db:reset` and `task init` and `pnpm run lint`": ["just db:reset", "task init", "pnpm run lint"],
    "`yarn run a` or `bun run b`": ["yarn run a", "bun run b"],
    "make sure that it runs; then make changes.": [],
    "task already started, just in time": [],
    "`cd docs && make html` and `make -C go e2e` and `make` and `pnpm exec x`": [],
    "We removed `make deploy`, and `make ship` was removed": [],
}


def test_a_target_is_a_command_in_backticks_or_on_a_line_of_its_own() -> None:
    assert wrong({text: tuple(Reference("target", name) for name in names) for text, names in TARGETS.items()}) == {}


UNCHECKED = """
Run path/to/run.sh there.
Read my-app/main.py there.
Read your_app/main.py there.
Read apps/some-app/main.py there.
Read example.py there.
Read docs/sample/ there.
Run tests/test_foo.py there.
Read bar/run.sh there.
Read src/baz.py there.
Read placeholder.md there.
Name it kebab-case.ts there.
Name it snake_case.py there.
Name it, e.g. plan.md, there.
Name them (for example `plan.md`, review.md).
Name them such as plan.md there.
Have files like `plan.md` there.
## Files in plans/
### 1. plans/ of ours
plans/ -> review.md -> done.md
"""
NAMES_NO_FILE = """
Use reminders/`stack_logs`/`rooms`.
Use "agent/[step]" for it.
Never write lts/* there.
Merge it into release/3.x today.
See pkg/encoder_<format>.go there.
See docs/<name>/plan.md there.
See <format>_test.go there.
Run echo x > out/plan.sql
Run echo x >> out/plan.sql
Run poetry export -o plan.txt
Run poetry > docs/plan.txt
It reads .tool-versions files.
"""


def test_an_example_a_heading_and_a_flow_of_steps_cannot_be_checked() -> None:
    for text in UNCHECKED.strip().splitlines():
        found = find_references(text)
        assert found, text
        assert all(one.doubt or text.endswith("done.md") for one in found), text


def test_a_template_a_pattern_a_branch_and_a_file_that_is_written_assert_no_path() -> None:
    assert wrong(dict.fromkeys(NAMES_NO_FILE.strip().splitlines(), ())) == {}


def test_words_like_those_of_an_example_or_a_heading_are_paths() -> None:
    texts = {"Read examples/run.sh.": "examples/run.sh", "See docs/myth.md.": "docs/myth.md", "# x run.md": "run.md"}
    texts |= {
        "Read plan.example.md.": "plan.example.md",
        "old.sh -> new.sh": "new.sh",
        "See go.work there.": "go.work",
        "I like to read plan.md.": "plan.md",
    }
    assert wrong({text: paths(name) for text, name in texts.items()}) == {}
