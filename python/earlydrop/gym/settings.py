"""What a single environment and many have in common."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Literal, TypeAlias

import numpy as np
from gymnasium import spaces

from .. import _lib
from ..errors import ArgumentError
from ..options import ScenarioOptions, SchemeOptions
from ..scenario import Origin, Scenario
from ..threads import thread_count
from ..values import Value, text

#: What an action sets.
Action: TypeAlias = Literal["probability", "max_p", "thresholds", "kmin-kmax-pmax"]

#: The numbers of an action: a scenario's, or -1 to 1.
Scale: TypeAlias = Literal["natural", "unit"]

#: What shares the link without `scenario=`.
Traffic: TypeAlias = Literal["mixed", "reno10"]

#: What the arguments of environments are.
TEXTS = {
    "scenario": "a scenario whose first scheme is steered: a file, TOML text, a dictionary or a "
    "Scenario",
    "traffic": 'what shares the link without scenario=: "mixed" (ten CUBIC flows, web transfers '
    'and voice calls), or "reno10" (ten Reno flows alone)',
    "action": '"probability", "max_p", "thresholds" or "kmin-kmax-pmax"',
    "scale": '"natural", or "unit": numbers from -1 to 1',
    "step": 'the simulated time of a step: "10 ms", or a number of seconds',
    "reward": "weights of throughput, delay and loss, each 1 unless given",
    "outcomes": "at the end of an episode, info has the metrics of its run, as earlydrop.run has "
    "them; it takes memory and some time",
    "render_mode": 'None, "ansi" or "rgb_array"',
    "num_envs": "how many environments",
    "threads": "how many threads simulate; an episode does not depend on it",
    "autoreset_mode": "NEXT_STEP, SAME_STEP or DISABLED, as in Gymnasium",
    "copy": "whether arrays are new ones in each step, and not overwritten by the next",
}

#: The link without `scenario=`.
LINK: ScenarioOptions = {"link": "10 Mbps", "rtt": "50 ms", "duration": "10 s"}

#: The scenarios by their traffic: a file's fields, or the built-in one with changes.
TRAFFIC: dict[str, tuple[Mapping[str, Any] | None, ScenarioOptions]] = {
    # The built-in scenario has web transfers and voice calls beside its first group.
    "mixed": (None, {"flows": 10}),
    "reno10": ({"flows": {"bulk": {"count": 10, "tcp": "reno"}}}, {}),
}


def scenario_of(
    origin: Origin, traffic: Traffic | None, action: str, options: SchemeOptions
) -> Scenario:
    """A scenario with changes; without one, this traffic over 10 Mbps."""
    if origin is not None:
        if traffic is not None:
            raise ArgumentError("a scenario has its own traffic: give scenario= or traffic=")
        return Scenario(origin, **options)
    wanted = traffic or "mixed"
    if wanted not in TRAFFIC:
        near = get_close_matches(str(wanted), TRAFFIC, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise ArgumentError(f"traffic={wanted!r}; allowed: {', '.join(TRAFFIC)}{hint}")
    fields, own = TRAFFIC[wanted]
    scheme = "dial" if action == "probability" else "red"
    changed: SchemeOptions = {"schemes": scheme, **LINK, **own, **options}
    return Scenario(fields, **changed)


def native(
    scenario: Scenario,
    count: int,
    *,
    action: str,
    scale: str,
    step: Value,
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
        text(step, "s"),
        weights(reward),
        autoreset,
        thread_count(threads),
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
