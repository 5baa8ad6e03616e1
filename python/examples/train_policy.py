"""Trains a small policy that sets the drop probability of a queue, and says whether it is worth it.

    python examples/train_policy.py [--generations 300] [--threads 2]

The policy is a line: eight observations and a constant, weighted, give the probability of `dial` on
its logarithmic scale. The cross-entropy method finds the nine weights: each of 32 candidates plays
four networks of the training sweep; the best eight say where the next are drawn. All candidates of
a generation play the same networks with the same seeds.

RED, PIE and CoDel get the same: their parameters are searched by the same method for the same
reward, in as much simulated time. All are then judged on networks that none was trained on, with
the same seeds, beside the four schemes at their defaults. The reward is utilisation, less queueing
delay in round trips, less ten times the loss. Differences are paired by network and seed, with
intervals that hold together: 95% for all rivals. Who wins is printed, even if it is PIE.
"""

import argparse
import json
import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

import earlydrop
from earlydrop.gym import AQMVectorEnv

Policy = Callable[[NDArray[np.float32]], NDArray[np.float64]]

REWARD = {"throughput": 1.0, "delay": 1.0, "loss": 10.0}

#: The networks of training, and others: rates, round trips and numbers of flows between and beyond.
TRAINING = {"rate": ["5 Mbps", "20 Mbps"], "rtt": ["20 ms", "80 ms"], "flows": [4, 12, 30]}
UNSEEN = {"rate": ["10 Mbps", "40 Mbps"], "rtt": ["40 ms", "120 ms"], "flows": [8, 20, 45]}

DEFAULTS = ["red", "ared", "pie", "codel"]

#: What is searched of a scheme, each with the values that the search begins between: packets,
#: seconds, probabilities. A span is max over min, and interval over target.
PARAMETERS: dict[str, dict[str, tuple[float, float]]] = {
    "red": {"min": (2, 30), "span": (2, 8), "max_p": (0.01, 0.5)},
    "pie": {"target": (0.002, 0.06), "interval": (0.004, 0.06)},
    "codel": {"target": (0.002, 0.06), "span": (3, 30)},
}

CANDIDATES, ELITE, NETWORKS = 32, 8, 4
SEEDS = 3

#: Student's quantile for eleven degrees of freedom at 1 - 0.05/14: seven differences together.
QUANTILE = 3.295


