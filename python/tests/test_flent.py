"""Data files of flent, written and read."""

import bz2
import gzip
import importlib
import json
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path

import numpy as np
import pytest

import earlydrop

BEGUN = datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc)


@pytest.fixture(scope="module")
def result() -> earlydrop.Result:
    return earlydrop.compare(
        "red,codel", link="10 Mbps", duration="4 s", seeds=1, set={"measure.departures": True}
    )


def test_what_is_written_is_read(result: earlydrop.Result, tmp_path: Path) -> None:
    paths = result.to_flent(tmp_path / "flent", time=BEGUN)
    assert [path.name.split(".")[2] for path in paths] == ["red__seed_1", "codel__seed_1"]
    data = earlydrop.read_flent(paths[1])
    assert (data.name, data.title) == ("tcp_nup", "codel, seed 1")
    assert "calls" in " ".join(name for name in data.series if name.startswith("UDP upload"))
    frame = data.samples.to_pandas()
    samples = result.samples.to_pandas()
    samples = samples[(samples.scheme == "codel") & (samples.source == "left to right")]
    bulk = frame[frame.series == "TCP upload::bulk"]
    sent = samples[samples.name == "departures of bulk"]
    assert np.allclose(1e6 * bulk.value.to_numpy(), sent.value.to_numpy())
    assert np.allclose(bulk.time.to_numpy(), sent.time.to_numpy())
    assert set(bulk.unit) == {"Mbits/s"}
    # 50 ms there and back, and 1.2 ms for each packet of 1500 bytes in the queue.
    ping = frame[frame.series == "Ping (ms) ICMP"].value.to_numpy()
    queue = samples[samples.name == "queue"].value.to_numpy()
    assert np.allclose(ping, 50 + 1.2 * queue)
    raw = data.raw.to_pandas()
    dropped = raw[(raw.series == "qdisc_stats_bottleneck") & (raw.key == "dropped")].value
    assert dropped.sum() == samples[samples.name == "drops"].value.sum() > 0
    assert raw.time.min() == BEGUN.timestamp()


