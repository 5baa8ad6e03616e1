"""Steps a second of `earlydrop.gym`, as a table: `python benches/steps.py [--seconds 3]`.

Ten flows over 10 Mbps, in steps of 10 ms, with episodes of 10 s. A step through numpy includes
everything: the action, the simulation, the observation, resets. Rows are the best of three rounds,
because other programs only take time away.
"""

import argparse
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


def rate(envs: AQMVectorEnv, seconds: float) -> float:
    """Steps a second of all environments together."""
    actions = np.full((envs.num_envs, 1), 0.01)
    envs.reset(seed=1)
    # Until the queues have filled.
    for _ in range(200):
        envs.step(actions)
    begun, steps = time.perf_counter(), 0
    while (elapsed := time.perf_counter() - begun) < seconds:
        for _ in range(50):
            envs.step(actions)
        steps += 50 * envs.num_envs
    return steps / elapsed


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=1.0, help="for each of three rounds")
    seconds = parser.parse_args().seconds
    print("| flows | environments | threads | steps/s | us a step and thread |")
    print("|---|---|---|---|---|")
    for name, control, count, threads in CASES:
        envs = AQMVectorEnv(
            count, link="10 Mbps", rtt="50 ms", flows=10, tcp=control, threads=threads
        )
        best = max(rate(envs, seconds) for _ in range(3))
        print(f"| {name} | {count} | {threads} | {best:,.0f} | {threads / best * 1e6:.2f} |")


if __name__ == "__main__":
    main()
