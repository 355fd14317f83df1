"""A channel waits for descriptors or, on systems that cannot, uses a thread: both keep the same promises."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from itertools import count

import pytest

from memlab.sandbox.channel import Channel, ChildProcessFailed

LONGEST = 200_000
CHILD = "import sys, time\nfor line in sys.stdin.buffer:\n exec(line)\n sys.stdout.flush()"


@pytest.fixture(params=["polled", "threaded"])
def opened(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Channel]:
    """Give a channel to a process that executes each line."""
    if request.param == "threaded":
        monkeypatch.delattr("select.poll")
    process = subprocess.Popen(
        [sys.executable, "-S", "-c", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    )
    assert process.stdin
    assert process.stdout
    found = Channel(process.stdout, process.stdin, LONGEST)
    assert request.param in type(found._lines).__name__.lower()  # noqa: SLF001 - which of the two is tested
    yield found
    process.kill()
    process.wait()
    found.close()


def test_each_line_has_its_answer_and_a_second_line_is_the_next_answer(opened: Channel) -> None:
    assert opened.exchange(b"print(1)", 9) == b"1"
    assert opened.exchange(b"print(2); print(3)", 9) == b"2"
    assert opened.exchange(b"pass", 9) == b"3"


def test_lines_longer_than_any_buffer_pass_in_both_directions(opened: Channel) -> None:
    assert opened.exchange(b"print('%s')" % (b"x" * 150_000), 9) == b"x" * 150_000


@pytest.mark.parametrize("line", [b"time.sleep(60)", b"time.sleep(60)#" + b"x" * 500_000])
def test_a_process_that_writes_or_reads_nothing_does_not_block_the_caller(opened: Channel, line: bytes) -> None:
    if len(line) > LONGEST:
        with pytest.raises(ChildProcessFailed):
            opened.exchange(b"sys.stdout.flush(); time.sleep(60)", 0.1)
    with pytest.raises(ChildProcessFailed, match=r"did not return within 0\.2 s") as failure:
        opened.exchange(line, 0.2)
    assert failure.value.timed_out


def test_a_process_that_ends_is_reported_as_closed_each_time(opened: Channel) -> None:
    for _ in range(2):
        with pytest.raises(ChildProcessFailed, match="ended Python itself") as failure:
            opened.exchange(b"sys.exit()", 9)
        assert failure.value.has_closed


def test_an_answer_without_an_end_is_cut_at_the_limit(opened: Channel) -> None:
    with pytest.raises(ChildProcessFailed, match="more than 200,000 bytes"):
        opened.exchange(b"while True: sys.stdout.write('x' * 9999)", 9)


def test_numbers_stay_in_order_over_many_exchanges(opened: Channel) -> None:
    numbers = count()
    for _ in range(200):
        number = next(numbers)
        assert opened.exchange(b"print(%d)" % number, 9) == b"%d" % number
