"""One MemoryMix for many threads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import get_ident
from typing import TypeVar

from memlab.memory import MemoryMix

T = TypeVar("T")


class MemoryThread:
    """A MemoryMix on a thread of its own, since it may be used by one thread only. Calls run one after the other."""

    def __init__(self, build: Callable[[], MemoryMix]) -> None:
        self._executor = ThreadPoolExecutor(1, "memlab-memory")
        self._thread = self._executor.submit(get_ident).result()
        self._is_closed = False
        self._mix = self._executor.submit(build).result()

    def run(self, call: Callable[[MemoryMix], T]) -> T:
        """Return what a function of the memory returns, from any thread, its own too. Raises what it raises."""
        if get_ident() == self._thread:
            return call(self._mix)
        return self._executor.submit(call, self._mix).result()

    async def run_async(self, call: Callable[[MemoryMix], T]) -> T:
        """Return what a function of the memory returns, without blocking the event loop."""
        return await asyncio.wrap_future(self._executor.submit(call, self._mix))

    def close(self) -> None:
        """Close the memory's files and end the thread. A second call does nothing."""
        if not self._is_closed:
            self._is_closed = True
            self.run(MemoryMix.close)
            self._executor.shutdown()
