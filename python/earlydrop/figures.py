"""Figures for papers: the pictures of `earlydrop figure`, drawn by matplotlib.

The crates decide what is in a picture (panels, ranges, thresholds, colours, dashes, symbols); this
file draws it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from io import BytesIO
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from . import _lib
from .errors import ArgumentError
from .table import _needs
from .values import Value, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from .options import PictureOptions

#: A part of a picture, as the crates describe it.
Part = dict[str, Any]

_INK, _AXIS, _GRID = "#1c222b", "#444c57", "#e4e7ea"


def choices(what: str, options: PictureOptions, scenario: _lib.Scenario) -> Part:
    """The choices of a picture of a scenario's runs, as the crates read them."""
    return {
        "what": what,
        "schemes": _names(options.get("schemes")),
        "metrics": _names(options.get("metrics")),
        "at": at(scenario, options.get("at")),
        "title": options.get("title") or "",
        "x_label": options.get("x_label"),
        "y_label": options.get("y_label"),
        "width": _length(options.get("width"), "in") or "ieee",
        "height": _length(options.get("height"), "in"),
        "font": _length(options.get("font"), "pt") or "8pt",
    }


def at(scenario: _lib.Scenario, point: Mapping[str, Value] | None) -> list[tuple[str, str]]:
    """The swept fields of a point with their values as the scenario has them."""
    return [(field, scenario.written(field, plain(one))) for field, one in (point or {}).items()]


def _names(names: str | Sequence[str] | None) -> list[str]:
    if names is None:
        return []
    listed = names.split(",") if isinstance(names, str) else names
    return [name.strip() for name in listed]


def _length(length: str | float | None, unit: str) -> str | None:
    return length if length is None or isinstance(length, str) else f"{length}{unit}"


def draw(document: str, ax: Axes | None = None) -> Figure:
    """Draws the picture of a document of the crates, as a figure or in the axes of one."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise _needs("matplotlib", "figure()") from None
    plot: Part = json.loads(document)
    with _style(plot["font"]):
        return _drawn(plot) if ax is None else _drawn_in(ax, plot)


def _style(font: float) -> Any:
    """The style of a paper: small text that stays text, thin lines."""
    from matplotlib import rc_context

    return rc_context(
        {
            "font.family": "sans-serif",
            "font.sans-serif": ["Helvetica", "Arial", "Liberation Sans", "DejaVu Sans"],
            "font.size": font,
            "axes.titlesize": "medium",
            "axes.labelsize": "medium",
            "figure.titlesize": "medium",
            "legend.fontsize": "medium",
            "xtick.labelsize": "medium",
            "ytick.labelsize": "medium",
            "text.color": _INK,
            "axes.labelcolor": _INK,
            "xtick.labelcolor": _INK,
            "ytick.labelcolor": _INK,
            "axes.edgecolor": _AXIS,
            "xtick.color": _AXIS,
            "ytick.color": _AXIS,
            "axes.linewidth": 0.6,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.unicode_minus": True,
            "lines.scale_dashes": False,
            "lines.solid_joinstyle": "round",
            "pdf.fonttype": 42,
            "ps.fonttype": 42,
            "svg.fonttype": "none",
        }
    )


@lru_cache(maxsize=1)
def _figure_class() -> type[Figure]:
    """A figure that shows itself in any notebook, and is saved with text as text."""
    from matplotlib.figure import Figure

    class PaperFigure(Figure):
        """A figure of a paper's size."""

        def savefig(self, *arguments: Any, **options: Any) -> None:
            """Saves it, with text as text."""
            with _style(8):
                super().savefig(*arguments, **options)

        def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
            image = BytesIO()
            # A quarter larger than on paper, and sharp: 96 pixels of a screen are an inch.
            self.savefig(image, format="png", dpi=1.5 * 1.25 * 96)
            width, height = self.get_size_inches()
            size = {"width": round(width * 1.25 * 96), "height": round(height * 1.25 * 96)}
            return image.getvalue(), size

    return PaperFigure


