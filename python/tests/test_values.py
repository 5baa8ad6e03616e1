"""One rule of units: a number is in base units, text has its unit. And one form of a sweep."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

import earlydrop

pandas = pytest.importorskip("pandas")

SMALL: dict[str, Any] = {"schemes": "red", "duration": "2 s", "seeds": 1}


@pytest.mark.parametrize(
    "rtt",
    [
        "50 ms",
        0.05,
        timedelta(milliseconds=50),
        np.float64(0.05),
        np.timedelta64(50, "ms"),
        np.timedelta64(50_000_000, "ns"),
        pandas.Timedelta("50 ms"),
    ],
)
def test_one_time_is_written_in_many_ways(rtt: Any) -> None:
    wanted = earlydrop.Scenario(rtt="50 ms", **SMALL).to_toml()
    assert earlydrop.Scenario(rtt=rtt, **SMALL).to_toml() == wanted
    assert earlydrop.Scenario(set={"network.rtt": rtt}, **SMALL).to_toml() == wanted


def test_numbers_of_fields_are_in_base_units() -> None:
    fields: dict[str, Any] = {
        "link": 20e6,
        "duration": 5,
        "warm_up": np.int64(1),
        "buffer": 100,
        "set": {"measure.sample": 0.01, "flows.web.every": 0.5},
    }
    text = earlydrop.Scenario(schemes="red", **fields).to_toml()
    for part in ["20 Mbps", "5 s", "1 s", "10 ms", "500 ms"]:
        assert part in text, part
    mapped = earlydrop.Scenario(
        {
            "duration": 2.0,
            "network": {"rate": 5e6, "rtt": timedelta(milliseconds=40)},
            "flows": {"bulk": {"count": 3}},
            "sweep": {"network.rtt": [0.02, np.float64(0.08)]},
            "schemes": {"mine": {"scheme": "codel", "target": 0.004}},
        }
    )
    assert mapped.axes == {"network.rtt": ["20 ms", "80 ms"]}
    assert "5 Mbps" in mapped.to_toml()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: earlydrop.Scenario(rtt="50"), "nearest|50 ms"),
        (lambda: earlydrop.Scenario(set={"network.rtt": "50"}), "no unit"),
        (lambda: earlydrop.Queue("red", rate="10"), "rate=10: allowed"),
        (lambda: earlydrop.Queue("codel:target=5", rate="10 Mbps"), "target = 5 has no unit"),
        (lambda: earlydrop.Scenario(schemes="codel:target=5"), "target = 5 has no unit"),
        (lambda: earlydrop.Scenario(schemes={"a": "codel:target=5"}), "target = 5 has no unit"),
        (lambda: earlydrop.Scenario({"schemes": ["codel:target=5"]}), "target = 5 has no unit"),
        (lambda: earlydrop.scheme("codel:target=5"), "target = 5 has no unit"),
        (lambda: earlydrop.configure("codel:target=5", link=1e7, rtt=0.05, flows=2), "no unit"),
        (lambda: earlydrop.configure(link="20", rtt="50 ms", flows=2), "needs a unit"),
    ],
)
def test_text_without_its_unit_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_queues_functions_and_classes_take_numbers() -> None:
    assert "10 Mbps" in repr(earlydrop.Queue("red", rate=10e6))
    text = earlydrop.configure(link="100 Mbps", rtt="50 ms", flows=150, simulate=False)
    number = earlydrop.configure(link=100e6, rtt=0.05, flows=150, simulate=False)
    assert number.scheme == text.scheme

    class Waiting(earlydrop.Scheme):
        delay: float = earlydrop.parameter(default=0.02, unit="s")

        def on_arrival(
            self, packet: earlydrop.Packet, queue: earlydrop.Backlog, random: earlydrop.Random
        ) -> bool:
            return queue.head_age > self.delay

    assert Waiting(delay=0.01).spec == "waiting:delay=0.01 s"
    assert Waiting(delay=timedelta(milliseconds=10)).spec == "waiting:delay=10 ms"
    earlydrop.Scenario(schemes=[Waiting(delay=0.01)], seeds=1)


VALUES: list[Any] = [
    [0.02, 0.08],
    (20e-3, 80e-3),
    ["20 ms", "80 ms"],
    np.array([0.02, 0.08]),
    np.array([20, 80], dtype="timedelta64[ms]"),
    pandas.Series([0.02, 0.08]),
    pandas.Series(pandas.to_timedelta([20, 80], unit="ms")),
    [timedelta(milliseconds=20), "80 ms"],
]


@pytest.mark.parametrize("values", VALUES, ids=lambda one: type(one).__name__)
def test_lists_arrays_and_series_are_swept(values: Any) -> None:
    by_path = earlydrop.Scenario(sweep={"network.rtt": values}, **SMALL)
    by_name = earlydrop.Scenario(rtt=values, **SMALL)
    assert by_path.axes == by_name.axes == {"network.rtt": ["20 ms", "80 ms"]}
    assert by_path.runs == 2


def test_sweeps_are_combined_and_named() -> None:
    swept = earlydrop.Scenario(
        flows=range(2, 8, 2), sweep={"link": [5e6, "10 Mbps"], "flows.calls.count": [1, 2]}, **SMALL
    )
    assert swept.axes == {
        "flows.bulk.count": ["2", "4", "6"],
        "network.rate": ["5 Mbps", "10 Mbps"],
        "flows.calls.count": ["1", "2"],
    }
    assert earlydrop.Scenario(schemes="red", seeds=[3, 5]).seeds == [3, 5]
    assert earlydrop.Scenario(schemes="red", ecn=True) == earlydrop.Scenario(
        schemes="red", ecn="on"
    )
    result = earlydrop.compare(sweep={"network.rtt": [0.02, 0.08]}, **SMALL)
    traced = earlydrop.trace(result.scenario, at={"network.rtt": 0.08})
    assert traced.at == {"network.rtt": "80 ms"}
    assert result.svg("cdf", at={"network.rtt": timedelta(milliseconds=80)}).startswith("<svg")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sweep": {"network.rat": [1, 2]}}, "did you mean `rate`"),
        ({"sweep": {"network.rtt": 0.02}}, "a list or an array"),
        ({"sweep": {"network.rtt": []}}, "at least one"),
        ({"set": {"network.rtt": [0.02, 0.04]}}, 'sweep={"network.rtt"'),
        ({"tcp": ["reno", "cubic"]}, 'sweep={"flows.bulk.tcp.control"'),
        ({"rtt": object()}, "^rtt: a value is text, a number"),
        ({"rtt": [0.02, "eighty"]}, "eighty"),
        ({"rtt": 0.02, "sweep": {"network.rtt": [0.1]}}, "network.rtt is given twice, by rtt="),
        ({"set": {"duration": 4}}, "duration is given twice"),
        (
            {"set": {"network.rtt": 0.1}, "sweep": {"network.rtt": [0.1, 0.2]}},
            "given twice, by set= and by sweep=",
        ),
        ({"rtt": {"50 ms"}}, "a set has no order"),
    ],
)
def test_what_is_no_sweep_names_the_way(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        earlydrop.Scenario(**SMALL, **options)


def test_a_fresh_run_begins_beside_an_earlier_one(tmp_path: Any) -> None:
    first = earlydrop.compare(folder=tmp_path / "run", **SMALL)
    again = earlydrop.compare(folder=tmp_path / "run", fresh=True, **SMALL)
    assert first.folder == tmp_path / "run"
    assert again.folder == tmp_path / "run-2"
