"""What a system that is given as a file can see, reach and leave behind."""

import os
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from child_systems import HONEST, with_recall

from memlab.harness.running.runner import scenario_environment
from memlab.harness.scenarios.loading import library, load_all
from memlab.sandbox.isolation import system_level
from memlab.sandbox.isolation.levels import SYSTEM_LEVELS
from memlab.systems.answers import texts_of
from memlab.systems.child.confinement import Confinement
from memlab.systems.child.system import from_path
from memlab.systems.entry import UnknownSystem
from memlab.terms import Scenario, Workspace

KEEPING_OUT = [level.name for level in SYSTEM_LEVELS[:2] if not level.system_problem()]
"""The levels that hide files and work on this machine."""
READS = """
def readable(path):
    try:
        with open(path, "rb") as file:
            return bool(file.read(1))
    except OSError:
        return False
"""


@pytest.fixture
def scenario() -> Scenario:
    return load_all([library()])[0].sample(0)


@pytest.fixture
def cell(scenario: Scenario) -> Iterator[Workspace]:
    with scenario_environment(scenario) as environment, environment.enter():
        yield environment.workspace()


def first_answer(tmp_path: Path, cell: Workspace, source: str, confinement: Confinement) -> tuple[str, ...]:
    path = tmp_path / "mine.py"
    path.write_text(source, encoding="utf-8")
    with closing(from_path(f"{path}:Mine", 10.0, confinement).build(cell)) as system:  # type: ignore[type-var] # a child can be closed
        return texts_of("mine", system.recall("q"), 5)[0]


def secrets_in(folder: Path) -> list[str]:
    """Write a private scenario and a run beside the system's file; list them, a scenario of memlab, and our process."""
    private, run = folder / "private" / "stale" / "mine.yaml", folder / "runs" / "results.jsonl"
    for path, text in ((private, "id: x\ntimeline:\n"), (run, "{}\n"), (folder / ".git" / "packed", "x")):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    packaged = [str(path) for path in sorted(library().rglob("*.yaml"))[:1]]
    own = [f"/proc/{os.getpid()}/{name}" for name in ("cmdline", "environ", "maps")]
    return [str(private), str(run), str(folder / ".git" / "packed"), *packaged, *own]


@pytest.mark.parametrize("level", KEEPING_OUT)
def test_a_system_reads_no_scenario_no_result_and_no_process(tmp_path: Path, cell: Workspace, level: str) -> None:
    asks = with_recall(f"return [path for path in {secrets_in(tmp_path)!r} if readable(path)]", READS)
    assert first_answer(tmp_path, cell, asks, Confinement(level)) == ()


def test_without_isolation_it_reads_all_of_them(tmp_path: Path, cell: Workspace) -> None:
    secrets = secrets_in(tmp_path)
    asks = with_recall(f"return [path for path in {secrets!r} if readable(path)]", READS)
    assert first_answer(tmp_path, cell, asks, Confinement("rlimits")) == tuple(secrets)


@pytest.mark.parametrize("level", KEEPING_OUT)
def test_a_folder_of_scenarios_elsewhere_is_hidden_too(tmp_path: Path, cell: Workspace, level: str) -> None:
    folder = tmp_path / "secret"
    folder.mkdir()
    (folder / "notes.txt").write_text("the answer", encoding="utf-8")
    asks = with_recall(f"return [str(readable({str(folder / 'notes.txt')!r}))]", READS)
    assert first_answer(tmp_path, cell, asks, Confinement(level)) == ("True",)
    assert first_answer(tmp_path, cell, asks, Confinement(level, hidden=(str(folder),))) == ("False",)


@pytest.mark.parametrize("level", KEEPING_OUT)
def test_the_network_is_open_only_if_it_was_requested(tmp_path: Path, cell: Workspace, level: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        connect = f"socket.create_connection(('127.0.0.1', {server.getsockname()[1]}), 1).close(); return ['reached']"
        asks = with_recall(f"try:\n            {connect}\n        except OSError: return ['shut']", "import socket")
        assert first_answer(tmp_path, cell, asks, Confinement(level)) == ("shut",)
        opened = Confinement(level, network=True)
        assert first_answer(tmp_path, cell, asks, opened) == ("reached",)
        assert opened.name == f"{level} with the network"


@pytest.mark.parametrize("level", KEEPING_OUT)
def test_it_writes_to_its_own_directory_and_to_the_root_of_the_world(
    tmp_path: Path, cell: Workspace, level: str
) -> None:
    places = f"[{str(cell.directory)!r}, {str(cell.root)!r}, os.environ['TMPDIR'], {str(tmp_path)!r}, '/etc']"
    tries = f"""
        done = []
        for place in {places}:
            try:
                open(place + '/written', 'w').close()
                done.append(place.rpartition('/')[2])
            except OSError:
                pass
        return done"""
    found = first_answer(tmp_path, cell, with_recall(tries.strip()), Confinement(level))
    assert found == (cell.directory.name, cell.root.name, "tmp")


LEAVES = """
here = os.environ["TMPDIR"] + "/.."
places = ["/tmp/left", "/dev/shm/left", here + "/../left", os.environ["HOME"] + "/left"]
"""
STAYS = """found = [p for p in places if os.path.exists(p)]
        for place in places:
            try: open(place, "w").close()
            except OSError: pass
        import subprocess; subprocess.Popen(["sleep", "60"], start_new_session=True)
        try: running = [c for c in os.listdir("/proc") if c.isdigit()]
        except OSError: running = []
        return found + [str(len(running))]"""


@pytest.mark.parametrize("level", KEEPING_OUT)
def test_a_cell_leaves_nothing_for_the_next(tmp_path: Path, scenario: Scenario, level: str) -> None:
    answers = []
    for _ in range(2):
        with scenario_environment(scenario) as environment, environment.enter():
            cell = environment.workspace()
            answers.append(first_answer(tmp_path, cell, with_recall(STAYS, LEAVES), Confinement(level)))
    assert answers[0] == answers[1]
    assert not any("left" in answer for answer in answers[1])


IMPORTS = "BEFORE = 'numpy' in sys.modules\nimport numpy"


def test_what_a_file_imports_is_imported_once_for_all_cells(tmp_path: Path, cell: Workspace) -> None:
    asks = with_recall("return [str(BEFORE), numpy.__name__]", IMPORTS)
    assert first_answer(tmp_path, cell, asks, Confinement()) == ("True", "numpy")
    assert first_answer(tmp_path, cell, asks, Confinement(preload=())) == ("False", "numpy")


def test_a_module_beside_the_file_is_new_in_each_cell(tmp_path: Path, cell: Workspace) -> None:
    (tmp_path / "beside_mine.py").write_text("SEEN = []", encoding="utf-8")
    asks = with_recall(
        "beside_mine.SEEN.append(1); return [str(len(beside_mine.SEEN)), str(BEFORE)]",
        "BEFORE = 'beside_mine' in sys.modules\nimport beside_mine",
    )
    assert [first_answer(tmp_path, cell, asks, Confinement()) for _ in range(2)] == [("1", "False")] * 2


def test_a_folder_with_too_many_files_is_refused(
    tmp_path: Path, cell: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memlab.systems.child.own_folder.MOST_ENTRIES", 3)
    for number in range(4):
        (tmp_path / f"{number}").touch()
    with pytest.raises(UnknownSystem, match=r"has more than 3 files, .* Move the system into a folder of its own"):
        first_answer(tmp_path, cell, HONEST, Confinement(system_level("rlimits", weaker=False).name))