def _drawn(plot: Part) -> Figure:
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    size = (plot["width"] / 72, plot["height"] / 72)
    figure = _figure_class()(
        figsize=size, layout=ConstrainedLayoutEngine(w_pad=0.02, h_pad=0.02, hspace=0.03)
    )
    panels = plot["panels"]
    grid = figure.subplots(len(panels), 1, sharex=True, squeeze=False)
    room = plot["width"] - 4 * plot["font"]
    tall = (plot["height"] - 5 * plot["font"]) / len(panels)
    for axes, panel in zip(grid[:, 0], panels, strict=True):
        _panel(axes, panel, plot, tall)
    _below(grid[-1, 0], plot, room)
    figure.align_ylabels()
    if plot["title"]:
        figure.suptitle(plot["title"])
    _legend(figure, plot)
    return figure


def _drawn_in(axes: Axes, plot: Part) -> Figure:
    """Draws a picture of one panel in axes, which keep their size."""
    from matplotlib.figure import Figure

    panels = plot["panels"]
    if len(panels) != 1:
        raise ArgumentError(
            f"ax=: the picture has {len(panels)} panels; allowed are pictures of one: choose it "
            "with metrics="
        )
    figure = axes.get_figure(root=True)
    assert isinstance(figure, Figure)
    box = axes.get_window_extent().transformed(figure.dpi_scale_trans.inverted())
    _panel(axes, panels[0], plot, 72 * box.height)
    _below(axes, plot, 72 * box.width)
    # The axes are the caller's, made in another style.
    axes.set_title(plot["title"], fontsize=plot["font"])
    axes.xaxis.label.set_fontsize(plot["font"])
    axes.tick_params(labelsize=plot["font"])
    if plot["legend"]:
        handles = [_handle(entry, plot["font"]) for entry in plot["legend"]]
        axes.legend(handles=handles, frameon=False, handlelength=2, fontsize=plot["font"])
    return figure


def _panel(axes: Axes, panel: Part, plot: Part, tall: float) -> None:
    """Draws a panel that is so many points tall."""
    _scale(axes, "x", plot["x"])
    _scale(axes, "y", panel["y"])
    label = panel["y"]["label"]
    # A label that is longer than its panel would touch the next one.
    axes.set_ylabel(label, fontsize=plot["font"] * min(1, tall / _width(label, plot["font"])))
    axes.grid(axis="y", color=_GRID, linewidth=0.5)
    axes.set_axisbelow(True)
    for mark in panel["marks"]:
        _MARKS[mark["kind"]](axes, mark, plot["font"])


def _below(axes: Axes, plot: Part, room: float) -> None:
    """Labels the x axis of the lowest panel, which has so many points of room."""
    axes.set_xlabel(plot["x"]["label"])
    axes.set_xticks(*_apart(plot["x"], room, plot["font"]))


def _legend(figure: Figure, plot: Part) -> None:
    """Adds the legend below, in as many columns as fit."""
    font, entries = plot["font"], plot["legend"]
    if not entries:
        return
    # The sample of a line, and the space between two entries.
    widths = [_width(entry["name"], font) + 4 * font for entry in entries]

    def fits(columns: int) -> bool:
        # As matplotlib fills them: the first columns have an entry more than the last ones.
        rows, longer = divmod(len(widths), columns)
        ends = [(column + 1) * rows + min(column + 1, longer) for column in range(columns)]
        filled = [widths[start:end] for start, end in pairwise([0, *ends])]
        return bool(sum(max(column) for column in filled) <= plot["width"])

    figure.legend(
        handles=[_handle(entry, font) for entry in entries],
        loc="outside lower center",
        ncols=next((count for count in range(len(entries), 1, -1) if fits(count)), 1),
        frameon=False,
        handlelength=2,
        columnspacing=1,
        borderpad=0.1,
    )


def _width(text: str, font: float) -> float:
    """About the width of a text, in points."""
    return 0.55 * font * len(text)


def _scale(axes: Axes, name: str, axis: Part) -> None:
    """Sets the range of an axis and its ticks."""
    if axis["is_log"]:
        getattr(axes, f"set_{name}scale")("log")
    getattr(axes, f"set_{name}lim")(*axis["ends"])
    ticks = [(value, text) for value, text in axis["ticks"] if _inside(value, axis["ends"])]
    own = axes.xaxis if name == "x" else axes.yaxis
    own.set_ticks([value for value, _ in ticks], labels=[text for _, text in ticks])
    own.set_ticks([], minor=True)
    own.set_tick_params(width=0.6, length=2.5 if name == "x" else 0)


