"""Steps a second of `earlydrop.gym`, as a table: `python benches/steps.py [--seconds 3]`.

Ten flows over 10 Mbps, in steps of 10 ms, with episodes of 10 s. A step through numpy includes
everything: the action, the simulation, the observation, resets. A round is one episode, so that all
rounds do the same work; a row is the best and the median of its rounds, because other programs only
take time away.
"""

import argparse
import statistics
import time

import numpy as np

from earlydrop.gym import AQMVectorEnv

CASES = [
    ("Reno", "reno", 64, 1),
    ("Reno", "reno", 64, 2),
    ("CUBIC", "cubic", 64, 1),
    ("CUBIC", "cubic", 64, 2),
    ("Reno", "reno", 1, 1),
    ("Reno", "reno", 16, 1),
    ("Reno", "reno", 256, 1),
    ("Reno", "reno", 1024, 1),
]


def rate(envs: AQMVectorEnv, seconds: float) -> tuple[float, float]:
    """Steps a second of all environments together: the best round and the median."""
    actions = np.full((envs.num_envs, 1), 0.01)
    envs.reset(seed=1)
    rates: list[float] = []
    begun = time.perf_counter()
    while not rates or time.perf_counter() - begun < seconds:
        started = time.perf_counter()
        # With the one that begins the next episode.
        for _ in range(1001):
            envs.step(actions)
        rates.append(1001 * envs.num_envs / (time.perf_counter() - started))
    return max(rates), statistics.median(rates)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=3.0, help="for each row")
    seconds = parser.parse_args().seconds
    print("| flows | environments | threads | steps/s | median | us a step and thread |")
    print("|---|---|---|---|---|---|")
    for name, control, count, threads in CASES:
        envs = AQMVectorEnv(
            count, link="10 Mbps", rtt="50 ms", flows=10, tcp=control, threads=threads
        )
        best, median = rate(envs, seconds)
        cost = threads / best * 1e6
        print(f"| {name} | {count} | {threads} | {best:,.0f} | {median:,.0f} | {cost:.2f} |")


if __name__ == "__main__":
    main()
