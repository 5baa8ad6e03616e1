"""What a single environment and many have in common."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from difflib import get_close_matches
from typing import Any

import numpy as np
from gymnasium import spaces

from .. import _lib
from ..errors import ArgumentError
from ..options import ScenarioOptions, SchemeOptions
from ..scenario import Origin, Scenario, _text

#: The scenario without `scenario=`, but for its scheme.
DEFAULT: ScenarioOptions = {"link": "10 Mbps", "rtt": "50 ms", "flows": 10, "duration": "10 s"}


def scenario_of(origin: Origin, action: str, options: SchemeOptions) -> Scenario:
    """A scenario with changes; without one, ten flows over 10 Mbps."""
    if origin is not None:
        return Scenario(origin, **options)
    scheme = "dial" if action == "probability" else "red"
    changed: SchemeOptions = {"schemes": scheme, **DEFAULT, **options}
    return Scenario(None, **changed)


def native(
    scenario: Scenario,
    count: int,
    *,
    action: str,
    scale: str,
    step: str | timedelta,
    reward: Mapping[str, float] | None,
    autoreset: str,
    threads: int,
    outcomes: bool,
) -> _lib.Environment:
    """The simulations."""
    return _lib.Environment(
        scenario._native,
        count,
        action,
        scale,
        _text(step),
        weights(reward),
        autoreset,
        threads,
        outcomes,
    )


def weights(reward: Mapping[str, float] | None) -> tuple[float, float, float]:
    """The weights of throughput, delay and loss; 1 where none is given."""
    parts = _lib.Environment.parts()
    for name, weight in (reward or {}).items():
        if name not in parts:
            near = get_close_matches(name, parts, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise ArgumentError(f"reward has no part {name!r}; allowed: {', '.join(parts)}{hint}")
        if not np.isfinite(weight):
            raise ArgumentError(f"reward[{name!r}] = {weight}; allowed: a finite number")
    throughput, delay, loss = (float((reward or {}).get(name, 1.0)) for name in parts)
    return throughput, delay, loss


def observation_space(simulations: _lib.Environment) -> spaces.Box[np.float32]:
    """The space of one observation."""
    bounds = np.array([bounds for _, *bounds in simulations.observation()], dtype=np.float32)
    return spaces.Box(bounds[:, 0], bounds[:, 1], dtype=np.float32)


def action_space(simulations: _lib.Environment, scale: str) -> spaces.Box[Any]:
    """The space of one action. In natural units it is as precise as a scenario file."""
    bounds = np.array(simulations.action_bounds(), dtype=np.float64)
    low, high = bounds[:, 0], bounds[:, 1]
    if scale == "natural":
        return spaces.Box(low, high, dtype=np.float64)
    return spaces.Box(low.astype(np.float32), high.astype(np.float32), dtype=np.float32)
