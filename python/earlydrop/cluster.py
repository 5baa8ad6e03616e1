"""Runs on the workers of a Dask cluster: a laptop's, SLURM's, Kubernetes'.

Cells go out in chunks that take a worker about a second, and come back as small databases, which
are added to the run as they arrive. A worker that is lost costs the chunks it was working on, which
Dask runs again elsewhere.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from . import _lib
from .errors import Interrupted
from .progress import Shown, bar
from .scenario import Origin, Scenario, Schemes, Value
from .table import _needs

if TYPE_CHECKING:
    from distributed import Client

    from .result import Result

#: How long a chunk is to take, in seconds: a task costs Dask some 4 ms.
CHUNK_SECONDS = 1.0

#: Chunks that wait at each thread of a worker, so that none is idle while results travel.
AHEAD = 2


def sweep(
    scenario: Origin = None,
    *,
    client: Client,
    schemes: Schemes | None = None,
    link: Value | None = None,
    rtt: Value | None = None,
    flows: Value | None = None,
    buffer: Value | None = None,
    tcp: str | None = None,
    ecn: str | None = None,
    duration: Value | None = None,
    warm_up: Value | None = None,
    seeds: Value | None = None,
    set: Mapping[str, Value] | None = None,
    limits: str | None = None,
    folder: str | os.PathLike[str] | None = None,
    progress: Shown = None,
) -> Result:
    """Runs every cell of a scenario on the workers of a Dask client.

    The result is that of `run`, to the last bit; in a folder, an interrupted sweep continues. The
    workers need this package in the same version.
    """
    from .result import Result

    checked = Scenario(
        scenario,
        schemes=schemes,
        link=link,
        rtt=rtt,
        flows=flows,
        buffer=buffer,
        tcp=tcp,
        ecn=ecn,
        duration=duration,
        warm_up=warm_up,
        seeds=seeds,
        set=set,
        limits=limits,
    )
    return Result(checked, folder=folder).resume(client=client, progress=progress)


def run_cells(scenario: Scenario, cells: list[int]) -> tuple[bytes, float]:
    """Runs cells on a worker: their rows, and the seconds that they took."""
    begin = time.perf_counter()
    rows = _lib.Run.run_cells(scenario._native, cells)
    return rows, time.perf_counter() - begin


class _Chunks:
    """The cells to run, in chunks of the size that was found right so far."""

    def __init__(self, cells: list[int], threads: int) -> None:
        self._cells = iter(cells)
        self._left = len(cells)
        self._threads = threads
        self._done = 0
        self._seconds = 0.0

    def learn(self, cells: int, seconds: float) -> None:
        self._done += cells
        self._seconds += seconds

    def next(self) -> list[int]:
        """The next chunk: single cells until it is known how long they take, and small ones near
        the end, so that all workers end together.
        """
        size = 1
        if self._done > 0:
            wanted = int(CHUNK_SECONDS * self._done / max(self._seconds, 1e-9))
            fair = self._left // (2 * self._threads)
            size = max(1, min(wanted, max(fair, wanted // 4)))
        chunk = list(islice(self._cells, size))
        self._left -= len(chunk)
        return chunk


def run_on(result: Result, client: Any, progress: Shown) -> None:
    """Runs what is missing of a run on the workers of `client`."""
    try:
        from distributed import as_completed
    except ImportError:
        raise _needs("distributed", "a Dask client") from None

    native = result._run
    missing = native.missing()
    before, planned = result.planned - len(missing), result.planned
    threads = max(1, sum(client.nthreads().values()))
    chunks = _Chunks(missing, threads)
    scenario = client.scatter(result.scenario, broadcast=True, hash=False)
    sizes: dict[str, int] = {}

    def submit() -> Any:
        cells = chunks.next()
        if not cells:
            return None
        future = client.submit(run_cells, scenario, cells, pure=False, key=None)
        sizes[future.key] = len(cells)
        return future

    first = [future for _ in range(AHEAD * threads) if (future := submit()) is not None]
    pending = as_completed(first)
    done = before
    try:
        with bar(progress) as show:
            show(before, done, planned)
            for future in pending:
                rows, seconds = future.result()
                cells = sizes.pop(future.key)
                chunks.learn(cells, seconds)
                if (another := submit()) is not None:
                    pending.add(another)
                done += native.add_cells(rows)
                show(before, done, planned)
    except KeyboardInterrupt:
        text = f"stopped: {done} of {planned} runs are finished"
        raise Interrupted(text, result) from None
    finally:
        client.cancel(list(pending.futures))
