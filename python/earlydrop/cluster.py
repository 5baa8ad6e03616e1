"""Runs on the workers of a Dask cluster: a laptop's, SLURM's, Kubernetes'.

Cells go out in chunks that take a worker about a second, and come back as small databases, which
are added to the run as they arrive. A worker that is lost costs the chunks it was working on, which
Dask runs again elsewhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from . import _lib
from .errors import Interrupted, RunError, SchemeError
from .progress import bar
from .scenario import Scenario
from .table import _needs

if TYPE_CHECKING:
    from .result import Result

_Cell = TypeVar("_Cell")
_Answer = TypeVar("_Answer")

#: Parameters with their values, as a scenario has them.
_Settings = list[tuple[str, str]]

#: A cell of a candidate: the candidate's number and parameters, and the cell's number.
_CandidateCell = tuple[int, _Settings, int]

#: The metrics of a cell.
_Metrics = list[float | None]

#: How long a chunk is to take, in seconds: a task costs Dask some 4 ms.
CHUNK_SECONDS = 1.0

#: Chunks that wait at each thread of a worker, so that none is idle while results travel.
AHEAD = 2


def run_cells(scenario: Scenario, cells: list[int]) -> tuple[bytes, float]:
    """Runs cells on a worker: their rows, and the seconds that they took."""
    begin = time.perf_counter()
    rows = _lib.Run.run_cells(scenario._native, cells)
    return rows, time.perf_counter() - begin


def run_candidates(
    scenario: Scenario, engine: str, label: str, seeds: list[int], cells: list[_CandidateCell]
) -> tuple[list[_Metrics], float]:
    """Runs cells of a scheme's candidates on a worker: their metrics, and the seconds taken."""
    if (own := _lib.engine()) != engine:
        raise RunError(
            f"the worker's earlydrop simulates by other sources ({own}, not {engine}): install the "
            "same on all"
        )
    begin = time.perf_counter()
    candidates = [
        (settings, [cell for _, _, cell in cells_of_it])
        for (_, settings), cells_of_it in groupby(cells, key=lambda cell: cell[:2])
    ]
    metrics = _lib.run_candidates(scenario._native, label, seeds, candidates)
    return metrics, time.perf_counter() - begin


def _itself(scenario: Scenario) -> Scenario:
    """The scenario, kept by the workers that need it."""
    return scenario


class _Pace:
    """How long cells have taken so far."""

    def __init__(self) -> None:
        self._cells = 0
        self._seconds = 0.0

    def learn(self, cells: int, seconds: float) -> None:
        self._cells += cells
        self._seconds += seconds

    def cells_of_a_chunk(self) -> int | None:
        """The cells that take about `CHUNK_SECONDS`; `None` until some have run."""
        if self._cells == 0:
            return None
        return int(CHUNK_SECONDS * self._cells / max(self._seconds, 1e-9))


class _Chunks(Generic[_Cell]):
    """The cells to run, in chunks of the size that was found right so far."""

    def __init__(self, cells: Sequence[_Cell], threads: int, pace: _Pace) -> None:
        self._cells = iter(cells)
        self._left = len(cells)
        self._threads = threads
        self._pace = pace

    def next(self) -> list[_Cell]:
        """The next chunk: single cells until it is known how long they take, and small ones near
        the end, so that all workers end together.
        """
        size = 1
        if (wanted := self._pace.cells_of_a_chunk()) is not None:
            fair = self._left // (2 * self._threads)
            size = max(1, min(wanted, max(fair, wanted // 4)))
        chunk = list(islice(self._cells, size))
        self._left -= len(chunk)
        return chunk


class Workers:
    """The workers of a Dask client, for the cells of one scenario."""

    def __init__(self, client: Any, scenario: Scenario) -> None:
        try:
            import distributed
        except ImportError:
            raise _needs("distributed", "a Dask client") from None
        self._as_completed = distributed.as_completed
        self._client = client
        self._threads = max(1, sum(client.nthreads().values()))
        # A task and not scattered data: what only a lost worker had is made again elsewhere.
        self._scenario = client.submit(_itself, scenario, pure=False)
        self._pace = _Pace()

    def run(
        self, work: Callable[..., tuple[_Answer, float]], cells: Sequence[_Cell], *given: Any
    ) -> Generator[tuple[list[_Cell], _Answer], None, None]:
        """Runs `work` of the scenario, of what is `given`, and of chunks of cells. Yields each
        chunk with its answer as it arrives.
        """
        chunks = _Chunks(cells, self._threads, self._pace)
        sent: dict[str, list[_Cell]] = {}

        def submit() -> Any:
            chunk = chunks.next()
            if not chunk:
                return None
            future = self._client.submit(work, self._scenario, *given, chunk, pure=False, key=None)
            sent[future.key] = chunk
            return future

        wanted = range(AHEAD * self._threads)
        pending = self._as_completed([one for _ in wanted if (one := submit()) is not None])
        try:
            for future in pending:
                answer, seconds = future.result()
                chunk = sent.pop(future.key)
                self._pace.learn(len(chunk), seconds)
                if (another := submit()) is not None:
                    pending.add(another)
                yield chunk, answer
        finally:
            self._client.cancel(list(pending.futures))

    def simulate(
        self, label: str, seeds: list[int], candidates: list[tuple[_Settings, int]]
    ) -> list[list[_Metrics]]:
        """Runs all cells of a scheme's candidates: the metrics of each."""
        cells = [
            (index, settings, cell)
            for index, (settings, count) in enumerate(candidates)
            for cell in range(count)
        ]
        metrics: list[list[_Metrics]] = [[[]] * count for _, count in candidates]
        given = (_lib.engine(), label, seeds)
        with closing(self.run(run_candidates, cells, *given)) as answers:
            for chunk, answer in answers:
                for (index, _, cell), one in zip(chunk, answer, strict=True):
                    metrics[index][cell] = one
        return metrics


def run_on(result: Result, client: Any, progress: bool | None) -> None:
    """Runs what is missing of a run on the workers of `client`."""
    workers = Workers(client, result.scenario)
    native = result._run
    missing = native.missing()
    before, planned = result.planned - len(missing), result.planned
    done = before
    try:
        with bar(progress) as show:
            show(before, done, planned)
            with closing(workers.run(run_cells, missing)) as answers:
                for _, rows in answers:
                    done += native.add_cells(rows)
                    show(before, done, planned)
    except KeyboardInterrupt:
        text = f"stopped: {done} of {planned} runs are finished"
        raise Interrupted(text, result) from None
    except SchemeError as error:
        error.result = result
        raise
