"""One run in depth."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _lib
from .errors import RunError, warn
from .figures import at as point_at
from .figures import choices, draw
from .notebook import terminal_width
from .options import AxisOptions, SchemeOptions, WhatOfOne, takes
from .scenario import Origin, Scenario
from .table import Table
from .values import Value

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from typing_extensions import Unpack


class Trace:
    """One run in depth: all its time series and, where recorded, each packet at the measured queue.

    Where a pickled trace is read, its run is traced again.

    >>> import earlydrop
    >>> trace = earlydrop.trace("scenarios/home-uplink.toml", packets=True)  # doctest: +SKIP
    >>> trace.figure().savefig("queue.pdf")                                  # doctest: +SKIP
    >>> trace.write_pcap("link.pcapng")                                      # doctest: +SKIP
    """

    def __init__(self, scenario: Scenario, native: _lib.Trace, packets: bool) -> None:
        self._scenario, self._has_packets = scenario, packets
        self._native = native
        self._scheme, self._seed, at = native.about()
        self._at = dict(at)

    def __reduce__(self) -> tuple[Any, ...]:
        # What is traced follows from these: another process traces it again.
        return (_again, (self.scenario, self.scheme, self.seed, self.at, self._has_packets))

    def __copy__(self) -> Trace:
        return self

    def __deepcopy__(self, memo: object) -> Trace:
        # Nothing in it can change.
        return self

    @property
    def scenario(self) -> Scenario:
        """What the run is one of."""
        return self._scenario

    @property
    def scheme(self) -> str:
        """The scheme's label."""
        return self._scheme

    @property
    def seed(self) -> int:
        """The seed."""
        return self._seed

    @property
    def at(self) -> dict[str, str]:
        """The swept fields with their values."""
        return self._at

    @property
    def link(self) -> str:
        """The name of the measured link, which is the source of its queue's samples."""
        return self._native.link

    @property
    def metrics(self) -> dict[str, float | None]:
        """Every metric of the run, in base units."""
        return dict(self._native.metrics())

    @property
    def samples(self) -> Table:
        """A row for each sample: source, name, time and value."""
        return Table(self._native.samples())

    @property
    def packets(self) -> Table:
        """A row for each arrival, drop and departure at the measured queue, with its length and the
        scheme's state afterwards; where `packets=True` recorded them.
        """
        table = self._native.packets()
        if table is None:
            raise RunError("no packets were recorded: trace(..., packets=True) records them")
        return Table(table)

    def write_pcap(self, path: str | os.PathLike[str]) -> Path:
        """Writes the packets that left the measured queue as a pcapng file, for Wireshark; where
        `packets=True` recorded them. A file that is no pcapng file is not written over.
        """
        if not self._native.write_pcap(Path(path)):
            raise RunError("no packets were recorded: trace(..., packets=True) records them")
        return Path(path)

    @takes(AxisOptions, "figure", ax="axes of matplotlib to draw in, instead of a new figure")
    def figure(
        self, what: WhatOfOne = "time", *, ax: Axes | None = None, **options: Unpack[AxisOptions]
    ) -> Figure:
        """A figure of matplotlib over time, or a distribution: see `Result.figure`. `metrics` are
        names of time series.
        """
        wanted = choices(what, {"schemes": None, "at": None, **options}, self.scenario._native)
        return draw(self._native.plot(wanted), ax)

    def __str__(self) -> str:
        return self._native.text(terminal_width())

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return self._native.html()


@takes(
    SchemeOptions,
    command="trace",
    scheme="the label of a compared scheme; the first by default",
    seed="one of the scenario's seeds; the first by default",
    packets="whether every packet at the measured queue is recorded",
)
def trace(
    scenario: Origin = None,
    *,
    scheme: str | None = None,
    seed: int | None = None,
    at: Mapping[str, Value] | None = None,
    sample: Value | None = None,
    packets: bool = False,
    **options: Unpack[SchemeOptions],
) -> Trace:
    """Runs one cell of a scenario in depth, as `earlydrop trace` does: a scheme by its label, with
    a seed, at a point of the sweep; the first ones by default. The other options are those of
    `compare`.

    `sample="10 ms"` is the time between samples. `packets=True` records every packet at the
    measured queue.

    >>> import earlydrop
    >>> traced = earlydrop.trace(schemes="red,codel", scheme="codel", duration="2 s", packets=True)
    >>> events = traced.packets.to_pandas()
    >>> sorted(events.event.unique())
    ['departed', 'dropped', 'enqueued']
    >>> int((events.event == "departed").sum()) <= int((events.event == "enqueued").sum())
    True
    """
    if sample is not None:
        options["set"] = {**(options.get("set") or {}), "measure.sample": sample}
    checked = Scenario(scenario, **options)
    point = point_at(checked._native, at)
    warn(checked.warnings)
    return Trace(checked, _lib.Trace(checked._native, scheme, seed, point, packets), packets)


def _again(scenario: Scenario, scheme: str, seed: int, at: dict[str, str], packets: bool) -> Trace:
    """The trace of another process."""
    native = _lib.Trace(scenario._native, scheme, seed, list(at.items()), packets)
    return Trace(scenario, native, packets)
