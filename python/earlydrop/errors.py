"""What can go wrong."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .result import Result


class EarlydropError(Exception):
    """Any error of this package."""


class ArgumentError(EarlydropError, ValueError):
    """An argument that is none of the allowed values; the text names the nearest."""


class ScenarioError(EarlydropError, ValueError):
    """A scenario that cannot be run.

    The text has a line for each problem, with the value, what is allowed and the nearest fix, as
    the command prints it. `problems` has the same as dictionaries: `message` and `help`, with
    `file`, `line` and `column`, or with the `argument`.
    """

    def __init__(self, text: str, problems: list[dict[str, Any]] | None = None) -> None:
        super().__init__(text)
        self.problems = problems or []

    def __reduce__(self) -> tuple[Any, ...]:
        return (ScenarioError, (str(self), self.problems))


class ScenarioWarning(UserWarning):
    """Settings of a scenario that may be wrong, as the command warns of them when it runs."""


def warn(texts: Iterable[str]) -> None:
    """Warns of settings, at the line outside of this package that runs them."""
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == "earlydrop":
        level, frame = level + 1, frame.f_back
    for text in texts:
        warnings.warn(text, ScenarioWarning, stacklevel=level)


class RunError(EarlydropError, RuntimeError):
    """A run that failed, or a folder that cannot be used."""


class SchemeError(RunError):
    """A call of a scheme written in Python that failed; `__cause__` is its exception.

    The run has ended; `result` has what is finished. `scheme` and `call` are names, `time` is in
    seconds of simulated time. `seed` is that of the scenario's run, and `point` has its swept
    fields with their values; None and empty where no scenario runs.
    """

    result: Result | None = None

    def __init__(
        self,
        scheme: str,
        call: str,
        time: float,
        cause: str,
        seed: int | None = None,
        point: dict[str, str] | None = None,
    ) -> None:
        self.seed, self.point = seed, point or {}
        where = [] if seed is None else [f"seed {seed}"]
        where += [f"{field} = {value}" for field, value in self.point.items()]
        cell = "".join(f", {part}" for part in where)
        super().__init__(f"{scheme}: {call} at {time:.9f} s of simulated time{cell}: {cause}")
        self.scheme, self.call, self.time, self._text = scheme, call, time, cause

    def __reduce__(self) -> tuple[Any, ...]:
        given = (self.scheme, self.call, self.time, self._text, self.seed, self.point)
        return (SchemeError, given)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C stopped a run; `result` has what is finished.

    In a notebook, the next cell finds it in `sys.last_value.result`. A run in a folder continues
    when it is started again.
    """

    def __init__(self, text: str, result: Result | None = None) -> None:
        super().__init__(text)
        self.result = result
