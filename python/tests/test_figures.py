"""Pictures of runs, and what notebooks and terminals show."""

import os
import re
import subprocess
import sys
from html import escape
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import earlydrop

SWEPT = """
title = "Short & <b>wide</b>"
duration = "4 s"
seeds = 3
schemes = ["red", "codel"]
network = { rate = "5 Mbps", rtt = "40 ms" }
[flows.bulk]
count = 3
[sweep]
"network.rtt" = ["20 ms", "80 ms"]
"""


@pytest.fixture(scope="module")
def swept() -> earlydrop.Result:
    return earlydrop.run(SWEPT)


def command(*words: object) -> subprocess.CompletedProcess[str]:
    run = [sys.executable, "-m", "earlydrop", *map(str, words)]
    return subprocess.run(run, capture_output=True, text=True, env=os.environ | {"COLUMNS": "80"})


def test_a_sweep_is_drawn_from_the_means_of_the_runs(swept: earlydrop.Result) -> None:
    figure = swept.figure("sweep", metrics="delay_p99", width="acm", font=9)
    assert figure.get_size_inches()[0] == pytest.approx(3.33)
    (axes,) = figure.axes
    frame = swept.runs.to_pandas()
    frame = frame[frame.scheme == "codel"]
    means = 1e3 * frame.groupby("network_rtt_s").delay_p99.mean()
    (line,) = [one for one in axes.lines if one.get_label() == "codel"]
    assert np.allclose(line.get_ydata(), means)
    assert np.allclose(line.get_xdata(), means.index)
    ticks = [tick.get_text() for tick in axes.get_xticklabels()]
    assert ticks == ["20 ms", "80 ms"]
    assert axes.get_ylabel() == "Queueing delay, 99% (ms)"
    assert axes.yaxis.label.get_size() == 9
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["red", "codel"]


@pytest.mark.parametrize("count", [5, 6, 7])
def test_a_legend_is_inside_its_picture(count: int) -> None:
    names = ["droptail", "balance", "paper", "morris", "floyd-1997", "floyd-2001", "seventh"]
    schemes = dict.fromkeys(names[:count], "droptail")
    result = earlydrop.compare(schemes, duration="2 s", seeds=1, progress=False)
    figure = result.figure("scatter", width="ieee")
    figure.canvas.draw()
    box = figure.legends[0].get_window_extent()
    assert box.x0 >= 0 and box.x1 <= figure.bbox.x1


def test_every_picture_is_saved_in_its_size(swept: earlydrop.Result, tmp_path: Path) -> None:
    for what in ["scatter", "sweep", "time", "cdf", "tail"]:
        figure = swept.figure(what, at={"network.rtt": "80ms"}, width="84mm", title="A title")
        path = tmp_path / f"{what}.svg"
        figure.savefig(path)
        svg = path.read_text()
        # Text stays text, and the picture is as wide as asked for.
        assert "A title</text>" in svg
        width = re.search(r'width="([\d.]+)pt"', svg)
        assert width is not None and float(width[1]) == pytest.approx(84 / 25.4 * 72, abs=0.01)
        png, size = figure._repr_png_()  # type: ignore[attr-defined]
        assert png.startswith(b"\x89PNG") and size["width"] == round(84 / 25.4 * 120)
    assert len(swept.figure("time").axes) > 1
    assert swept.figure("tail").axes[0].get_yscale() == "log"


def test_the_svg_is_the_commands(swept: earlydrop.Result, tmp_path: Path) -> None:
    swept.save(tmp_path / "run")
    for what, options in [("scatter", []), ("time", ["--schemes", "red,codel"])]:
        path = tmp_path / f"{what}.svg"
        done = command("figure", tmp_path / "run", "--what", what, "--out", path, *options)
        assert done.returncode == 0, done.stderr
        assert swept.svg(what, schemes=options[1] if options else None) == path.read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"what": "scater"}, r"picture `scater`: allowed: scatter, "),
        ({"schemes": "rd"}, r"scheme `rd`: allowed: red, codel"),
        ({"metrics": ["delay_men", "loss"]}, r"metric `delay_men`: allowed: delay_mean, "),
        ({"metrics": "loss"}, r"metrics loss: a scatter has two"),
        ({"at": {"network.rt": "20 ms"}}, r"swept field `network.rt`: allowed: network.rtt"),
        ({"at": {"network.rtt": "25 ms"}}, r"value `25 ms`: allowed: 20 ms, 80 ms"),
        ({"width": "3"}, r"width=3: allowed: ieee, .* a number above 0 with in, mm"),
        ({"width": 0.2}, r"width 14.40pt: allowed: 90pt to"),
    ],
)
def test_a_wrong_choice_is_refused_with_the_nearest(
    swept: earlydrop.Result, options: dict[str, object], message: str
) -> None:
    for draw in [swept.figure, swept.svg]:
        with pytest.raises(earlydrop.ArgumentError, match=message):
            draw(**options)


def test_text_is_the_commands(
    swept: earlydrop.Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    swept.save(tmp_path / "run")
    done = command("report", tmp_path / "run")
    assert done.returncode == 0, done.stderr
    printed = done.stdout[: done.stdout.index("best mean of the column")]
    assert str(swept).startswith(printed)
    assert repr(swept) == str(swept)
    assert "≈ not significantly different" in str(swept)


class Tags(HTMLParser):
    """The tags of a document, checked for being closed in their order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.text = ""
        self.feed(html)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.append(tag)
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data


def test_a_notebook_shows_tables_marks_warnings_and_pictures(swept: earlydrop.Result) -> None:
    tags = Tags(swept._repr_html_())
    assert "Short & <b>wide</b>" in tags.text and "b" not in tags.seen
    # Delay and utilisation along the sweep, and a table for each point.
    assert tags.seen.count("svg") == 2
    assert tags.seen.count("table") == 4
    assert "* best mean of the column" in tags.text
    for warning in swept.scenario.warnings:
        assert warning in tags.text
    changed = earlydrop.compare("red,codel", link="7 Mbps", duration="4 s", seeds=1)
    tags = Tags(changed._repr_html_())
    assert "one run each" in tags.text and "end-to-end delay, 99% (ms)" in tags.text
    # What calls wait against what bulk gets, and the time series of the only seed.
    assert tags.seen.count("svg") == 2 and "Time (s)" in tags.text
    begun = earlydrop.prepare(earlydrop.Scenario(SWEPT))
    assert "0 of 12 runs are finished" in Tags(begun._repr_html_()).text


def test_a_notebooks_colours_can_be_dark(swept: earlydrop.Result) -> None:
    html = swept._repr_html_()
    for dark in ["prefers-color-scheme: dark", "data-jp-theme-light=false", "vscode-dark"]:
        assert dark in html
    drawn = html[html.index("<svg") : html.rindex("</svg>")]
    # No colour of the picture is fixed.
    fixed = re.findall(r'(?:fill|stroke)="#', drawn)
    assert not fixed and "var(--c0" in drawn
    identifiers = re.findall(r'id="([^"]+)"', drawn)
    assert identifiers and len(set(identifiers)) == len(identifiers)


def test_tables_show_meanings_and_how_much_there_is(swept: earlydrop.Result) -> None:
    tags = Tags(swept.runs._repr_html_())
    assert "12 rows of" in tags.text and "and 2 more rows" in tags.text
    html = swept.runs._repr_html_()
    assert all(escape(meaning) in html for meaning in swept.runs.meanings.values())


def test_without_matplotlib_the_message_says_what_to_install(
    swept: earlydrop.Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        swept.figure()
    assert swept.svg().startswith("<svg")
