"""What Python costs: an import, a call, a run, and a loop around the command beside them.

    python benches/costs.py [ROUNDS] [COMMAND]

COMMAND is that of this environment unless another is given. Everything is on one thread; processor
time includes that of the command. `schemes.py` has the cost of a packet under a scheme in
Python, `steps.py` that of a step of an environment, `cluster.py` that of a task on Dask.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from rounds import COLUMNS, Seconds, head, in_turn, row

import earlydrop

COMMAND = sys.argv[2] if len(sys.argv) > 2 else str(Path(sys.executable).with_name("earlydrop"))

#: What a fresh process imports, and what of it is timed: from here on.
IMPORTS = {
    "`import numpy`": "import numpy",
    "`import earlydrop`": "import earlydrop",
    "`import earlydrop`, numpy being there": "import numpy; begun = now(); import earlydrop",
    "`import earlydrop`, and `earlydrop.compare`": "import earlydrop; earlydrop.compare",
}

TC = "tc qdisc add dev eth0 root red limit 60000 min 30000 max 40000 avpkt 1500 burst 25"
LINK = {"link": "100 Mbps", "rtt": "50 ms", "flows": 150}
LINK_WORDS = ["--link", "100Mbps", "--rtt", "50ms", "--flows", "150"]

NETWORK = {"link": "10 Mbps", "flows": 10, "seeds": 1, "warm_up": "0.5 s"}

#: The traffic of a run, and how many runs a round has.
RUNS = {"2 s": 40, "60 s": 8}


def command(*words: str) -> str:
    """The output of the installed command, as a script would have it."""
    return subprocess.run([COMMAND, *words], capture_output=True, text=True, check=True).stdout


def imports(rounds: int) -> None:
    """Imports in fresh processes, timed inside."""
    head("a fresh process, ms", *COLUMNS)
    found = {name: Seconds() for name in IMPORTS}
    for _ in range(2 * rounds):
        for name, code in IMPORTS.items():
            program = "from time import perf_counter, process_time\n"
            program += "def now(): return process_time(), perf_counter()\n"
            program += f"begun = now(); {code}; print(*begun, *now())"
            # From elsewhere: the installed package.
            printed = subprocess.check_output(
                [sys.executable, "-c", program], text=True, cwd=tempfile.gettempdir()
            )
            used, begun, used_then, ended = map(float, printed.split())
            found[name].processor.append(used_then - used)
            found[name].elapsed.append(ended - begun)
    for name, seconds in found.items():
        row(name, seconds, 1e3)


def calls(rounds: int) -> None:
    """Small answers, from a call and from the command."""
    ways: dict[str, Callable[[], object]] = {
        "`earlydrop.scheme`": lambda: earlydrop.scheme("nlred"),
        "`earlydrop schemes nlred --json`": lambda: json.loads(
            command("schemes", "nlred", "--json")
        ),
        "`earlydrop.explain`": lambda: earlydrop.explain(TC),
        "`earlydrop explain --json`": lambda: json.loads(command("explain", TC, "--json")),
        "`earlydrop.configure`": lambda: earlydrop.configure(**LINK),
        "`earlydrop configure --json`": lambda: json.loads(
            command("configure", *LINK_WORDS, "--json")
        ),
        "`earlydrop.Scenario`": lambda: earlydrop.Scenario(**LINK),
    }
    head("a call, ms", *COLUMNS)
    for name, seconds in in_turn(ways, rounds).items():
        row(name, seconds, 1e3, 3)


def in_one_call(duration: str, rtts: list[str]) -> object:
    """A sweep: all runs in one call."""
    return earlydrop.compare(
        "red",
        **{**NETWORK, "duration": duration},
        set={"sweep.network.rtt": rtts},
        threads=1,
        progress=False,
    ).runs


def in_calls(duration: str, rtts: list[str]) -> list[object]:
    """A call for each run."""
    return [
        earlydrop.compare(
            "red", **{**NETWORK, "duration": duration}, rtt=rtt, threads=1, progress=False
        ).runs
        for rtt in rtts
    ]


def in_commands(duration: str, rtts: list[str]) -> list[object]:
    """A command for each run, whose JSON is read. Each writes a folder, as the command does."""
    options = {"schemes": "red", **NETWORK, "duration": duration, "threads": 1}
    words = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    words = ["compare", *words, "--quiet", "--json"]
    with tempfile.TemporaryDirectory() as folder:
        return [
            json.loads(command(*words, f"--rtt={rtt}", f"--out={folder}/{index}"))
            for index, rtt in enumerate(rtts)
        ]


def runs(rounds: int) -> None:
    """Runs of RED with ten CUBIC flows over 10 Mbps, each at another round trip."""
    for duration, count in RUNS.items():
        head(f"{count} runs of {duration}, ms each", *COLUMNS)
        rtts = [f"{20 + 2 * index} ms" for index in range(count)]
        ways = {
            "one `earlydrop.compare`": partial(in_one_call, duration, rtts),
            "`earlydrop.compare` in a loop": partial(in_calls, duration, rtts),
            "`earlydrop compare --json` in a loop": partial(in_commands, duration, rtts),
        }
        for name, seconds in in_turn(ways, rounds).items():
            row(name, seconds, 1e3 / count)


def main() -> None:
    """Prints the three tables."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    imports(rounds)
    calls(rounds)
    runs(rounds)


if __name__ == "__main__":
    main()
