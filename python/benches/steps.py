"""What a step of `earlydrop.gym` costs, as a table: `python benches/steps.py [ROUNDS]`.

Ten flows over 10 Mbps, in steps of 10 ms, with episodes of 10 s: alone, and with the web transfers
and four calls that environments have unless a scenario says otherwise. A step through numpy
includes everything: the action, the simulation, the observation, resets. A round is 50 steps of
each environment. A thousand million over the nanoseconds is steps a second.
"""

import sys
from functools import partial

import numpy as np
from rounds import COLUMNS, head, in_turn, row

from earlydrop.gym import AQMVectorEnv

#: Whether there is other traffic, the TCP of the flows, environments, threads.
CASES = [
    *((others, tcp, 64, threads)
      for others in (False, True) for tcp in ("reno", "cubic") for threads in (1, 2)),
    *((True, "reno", count, 1) for count in (1, 16, 256, 1024)),
]  # fmt: skip

#: Ten flows and nothing else.
ALONE = """
duration = "10 s"
warm_up = "0 s"
schemes = ["dial"]
network = { rate = "10 Mbps", rtt = "50 ms" }
[flows.bulk]
count = 10
"""


def environments(others: bool, tcp: str, count: int, threads: int) -> AQMVectorEnv:
    """Environments whose queues have filled."""
    if others:
        envs = AQMVectorEnv(count, link="10 Mbps", rtt="50 ms", flows=10, tcp=tcp, threads=threads)
    else:
        envs = AQMVectorEnv(count, scenario=ALONE, tcp=tcp, threads=threads)
    envs.reset(seed=1)
    for _ in range(4):
        step(envs)
    return envs


def step(envs: AQMVectorEnv) -> None:
    """Steps each environment 50 times."""
    for _ in range(50):
        envs.step(np.full((envs.num_envs, 1), 0.01))


def named(others: bool, tcp: str, count: int, threads: int) -> str:
    """A case in words."""
    traffic = "ten flows, web and calls" if others else "ten flows"
    name = {"reno": "Reno", "cubic": "CUBIC"}[tcp]
    return f"{traffic}, {name}, {count} at once, {threads} thread{'s' * (threads > 1)}"


def main() -> None:
    """Prints the table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    head("ns a step", *COLUMNS)
    # One after the other: others' environments would take the caches.
    for case in CASES:
        envs, name = environments(*case), named(*case)
        [seconds] = in_turn({name: partial(step, envs)}, rounds).values()
        row(name, seconds, 1e9 / (50 * envs.num_envs), 0)


if __name__ == "__main__":
    main()
