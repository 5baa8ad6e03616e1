"""One environment."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from .. import _lib
from ..errors import ArgumentError
from ..options import SchemeOptions, takes
from ..scenario import Origin, Scenario
from ..values import Value
from . import rendering
from .settings import (
    TEXTS,
    Action,
    Scale,
    Traffic,
    action_space,
    as_actions,
    native,
    observation_space,
    scenario_of,
    step_of,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack


class AQMEnv(gymnasium.Env[NDArray[np.float32], NDArray[Any]]):
    """A queue of the simulator that an agent steers; see `earlydrop.gym`.

    `AQMVectorEnv` is much faster for more than one. `scenario` is what it simulates, `ports` the
    links that it steers, `observation_names` what the numbers of an observation are. A copy, also a
    pickled one, is in the same step of the same episode.

    >>> from earlydrop.gym import AQMEnv
    >>> env = AQMEnv(action="max_p", outcomes=True)
    >>> env.traffic
    '10 CUBIC flows, web transfers and voice calls over 10 Mbps, 50 ms'
    >>> observation, info = env.reset(seed=1)
    >>> truncated = False
    >>> while not truncated:
    ...     observation, reward, _, truncated, info = env.step(env.configured)
    >>> info["outcome"]["utilisation"] > 0.9
    True
    """

    metadata: dict[str, Any] = {"render_modes": rendering.MODES, "render_fps": 30}

    @takes(SchemeOptions, **TEXTS)
    def __init__(
        self,
        *,
        scenario: Origin = None,
        traffic: Traffic | None = None,
        action: Action = "probability",
        scale: Scale = "natural",
        step: Value | None = None,
        reward: Mapping[str, float] | None = None,
        outcomes: bool = False,
        render_mode: str | None = None,
        **options: Unpack[SchemeOptions],
    ) -> None:
        if render_mode not in (None, *rendering.MODES):
            allowed = ", ".join(rendering.MODES)
            raise ArgumentError(f"render_mode={render_mode!r}; allowed: None, {allowed}")
        self.render_mode = render_mode
        self.scenario: Scenario = scenario_of(scenario, traffic, action, options)
        self._settings: dict[str, Any] = {
            "action": action,
            "scale": scale,
            "step": step_of(step, traffic),
            "reward": reward,
            "autoreset": "Disabled",
            "threads": 1,
            "outcomes": outcomes,
        }
        self._simulations = native(self.scenario, 1, **self._settings)
        self._outcomes = outcomes
        self.observation_space = observation_space(self._simulations)
        self.action_space = action_space(self._simulations, scale)
        self.observation_names = [name for name, *_ in self._simulations.observation()]
        #: The names of the links that are steered. Of several, observations, actions and the parts
        #: of rewards have a row for each.
        self.ports = self._simulations.ports()
        self._observations = np.zeros(self.observation_space.shape, np.float32)
        self._final = np.zeros_like(self._observations)
        self._rewards = np.zeros(len(self.ports))
        self._parts = np.zeros((len(self.ports), len(_lib.Environment.parts())))
        self._truncated = np.zeros(1, np.bool_)
        #: The seed of the episode, and its actions so far: what makes it again.
        self._seed: int | None = None
        self._played: list[NDArray[np.float64]] = []
        self._shown: deque[NDArray[np.float32]] = deque(maxlen=rendering.STEPS)

    @property
    def traffic(self) -> str:
        """What shares the link, for the setting of an experiment."""
        return self.scenario.title

    @property
    def configured(self) -> NDArray[np.float64]:
        """The action, in natural units, that sets what the scheme was configured with."""
        return np.array(self._simulations.configured()).reshape(self.action_space.shape)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begins an episode: the scenario's run with `seed`, or with the next random one."""
        super().reset(seed=seed)
        self._begin(int(self.np_random.integers(2**32)) if seed is None else seed)
        return self._observed(), self._info()

    def _begin(self, seed: int) -> None:
        self._simulations.reset(self._rows(self._observations), np.array([seed], np.uint64), None)
        self._seed, self._played = seed, []
        self._shown.clear()

    def step(
        self, action: NDArray[Any]
    ) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Sets the action and runs the simulation one step further. `info` has the parts of the
        reward by name; of several ports, an array each, and the `rewards` whose mean is the reward.
        """
        if self._seed is None:
            raise ResetNeeded("no episode has begun: call reset() before step()")
        truncated = self._advance(as_actions(action, self.action_space, len(self.ports)).copy())
        parts = self._parts[0].tolist() if len(self.ports) == 1 else self._parts.T.copy()
        info: dict[str, Any] = dict(zip(_lib.Environment.parts(), parts, strict=True))
        if len(self.ports) > 1:
            info["rewards"] = self._rewards.copy()
        if truncated and self._outcomes:
            info["outcome"] = self._simulations.outcome(0)
        return self._observed(), float(self._rewards.mean()), False, truncated, info

    def _advance(self, actions: NDArray[np.float64]) -> bool:
        truncated = self._simulations.step(
            actions,
            self._rows(self._observations),
            self._rows(self._final),
            self._rewards,
            self._parts,
            self._truncated,
        )
        self._played.append(actions)
        return truncated

    def _rows(self, array: NDArray[Any]) -> NDArray[Any]:
        """The same memory with a row for each port."""
        return array.reshape(len(self.ports), -1)

    def _observed(self) -> NDArray[np.float32]:
        observation: NDArray[np.float32] = self._observations.copy()
        if self.render_mode is not None:
            self._shown.append(observation)
        return observation

    def render(self) -> Any:
        """The last observation as text with bars ("ansi"), or a picture of the last 200 steps
        ("rgb_array").
        """
        if self.render_mode is None:
            return None
        if not self._shown:
            raise ResetNeeded("no episode has begun: call reset() before render()")
        names, space = self.observation_names, self.observation_space
        if self.render_mode == "ansi":
            assert isinstance(space, gymnasium.spaces.Box)
            return rendering.text(names, self.ports, self._shown[-1], space.high)
        return rendering.picture(names, self._shown)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_simulations"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._simulations = native(self.scenario, 1, **self._settings)
        if self._seed is not None:
            played, shown = self._played, list(self._shown)
            self._begin(self._seed)
            for actions in played:
                self._advance(actions)
            self._shown.extend(shown)

    def _info(self) -> dict[str, Any]:
        [seed], [point] = self._simulations.seeds(), self._simulations.points()
        return {"seed": seed, "point": point}
