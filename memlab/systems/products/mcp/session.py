"""One MCP server in a process of its own, spoken to by the official SDK over stdio."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any

from memlab.systems.answers import SystemFailed, one_line

CLOSING = 10.0
"""Seconds that a server has to end after its input is closed; the SDK kills it before."""
STDERR = "mcp-stderr.txt"


class McpSession:
    """Starts a server and calls its tools. A call takes at most `limit` seconds; every failure is a SystemFailed.

    `{directory}` in the command is replaced by the folder, which is also the server's current and home folder.
    `late` is called for each time-out.
    """

    def __init__(
        self, command: str, folder: Path, limit: float, variables: Mapping[str, str], late: Callable[[], None]
    ) -> None:
        self._limit = limit
        self._late = late
        self._folder = folder
        self._garbage = ""
        self._calls: asyncio.Queue[tuple[str, dict[str, Any], Future[Any]] | None] = asyncio.Queue()
        self._ready: Future[tuple[str, list[str]]] = Future()
        self._loop = asyncio.new_event_loop()
        words = [word.replace("{directory}", str(folder)) for word in shlex.split(command)]
        env = {**variables, "HOME": str(folder)}
        self._thread = Thread(target=self._run, args=(words, env), daemon=True)
        self._thread.start()
        try:
            self.server, self.tools = self._result(self._ready, "starting")
        except SystemFailed:
            self.close()
            raise

    def call(self, tool: str, arguments: dict[str, Any]) -> Any:  # noqa: ANN401 - the SDK's CallToolResult
        """Return the result of a tool."""
        if not self._thread.is_alive():
            raise SystemFailed(f"the tool {tool}: the MCP server has ended")
        done: Future[Any] = Future()
        self._loop.call_soon_threadsafe(self._calls.put_nowait, (tool, arguments, done))
        return self._result(done, f"the tool {tool}")

    def close(self) -> None:
        """Close the server's input, and end it if it does not end."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._calls.put_nowait, None)
            self._thread.join(CLOSING)
        if not self._thread.is_alive():
            self._loop.close()

    def _run(self, words: list[str], env: Mapping[str, str]) -> None:
        """Run the session; its error was handed to who waits."""
        with suppress(Exception):
            self._loop.run_until_complete(self._serve(words, env))

    def _result(self, future: Future[Any], doing: str) -> Any:  # noqa: ANN401 - as the future
        try:
            return future.result(self._limit + CLOSING)
        except TimeoutError:
            self._late()
            why = f"printed what is no JSON-RPC: {self._garbage!r}" if self._garbage else "gave no answer"
            raise SystemFailed(f"{doing}: the MCP server {why} within {self._limit:g} s") from None
        except Exception as error:  # noqa: BLE001 - of the SDK or the server: the row's failure is a result
            raise SystemFailed(f"{doing}: {self._reason(error)}") from None

    def _reason(self, error: BaseException) -> str:
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        said = one_line(str(error)) or type(error).__name__
        printed = self._folder / STDERR
        lines = printed.read_text(encoding="utf-8", errors="replace").splitlines() if printed.exists() else []
        return f"the MCP server failed: {said}" + (f" (its stderr ends: {one_line(lines[-1])})" if lines else "")

    async def _serve(self, words: list[str], env: Mapping[str, str]) -> None:
        """Keep the session open until `close` or the first failure; runs in the thread's own event loop."""
        from mcp import ClientSession, StdioServerParameters, stdio_client

        where = StdioServerParameters(command=words[0], args=words[1:], env=dict(env), cwd=self._folder)
        with _failing(self._ready), (self._folder / STDERR).open("w", encoding="utf-8") as errors:
            async with (
                stdio_client(where, errors) as (reading, writing),
                ClientSession(reading, writing, message_handler=self._note_garbage) as session,
            ):
                with _failing(self._ready):
                    self._ready.set_result(await asyncio.wait_for(_start(session), self._limit))
                while call := await self._calls.get():
                    tool, arguments, done = call
                    with _failing(done):
                        done.set_result(await asyncio.wait_for(session.call_tool(tool, arguments), self._limit))

    async def _note_garbage(self, message: object) -> None:
        """Remember what the server printed that is no message."""
        if isinstance(message, Exception):
            self._garbage = one_line(str(getattr(message, "errors", lambda: [{"input": message}])()[0]["input"]))[:80]


async def _start(session: Any) -> tuple[str, list[str]]:  # noqa: ANN401 - a ClientSession
    """Return the name of a server with its versions, and the names of its tools."""
    server = await session.initialize()
    offered = await session.list_tools()
    name = f"{server.server_info.name} {server.server_info.version}, MCP {server.protocol_version}"
    return name, [tool.name for tool in offered.tools]


@contextmanager
def _failing(waiting: Future[Any]) -> Iterator[None]:
    """Hand an error to who waits, before the session ends; the session of a call that failed is not used again."""
    try:
        yield
    except Exception as error:
        if not waiting.done():
            waiting.set_exception(error)
        raise