def _inside(value: float, ends: Sequence[float]) -> bool:
    slack = 1e-6 * (ends[1] - ends[0])
    return bool(ends[0] - slack <= value <= ends[1] + slack)


def _apart(axis: Part, room: float, font: float) -> tuple[list[float], list[str]]:
    """The ticks of the x axis; a text that would touch the previous one is left out."""
    from math import log

    low, high = axis["ends"]
    values, texts, free = [], [], float("-inf")
    for value, text in sorted(axis["ticks"]):
        if not _inside(value, axis["ends"]):
            continue
        share = (
            log(value / low) / log(high / low) if axis["is_log"] else (value - low) / (high - low)
        )
        half = _width(text, font) / 2
        fits = share * room - half > free
        values.append(value)
        texts.append(text if fits else "")
        if fits:
            free = share * room + half + 0.4 * font
    return values, texts


def _places(mark: Part) -> tuple[list[float], list[float]]:
    """The places of a mark; one that is not finite leaves a gap."""
    nan = float("nan")
    return (
        [nan if x is None else x for x, _ in mark["points"]],
        [nan if y is None else y for _, y in mark["points"]],
    )


def _line(axes: Axes, mark: Part, font: float) -> None:
    (line,) = axes.plot(*_places(mark), color=mark["colour"], linewidth=mark["width"])
    line.set_label(mark["name"])
    if mark["dashes"]:
        line.set_linestyle((0, tuple(mark["dashes"])))


def _symbols(axes: Axes, mark: Part, font: float) -> None:
    axes.plot(
        *_places(mark),
        linestyle="none",
        color=mark["colour"],
        alpha=mark["opacity"],
        label=mark["name"],
        # A symbol at the end of an axis is whole.
        clip_on=False,
        zorder=3,
        **_symbol(mark["outline"], font * mark["size"]),
    )


def _symbol(outline: list[list[float]], font: float) -> dict[str, Any]:
    """A symbol by its corners in a box from -1 to 1; matplotlib scales the largest to a half."""
    from matplotlib.path import Path

    largest = max(abs(place) for corner in outline for place in corner)
    return {
        "marker": Path([*outline, outline[0]], closed=True),
        "markersize": 2 * 0.36 * font * largest,
        "markeredgewidth": 0,
    }


def _area(axes: Axes, mark: Part, font: float) -> None:
    axes.fill(*_places(mark), color=mark["colour"], alpha=mark["opacity"], linewidth=0)


def _level(axes: Axes, mark: Part, font: float) -> None:
    low, high = axes.get_ylim()
    if not low <= mark["at"] <= high:
        return
    axes.axhline(mark["at"], color=_INK, linewidth=0.5, linestyle=(0, (1.5, 2)))
    axes.annotate(
        mark["name"],
        (1, mark["at"]),
        xycoords=("axes fraction", "data"),
        xytext=(-2, 0.25 * font),
        textcoords="offset points",
        ha="right",
        va="baseline",
        fontsize=0.9 * font,
        bbox={"facecolor": "white", "alpha": 0.8, "linewidth": 0, "pad": 0.5},
    )


def _vertical(axes: Axes, mark: Part, font: float) -> None:
    axes.axvline(mark["at"], color=_INK, linewidth=0.5, linestyle=(0, (1.5, 2)))


_MARKS = {
    "line": _line,
    "symbols": _symbols,
    "area": _area,
    "level": _level,
    "vertical": _vertical,
}


def _handle(entry: Part, font: float) -> Line2D:
    """An entry of the legend."""
    from matplotlib.lines import Line2D

    symbol = {} if entry["outline"] is None else _symbol(entry["outline"], font)
    handle = Line2D([], [], color=entry["colour"], linewidth=1.1, label=entry["name"], **symbol)
    if entry["dashes"] is None:
        handle.set_linestyle("none")
    elif entry["dashes"]:
        handle.set_linestyle((0, tuple(entry["dashes"])))
    return handle
