import pytest
from child_systems import HONEST, Make, Tell, failing

from memlab.systems.answers import SystemFailed, texts_of
from memlab.terms import Workspace

ASYNC = """
import asyncio
class Mine:
    def __init__(self):
        self.seen = []
    async def observe(self, event):
        await asyncio.sleep(0)
        self.seen.append(event.text)
    async def recall(self, query, k=5):
        await asyncio.sleep(0)
        return self.seen[-k:]
    async def assemble(self, task, budget):
        return " ".join(self.seen)
async def make(workspace):
    return Mine()
"""


@pytest.mark.parametrize("name", ["Mine", "make"])
def test_an_async_system_is_awaited(submit: Make, tell: Tell, name: str) -> None:
    system = submit(ASYNC, name=name)
    system.observe(tell("fact", "Mara ships."))
    assert texts_of("mine", system.recall("who"), 5)[0] == ("Mara ships.",)
    assert system.assemble("ship", 50) == "Mara ships."


def test_an_error_of_an_async_function_names_its_line(submit: Make) -> None:
    source = ASYNC.replace("return self.seen[-k:]", "raise KeyError('x')")
    assert "raised KeyError: 'x' (mine.py, line 11)" in failing(submit(source))


def test_a_system_declares_what_it_cannot_do(submit: Make) -> None:
    system = submit(HONEST.replace("class Mine:", "class Mine:\n    cannot = ['erase', 'assemble']"))
    assert system.cannot == ("assemble", "erase")  # type: ignore[attr-defined] # no verb of the Protocol


def test_what_a_system_declares_must_be_the_same_in_each_cell(submit: Make, workspace: Workspace) -> None:
    changing = "self.seen, self.cannot = [], ('erase',) if os.listdir(at.directory) else ()"
    source = "import os\n" + HONEST.replace("self.seen = []", changing).replace("__init__(self)", "__init__(self, at)")
    submit(source)
    (workspace.directory / "note").touch()
    with pytest.raises(SystemFailed, match=r"declared cannot = \('erase',\), and \(\) before"):
        submit(source)
