"""Running scenarios."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from .options import RunOptions, ScenarioOptions, takes
from .result import Result
from .scenario import Origin, Scenario, Schemes

if TYPE_CHECKING:
    from typing_extensions import Unpack


@takes(ScenarioOptions)
def compare(
    schemes: Schemes | None = None,
    *,
    scenario: Origin = None,
    folder: str | os.PathLike[str] | None = None,
    until: str | None = None,
    threads: int | None = None,
    progress: bool | None = None,
    **options: Unpack[ScenarioOptions],
) -> Result:
    """Compares schemes on a scenario, or on the built-in one, as `earlydrop compare` does.

    `folder` keeps the run, and continues one that was interrupted; without it, the run lives in
    memory. `until="2%:delay_mean"` adds seeds until the 95% intervals are that narrow.

    >>> import earlydrop
    >>> result = earlydrop.compare(["red", "codel"], link="10 Mbps", rtt="50 ms", flows=5,
    ...                            duration="10 s", seeds=3)
    >>> sorted(set(result.runs["scheme"]))
    ['codel', 'red']
    """
    checked = Scenario(scenario, schemes=schemes, **options)
    prepared = Result(checked, folder=folder)
    return prepared.resume(until=until, threads=threads, progress=progress)


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


def prepare(scenario: Origin = None, *, folder: str | os.PathLike[str] | None = None) -> Result:
    """A run that has not begun: `resume()` or `stream()` runs it.

    >>> import earlydrop
    >>> scenario = earlydrop.Scenario(schemes="red", duration="2 s", seeds=1)
    >>> earlydrop.prepare(scenario).done
    0
    """
    return Result(Scenario(scenario), folder=folder)


def open_run(folder: str | os.PathLike[str]) -> Result:
    """Opens the run in a folder, of this package or of the command, for reading."""
    return Result.open(folder)
