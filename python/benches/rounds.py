"""What the benches share: ways in turn, round after round, and a line of a table.

Other programs of the machine add to elapsed time and hardly to processor time. Of both, the least
is what it costs, and the median is what to expect.
"""

from __future__ import annotations

import resource
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

#: The columns of `row`.
COLUMNS = ["processor, min", "median", "elapsed, min", "median"]


@dataclass
class Seconds:
    """What rounds took."""

    processor: list[float] = field(default_factory=list)
    elapsed: list[float] = field(default_factory=list)


def processor() -> float:
    """The processor time of this process and of those it has started and that have ended."""
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in usage)


def in_turn(
    ways: Mapping[str, Callable[[], object]],
    rounds: int,
    processor: Callable[[], float] = processor,
) -> dict[str, Seconds]:
    """The seconds of each way in each round, after one that is not counted."""
    found = {name: Seconds() for name in ways}
    for index in range(rounds + 1):
        for name, way in ways.items():
            used, begun = processor(), time.perf_counter()
            way()
            elapsed, used = time.perf_counter() - begun, processor() - used
            if index > 0:
                found[name].elapsed.append(elapsed)
                found[name].processor.append(used)
    return found


def head(*columns: str) -> None:
    """Prints the head of a table: names at the left, then numbers."""
    print(f"\n| {' | '.join(columns)} |")
    print("|---|" + "--:|" * (len(columns) - 1))


def row(name: str, seconds: Seconds, factor: float, digits: int = 2) -> None:
    """Prints a line in other units than seconds: the least and the median of both times."""
    cells = [
        f"{factor * number:,.{digits}f}"
        for times in (seconds.processor, seconds.elapsed)
        for number in (min(times), statistics.median(times))
    ]
    print(f"| {' | '.join([name, *cells])} |", flush=True)


def ratio(name: str, above: Sequence[float], below: Sequence[float]) -> None:
    """Prints a line: the quotients of rounds, least, median and largest."""
    ratios = [a / b for a, b in zip(above, below, strict=True)]
    numbers = [min(ratios), statistics.median(ratios), max(ratios)]
    print(f"| {' | '.join([name, *(f'{number:.3f}' for number in numbers)])} |", flush=True)
