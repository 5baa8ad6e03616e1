"""Running scenarios."""

from __future__ import annotations

import os
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING

from .options import RunOptions, ScenarioOptions, takes
from .result import Result
from .scenario import Origin, Scenario, Schemes

if TYPE_CHECKING:
    from distributed import Client
    from typing_extensions import Unpack


@takes(ScenarioOptions)
def compare(
    schemes: Schemes | None = None,
    *,
    scenario: Origin = None,
    folder: str | os.PathLike[str] | None = None,
    fresh: bool = False,
    until: str | None = None,
    threads: int | None = None,
    client: Client | None = None,
    progress: bool | None = None,
    **options: Unpack[ScenarioOptions],
) -> Result:
    """Compares schemes on a scenario, or on the built-in one, as `earlydrop compare` does.

    A keyword that is a list or an array is swept, and `sweep` sweeps any field by its path. A
    number is in base units, as in tables: seconds, bits per second; the length of a queue or a
    buffer is in packets.

    `folder` keeps the run, and continues one that was interrupted; `fresh` begins one in a new
    folder beside it. Without a folder, the run lives in memory. `until="2%:delay_mean"` adds seeds
    until the 95% intervals are that narrow. All processors simulate, `threads` of them, or the
    workers of a Dask `client`; numbers are the same.

    >>> import earlydrop
    >>> result = earlydrop.compare(["red", "codel"], link="10 Mbps", rtt=[0.02, 0.08], flows=5,
    ...                            duration="5 s", seeds=2)
    >>> result.runs["network_rtt_s"].tolist()
    [0.02, 0.02, 0.08, 0.08, 0.02, 0.02, 0.08, 0.08]
    >>> import numpy as np
    >>> swept = earlydrop.compare("red", sweep={"flows.bulk.count": np.arange(2, 9, 3)},
    ...                           duration="2 s", seeds=1)
    >>> swept.runs["flows_bulk_count"].tolist()
    [2.0, 5.0, 8.0]
    """
    checked = Scenario(scenario, schemes=schemes, **options)
    if folder is not None and fresh:
        folder = _unused(Path(folder))
    prepared = Result(checked, folder=folder)
    return prepared.resume(until=until, threads=threads, client=client, progress=progress)


def _unused(folder: Path) -> Path:
    """The folder, or one with a number behind its name, that does not exist yet."""
    numbered = (folder.with_name(f"{folder.name}-{number}") for number in count(2))
    return next(one for one in chain([folder], numbered) if not one.exists())


@takes(RunOptions)
def run(scenario: Origin, **options: Unpack[RunOptions]) -> Result:
    """Runs every cell of a scenario, as `earlydrop run` does; the options are those of `compare`.

    >>> import earlydrop
    >>> result = earlydrop.run('''
    ... duration = "4 s"
    ... seeds = 1
    ... schemes = ["red", "codel"]
    ... network = { rate = "5 Mbps", rtt = "40 ms" }
    ... [flows.bulk]
    ... count = 3
    ... [sweep]
    ... "network.rtt" = ["20 ms", "80 ms"]
    ... ''')
    >>> result.runs["network_rtt_s"].tolist()
    [0.02, 0.02, 0.08, 0.08]
    """
    return compare(scenario=scenario, **options)


@takes()
def prepare(scenario: Origin = None, *, folder: str | os.PathLike[str] | None = None) -> Result:
    """A run that has not begun: `resume()` or `stream()` runs it.

    >>> import earlydrop
    >>> scenario = earlydrop.Scenario(schemes="red", duration="2 s", seeds=1)
    >>> earlydrop.prepare(scenario).done
    0
    """
    return Result(Scenario(scenario), folder=folder)


@takes(folder="the folder of a run, of this package or of the command")
def open_run(folder: str | os.PathLike[str]) -> Result:
    """Opens the run in a folder, of this package or of the command, for reading."""
    return Result.open(folder)
