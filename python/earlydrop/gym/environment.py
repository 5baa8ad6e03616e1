"""One environment."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from .. import _lib
from ..errors import ArgumentError
from ..options import SchemeOptions, takes
from ..scenario import Origin, Scenario
from .settings import action_space, native, observation_space, scenario_of

if TYPE_CHECKING:
    from typing_extensions import Unpack


class AQMEnv(gymnasium.Env[NDArray[np.float32], NDArray[Any]]):
    """A queue of the simulator that an agent steers; see `earlydrop.gym`.

    The keyword arguments are those of `AQMVectorEnv`, which is much faster for more than one.

    >>> from earlydrop.gym import AQMEnv
    >>> env = AQMEnv(action="max_p", outcomes=True)
    >>> observation, info = env.reset(seed=1)
    >>> truncated = False
    >>> while not truncated:
    ...     observation, reward, _, truncated, info = env.step(env.configured)
    >>> info["outcome"]["utilisation"] > 0.9
    True
    """

    metadata: dict[str, Any] = {"render_modes": []}

    @takes(SchemeOptions)
    def __init__(
        self,
        *,
        scenario: Origin = None,
        action: str = "probability",
        scale: str = "natural",
        step: str | timedelta = "10 ms",
        reward: Mapping[str, float] | None = None,
        outcomes: bool = False,
        render_mode: None = None,
        **options: Unpack[SchemeOptions],
    ) -> None:
        if render_mode is not None:
            raise ArgumentError(f"render_mode={render_mode!r}; allowed: None")
        self.scenario: Scenario = scenario_of(scenario, action, options)
        self._simulations = native(
            self.scenario,
            1,
            action=action,
            scale=scale,
            step=step,
            reward=reward,
            autoreset="Disabled",
            threads=1,
            outcomes=outcomes,
        )
        self._outcomes = outcomes
        self.observation_space = observation_space(self._simulations)
        self.action_space = action_space(self._simulations, scale)
        self.observation_names = [name for name, *_ in self._simulations.observation()]
        numbers = len(self.observation_names)
        self._observations = np.zeros((1, numbers), np.float32)
        self._final = np.zeros((1, numbers), np.float32)
        self._rewards = np.zeros(1)
        self._parts = np.zeros((1, len(_lib.Environment.parts())))
        self._truncated = np.zeros(1, np.bool_)

    @property
    def configured(self) -> NDArray[np.float64]:
        """The action, in natural units, that sets what the scheme was configured with."""
        return np.array(self._simulations.configured())

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begins an episode: the scenario's run with `seed`, or with the next random one."""
        super().reset(seed=seed)
        drawn = self.np_random.integers(2**32) if seed is None else seed
        self._simulations.reset(self._observations, np.array([drawn], np.uint64), None)
        return self._observations[0].copy(), self._info()

    def step(
        self, action: NDArray[Any]
    ) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Sets the action and runs the simulation one step further."""
        truncated = self._simulations.step(
            np.ascontiguousarray(action, np.float64).reshape(1, -1),
            self._observations,
            self._final,
            self._rewards,
            self._parts,
            self._truncated,
        )
        info: dict[str, Any] = dict(
            zip(_lib.Environment.parts(), self._parts[0].tolist(), strict=True)
        )
        if truncated and self._outcomes:
            info["outcome"] = self._simulations.outcome(0)
        return self._observations[0].copy(), float(self._rewards[0]), False, truncated, info

    def _info(self) -> dict[str, Any]:
        [seed], [point] = self._simulations.seeds(), self._simulations.points()
        return {"seed": seed, "point": point}
