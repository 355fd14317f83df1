"""The executor of a Dask cluster. No other file imports Dask, which is an extra: `memlab[dask]`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from concurrent.futures import CancelledError, Executor
from contextlib import contextmanager
from typing import TYPE_CHECKING

from memlab.harness.running.batch_process import KEPT, EngineFailed
from memlab.systems.versions import memlab_version

if TYPE_CHECKING:
    from distributed import Client

_START = "Start one with `dask scheduler`, and give the address that it prints, such as tcp://10.0.0.5:8786."
PATIENCE = 5.0
"""Seconds that a scheduler has to answer, and to have a worker."""


@contextmanager
def dask_executor(address: str) -> Iterator[Executor]:
    """Connect to the Dask scheduler at an address, such as "tcp://10.0.0.5:8786", and return its executor.

    At the end of the block, calls that have not finished are cancelled. Raises EngineFailed if Dask is not installed,
    if the scheduler does not answer or has no worker, if a worker has another version of memlab, and in place of what
    a broken cluster raises.
    """
    client = _connect(address)
    from distributed import KilledWorker  # noqa: PLC0415 - an extra, and slow to import

    with client:
        _refuse_other_workers(client, address)
        executor = client.get_executor(pure=False)
        try:
            yield executor
        except KilledWorker:
            raise EngineFailed(
                f"several workers of {address} were ended while they played the same batch. Give them more memory, or "
                f"less to do at once (--nthreads 1). {KEPT}"
            ) from None
        except CancelledError:
            raise EngineFailed(f"the connection to the Dask scheduler at {address} was lost. {KEPT}") from None
        finally:
            executor.shutdown(wait=False)


def _connect(address: str) -> Client:
    try:
        from distributed import Client  # noqa: PLC0415 - an extra, and slow to import
    except ImportError:
        raise EngineFailed(
            "--engine dask needs Dask, which is not installed. Install it here and on each worker: "
            "`pip install distributed`."
        ) from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # the message of EngineFailed says what happened
    try:
        kind = asyncio.run(asyncio.wait_for(_kind(address), PATIENCE))
    except Exception as error:  # noqa: BLE001 - what another program at that port answers is an error of any kind
        reason = f"{type(error).__name__}: {error}".splitlines()[0].removesuffix(": ")
        raise EngineFailed(
            f"no Dask scheduler answers at {address!r} within {PATIENCE:g} s ({reason}). {_START}"
        ) from None
    if kind != "Scheduler":
        raise EngineFailed(f"{address} is the address of a Dask {kind.lower()}, not of a scheduler. {_START}")
    return Client(address, timeout=PATIENCE, set_as_default=False)


async def _kind(address: str) -> str:
    """Return "Scheduler" or "Worker". A Client that cannot connect would keep trying when this process ends."""
    from distributed.core import rpc  # noqa: PLC0415 - likewise

    async with rpc(address, timeout=PATIENCE) as peer:
        return str((await peer.identity())["type"])


def _refuse_other_workers(client: Client, address: str) -> None:
    """Raise EngineFailed if there is no worker, or if one has another version of memlab or none."""
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        raise EngineFailed(
            f"the Dask scheduler at {address} has no worker. Start some, on any machine that has memlab: "
            f"`dask worker {address} --nthreads 1`."
        ) from None
    for worker, version in sorted(client.run(memlab_version, on_error="return").items()):
        if version != memlab_version():
            found = f"memlab {version}" if isinstance(version, str) else f"no memlab of this version ({version})"
            raise EngineFailed(
                f"the worker at {worker} has {found}, and the run has memlab {memlab_version()}. Install the same "
                "version there, and start it again."
            )
