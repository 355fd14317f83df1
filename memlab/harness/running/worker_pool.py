"""An Executor that survives dead processes: if one ends or takes too long, its call fails and it is replaced."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from multiprocessing import Pipe, Process
from multiprocessing.connection import Connection, wait
from typing import Any, ParamSpec, TypeVar

PATIENCE = 5.0
"""Seconds that a process has to end after SIGTERM."""
PULSE = 1.0
"""Seconds between two checks for processes that take too long, or whose parent has ended."""
INTERRUPTS = {signal.SIGINT, signal.SIGTERM}
P = ParamSpec("P")
T = TypeVar("T")
OnPart = Callable[[Any], object]


class WorkerEnded(Exception):
    """The process that executed a call ended before the call returned: "signal SIGKILL"."""


@dataclass
class Call:
    """One submitted call; `on_part` receives each value that a generator function yields."""

    future: Future[Any]
    on_part: OnPart
    work: tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


class WorkerPool(Executor):
    """Executes calls in `jobs` forked processes.

    A call that takes more than `limit` seconds is ended: SIGTERM, then SIGKILL. Functions, arguments and results are
    pickled. Unlike a ProcessPoolExecutor, this one survives the death of a process: only its call fails, with
    WorkerEnded.
    """

    def __init__(self, jobs: int, limit: float = inf) -> None:
        self._limit = limit
        self._waiting: deque[Call] = deque()
        self._closing = self._terminating = False
        self._wakeup, self._wake = Pipe(duplex=False)
        self._workers = [Worker() for _ in range(jobs)]
        self._manager = threading.Thread(target=self._manage, daemon=True)
        self._manager.start()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Schedule a call and return its future."""
        return self._schedule(lambda _: None, fn, args, kwargs)

    def submit_generator(self, on_part: OnPart, fn: Callable[..., Iterator[object]], /, *args: object) -> Future[None]:
        """Schedule a generator function; `on_part` is called, in another thread, with each value that it yields."""
        return self._schedule(on_part, fn, args, {})

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - as in Executor
        """End the processes once every call has returned; see Executor.shutdown."""
        while cancel_futures and self._waiting:
            with suppress(IndexError):  # the manager may have taken the last one
                self._waiting.popleft().future.cancel()
        self._closing = True
        self._wake.send(None)
        if wait:
            self._manager.join()

    def terminate(self) -> None:
        """End every process now. Calls that were running fail with WorkerEnded, the others are cancelled."""
        self._terminating = True
        self.shutdown(cancel_futures=True)

    def _schedule(self, on_part: OnPart, fn: Callable[..., Any], args: Any, kwargs: Any) -> Future[Any]:  # noqa: ANN401 - of fn
        if self._closing:
            raise RuntimeError("this pool was shut down and takes no more calls")
        future: Future[Any] = Future()
        self._waiting.append(Call(future, on_part, (fn, args, kwargs)))
        self._wake.send(None)
        return future

    def _manage(self) -> None:
        """Assign calls to workers and receive results until the pool is shut down. Runs in its own thread."""
        while not self._is_done():
            self._hand_out()
            pipes = {worker.pipe: worker for worker in self._workers if worker.call}
            for pipe in wait([self._wakeup, *pipes], None if self._limit == inf else PULSE):
                if pipe is self._wakeup:
                    self._wakeup.recv()
                elif not pipes[pipe].take():  # type: ignore[index] # wait() returns elements of its argument
                    self._replace(pipes[pipe])  # type: ignore[index] # likewise
            for worker in pipes.values():
                worker.end_if_late(self._limit)
        for worker in self._workers:
            worker.process.terminate()
        for worker in self._workers:
            worker.fail()

    def _is_done(self) -> bool:
        busy = any(worker.call for worker in self._workers)
        return self._terminating or (self._closing and not self._waiting and not busy)

    def _hand_out(self) -> None:
        """Start waiting calls on idle workers."""
        for number, worker in enumerate(self._workers):
            if worker.call is None and self._waiting and not worker.process.is_alive():
                self._workers[number] = Worker()
            with suppress(IndexError):  # a shutdown may have taken the last call
                while self._workers[number].call is None and self._waiting:
                    self._workers[number].start(self._waiting.popleft())

    def _replace(self, worker: Worker) -> None:
        """Replace a process that ended, and fail the call that it was executing."""
        self._workers[self._workers.index(worker)] = Worker()
        worker.fail()


