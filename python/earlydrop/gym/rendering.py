"""What an environment shows of its last steps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..table import _needs

#: The ways to render.
MODES = ["ansi", "rgb_array"]

#: The steps that a picture shows.
STEPS = 200

#: The width of a bar of text.
_BAR = 20


def text(
    names: Sequence[str],
    ports: Sequence[str],
    observation: NDArray[np.float32],
    high: NDArray[np.float32],
) -> str:
    """The numbers of an observation with bars; of several ports, one after the other."""
    wide = max(map(len, names))
    lines = []
    of_ports = observation.reshape(len(ports), -1), high.reshape(len(ports), -1)
    for port, observed, bounds in zip(ports, *of_ports, strict=True):
        if len(ports) > 1:
            lines.append(port)
        for name, value, most in zip(names, observed, bounds, strict=True):
            filled = round(_BAR * float(min(value / most, 1)))
            lines.append(f"{name:{wide}}  {value:8.4f}  {'#' * filled}{'.' * (_BAR - filled)}")
    return "\n".join(lines)


def picture(names: Sequence[str], steps: Sequence[NDArray[np.float32]]) -> NDArray[np.uint8]:
    """A panel for each number of the observations of the last steps, as pixels; a line for each
    port.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise _needs("matplotlib", 'render_mode="rgb_array"') from None
    figure = Figure(figsize=(5, 0.7 * len(names)), dpi=100, layout="constrained")
    canvas = FigureCanvasAgg(figure)
    grid = figure.subplots(len(names), 1, sharex=True, squeeze=False)[:, 0]
    by_number = np.moveaxis(np.array(steps), -1, 0)
    for axes, name, values in zip(grid, names, by_number, strict=True):
        axes.plot(range(1 - len(values), 1), values, linewidth=1)
        axes.set_xlim(1 - STEPS, 0)
        axes.set_ylabel(name, rotation=0, horizontalalignment="right", fontsize=8)
        axes.tick_params(labelsize=7)
    grid[-1].set_xlabel("steps", fontsize=8)
    canvas.draw()  # type: ignore[no-untyped-call]
    pixels = canvas.buffer_rgba()  # type: ignore[no-untyped-call]
    return np.array(pixels, np.uint8)[:, :, :3]
