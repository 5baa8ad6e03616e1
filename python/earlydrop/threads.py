"""How many threads simulate."""

from __future__ import annotations

import os
from operator import index

from .errors import ArgumentError


def available() -> int:
    """The processors that this process may use: fewer than the machine's under `taskset`, SLURM or
    a container that pins it.
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def thread_count(threads: int | None) -> int:
    """The threads that are asked for; all available processors by default."""
    if threads is None:
        return available()
    try:
        count = index(threads)
    except TypeError:
        raise ArgumentError(f"threads={threads!r}: allowed: a whole number from 1 on") from None
    if not 1 <= count <= 65535:
        nearest = min(max(count, 1), 65535)
        raise ArgumentError(f"threads={count}: allowed: 1 to 65535; nearest: {nearest}")
    return count