def scenario(
    networks: dict[str, list[str] | list[int]], duration: str, seeds: str = f"{SEEDS}"
) -> str:
    """A scenario with a sweep over networks."""
    return f"""
duration = "{duration}"
warm_up = "2 s"
seeds = {seeds}
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


def search(
    what: str,
    scores_of: Callable[[NDArray[np.float64], int], NDArray[np.float64]],
    mean: NDArray[np.float64],
    spread: NDArray[np.float64],
    generations: int,
) -> NDArray[np.float64]:
    """The vector of the highest score that the cross-entropy method finds."""
    random = np.random.default_rng(1)
    for generation in range(1, generations + 1):
        candidates = mean + spread * random.standard_normal((CANDIDATES, len(mean)))
        scores = scores_of(candidates, generation)
        best = candidates[np.argsort(scores)[-ELITE:]]
        # Old spread is kept in part, so that a lucky generation does not end the search.
        mean, spread = best.mean(axis=0), 0.3 * spread + 0.7 * best.std(axis=0) + 0.01
        if generation % max(1, generations // 5) == 0:
            line = f"{what}, generation {generation}: best {scores.max():.3f}"
            print(f"{line}, mean {scores.mean():.3f}", flush=True)
    return mean


def train(generations: int, threads: int) -> Policy:
    """The policy that the search finds."""
    random = np.random.default_rng(2)
    envs = AQMVectorEnv(
        CANDIDATES * NETWORKS,
        scenario=scenario(TRAINING, "6 s"),
        scale="unit",
        reward=REWARD,
        threads=threads,
        copy=False,
    )

    def scores_of(candidates: NDArray[np.float64], _: int) -> NDArray[np.float64]:
        networks = random.integers(2**32, size=NETWORKS, dtype=np.uint64)
        policy = line(np.repeat(candidates, NETWORKS, axis=0))
        scores = rewards(envs, policy, np.tile(networks, CANDIDATES))
        return scores.reshape(CANDIDATES, NETWORKS).mean(axis=1)

    size = len(envs.observation_names) + 1
    return line(search("policy", scores_of, np.zeros(size), np.full(size, 1.0), generations))


def spec(scheme: str, values: NDArray[np.float64]) -> str:
    """A scheme with the parameters that these logarithms stand for."""
    found = dict(zip(PARAMETERS[scheme], np.exp(values), strict=True))
    if scheme == "red":
        low = min(max(found["min"], 1), 90)
        high = max(low + 1, min(low * found["span"], 95))
        return f"red:min={low:.2f},max={high:.2f},max_p={min(found['max_p'], 1):.4f}"
    if "span" in found:
        found["interval"] = found["target"] * max(1, found.pop("span"))
    settings = ",".join(f"{name}={1000 * seconds:.3f}ms" for name, seconds in found.items())
    return f"{scheme}:{settings}"


def tune(scheme: str, generations: int, threads: int) -> str:
    """The scheme with the parameters that the same search finds for the same reward."""

    def scores_of(candidates: NDArray[np.float64], generation: int) -> NDArray[np.float64]:
        networks = scenario(TRAINING, "6 s", seeds=f"[{generation}]")
        specs = {f"c{number}": spec(scheme, one) for number, one in enumerate(candidates)}
        found = scores_by_run(earlydrop.run(networks, schemes=specs, threads=threads))
        return np.array([np.mean(list(found[name].values())) for name in specs])

    between = np.log(np.array(list(PARAMETERS[scheme].values())))
    mean, spread = between.mean(axis=1), np.diff(between, axis=1)[:, 0] / 4
    return spec(scheme, search(scheme, scores_of, mean, spread, generations))


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


def scores_by_run(result: earlydrop.Result) -> dict[str, dict[tuple[int, int], float]]:
    """The score of each run by scheme, point and seed."""
    found: dict[str, dict[tuple[int, int], float]] = {}
    names = ["scheme", "point", "seed", "network_rtt_s", "utilisation", "delay_mean", "loss"]
    rows = zip(*(result.runs[name].tolist() for name in names), strict=True)
    for scheme, point, seed, rtt, *values in rows:
        figures = dict(zip(names[4:], values, strict=True))
        found.setdefault(scheme, {})[int(point), int(seed)] = score(figures, rtt)
    return found


def judge(policy: Policy, tuned: dict[str, str], threads: int) -> None:
    """Prints the scores on unseen networks, and who wins."""
    schemes = {name: name for name in DEFAULTS} | tuned
    result = earlydrop.run(scenario(UNSEEN, "20 s"), schemes=schemes, threads=threads)
    table = scores_by_run(result)
    rtts = dict(zip(result.runs["point"].tolist(), result.runs["network_rtt_s"], strict=True))
    ours = figures_of_policy(policy, threads)
    table["policy"] = {key: score(figures, rtts[key[0]]) for key, figures in ours.items()}
    keys = sorted(ours)
    rows = {name: np.array([one[key] for key in keys]) for name, one in table.items()}
    print(f"\n{len(keys)} runs on unseen networks: the reward of each, and the policy's lead\n")
    print("| | mean reward | behind the policy |\n|---|--:|--:|")
    for name, own in sorted(rows.items(), key=lambda entry: -entry[1].mean()):
        # Seeds of a network are alike: a network is one value.
        lead = (rows["policy"] - own).reshape(-1, SEEDS).mean(axis=1)
        half = QUANTILE * lead.std(ddof=1) / np.sqrt(len(lead))
        told = "" if name == "policy" else f"{lead.mean():.3f} ± {half:.3f}"
        label = f"{name}: `{schemes[name]}`" if name in tuned else name
        print(f"| {label} | {own.mean():.3f} | {told} |")


def main() -> None:
    """Trains, tunes and judges."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--generations", type=int, default=300, help="of the policy's training")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    generations, threads = arguments.generations, arguments.threads
    # A search tries what nobody would set by hand.
    warnings.simplefilter("ignore", earlydrop.ScenarioWarning)
    policy = train(generations, threads)
    # A generation of parameters plays all twelve networks, three times as many.
    fewer = max(1, generations // 3)
    tuned = {f"{scheme} tuned": tune(scheme, fewer, threads) for scheme in PARAMETERS}
    judge(policy, tuned, threads)


if __name__ == "__main__":
    main()
