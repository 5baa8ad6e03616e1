"""Results: a scenario's run, complete or not, as tables."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _lib, scheme_sources
from .errors import ArgumentError, Interrupted, RunError, SchemeError, warn
from .figures import choices, draw
from .notebook import framed, terminal_width
from .options import PictureOptions, What, takes
from .progress import bar
from .python_scheme import natives
from .scenario import Scenario, _wrapped
from .table import Table, _needs
from .threads import thread_count

if TYPE_CHECKING:
    from datetime import datetime

    import xarray
    from distributed import Client
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from typing_extensions import Unpack

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
    * best mean of the column
    ...
    """

    def __init__(self, scenario: Scenario, *, folder: str | os.PathLike[str] | None = None) -> None:
        self._scenario = scenario
        if folder is not None:
            scheme_sources.check(Path(folder), scenario._own)
        self._run = _lib.Run(scenario._native, None if folder is None else Path(folder))
        self._tables: dict[str, Table] = {}
        if folder is not None:
            scheme_sources.keep(Path(folder), scenario._own)

    @classmethod
    def open(cls, folder: str | os.PathLike[str]) -> Result:
        """Opens the run in a folder for reading."""
        result = cls.__new__(cls)
        own = scheme_sources.classes(Path(folder))
        result._run = _lib.Run.open(Path(folder), natives(own))
        result._scenario = _wrapped(result._run.scenario(), own)
        result._tables = {}
        return result

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy holds the cells; what is in a folder is opened there.
        if (cells := self._run.cells()) is None:
            return (Result.open, (self.folder,))
        return (_restored, (_wrapped(self._run.scenario(), self._scenario._own), cells))

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
        progress: bool | None = None,
    ) -> Result:
        """Runs what is missing and returns itself: on all cores, on this many threads, or on the
        workers of a Dask client.

        Ctrl-C stops it within a second and keeps what is finished: `Interrupted.result`.
        """
        if self.folder is not None:
            scheme_sources.check(self.folder, self.scenario._own)
        self._tables.clear()
        if self.done < self.planned:
            warn(self.scenario.warnings)
        if client is not None:
            if until is not None or threads is not None:
                raise ArgumentError("with client=, neither until= nor threads= is allowed")
            if self._run.is_auto():
                raise ArgumentError('with client=, duration = "auto" is not allowed')
            from .cluster import run_on

            run_on(self, client, progress)
            return self
        with bar(progress) as show:
            try:
                ran = self._run.execute(thread_count(threads), until, show, None)
            except KeyboardInterrupt:
                text = f"stopped: {self.done} of {self.planned} runs are finished"
                raise Interrupted(text, self) from None
            except SchemeError as error:
                error.result = self
                raise
        done, planned, widest, doubt = ran
        if doubt is not None:
            warn([doubt])
        if widest is not None:
            seeds = len(self._run.describe()["seeds"])
            raise RunError(
                f"until={until}: not reached with {seeds} seeds, which is the most: the widest "
                f"interval is {100 * widest:.2f}% of its mean"
            )
        assert done == planned
        return self

    async def stream(self, *, threads: int | None = None) -> AsyncIterator[Outcome]:
        """Runs what is missing, and yields each run as it ends; with duration = "auto" those of
        shorter durations, too.
        """
        import asyncio

        self._tables.clear()
        warn(self.scenario.warnings)
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
                self._run.execute(thread_count(threads), None, progress, saved)
            except SchemeError as error:
                error.result = self
                raise
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
        if name in self._tables:
            return self._tables[name]
        found = self._run.table(name)
        if found is None:
            known = self._run.table_names()
            near = get_close_matches(name, known, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise RunError(f"the run has no table {name!r}; known: {', '.join(known)}{hint}")
        table = Table(found)
        # What is complete is read once.
        if self.done == self.planned:
            self._tables[name] = table
        return table

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

    @property
    def sizes(self) -> Table:
        """Completion times and slowdowns of transfers by size, for each run and group."""
        return self.table("sizes")

    def summary(self, metrics: Metrics = None) -> Table:
        """Means over seeds with the half-widths of their 95% intervals: a row for each scheme,
        point and metric, of each group of flows, then of the link and all flows (`group` is
        null). `standing` says which mean is best, and which are similar to it; `at_least` is 1
        for a lower bound, and `drift` is set where it had not settled.
        """
        return Table(self._run.summary(_listed(metrics)))

    def compare_to(self, baseline: str, metrics: Metrics = None) -> Table:
        """Differences of all schemes from one, paired by seed, with 95% intervals; `significant`
        holds for the whole table together (Holm's procedure). A metric is that of the link and all
        flows, "loss", or that of a group, "calls.end_to_end_p99".
        """
        return Table(self._run.differences(baseline, _listed(metrics)))

    def to_xarray(self) -> xarray.Dataset:
        """The metrics as arrays over scheme, swept fields and seed, in the order of the scenario,
        with their units.
        """
        try:
            import xarray
        except ImportError:
            raise _needs("xarray", "to_xarray()") from None
        frame = self.runs.to_pandas().drop(columns=["cell", "point"])
        metrics = {name: unit for name, _, unit, *_ in _lib.metrics()}
        keys = [name for name in frame.columns if name not in metrics]
        written = {key: frame[key].unique() for key in keys}
        data = frame.set_index(keys).to_xarray().reindex(written)
        for name, unit in metrics.items():
            data[name].attrs |= {"meaning": self.runs.meanings[name], "units": unit or "1"}
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
        if self.folder is not None and self.folder.resolve() == Path(folder).resolve():
            return self
        kept = Result.__new__(Result)
        kept._scenario, kept._tables = self._scenario, {}
        kept._run = self._run.keep_in(Path(folder))
        scheme_sources.keep(Path(folder), self.scenario._own)
        return kept

    @takes(PictureOptions, "figure", ax="axes of matplotlib to draw in, instead of a new figure")
    def figure(
        self, what: What = "scatter", *, ax: Axes | None = None, **options: Unpack[PictureOptions]
    ) -> Figure:
        """A figure of matplotlib for a paper: the picture of `earlydrop figure`.

        `what` is "scatter" (one metric against another), "sweep" (a metric along a swept field),
        "time" (series of one scheme, or of two), "cdf" or "tail" (times in the queue), "sizes"
        (slowdowns of transfers by size). `metrics` are the two of a scatter, the one of a sweep or
        of sizes ("slowdown_p50" to "slowdown_p999"), or names of time series. `at` is the point of
        a sweep: `{"network.rtt": "50 ms"}`. `width` and `height` are text ("3.3in", "84mm", or a
        column of IEEE's or ACM's format: "ieee", "ieee2", "acm", "acm2") or inches, and an IEEE
        column unless given; `font` is in points, 8 unless given.

        >>> import earlydrop
        >>> result = earlydrop.compare(["red", "codel"], duration="5 s", seeds=2)
        >>> figure = result.figure("scatter", width="acm")
        >>> figure.get_size_inches().round(2).tolist()
        [3.33, ...]
        >>> result.figure("tial")  # type: ignore[arg-type]
        Traceback (most recent call last):
        ...
        earlydrop.errors.ArgumentError: picture `tial`: allowed: tail, ...
        """
        return draw(self._run.plot(choices(what, options, self.scenario._native)), ax)

    @takes(PictureOptions, "figure")
    def svg(self, what: What = "scatter", **options: Unpack[PictureOptions]) -> str:
        """The SVG file that `earlydrop figure` writes, without matplotlib; see `figure`."""
        return self._run.svg(choices(what, options, self.scenario._native))

    def to_flent(
        self, folder: str | os.PathLike[str], *, time: datetime | None = None
    ) -> list[Path]:
        """Writes a data file of flent (https://flent.org) for each run whose samples are stored.

        `flent -i FILE -p totals -o plot.png` plots one, `flent-gui` compares them.

        Bandwidths need `set={"measure.departures": True}`. Runs of the first seed have samples;
        `"measure.series": "all"` keeps all. `time` is when a run is said to have begun: now.
        """
        from .flent import write

        return write(self, folder, time)

    def __str__(self) -> str:
        text = self._run.text(terminal_width())
        return "\n".join([text, *(f"warning: {one}" for one in self.scenario.warnings)])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        notes = [f'<p class="note">warning: {escape(one)}</p>' for one in self.scenario.warnings]
        return self._run.html() + (framed("".join(notes)) if notes else "")


def _restored(scenario: Scenario, cells: bytes) -> Result:
    """The run of another process, in memory."""
    result = Result(scenario)
    result._run.add_cells(cells)
    return result


def _listed(metrics: Metrics) -> str | None:
    if metrics is None or isinstance(metrics, str):
        return metrics
    return ",".join(metrics)
