"""What a Dask cluster of two processes costs, compared with two threads of this process.

Run it on a quiet machine: python benches/cluster.py [ROUNDS]
"""

import sys
import time

from distributed import Client, LocalCluster
from rounds import COLUMNS, head, in_turn, ratio, row

import earlydrop

#: About 50 ms a cell.
SCENARIO = """
duration = "150 s"
seeds = 50
schemes = ["red:min=5,max=15", "codel"]
network = { rate = "20 Mbps", rtt = "40 ms" }
measure = { series = "none" }
[flows.bulk]
count = 10
"""


#: Tasks that do nothing, at once.
TASKS = 500


def nothing(_: int) -> None:
    """A task that costs only what Dask costs."""


def main() -> None:
    """Prints both ways, their ratios round by round, and the cost of a task."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    cells = earlydrop.Scenario(SCENARIO).runs
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):

        def everywhere() -> float:
            """The processor time of this process, which schedules, and of the workers."""
            return time.process_time() + sum(client.run(time.process_time).values())

        times = in_turn(
            {
                "two threads": lambda: earlydrop.run(SCENARIO, threads=2, progress=False),
                "two workers": lambda: earlydrop.run(SCENARIO, client=client, progress=False),
                "tasks": lambda: client.gather(client.map(nothing, range(TASKS), pure=False)),
            },
            rounds,
            everywhere,
        )
    tasks = times.pop("tasks")
    head(f"{cells} runs, ms each", *COLUMNS)
    for name, seconds in times.items():
        row(name, seconds, 1e3 / cells)
    threads, workers = times.values()
    head("two workers / two threads", "min", "median", "max")
    ratio("processor time", workers.processor, threads.processor)
    ratio("elapsed time", workers.elapsed, threads.elapsed)
    head("Dask alone, ms", *COLUMNS)
    row("a task that does nothing", tasks, 1e3 / TASKS)


if __name__ == "__main__":
    main()