def test_flent_reads_and_plots_the_file(result: earlydrop.Result, tmp_path: Path) -> None:
    pytest.importorskip("flent")
    path = result.to_flent(tmp_path, time=BEGUN)[0]

    def flent(*words: object) -> str:
        run = [sys.executable, "-c", "from flent import run_flent; run_flent()", *map(str, words)]
        done = subprocess.run(run, capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return done.stdout

    summary = flent("-i", path, "-f", "summary")
    assert "Summary of tcp_nup test run from 2026-01-02 03:04:05" in summary
    bulk = next(line for line in summary.splitlines() if "TCP upload::bulk" in line)
    data = earlydrop.read_flent(path).samples.to_pandas()
    mean = data[data.series == "TCP upload::bulk"].value.mean()
    assert f"{mean:.2f}" in bulk
    for plot in ["totals", "upload", "drops"]:
        flent("-i", path, "-p", plot, "-o", f"{plot}.png")
        assert (tmp_path / f"{plot}.png").read_bytes().startswith(b"\x89PNG")


def test_a_sweep_is_in_the_titles_and_no_file_is_written_over(tmp_path: Path) -> None:
    swept = earlydrop.compare(
        "red",
        duration="2 s",
        seeds=2,
        set={
            "measure.departures": True,
            "measure.series": "all",
            "sweep.network.rtt": ["20 ms", "40 ms"],
        },
    )
    paths = swept.to_flent(tmp_path, time=BEGUN)
    titles = {earlydrop.read_flent(path).title for path in paths}
    assert len(titles) == 4 and "red, network_rtt_s=0.02, seed 2" in titles
    before = paths[0].read_bytes()
    with pytest.raises(earlydrop.RunError, match="is not written over"):
        swept.to_flent(tmp_path, time=BEGUN)
    assert paths[0].read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 4


def test_a_run_without_bandwidths_says_how_to_sample_them(tmp_path: Path) -> None:
    plain = earlydrop.compare("red", duration="2 s", seeds=1)
    with pytest.raises(earlydrop.RunError, match=r"measure\.departures"):
        plain.to_flent(tmp_path / "none")
    assert not (tmp_path / "none").exists()
    unsampled = earlydrop.compare("red", duration="2 s", seeds=1, set={"measure.series": "none"})
    with pytest.raises(earlydrop.RunError, match=r"measure\.series"):
        unsampled.to_flent(tmp_path / "none")


def test_files_that_are_not_flents_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.flent"
    for content in ["{", "[]", '{"results": {}}', ""]:
        path.write_text(content)
        with pytest.raises(earlydrop.ArgumentError, match=r"a\.flent: not a data file of flent"):
            earlydrop.read_flent(path)
    whole = gzip.compress(b"{}" * 100)
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(earlydrop.ArgumentError, match="not a data file of flent"):
        earlydrop.read_flent(path)
    document = {"version": 9, "metadata": {}, "x_values": [], "results": {}}
    path.write_text(json.dumps(document))
    with pytest.raises(earlydrop.ArgumentError, match="version 9"):
        earlydrop.read_flent(path)
    document |= {"version": 4, "x_values": [1], "results": {"Ping": [1, 2]}}
    path.write_text(json.dumps(document))
    with pytest.raises(earlydrop.ArgumentError, match="'Ping' has 2 values, x_values 1"):
        earlydrop.read_flent(path)
    with pytest.raises(FileNotFoundError):
        earlydrop.read_flent(tmp_path / "missing.flent.gz")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": None}, "version None"),
        ({"version": "new"}, "version new"),
        ({"metadata": []}, "metadata is not a dict, but list"),
        ({"metadata": {"SERIES_META": 3}}, "SERIES_META is not a dict, but int"),
        ({"metadata": {"SERIES_META": {"Ping": "ms"}}}, "SERIES_META is not a dict, but str"),
        ({"x_values": 7}, "x_values is not a list, but int"),
        ({"results": {"Ping": None}}, "series 'Ping' is not a list, but NoneType"),
        ({"raw_values": [1]}, "raw_values is not a dict, but list"),
        ({"raw_values": {"Ping": 1}}, "raw_values of 'Ping' is not a list, but int"),
        ({"raw_values": {"Ping": [1]}}, "raw_values of 'Ping' is not a dict, but int"),
    ],
)
def test_a_part_of_another_kind_is_named(change: dict, message: str, tmp_path: Path) -> None:
    whole = {"version": 4, "metadata": {}, "x_values": [1], "results": {"Ping": [2]}}
    path = tmp_path / "a.flent"
    path.write_text(json.dumps(whole))
    assert len(earlydrop.read_flent(path).samples) == 1
    path.write_text(json.dumps(whole | change))
    with pytest.raises(earlydrop.ArgumentError, match=message):
        earlydrop.read_flent(path)


def test_a_small_file_cannot_fill_the_memory(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(importlib.import_module("earlydrop.flent"), "_LARGEST", 1_000_000)
    path = tmp_path / "a.flent"
    for pack in (gzip.compress, bz2.compress):
        path.write_bytes(pack(b" " * 2_000_000 + b"{}"))
        with pytest.raises(earlydrop.ArgumentError, match="more than 1 MB when decompressed"):
            earlydrop.read_flent(path)


def test_gaps_and_older_versions_are_read(tmp_path: Path) -> None:
    document = {
        "version": 3,
        "metadata": {"NAME": "rrul", "TITLE": None, "SERIES_META": {"Ping": {"UNITS": "ms"}}},
        "x_values": [0.0, 0.2],
        "results": {"Ping": [None, 12.5]},
        "raw_values": {"Ping": [{"seq": 0, "t": 100.5, "val": 12.5, "note": "late"}]},
    }
    path = tmp_path / "old.flent"
    path.write_text(json.dumps(document))
    data = earlydrop.read_flent(path)
    assert list(data.samples)[0] == {
        "series": "Ping",
        "unit": "ms",
        "time": 0.0,
        "value": None,
    }
    assert [(row["key"], row["value"]) for row in data.raw] == [("seq", 0.0), ("val", 12.5)]
