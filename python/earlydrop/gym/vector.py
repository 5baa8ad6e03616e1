"""Many environments, stepped together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from .. import _lib
from ..errors import ArgumentError
from ..options import SchemeOptions, takes
from ..scenario import Origin, Scenario
from ..values import Value
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


class AQMVectorEnv(VectorEnv[NDArray[np.float32], NDArray[Any], NDArray[Any]]):
    """Queues of the simulator, each steered by an agent; see `earlydrop.gym`.

    In `infos` of a step, the parts of the rewards are arrays by their names: `throughput`, `delay`,
    `loss`; where each has several ports, a row for each environment, with the `rewards` of its
    ports, whose mean is its reward. A copy, also a pickled one, begins with `reset`.

    >>> from earlydrop.gym import AQMVectorEnv
    >>> envs = AQMVectorEnv(4, action="kmin-kmax-pmax", scale="unit", flows=5)
    >>> envs.reset(seed=[1, 2, 3, 4])[1]["seed"].tolist()
    [1, 2, 3, 4]
    >>> envs.step(envs.action_space.sample())[1].shape
    (4,)
    """

    @takes(SchemeOptions, **TEXTS)
    def __init__(
        self,
        num_envs: int = 1,
        *,
        scenario: Origin = None,
        traffic: Traffic | None = None,
        action: Action = "probability",
        scale: Scale = "natural",
        step: Value | None = None,
        reward: Mapping[str, float] | None = None,
        threads: int = 1,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        outcomes: bool = False,
        copy: bool = True,
        render_mode: None = None,
        **options: Unpack[SchemeOptions],
    ) -> None:
        if render_mode is not None:
            raise ArgumentError(f"render_mode={render_mode!r}; allowed: None; one AQMEnv renders")
        if isinstance(autoreset_mode, AutoresetMode):
            autoreset_mode = str(autoreset_mode.value)
        self.scenario: Scenario = scenario_of(scenario, traffic, action, options)
        self._settings: dict[str, Any] = {
            "action": action,
            "scale": scale,
            "step": step_of(step, traffic),
            "reward": reward,
            "autoreset": autoreset_mode,
            "threads": threads,
            "outcomes": outcomes,
        }
        self._simulations = native(self.scenario, num_envs, **self._settings)
        self._has_begun = False
        self._mode = AutoresetMode(autoreset_mode)
        self._outcomes = outcomes
        self._copy = copy
        self.num_envs = num_envs
        self.render_mode = None
        self.metadata = {"render_modes": [], "autoreset_mode": self._mode}
        self.single_observation_space = observation_space(self._simulations)
        self.single_action_space = action_space(self._simulations, scale)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_names = [name for name, *_ in self._simulations.observation()]
        #: The names of the links that are steered in each. Of several, observations, actions and
        #: the parts of rewards have a row for each.
        self.ports = self._simulations.ports()
        agents = num_envs * len(self.ports)
        shape = (num_envs, *self.single_observation_space.shape)
        self._observations = np.zeros(shape, np.float32)
        self._final = np.zeros_like(self._observations)
        self._rewards = np.zeros(agents)
        self._parts = np.zeros((agents, len(_lib.Environment.parts())))
        self._truncated = np.zeros(num_envs, np.bool_)
        # An episode ends where its run ends, never before.
        self._terminated = np.zeros(num_envs, np.bool_)
        self._all = np.ones(num_envs, np.bool_)

    @property
    def traffic(self) -> str:
        """What shares the link, for the setting of an experiment."""
        return self.scenario.title

    def __getstate__(self) -> dict[str, Any]:
        kept = {name: value for name, value in vars(self).items() if name != "_simulations"}
        return kept | {"_has_begun": False}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._simulations = native(self.scenario, self.num_envs, **self._settings)

    @property
    def configured(self) -> NDArray[np.float64]:
        """The actions, in natural units, that set what the scheme was configured with."""
        return np.array(self._simulations.configured()).reshape(self.action_space.shape)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begins an episode in each environment, or in those of `options["reset_mask"]`.

        `seed` is that of the first environment, the next has one more, and so on; or a list of
        seeds. Without one, each continues with the next random seed.
        """
        mask = self._mask_of(options)
        # A fresh environment without a seed draws one.
        if isinstance(seed, (int, np.integer)):
            super().reset(seed=int(seed))
            seeds = np.arange(seed, int(seed) + self.num_envs, dtype=np.uint64)
        elif seed is None:
            seeds = self.np_random.integers(2**32, size=self.num_envs, dtype=np.uint64)
        else:
            drawn = self.np_random.integers(2**32, size=self.num_envs, dtype=np.uint64)
            given = [int(own) if one is None else one for one, own in zip(seed, drawn, strict=True)]
            seeds = np.array(given, np.uint64)
        self._simulations.reset(self._rows(self._observations), seeds, mask)
        self._has_begun = True
        begun = self._all if mask is None else mask
        infos = {
            "seed": np.array(self._simulations.seeds(), np.uint64),
            "_seed": begun.copy(),
            "point": np.array(self._simulations.points()),
            "_point": begun.copy(),
        }
        return self._own(self._observations), infos

    def step(
        self, actions: NDArray[Any]
    ) -> tuple[
        NDArray[np.float32],
        NDArray[np.float64],
        NDArray[np.bool_],
        NDArray[np.bool_],
        dict[str, Any],
    ]:
        """Sets all actions and runs all simulations one step further."""
        if not self._has_begun:
            raise ResetNeeded("no episode has begun: call reset() before step()")
        any_ended = self._simulations.step(
            as_actions(actions, self.action_space, len(self._rewards)),
            self._rows(self._observations),
            self._rows(self._final),
            self._rewards,
            self._parts,
            self._truncated,
        )
        infos: dict[str, Any] = {}
        rewards = self._own(self._rewards)
        parts = dict(zip(_lib.Environment.parts(), self._own(self._parts).T, strict=True))
        if len(self.ports) > 1:
            parts = {name: self._by_port(values) for name, values in parts.items()}
            parts["rewards"] = self._by_port(rewards)
            rewards = parts["rewards"].mean(axis=1)
        for name, values in parts.items():
            infos[name], infos["_" + name] = values, self._all
        if any_ended:
            self._add_final(infos)
        return (
            self._own(self._observations),
            rewards,
            self._own(self._terminated),
            self._own(self._truncated),
            infos,
        )

    def _by_port(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return values.reshape(self.num_envs, -1)

    def _rows(self, array: NDArray[Any]) -> NDArray[Any]:
        """The same memory with a row for each agent."""
        return array.reshape(len(self._rewards), -1)

    def _own(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.copy() if self._copy else array

    def _add_final(self, infos: dict[str, Any]) -> None:
        """Adds what episodes that ended in this step leave, in the form of Gymnasium."""
        ended = self._truncated.copy()
        entries: dict[str, list[Any]] = {}
        if self._mode == AutoresetMode.SAME_STEP:
            entries["final_obs"] = list(self._final.copy())
        if self._outcomes:
            entries["outcome"] = [
                self._simulations.outcome(index) if over else None
                for index, over in enumerate(ended)
            ]
        for name, values in entries.items():
            infos[name] = np.full(self.num_envs, None, dtype=object)
            for index in np.flatnonzero(ended):
                infos[name][index] = values[index]
            infos["_" + name] = ended

    def _mask_of(self, options: dict[str, Any] | None) -> NDArray[np.bool_] | None:
        mask = (options or {}).get("reset_mask")
        if mask is None:
            return None
        if not (isinstance(mask, np.ndarray) and mask.dtype == np.bool_):
            raise ArgumentError(f"reset_mask: allowed is an array of bool, not {mask!r}")
        if mask.shape != (self.num_envs,) or not mask.any():
            raise ArgumentError(
                f"reset_mask: allowed is an array of {self.num_envs} flags with at least one True"
            )
        return np.ascontiguousarray(mask)
