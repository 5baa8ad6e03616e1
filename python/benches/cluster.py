"""What a Dask cluster of two processes costs, compared with two threads of this process.

Run it on a quiet machine: python benches/cluster.py [ROUNDS]
"""

import statistics
import sys
import time
from typing import Any

from distributed import Client, LocalCluster

import earlydrop

#: About 50 ms a cell.
SCENARIO = """
duration = "60 s"
seeds = 100
schemes = ["red:min=5,max=15", "codel"]
network = { rate = "20 Mbps", rtt = "40 ms" }
measure = { series = "none" }
[flows.bulk]
count = 10
"""


def seconds(run: Any) -> float:
    """Returns how long a call takes."""
    begin = time.perf_counter()
    run()
    return time.perf_counter() - begin


def main() -> None:
    """Prints a line for each way, and the ratio of medians."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        ways = {
            "two threads": lambda: earlydrop.run(SCENARIO, threads=2),
            "two workers": lambda: earlydrop.sweep(SCENARIO, client=client),
        }
        times: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(rounds):
            for name, way in ways.items():
                times[name].append(seconds(way))
    cells = earlydrop.Scenario(SCENARIO).runs
    for name, values in times.items():
        each = 1e3 * statistics.median(values) / cells
        spread = f"{min(values):.2f} to {max(values):.2f} s"
        total = statistics.median(values)
        print(f"{name}: {total:.2f} s for {cells} cells, {each:.1f} ms each ({spread})")
    medians = [statistics.median(values) for values in times.values()]
    print(f"ratio {medians[1] / medians[0]:.3f}")


if __name__ == "__main__":
    main()
