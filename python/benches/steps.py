"""What a step of `earlydrop.gym` costs, as a table: `python benches/steps.py [ROUNDS]`.

Ten flows over 10 Mbps, in steps of 10 ms, with episodes of 10 s. A step through numpy includes
everything: the action, the simulation, the observation, resets. A round is 50 steps of each
environment. A million over the nanoseconds is thousand steps a second.
"""

import sys
from functools import partial

import numpy as np
from rounds import COLUMNS, head, in_turn, row

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


def step(envs: AQMVectorEnv) -> None:
    """Steps each environment 50 times."""
    for _ in range(50):
        envs.step(np.full((envs.num_envs, 1), 0.01))


def main() -> None:
    """Prints the table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    head("ns a step", *COLUMNS)
    for name, control, count, threads in CASES:
        envs = AQMVectorEnv(
            count, link="10 Mbps", rtt="50 ms", flows=10, tcp=control, threads=threads
        )
        envs.reset(seed=1)
        # Until the queues have filled.
        for _ in range(4):
            step(envs)
        case = f"{name}, {count} at once, {threads} thread{'s' * (threads > 1)}"
        [seconds] = in_turn({case: partial(step, envs)}, rounds).values()
        row(case, seconds, 1e9 / (50 * count), 0)


if __name__ == "__main__":
    main()