@dataclass(eq=False)
class Worker:
    """One process, and the call that it executes."""

    call: Call | None = field(default=None, init=False)
    _started: float = field(default=0.0, init=False)
    _terminated: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        self.pipe, theirs = Pipe()
        self.process = Process(target=_work, args=(self.pipe, theirs, os.getpid()), daemon=True)
        # blocked until the child's own handlers are set: an interrupt before would run the parent's code in the child
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTS)
        self.process.start()
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        theirs.close()

    def start(self, call: Call) -> None:
        """Send a call to the process. If it cannot be pickled, the call fails."""
        if not call.future.set_running_or_notify_cancel():
            return
        try:
            self.pipe.send(call.work)
        except OSError:
            self.call = call  # the process has ended, which is noticed when its pipe is read
        except Exception as error:  # noqa: BLE001 - pickle raises errors of every kind
            call.future.set_exception(error)
        else:
            self.call, self._started = call, time.monotonic()

    def take(self) -> bool:
        """Receive a part, a result or an error of the call. Returns False if the process has ended."""
        assert self.call is not None  # noqa: S101 - the manager waits for busy workers only
        try:
            kind, value = self.pipe.recv()
        except (EOFError, OSError):
            return False
        if kind == "part":
            self.call.on_part(value)
        else:
            call, self.call = self.call, None
            (call.future.set_result if kind == "result" else call.future.set_exception)(value)
        return True

    def fail(self) -> None:
        """Fail the call of a process that has ended or is being terminated."""
        self.process.join(PATIENCE)
        self.process.kill()
        self.process.join()
        code = self.process.exitcode or 0
        self.pipe.close()
        if self.call:
            how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
            self.call.future.set_exception(WorkerEnded(how))

    def end_if_late(self, limit: float) -> None:
        """End a process whose call takes too long: first SIGTERM, so that it can clean up, later SIGKILL."""
        now = time.monotonic()
        if self._terminated and now - self._terminated > PULSE:
            self.process.kill()
        elif self.call and not self._terminated and now - self._started > limit:
            self._terminated = now
            self.process.terminate()


def _work(ours: Connection, pipe: Connection, parent: int) -> None:
    """Execute calls until the parent ends. Ignores Ctrl-C, which the parent handles; SIGTERM raises, for cleanup."""
    ours.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.unraisablehook = _interrupt_again
    threading.Thread(target=end_with, args=(parent,), daemon=True).start()
    gc.freeze()  # what was loaded before the fork stays; looking through it for garbage took a twentieth of the time
    with suppress(KeyboardInterrupt, EOFError, OSError):
        signal.signal(signal.SIGTERM, _interrupt_once)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPTS)
        try:
            _execute_calls(pipe)
        finally:
            for number in (signal.SIGTERM, signal.SIGALRM):
                signal.signal(number, signal.SIG_IGN)


def _interrupt_once(number: int, _: object) -> None:
    signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def _execute_calls(pipe: Connection) -> None:
    while True:
        function, args, kwargs = pipe.recv()
        try:
            value = function(*args, **kwargs)
            if isinstance(value, Iterator):
                for part in value:
                    pipe.send(("part", part))
                value = None
            pipe.send(("result", value))
        except Exception as error:  # noqa: BLE001 - the future raises it again
            error.add_note(traceback.format_exc())
            pipe.send(("error", error))


def _interrupt_again(raised: sys.UnraisableHookArgs) -> None:
    """Repeat an interrupt 50 ms later if it came where Python ignores exceptions, such as in `__del__`."""
    if isinstance(raised.exc_value, KeyboardInterrupt):
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, 0.05)
    else:
        sys.__unraisablehook__(raised)


def end_with(parent: int) -> None:
    """End this process when its parent has ended, since a killed parent cannot end its children."""
    while os.getppid() == parent:
        time.sleep(PULSE)
    os.kill(os.getpid(), signal.SIGTERM)
