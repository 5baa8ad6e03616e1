"""Errors are Python's, name keyword arguments, and keep what is finished."""

import asyncio
import errno
from pathlib import Path
from typing import Any

import pytest

import earlydrop

SMALL: dict[str, Any] = {"link": "5 Mbps", "flows": 3, "duration": "2 s", "seeds": 2}


class Failing(earlydrop.Scheme):
    """Fails on one seed only, after the runs of the other."""

    def on_arrival(
        self, packet: earlydrop.Packet, queue: earlydrop.Backlog, random: earlydrop.Random
    ) -> bool:
        if packet.now > 1:
            raise ValueError("no more")
        return False


def test_a_missing_file_is_pythons_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as error:
        earlydrop.run(tmp_path / "none.toml")
    assert error.value.errno == errno.ENOENT
    assert error.value.filename == str(tmp_path / "none.toml")
    with pytest.raises(IsADirectoryError):
        earlydrop.run(tmp_path)


def test_errors_name_keywords_and_not_the_commands_options(tmp_path: Path) -> None:
    earlydrop.compare("red", folder=tmp_path / "run", **SMALL)
    with pytest.raises(earlydrop.RunError, match="choose another folder with folder=$"):
        earlydrop.compare("red", rtt="20 ms", folder=tmp_path / "run", **SMALL)
    (tmp_path / "page.html").write_text("mine")
    with pytest.raises(earlydrop.RunError, match="choose another name$"):
        earlydrop.compare("red", **SMALL).report(tmp_path / "page.html", show=False)
    with pytest.raises(earlydrop.ScenarioError, match='limits="') as error:
        earlydrop.Scenario(schemes="red", limits="events=1000", **SMALL)
    assert "--" not in str(error.value)
    assert "--" not in str(error.value.problems)
    with pytest.raises(earlydrop.RunError, match="did you mean 'flows'"):
        earlydrop.compare("red", **SMALL).table("flow")


def test_a_failed_scheme_leaves_what_is_finished_to_a_stream() -> None:
    async def collect(result: earlydrop.Result) -> None:
        async for _ in result.stream(threads=1):
            pass

    result = earlydrop.prepare(earlydrop.Scenario(schemes=["red", Failing], **SMALL))
    with pytest.raises(earlydrop.SchemeError, match="no more") as error:
        asyncio.run(collect(result))
    assert error.value.result is result


def test_names_are_taken_as_titles_show_them() -> None:
    lower = earlydrop.Scenario(schemes="red", tcp="cubic", **SMALL)
    assert earlydrop.Scenario(schemes="red", tcp="CUBIC", **SMALL).to_toml() == lower.to_toml()
    with pytest.raises(earlydrop.ScenarioError, match="allowed: one of reno, cubic"):
        earlydrop.Scenario(schemes="red", tcp="CUBICC", **SMALL)


def test_numbers_out_of_range_name_the_range() -> None:
    queue = earlydrop.Queue("red", rate="10 Mbps")
    with pytest.raises(earlydrop.ArgumentError, match="size=-5, .*from 0 to 4294967295 bytes"):
        queue.enqueue(0.0, size=-5)
    with pytest.raises(earlydrop.ArgumentError, match="mean_packet=-1"):
        earlydrop.Queue("red", rate="10 Mbps", mean_packet=-1)


def test_metrics_are_known_before_a_run() -> None:
    metrics = earlydrop.metrics()
    result = earlydrop.compare("red,codel", **SMALL)
    assert metrics["name"].tolist() == [
        one for one in result.runs.columns if one in metrics["name"]
    ]
    assert set(metrics["better"]) == {"less", "more", ""}
    named = {row["name"]: row for row in metrics}
    assert named["delay_p99"]["meaning"] in result.runs.meanings["delay_p99"]


def test_xarray_keeps_the_order_and_has_units() -> None:
    pytest.importorskip("xarray")
    data = earlydrop.compare(["red", "codel"], rtt=[0.08, 0.02], **SMALL).to_xarray()
    assert data.scheme.values.tolist() == ["red", "codel"]
    assert data.network_rtt_s.values.tolist() == [0.08, 0.02]
    assert data.delay_mean.attrs["units"] == "s"
    assert data.delay_mean.attrs["meaning"]
    assert not data.delay_mean.isnull().any()


def test_a_picture_is_drawn_in_axes_that_are_there() -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    result = earlydrop.compare(["red", "codel"], **SMALL)
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(7, 3))
    assert result.figure("scatter", ax=left) is figure
    assert result.figure("cdf", ax=right) is figure
    assert left.get_xlabel() and right.get_ylabel()
    assert [text.get_text() for text in right.get_legend().get_texts()]
    traced = earlydrop.trace(result.scenario)
    with pytest.raises(earlydrop.ArgumentError, match="panels; allowed are pictures of one"):
        traced.figure("time", ax=left)
    pyplot.close(figure)
