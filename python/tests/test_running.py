"""Runs from Python are the command's, to the last bit."""

import asyncio
import os
import pickle
import signal
import threading
import time
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

import earlydrop

ROOT = Path(__file__).resolve().parents[2]

SMALL = """
duration = "2 s"
seeds = 2
schemes = ["red:min=5,max=15", "codel"]
network = { rate = "5 Mbps", rtt = "40 ms" }
[flows.bulk]
count = 3
"""


def test_text_dictionary_and_keywords_make_the_same_scenario(tmp_path: Path) -> None:
    text = earlydrop.Scenario(SMALL)
    fields = {
        "duration": "2 s",
        "seeds": 2,
        "schemes": ("red:min=5,max=15", "codel"),
        "network": {"rate": "5 Mbps", "rtt": "40 ms"},
        "flows": {"bulk": {"count": np.int64(3)}},
    }
    assert earlydrop.Scenario(fields).to_toml() == text.to_toml()
    (tmp_path / "small.toml").write_text(SMALL)
    assert earlydrop.Scenario(tmp_path / "small.toml") == text
    assert earlydrop.Scenario(text, rtt="80 ms") != text
    assert earlydrop.Scenario(SMALL, duration=timedelta(seconds=2.5)).to_toml() != text.to_toml()
    assert pickle.loads(pickle.dumps(text)) == text


def test_errors_are_the_commands() -> None:
    with pytest.raises(earlydrop.ScenarioError) as error:
        earlydrop.Scenario(SMALL.replace("codel", "codl"))
    assert "did you mean 'codel'?" in str(error.value)
    assert error.value.problems[0]["line"] == 4
    with pytest.raises(earlydrop.ScenarioError, match=r"network\.rat.*did you mean `rate`"):
        earlydrop.Scenario({"network": {"rat": "5 Mbps"}})
    with pytest.raises(earlydrop.ScenarioError, match="rtt=50: .*50 ms"):
        earlydrop.Scenario(rtt="50")
    with pytest.raises(earlydrop.ArgumentError, match=r"^network\.rate: a value is text"):
        earlydrop.Scenario({"network": {"rate": object()}})
    with pytest.raises(earlydrop.RunError, match="no table 'flow'; known: .*flows"):
        earlydrop.run(SMALL).table("flow")
    with pytest.raises(earlydrop.ArgumentError, match='no compared scheme is called "rd"'):
        earlydrop.run(SMALL).compare_to("rd")


def test_tables_reach_data_frames() -> None:
    result = earlydrop.run(SMALL + '[sweep]\n"network.rtt" = ["20 ms", "80 ms"]\n')
    frame = result.runs.to_pandas()
    assert frame.network_rtt_s.tolist() == [0.02, 0.02, 0.08, 0.08] * 2
    polars = result.runs.to_polars()
    arrow = result.runs.to_arrow()
    for name in ["utilisation", "delay_mean"]:
        assert polars[name].to_list() == arrow[name].to_pylist() == frame[name].tolist()
    assert arrow.schema.field("delay_mean").metadata[b"meaning"]
    assert set(result.samples["name"]) >= {"queue", "window"}
    assert len(result.samples.to_polars().filter(name="queue")) > 100
    lists = result.table("series").to_arrow()
    assert len(lists["values"][0]) == len(lists["values"][0].as_py()) > 10


