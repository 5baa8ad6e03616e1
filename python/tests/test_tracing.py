"""Traces of single runs."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import earlydrop

SCENARIO = """
duration = "3 s"
warm_up = "1 s"
seeds = 2
schemes = ["red:min=5,max=15", "codel"]
network = { rate = "5 Mbps", rtt = "40 ms" }
[flows.bulk]
count = 3
[sweep]
"network.rtt" = ["20 ms", "80 ms"]
"""


def test_keywords_are_those_of_compare() -> None:
    options: Any = {"schemes": "red,codel", "duration": "2 s", "seeds": 1, "flows": 3}
    traced = earlydrop.trace(scheme="codel", sample="50 ms", set={"warm_up": "1 s"}, **options)
    runs = earlydrop.compare(**options, set={"warm_up": "1 s"}).runs
    assert traced.metrics["delay_mean"] == runs["delay_mean"][1]


def test_a_trace_is_the_run_of_a_comparison() -> None:
    whole = earlydrop.run(SCENARIO).runs.to_pandas()
    traced = earlydrop.trace(SCENARIO, scheme="codel", seed=2, at={"network.rtt": "80ms"})
    assert (traced.scheme, traced.seed, traced.at) == ("codel", 2, {"network.rtt": "80 ms"})
    row = whole[(whole.scheme == "codel") & (whole.seed == 2) & (whole.network_rtt_s == 0.08)]
    for name in ["utilisation", "delay_mean", "delay_p99", "loss"]:
        assert traced.metrics[name] == row[name].item()
    first = earlydrop.trace(SCENARIO)
    assert (first.scheme, first.seed, first.at) == ("red", 1, {"network.rtt": "20 ms"})


def test_tables_are_the_commands(tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(SCENARIO)
    words = ["trace", "small.toml", "--cell", "0", "--packets", "packets.csv", "--pcap", "p.pcapng"]
    run = [sys.executable, "-m", "earlydrop", *words, "--sample", "20ms", "--out", "out"]
    environment = os.environ | {"COLUMNS": "80"}
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    traced = earlydrop.trace(tmp_path / "small.toml", sample="20 ms", packets=True)
    packets = pandas.read_csv(tmp_path / "packets.csv")
    own = traced.packets.to_pandas()
    assert list(own.columns) == list(packets.columns) and len(own) == len(packets) > 1000
    assert own.event.tolist() == packets.event.tolist()
    for name in ["time", "queue", "average"]:
        assert np.array_equal(own[name], packets[name], equal_nan=True), name
    series = pandas.read_csv(tmp_path / "out" / "series.csv")
    samples = traced.samples.to_pandas()
    assert len(samples) == len(series)
    assert np.array_equal(samples.value, series.value, equal_nan=True)
    written = traced.write_pcap(tmp_path / "own.pcapng")
    assert written.read_bytes() == (tmp_path / "p.pcapng").read_bytes()
    assert (
        str(traced).splitlines()[0]
        == done.stdout.splitlines()[0]
        == "red, network.rtt = 20 ms, seed 1"
    )


def test_the_figure_draws_the_samples() -> None:
    traced = earlydrop.trace(SCENARIO)
    figure = traced.figure(metrics="queue", width=3.0)
    (axes,) = figure.axes
    samples = traced.samples.to_pandas()
    queue = samples[(samples.name == "queue") & (samples.source == traced.link)]
    drawn = axes.lines[0].get_ydata()
    assert set(np.unique(drawn)) == set(queue.value.unique())
    assert {text.get_text() for text in axes.texts} == {"min", "max"}
    assert "<svg" in traced._repr_html_() and "seed 1" in traced._repr_html_()


def test_what_was_not_recorded_or_does_not_exist_is_said(tmp_path: Path) -> None:
    traced = earlydrop.trace(SCENARIO)
    with pytest.raises(earlydrop.RunError, match=r"packets=True"):
        len(traced.packets)
    with pytest.raises(earlydrop.RunError, match=r"packets=True"):
        traced.write_pcap(tmp_path / "link.pcapng")
    with pytest.raises(earlydrop.ArgumentError, match='did you mean "codel"'):
        earlydrop.trace(SCENARIO, scheme="codl")
    with pytest.raises(earlydrop.ArgumentError, match="the scenario's seeds: 1, 2"):
        earlydrop.trace(SCENARIO, seed=7)
    with pytest.raises(earlydrop.ArgumentError, match='did you mean "network.rtt"'):
        earlydrop.trace(SCENARIO, at={"network.rt": "20 ms"})
    with pytest.raises(earlydrop.ArgumentError, match="network.rtt=30 ms: swept: 20 ms, 80 ms"):
        earlydrop.trace(SCENARIO, at={"network.rtt": "30 ms"})


def test_a_file_that_is_no_capture_is_not_written_over(tmp_path: Path) -> None:
    traced = earlydrop.trace(SCENARIO, packets=True)
    mine = tmp_path / "thesis.txt"
    mine.write_text("three years")
    with pytest.raises(OSError, match="thesis.txt"):
        traced.write_pcap(mine)
    assert mine.read_text() == "three years"
    capture = tmp_path / "link.pcapng"
    assert traced.write_pcap(capture) == traced.write_pcap(capture) == capture


class Odd(earlydrop.Scheme):
    """Fails at the hundredth packet."""

    count: int = 0

    def on_arrival(
        self, packet: earlydrop.Packet, queue: earlydrop.Backlog, random: earlydrop.Random
    ) -> bool:
        self.count += 1
        if self.count == 100:
            raise ZeroDivisionError("the hundredth")
        return False


def test_a_scheme_of_python_that_fails_in_a_trace_is_named() -> None:
    with pytest.raises(earlydrop.SchemeError, match="(?i)odd.*the hundredth"):
        earlydrop.trace(earlydrop.Scenario(SCENARIO, schemes={"strange": Odd}))
