"""What a single environment and many have in common."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

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
Traffic: TypeAlias = Literal["mixed", "reno10", "fabric"]

#: What the arguments of environments are.
TEXTS = {
    "scenario": "a scenario whose first scheme is steered: a file, TOML text, a dictionary or a "
    "Scenario",
    "traffic": 'what shares the link without scenario=: "mixed" (ten CUBIC flows, web transfers '
    'and voice calls), "reno10" (ten Reno flows alone), or "fabric" (DCTCP at random between the '
    "hosts of a leaf-spine, with an agent at each of 16 ports)",
    "action": '"probability", "max_p", "thresholds" or "kmin-kmax-pmax"',
    "scale": '"natural", or "unit": numbers from -1 to 1',
    "step": 'the simulated time of a step: "10 ms", or a number of seconds; without it 10 ms, in '
    'the traffic "fabric" 50 us',
    "reward": "weights of throughput, delay and loss, each 1 unless given",
    "outcomes": "at the end of an episode, info has the metrics of its run, as earlydrop.run has "
    "them with measure.drain at 0, those of a link for the first port; it takes memory and some "
    "time",
    "render_mode": 'None, "ansi" or "rgb_array"',
    "num_envs": "how many environments",
    "threads": "how many threads simulate; an episode does not depend on it",
    "autoreset_mode": "NEXT_STEP, SAME_STEP or DISABLED, as in Gymnasium",
    "copy": "whether arrays are new ones in each step, and not overwritten by the next",
}


class Setting(NamedTuple):
    """What an environment simulates without `scenario=`."""

    #: A scenario's fields; without them, the built-in scenario.
    fields: Mapping[str, Any] | None
    #: What is changed in it.
    changes: ScenarioOptions
    #: The scheme whose probability is set, and the one of the RED family.
    schemes: tuple[str, str] = ("dial", "red")
    #: The simulated time of a step.
    step: str = "10 ms"


#: The scenarios by their traffic.
TRAFFIC: dict[str, Setting] = {
    # The built-in scenario has web transfers and voice calls beside its first group.
    "mixed": Setting(None, {"link": "10 Mbps", "rtt": "50 ms", "duration": "10 s", "flows": 10}),
    "reno10": Setting(
        {"flows": {"bulk": {"count": 10, "tcp": "reno"}}},
        {"link": "10 Mbps", "rtt": "50 ms", "duration": "10 s"},
    ),
    # What the hosts of a leaf send, its links to the spines can carry.
    "fabric": Setting(
        {
            "title": "Web search by DCTCP over a leaf-spine of 8 hosts, 60% of 10 Gbps",
            "duration": "10 ms",
            "warm_up": "0 s",
            "network": {
                "shape": "leaf-spine",
                "rate": "10 Gbps",
                "leaves": 2,
                "spines": 2,
                "hosts": 4,
                "uplink": "20 Gbps",
                "buffer": "500 packets",
            },
            "tcp": {"control": "dctcp", "least_timeout": "1 ms", "delayed_acks": 0},
            "flows": {"search": {"kind": "arrivals", "sizes": "websearch", "load": 0.6}},
        },
        {},
        schemes=("dial:ecn=on", "red:as=hpcc"),
        step="50 us",
    ),
}


def scenario_of(
    origin: Origin, traffic: Traffic | None, action: str, options: SchemeOptions
) -> Scenario:
    """A scenario with changes; without one, this traffic over 10 Mbps."""
    if origin is not None:
        if traffic is not None:
            raise ArgumentError(
                "a scenario has its own traffic: give scenario= or traffic=; of the names, "
                "earlydrop/AQM-v0 takes a scenario"
            )
        return Scenario(origin, **options)
    wanted = traffic or "mixed"
    if wanted not in TRAFFIC:
        near = get_close_matches(str(wanted), TRAFFIC, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise ArgumentError(f"traffic={wanted!r}; allowed: {', '.join(TRAFFIC)}{hint}")
    setting = TRAFFIC[wanted]
    scheme = setting.schemes[action != "probability"]
    changed: SchemeOptions = {"schemes": scheme, **setting.changes, **options}
    return Scenario(setting.fields, **changed)


def step_of(step: Value | None, traffic: Traffic | None) -> Value:
    """The simulated time of a step: the one given, or the one of this traffic."""
    return step if step is not None else TRAFFIC[traffic or "mixed"].step


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
        if not 0 <= weight < np.inf:
            raise ArgumentError(
                f"reward[{name!r}] = {weight}; allowed: 0 or more: delay and loss are subtracted"
            )
    throughput, delay, loss = (float((reward or {}).get(name, 1.0)) for name in parts)
    return throughput, delay, loss


def as_actions(actions: object, space: spaces.Space[Any], agents: int) -> NDArray[np.float64]:
    """Actions with a row for each agent, from an array in the shape of their space; where it is
    unambiguous, without the last axis.
    """
    array = np.ascontiguousarray(actions, np.float64)
    shape = space.shape or ()
    if array.shape != shape and not (shape[-1] == 1 and array.shape == shape[:-1]):
        raise ArgumentError(f"actions of shape {array.shape}; allowed: {shape}")
    return array.reshape(agents, -1)


def observation_space(simulations: _lib.Environment) -> spaces.Box[np.float32]:
    """The space of the observations of one environment: of several ports, a row for each."""
    bounds = np.array([bounds for _, *bounds in simulations.observation()], dtype=np.float32)
    low, high = of_ports(simulations, bounds)
    return spaces.Box(low, high, dtype=np.float32)


def action_space(simulations: _lib.Environment, scale: str) -> spaces.Box[Any]:
    """The space of the actions of one environment. In natural units it is as precise as a scenario
    file.
    """
    bounds = np.array(simulations.action_bounds(), dtype=np.float64)
    low, high = of_ports(simulations, bounds)
    if scale == "natural":
        return spaces.Box(low, high, dtype=np.float64)
    return spaces.Box(low.astype(np.float32), high.astype(np.float32), dtype=np.float32)


def of_ports(
    simulations: _lib.Environment, bounds: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The lower and upper bounds of all agents of an environment, from those of one."""
    ports = len(simulations.ports())
    each = bounds if ports == 1 else np.repeat(bounds[None], ports, axis=0)
    return each[..., 0], each[..., 1]
