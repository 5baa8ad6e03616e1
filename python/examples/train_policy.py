"""Trains a small policy that sets the drop probability of a queue, and says whether it is worth it.

    python examples/train_policy.py [--seconds 120] [--threads 2]

The policy is a line: eight observations and a constant, weighted, give the probability of `dial` on
its logarithmic scale. The cross-entropy method finds the nine weights: each of 32 candidates plays
four networks of the training sweep; the best eight say where the next are drawn. All candidates of
a generation play the same networks with the same seeds.

It is then judged on networks that it was not trained on, beside RED, ARED, PIE and CoDel with the
same seeds, by the same reward: utilisation, less queueing delay in round trips, less ten times the
loss. Differences are paired by network and seed, with 95% intervals. Who wins is printed, even if
it is PIE. The rivals are at their defaults: nothing tunes them to this reward.
"""

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import earlydrop
from earlydrop.gym import AQMVectorEnv

Policy = Callable[[NDArray[np.float32]], NDArray[np.float64]]

REWARD = {"throughput": 1.0, "delay": 1.0, "loss": 10.0}

#: The networks of training, and others: rates, round trips and numbers of flows between and beyond.
TRAINING = {"rate": ["5 Mbps", "20 Mbps"], "rtt": ["20 ms", "80 ms"], "flows": [4, 12, 30]}
UNSEEN = {"rate": ["10 Mbps", "40 Mbps"], "rtt": ["40 ms", "120 ms"], "flows": [8, 20, 45]}

RIVALS = ["red", "ared", "pie", "codel"]
CANDIDATES, ELITE, NETWORKS = 32, 8, 4
SEEDS = 3


def scenario(networks: dict[str, list[str] | list[int]], duration: str) -> str:
    """A scenario with a sweep over networks."""
    return f"""
duration = "{duration}"
warm_up = "2 s"
seeds = {SEEDS}
schemes = ["dial"]
[flows.bulk]
[sweep]
"network.rate" = {json.dumps(networks["rate"])}
"network.rtt" = {json.dumps(networks["rtt"])}
"flows.bulk.count" = {json.dumps(networks["flows"])}
"""


def line(weights: NDArray[np.float64]) -> Policy:
    """The policy of weights: one set for all environments, or one for each."""

    def act(observations: NDArray[np.float32]) -> NDArray[np.float64]:
        # Delays and arrivals go up to 10; their roots are of the size of the others.
        seen = np.sqrt(observations.astype(np.float64))
        score = (seen * weights[..., :-1]).sum(axis=-1) + weights[..., -1]
        return np.asarray(np.tanh(score))[:, None]

    return act


def rewards(envs: AQMVectorEnv, policy: Policy, seeds: NDArray[np.uint64]) -> NDArray[np.float64]:
    """The mean reward of an episode of each environment."""
    observations, _ = envs.reset(seed=seeds.tolist())
    total, steps = np.zeros(envs.num_envs), 0
    while True:
        observations, reward, _, truncated, _ = envs.step(policy(observations))
        total += reward
        steps += 1
        if truncated.any():
            return total / steps


def train(seconds: float, threads: int) -> NDArray[np.float64]:
    """The weights that the cross-entropy method finds in this time."""
    random = np.random.default_rng(1)
    envs = AQMVectorEnv(
        CANDIDATES * NETWORKS,
        scenario=scenario(TRAINING, "6 s"),
        scale="unit",
        reward=REWARD,
        threads=threads,
        copy=False,
    )
    size = len(envs.observation_names) + 1
    mean, spread = np.zeros(size), np.full(size, 1.0)
    end = time.monotonic() + seconds
    generation = 0
    while time.monotonic() < end:
        candidates = mean + spread * random.standard_normal((CANDIDATES, size))
        networks = random.integers(2**32, size=NETWORKS, dtype=np.uint64)
        seeds = np.tile(networks, CANDIDATES)
        scores = rewards(envs, line(np.repeat(candidates, NETWORKS, axis=0)), seeds)
        scores = scores.reshape(CANDIDATES, NETWORKS).mean(axis=1)
        best = candidates[np.argsort(scores)[-ELITE:]]
        # Old spread is kept in part, so that a lucky generation does not end the search.
        mean, spread = best.mean(axis=0), 0.3 * spread + 0.7 * best.std(axis=0) + 0.01
        generation += 1
        if generation % 5 == 0:
            print(f"generation {generation}: best {scores.max():.3f}, mean {scores.mean():.3f}")
    return mean