def test_means_are_those_of_the_runs() -> None:
    result = earlydrop.run(SMALL, seeds=5)
    frame = result.runs.to_pandas()
    summary = result.summary("delay_mean").to_pandas().set_index("scheme")
    means = frame.groupby("scheme").delay_mean.mean()
    for scheme in ["red", "codel"]:
        assert summary["mean"][scheme] == pytest.approx(means[scheme], rel=1e-12)
    goodput = result.summary("goodput").to_pandas()
    assert goodput.group[0] == "bulk"
    assert goodput.group.isna().sum() == 2
    assert (goodput.at_least == 0).all()
    differences = result.compare_to("red", ["delay_mean"]).to_pandas()
    paired = frame[frame.scheme == "codel"].delay_mean.to_numpy()
    paired = paired - frame[frame.scheme == "red"].delay_mean.to_numpy()
    assert differences.difference[0] == pytest.approx(paired.mean(), rel=1e-12)
    assert differences.significant[0] in (0, 1)
    # Of a group, too.
    of_group = result.compare_to("red", "bulk.goodput").to_pandas()
    means = goodput[goodput.group == "bulk"].set_index("scheme")["mean"]
    assert of_group.difference[0] == pytest.approx(means["codel"] - means["red"], rel=1e-9)


def test_more_seeds_until_intervals_are_narrow() -> None:
    result = earlydrop.run(SMALL, until="20%:delay_mean")
    summary = result.summary("delay_mean").to_pandas()
    assert (summary.half_width <= 0.2 * summary["mean"]).all()
    assert result.planned == result.done == 2 * summary.seeds[0] > 4


def test_a_folder_keeps_a_run_and_memory_is_saved_to_one(tmp_path: Path) -> None:
    memory = earlydrop.run(SMALL)
    kept = memory.save(tmp_path / "kept")
    stored = earlydrop.run(SMALL, folder=tmp_path / "run")
    opened = earlydrop.open_run(tmp_path / "run")
    for other in [kept, stored, opened]:
        assert other.runs.to_dict() == memory.runs.to_dict()
        assert other.samples.to_dict() == memory.samples.to_dict()
    assert earlydrop.run(SMALL, folder=tmp_path / "run").done == 4
    page = memory.report(show=False)
    assert "codel" in page.read_text()
    with pytest.raises(earlydrop.RunError, match="another scenario"):
        earlydrop.run(SMALL, rtt="50 ms", folder=tmp_path / "run")


def test_outcomes_stream_as_they_end() -> None:
    async def collect() -> list[earlydrop.Outcome]:
        result = earlydrop.prepare(earlydrop.Scenario(SMALL))
        return [outcome async for outcome in result.stream()]

    outcomes = asyncio.run(collect())
    runs = earlydrop.run(SMALL).runs.to_pandas().set_index(["scheme", "seed"])
    assert len(outcomes) == 4
    for outcome in outcomes:
        assert outcome["delay_mean"] == runs.delay_mean[outcome.scheme, outcome.seed]


def test_ctrl_c_keeps_what_is_finished() -> None:
    result = earlydrop.prepare(earlydrop.Scenario(SMALL, seeds=100_000))
    # As soon as something is saved, and not after a time.
    sent = threading.Event()

    def interrupt(before: int, done: int, planned: int) -> None:
        if done > 3 and not sent.is_set():
            sent.set()
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        result._run.execute(2, None, interrupt, None)
    assert 3 < result.done < result.planned
    assert len(result.runs) == result.done


def test_cells_of_another_process_complete_a_run() -> None:
    from earlydrop import _lib

    whole = earlydrop.run(SMALL)
    result = earlydrop.prepare(earlydrop.Scenario(SMALL))
    missing = result._run.missing()
    scenario = pickle.loads(pickle.dumps(result.scenario))
    for cells in [missing[:1], missing[1:]]:
        result._run.add_cells(_lib.Run.run_cells(scenario._native, cells))
    assert result.runs.to_dict() == whole.runs.to_dict()
    assert result.samples.to_dict() == whole.samples.to_dict()


def test_threads_of_python_run_beside_a_run() -> None:
    """Another thread counts to 1000 during a run that only it can end."""
    counted = 0

    def count_and_stop() -> None:
        nonlocal counted
        while counted < 1000:
            counted += 1
            time.sleep(0)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=count_and_stop)
    with pytest.raises(KeyboardInterrupt):
        thread.start()
        earlydrop.run(earlydrop.Scenario(SMALL, seeds=100_000))
    thread.join()
    assert counted == 1000
