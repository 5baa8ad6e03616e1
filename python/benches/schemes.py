"""What a packet costs under a scheme in Python, a curve as numbers, and built-in schemes.

    python benches/schemes.py [ROUNDS]

The queue alone (`Queue.replay`: arrivals at 90% to 110% of the link) and whole simulations
(`compare` with 20 CUBIC flows): processor time for each packet that arrives at the queue, the
median of the rounds with the least and the most. The last column is how much sooner two threads
end than one, by elapsed time; on a machine that does other work, too, it says little.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

import numpy as np

import earlydrop


class Ramp(earlydrop.Scheme):
    """Drops in proportion to the queue."""

    min: int = 5
    gain: float = 0.005

    def on_arrival(self, packet, queue, random):  # noqa: ANN001, ANN201, D102
        return random() < self.gain * (queue.packets - self.min)


class Idle(earlydrop.Scheme):
    """Keeps everything: what a call costs that does nothing."""

    def on_arrival(self, packet, queue, random):  # noqa: ANN001, ANN201, D102
        return False


class Sojourn(earlydrop.Scheme):
    """Drops on departure what has waited for long: two calls a packet."""

    def on_arrival(self, packet, queue, random):  # noqa: ANN001, ANN201, D102
        return queue.packets > 100

    def on_departure(self, packet, queue, random):  # noqa: ANN001, ANN201, D102
        return packet.sojourn > 0.02 and random() < 0.01


SCHEMES: dict[str, earlydrop.python_scheme.SchemeLike] = {
    "droptail, built in": "droptail:limit=100",
    "red, built in": "red:min=5,max=15",
    "curve as numbers": earlydrop.curve("0.1 * ((avg - 5) / 10) ** 2", start=5, to=15),
    "Python, on_arrival empty": Idle,
    "Python, on_arrival draws": Ramp,
    "Python, arrival and departure": Sojourn,
}


def timed(run: Callable[[], int], rounds: int, clock: Callable[[], float]) -> str:
    """Nanoseconds for each of what `run` counts."""
    run()
    found = []
    for _ in range(rounds):
        begun = clock()
        count = run()
        found.append(1e9 * (clock() - begun) / count)
    return f"{statistics.median(found):,.0f} ({min(found):,.0f} to {max(found):,.0f})"


def replayed(scheme: earlydrop.python_scheme.SchemeLike) -> Callable[[], int]:
    """Packets through a queue."""
    packets = 200_000
    gaps = np.random.default_rng(1).exponential(1.2e-3, packets)
    gaps *= np.where(np.arange(packets) // 5000 % 2, 0.9, 1.1)
    times = np.cumsum(gaps)
    queue = earlydrop.Queue(scheme, rate="10 Mbps")

    def run() -> int:
        queue.replay(times)
        return packets

    return run


def simulated(scheme: earlydrop.python_scheme.SchemeLike, threads: int) -> Callable[[], int]:
    """Packets through simulations: those that arrive at the measured queue."""

    def run() -> int:
        result = earlydrop.compare(
            {"one": scheme},
            link="20 Mbps",
            flows=20,
            duration="10 s",
            warm_up="0.1 s",
            seeds=4,
            threads=threads,
            progress=False,
        )
        return int(sum(result.queues["arrived"]))

    return run


def speed_up(scheme: earlydrop.python_scheme.SchemeLike, rounds: int) -> str:
    """The elapsed time of one thread over that of two."""
    found = []
    for _ in range(rounds):
        elapsed = []
        for threads in (1, 2):
            begun = time.perf_counter()
            simulated(scheme, threads)()
            elapsed.append(time.perf_counter() - begun)
        found.append(elapsed[0] / elapsed[1])
    return f"{statistics.median(found):.2f} ({min(found):.2f} to {max(found):.2f})"


def main() -> None:
    """Prints both tables."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    print("| ns a packet | queue alone | simulation | simulation, 2 threads | sooner by |")
    print("|---|--:|--:|--:|--:|")
    for name, scheme in SCHEMES.items():
        cells = [timed(replayed(scheme), rounds, time.process_time)]
        cells += [timed(simulated(scheme, n), rounds, time.process_time) for n in (1, 2)]
        cells += [speed_up(scheme, rounds)]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