def figures_of_policy(policy: Policy, threads: int) -> dict[tuple[int, int], dict[str, float]]:
    """The figures of the policy for each unseen network and seed."""
    networks = [
        (rate, rtt, flows)
        for rate in UNSEEN["rate"]
        for rtt in UNSEEN["rtt"]
        for flows in UNSEEN["flows"]
    ]
    figures = {}
    for point, (rate, rtt, flows) in enumerate(networks):
        envs = AQMVectorEnv(
            SEEDS,
            scenario=scenario({"rate": [rate], "rtt": [rtt], "flows": [flows]}, "20 s"),
            scale="unit",
            threads=threads,
            outcomes=True,
        )
        observations, _ = envs.reset(seed=envs.scenario.seeds)
        infos: dict[str, NDArray[np.object_]] = {}
        while "outcome" not in infos:
            observations, *_, infos = envs.step(policy(observations))
        for seed, outcome in zip(envs.scenario.seeds, infos["outcome"], strict=True):
            figures[point, seed] = outcome
    return figures


def score(figures: dict[str, float], rtt: float) -> float:
    """The reward of a whole run, from its figures."""
    return figures["utilisation"] - figures["delay_mean"] / rtt - 10.0 * figures["loss"]


def judge(policy: Policy, threads: int) -> None:
    """Prints the scores on unseen networks, and who wins."""
    ours = figures_of_policy(policy, threads)
    runs = earlydrop.run(scenario(UNSEEN, "20 s"), schemes=RIVALS, threads=threads).runs
    rtts = {point: rtt for point, rtt in zip(runs["point"], runs["network_rtt_s"], strict=True)}
    scores: dict[str, dict[tuple[int, int], float]] = {
        "policy": {key: score(figures, rtts[key[0]]) for key, figures in ours.items()}
    }
    columns = ["scheme", "point", "seed", "utilisation", "delay_mean", "loss"]
    for scheme, point, seed, *values in zip(*(runs[name] for name in columns), strict=True):
        figures = dict(zip(columns[3:], values, strict=True))
        scores.setdefault(scheme, {})[int(point), int(seed)] = score(figures, rtts[point])
    print(
        f"\n{len(ours)} runs on unseen networks; the reward of each, and less that of the policy:"
    )
    keys = sorted(ours)
    table = {name: np.array([scores[name][key] for key in keys]) for name in scores}
    for name, own in sorted(table.items(), key=lambda entry: -entry[1].mean()):
        difference = own - table["policy"]
        # Seeds of a network are alike: a network is one value.
        by_network = difference.reshape(-1, SEEDS).mean(axis=1)
        half = 2.2 * by_network.std(ddof=1) / np.sqrt(len(by_network))
        print(f"  {name:7} {own.mean():7.3f}   {difference.mean():+.3f} ± {half:.3f}")
    winner = max(table, key=lambda name: table[name].mean())
    print(f"the best on average is {winner}")


def main() -> None:
    """Trains and judges."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=120.0, help="of training")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--save", type=Path, help="a file for the weights")
    arguments = parser.parse_args()
    weights = train(arguments.seconds, arguments.threads)
    if arguments.save:
        np.save(arguments.save, weights)
    judge(line(weights), arguments.threads)


if __name__ == "__main__":
    main()
