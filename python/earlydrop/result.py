"""Results: a scenario's run, complete or not, as tables."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _lib
from .errors import ArgumentError, Interrupted, RunError
from .progress import Shown, bar
from .scenario import Scenario, _wrapped
from .table import Table, _needs, aligned

if TYPE_CHECKING:
    import xarray
    from distributed import Client

#: What a list of metrics may be: names in a list, or "delay_p99,loss".
Metrics = str | Sequence[str] | None


@dataclass(frozen=True)
class Outcome:
    """One run as it ended: its scheme, its point and its seed, and its metrics in base units."""

    scheme: str
    point: int
    seed: int
    metrics: dict[str, float | None]

    def __getitem__(self, metric: str) -> float | None:
        return self.metrics[metric]


class Result:
    """A scenario's run, in memory or in a folder.

    Tables have the columns of `earlydrop export`, in base units: seconds, bits per second, shares.

    >>> import earlydrop
    >>> result = earlydrop.compare("red,codel", seeds=3, duration="5 s")
    >>> result.done, result.planned
    (6, 6)
    >>> print(result)
    20 CUBIC flows...
    scheme ...
    red    ...
    codel  ...
    """

    def __init__(self, scenario: Scenario, *, folder: str | os.PathLike[str] | None = None) -> None:
        self._scenario = scenario
        self._run = _lib.Run(scenario._native, None if folder is None else Path(folder))

    @classmethod
    def open(cls, folder: str | os.PathLike[str]) -> Result:
        """Opens the run in a folder for reading."""
        result = cls.__new__(cls)
        result._run = _lib.Run.open(Path(folder))
        result._scenario = _wrapped(result._run.scenario())
        return result

    # What runs

    @property
    def scenario(self) -> Scenario:
        """What was run."""
        return self._scenario

    @property
    def folder(self) -> Path | None:
        """The folder that keeps it; `None` in memory."""
        folder = self._run.folder
        return None if folder is None else Path(folder)

    @property
    def planned(self) -> int:
        """The number of runs."""
        return int(self._run.describe()["runs"])

    @property
    def done(self) -> int:
        """The number of runs that are finished."""
        return self.planned - len(self._run.missing())

    def resume(
        self,
        *,
        until: str | None = None,
        threads: int | None = None,
        client: Client | None = None,
        progress: Shown = None,
    ) -> Result:
        """Runs what is missing and returns itself: on all cores, on this many threads, or on the
        workers of a Dask client.

        Ctrl-C stops it within a second and keeps what is finished: `Interrupted.result`.
        """
        if client is not None:
            if until is not None or threads is not None:
                raise ArgumentError("with client=, neither until= nor threads= is allowed")
            from .sweep import run_on

            run_on(self, client, progress)
            return self
        with bar(progress) as show:
            try:
                done, planned, widest = self._run.execute(_threads(threads), until, show, None)
            except KeyboardInterrupt:
                text = f"stopped: {self.done} of {self.planned} runs are finished"
                raise Interrupted(text, self) from None
        if widest is not None:
            seeds = len(self._run.describe()["seeds"])
            raise RunError(
                f"until={until}: not reached with {seeds} seeds, which is the most: the widest "
                f"interval is {100 * widest:.2f}% of its mean"
            )
        assert done == planned
        return self

    async def stream(self, *, threads: int | None = None) -> AsyncIterator[Outcome]:
        """Runs what is missing, and yields each run as it ends."""
        import asyncio

        loop = asyncio.get_running_loop()
        ended: asyncio.Queue[Outcome | None] = asyncio.Queue()
        names = self._run.metrics()
        seeds = list(self._run.describe()["seeds"])
        stopped = False

        def saved(scheme: str, point: int, seed: int, values: list[float | None]) -> None:
            metrics = dict(zip(names, values, strict=True))
            outcome = Outcome(scheme, point, seeds[seed], metrics)
            loop.call_soon_threadsafe(ended.put_nowait, outcome)

        def progress(before: int, done: int, planned: int) -> None:
            if stopped:
                raise asyncio.CancelledError

        def work() -> None:
            try:
                self._run.execute(_threads(threads), None, progress, saved)
            finally:
                loop.call_soon_threadsafe(ended.put_nowait, None)

        task = asyncio.ensure_future(asyncio.to_thread(work))
        try:
            while (outcome := await ended.get()) is not None:
                yield outcome
            await task
        finally:
            stopped = True

    # Tables

    def table(self, name: str) -> Table:
        """A table by the name that `earlydrop export` gives it: "cells", "flows", "samples"."""
        found = self._run.table(name)
        if found is None:
            known = ", ".join(self._run.table_names())
            raise RunError(f"the run has no table {name!r}; known: {known}")
        return Table(found)

    @property
    def runs(self) -> Table:
        """A row for each run: scheme, point, seed, swept fields, and every metric."""
        return self.table("cells")

    @property
    def groups(self) -> Table:
        """A row for each group of flows of each run."""
        return self.table("groups")

    @property
    def flows(self) -> Table:
        """A row for each flow of each run."""
        return self.table("flows")

    @property
    def queues(self) -> Table:
        """A row for each queue of each run."""
        return self.table("queues")

    @property
    def samples(self) -> Table:
        """A row for each sample over time; `measure.series` says of which runs."""
        return self.table("samples")

    @property
    def distributions(self) -> Table:
        """Quantiles of the time in the measured queue, for each run."""
        return self.table("sojourn")

    @property
    def transfers(self) -> Table:
        """Quantiles of completion times of transfers, for each run and group."""
        return self.table("transfers")

    def summary(self, metrics: Metrics = None) -> Table:
        """Means over seeds with the half-widths of their 95% intervals: a row for each scheme,
        point and metric. `standing` says which mean is best, and which are similar to it.
        """
        return Table(self._run.summary(_listed(metrics)))

    def compare_to(self, baseline: str, metrics: Metrics = None) -> Table:
        """Differences of all schemes from one, paired by seed, with 95% intervals; `significant`
        holds for the whole table together (Holm's procedure).
        """
        return Table(self._run.differences(baseline, _listed(metrics)))

    def to_xarray(self) -> xarray.Dataset:
        """The metrics as arrays over scheme, swept fields and seed."""
        try:
            import xarray
        except ImportError:
            raise _needs("xarray", "to_xarray()") from None
        frame = self.runs.to_pandas().drop(columns=["cell", "point"])
        metrics = self._run.metrics()
        keys = [name for name in frame.columns if name not in metrics]
        data = frame.set_index(keys).to_xarray()
        for name in metrics:
            data[name].attrs["meaning"] = self.runs.meanings[name]
        assert isinstance(data, xarray.Dataset)
        return data

    def to_json(self, *, metrics: Metrics = None, baseline: str | None = None) -> dict[str, Any]:
        """The document of `earlydrop run --json`."""
        document = json.loads(self._run.json(_listed(metrics), baseline))
        assert isinstance(document, dict)
        return document

    # To look at, and to keep

    def report(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        baseline: str | None = None,
        show: bool = True,
    ) -> Path:
        """Writes the report page, opens it in a browser unless `show` is false, and returns its
        path: `report.html` in the run's folder, or in a temporary one.
        """
        if path is None:
            from tempfile import mkdtemp

            path = (self.folder or Path(mkdtemp(prefix="earlydrop-"))) / "report.html"
        self._run.report(Path(path), baseline)
        if show:
            import webbrowser

            webbrowser.open(Path(path).resolve().as_uri())
        return Path(path)

    def save(self, folder: str | os.PathLike[str]) -> Result:
        """Keeps the run in a folder, which the command opens, too; returns the run there."""
        kept = Result.__new__(Result)
        kept._scenario = self._scenario
        kept._run = self._run.keep_in(Path(folder))
        return kept

    def __str__(self) -> str:
        lines = [self.scenario.title]
        for title, header, rows in self._run.printed(None):
            lines += [title] if title else []
            lines += aligned(header, rows)
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        parts = [f"<p><b>{escape(self.scenario.title)}</b></p>"]
        for title, header, rows in self._run.printed(None):
            if title:
                parts.append(f"<p>{escape(title)}</p>")
            head = "".join(f"<th>{escape(name)}</th>" for name in header)
            body = "".join(
                "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
                for row in rows
            )
            parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
        return "".join(parts)


def _threads(threads: int | None) -> int:
    return threads if threads is not None else os.cpu_count() or 1


def _listed(metrics: Metrics) -> str | None:
    if metrics is None or isinstance(metrics, str):
        return metrics
    return ",".join(metrics)
