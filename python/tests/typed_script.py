"""A user's script, which passes `mypy --strict` and pyright, and runs."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import earlydrop
from earlydrop import Backlog, Packet, Random, Result, Scheme, Table, Verdict


class Ramp(Scheme):
    """Marks or drops in proportion to the queue, and more of what has waited long."""

    min: int = 5
    gain: float = earlydrop.parameter(0.005, "probability for each packet above min", low=0)
    slow: float = earlydrop.parameter(0.02, "a long wait", low=0, unit="s")
    mode: Literal["drop", "signal"] = "signal"

    def start(self) -> None:
        """Counts what it judges."""
        self.judged = 0

    def on_arrival(self, packet: Packet, queue: Backlog, random: Random) -> bool | Verdict:
        """Judges an arriving packet."""
        self.judged += 1
        weight = 2.0 if queue.head_age > self.slow else 1.0
        if not random.chance(min(1.0, weight * self.gain * max(0, queue.packets - self.min))):
            return Verdict.KEEP
        return Verdict.SIGNAL if self.mode == "signal" else True

    def probes(self) -> dict[str, float]:
        """State over time."""
        return {"judged": float(self.judged)}


def delays(table: Table) -> dict[str, float]:
    """The mean delay of each scheme, in seconds."""
    schemes: NDArray[np.object_] = table["scheme"]
    values: NDArray[np.float64] = table["delay_mean"]
    return {str(name): float(values[schemes == name].mean()) for name in set(schemes.tolist())}


def swept() -> Result:
    """Schemes at the points of a sweep, written in every way."""
    rtts: Sequence[float] = [0.02, 0.08]
    by_keyword = earlydrop.compare(
        {"red": "red:min=5,max=15", "ramp": Ramp, "slow": Ramp(min=10, slow=0.05)},
        link=10e6,
        rtt=rtts,
        flows=4,
        duration=timedelta(seconds=2),
        seeds=2,
        progress=False,
    )
    earlydrop.Scenario(
        schemes="red",
        sweep={
            "network.rtt": np.array([20, 80], dtype="timedelta64[ms]"),
            "flows.bulk.count": np.arange(2, 6, 2),
            "network.rate": pd.Series([5e6, 10e6]),
        },
        set={"measure.departures": True, "measure.sample": 0.01},
        seeds=[3, 5],
    )
    return by_keyword


def looked_at(result: Result) -> pd.DataFrame:
    """A result as tables and as a frame."""
    for row in result.runs:
        assert row["seed"] in (1, 2)
    runs: pd.DataFrame = result.runs.to_pandas()
    summary = result.summary(["delay_mean", "loss"])
    means: NDArray[np.float64] = summary["mean"]
    assert means.size > 0
    differences = result.compare_to("red", "delay_mean")
    is_sure: NDArray[np.bool_] = differences["significant"]
    assert is_sure.dtype == np.bool_
    text: str = result.svg("cdf", schemes=["red"], at={"network.rtt": 0.02}, width="ieee")
    assert text.startswith("<svg")
    again: Result = pickle.loads(pickle.dumps(result))
    assert again.runs.to_dict() == result.runs.to_dict()
    return runs


def kept(result: Result, folder: Path) -> Path | None:
    """Keeps a result, and reads it again."""
    result.save(folder)
    opened = earlydrop.open_run(folder)
    outcome: dict[str, list[object]] = opened.groups.to_dict()
    assert outcome["cell"]
    return opened.folder


def queue_by_hand() -> int:
    """A queue with a clock of one's own."""
    queue = earlydrop.Queue("red:min=2,max=6,weight=1", rate=10e6, seed=3)
    fates = [queue.enqueue(0.001 * number, size=1500, packet=number) for number in range(10)]
    departure = queue.dequeue(0.02)
    assert departure is not None
    delay: float = departure.sojourn
    assert delay > 0
    replay = queue.replay(np.arange(10) * 1e-3, sizes=1500)
    lost: int = replay.count(earlydrop.Fate.FORCED)
    return lost + sum(fate.is_drop for fate in fates)


def asked() -> str:
    """The answers of the command."""
    advice = earlydrop.configure(link=100e6, rtt="50 ms", flows=150, simulate=False)
    delay: float = advice.prediction.delay
    explanation = earlydrop.explain(advice.paste["linux"], link=100e6)
    model = earlydrop.batch_queue(rho=0.9, buffer=20)
    assert delay > 0 and model.loss >= 0
    return explanation.scheme


def main() -> None:
    """Runs everything once."""
    result = swept()
    assert set(delays(result.runs)) == {"red", "ramp", "slow"}
    assert len(looked_at(result)) == result.planned
    with TemporaryDirectory() as folder:
        assert kept(result, Path(folder) / "run") == Path(folder) / "run"
    assert queue_by_hand() >= 0
    assert asked().startswith("red")
    try:
        earlydrop.Scenario(schemes="rde")
    except earlydrop.ScenarioError as error:
        problems: list[dict[str, object]] = error.problems
        assert problems


if __name__ == "__main__":
    main()
