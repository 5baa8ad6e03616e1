"""Schemes' parameters, searched by simulation."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import _lib
from ._document import Answer, Document, Estimate, TextTable, columns, number
from .errors import ArgumentError
from .options import ScenarioOptions, takes
from .progress import bar
from .result import Result
from .scenario import Origin, Scenario, Schemes, _wrapped
from .threads import thread_count
from .values import Value, text

if TYPE_CHECKING:
    import numpy
    from distributed import Client
    from numpy.typing import NDArray
    from typing_extensions import Unpack


@dataclass(frozen=True)
class LimitCheck:
    """A constraint, as fresh seeds met it."""

    limit: str
    mean: Estimate | None
    is_met: bool
    is_significant: bool


@dataclass(frozen=True)
class TunedScheme:
    """A scheme with its best settings, validated with seeds that the search has not used."""

    label: str
    #: The tuned scheme, as `compare` takes it; `None` where nothing is better than the original.
    scheme: str | None
    settings: dict[str, str]
    #: The number of settings that were simulated.
    tried: int
    #: The searched parameters with their bounds.
    searched: dict[str, str]
    before: Estimate | None
    after: Estimate | None
    #: The paired difference of after and before.
    change: Estimate | None
    limits: list[LimitCheck]
    _front: list[list[float]]

    @classmethod
    def _of(cls, document: Document, specs: Mapping[str, str]) -> TunedScheme:
        label = document["scheme"]
        limits = [
            LimitCheck(one["limit"], Estimate._of(one["mean"]), one["kept"], one["sure"])
            for one in document["limits"]
        ]
        return cls(
            label=label,
            scheme=specs.get(f"{label} tuned"),
            settings=document["settings"],
            tried=document["tried"],
            searched={one["parameter"]: one["between"] for one in document["searched"]},
            before=Estimate._of(document["before"]),
            after=Estimate._of(document["after"]),
            change=Estimate._of(document["change"]),
            limits=limits,
            _front=document["front"],
        )

    @property
    def front(self) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
        """The Pareto front of the search: the metric that the goal costs, and the goal's."""
        return columns(self._front)


@dataclass(frozen=True, repr=False)
class Tuning(Answer):
    """Tuned schemes: the answer of `tune`. Values are in base units: seconds, shares."""

    #: The metric that was minimised or maximised.
    goal: str
    minimised: bool
    limits: list[str]
    #: The metric that the goal costs, over which the front is.
    front_over: str
    unit: str
    schemes: dict[str, TunedScheme]
    #: The runs of the validation, with fresh seeds.
    validation: Result

    @classmethod
    def _of(cls, document: Document, specs: Mapping[str, str], validation: Result) -> Tuning:
        tuned = [TunedScheme._of(scheme, specs) for scheme in document["schemes"]]
        return cls(
            _document=document,
            goal=document["goal"],
            minimised=document["minimise"],
            limits=document["limits"],
            front_over=document["front_over"],
            unit=document["unit"],
            schemes={one.label: one for one in tuned},
            validation=validation,
        )

    @property
    def meets_limits(self) -> bool:
        """Whether a scheme met every constraint with fresh seeds."""
        return any(all(one.is_met for one in each.limits) for each in self.schemes.values())

    def _title(self) -> str:
        verb = "least" if self.minimised else "most"
        limits = "".join(f", {limit}" for limit in self.limits)
        failed = "" if self.meets_limits else ": no setting met every constraint"
        return f"{verb} {self.goal}{limits}{failed}"

    def _tables(self) -> Iterable[TextTable]:
        unit = f", {self.unit}" if self.unit else ""
        rows = []
        for one in self.schemes.values():
            met = all(check.is_met for check in one.limits)
            estimates = ["-" if e is None else str(e) for e in (one.before, one.after, one.change)]
            words = [one.scheme or "nothing better", "yes" if met else "no", number(one.tried)]
            rows.append([one.label, *estimates, *words])
        header = ["scheme", f"original{unit}", f"tuned{unit}", "change"]
        yield TextTable([*header, "settings", "limits met", "tried"], rows)


@takes(ScenarioOptions, "tune")
def tune(
    scenario: Origin = None,
    *,
    minimise: str | None = None,
    maximise: str | None = None,
    subject_to: str | Iterable[str] = (),
    over: str | Iterable[str] | Mapping[str, tuple[Value, Value]] = (),
    budget: int = 200,
    search_seeds: int = 3,
    schemes: Schemes | None = None,
    folder: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    client: Client | None = None,
    progress: bool | None = None,
    **options: Unpack[ScenarioOptions],
) -> Tuning:
    """Searches the parameters of a scenario's schemes by simulation, as `earlydrop tune` does.

    `subject_to` has constraints, "utilisation>=95%"; `over` the parameters to search, optionally
    with bounds: "min=2..40", or `{"min": (2, 40)}`. The best settings and the originals then run
    with fresh seeds, in memory or in `folder`. Ctrl-C ends the search, which is not kept. With the
    client of a Dask cluster, its workers run the settings, and the answer is the same.

    >>> import earlydrop
    >>> tuned = earlydrop.tune(schemes="red", duration="3 s", seeds=2, search_seeds=1, budget=12,
    ...                        minimise="delay_mean", over=["max_p"], progress=False)
    >>> tuned.schemes["red"].searched
    {'max_p': ...}
    """
    checked = Scenario(scenario, schemes=schemes, **options)
    if (minimise is None) == (maximise is None):
        raise ArgumentError("give a metric to either minimise or maximise: minimise='delay_p99'")
    for name, value, most in [("budget", budget, 100_000), ("search_seeds", search_seeds, 1000)]:
        if not 1 <= value <= most:
            near = min(max(value, 1), most)
            raise ArgumentError(f"{name}={value}: allowed: 1 to {most}; nearest: {near}")
    if client is not None and threads is not None:
        raise ArgumentError("with client=, threads= is not allowed")
    simulate = None
    if client is not None:
        from .cluster import Workers

        simulate = Workers(client, checked).simulate
    with bar(progress, "setting") as show:
        search = _lib.search(
            checked._native,
            (minimise is not None, minimise or maximise or ""),
            _list(subject_to),
            _searched(over),
            (budget, search_seeds, thread_count(threads)),
            simulate,
            show,
        )
    validation = Result(_wrapped(search.scenario(), checked._own), folder=folder)
    validation.resume(threads=threads, client=client, progress=progress)
    document, specs = search.report(validation._run)
    return Tuning._of(json.loads(document), dict(specs), validation)


def _searched(over: str | Iterable[str] | Mapping[str, tuple[Value, Value]]) -> list[str]:
    """The parameters to search, with their bounds."""
    if not isinstance(over, Mapping):
        return _list(over)
    parameters = []
    for name, bounds in over.items():
        pair = bounds if isinstance(bounds, (tuple, list)) else ()
        if len(pair) != 2:
            raise ArgumentError(
                f"over[{name!r}] = {bounds!r}; allowed: two bounds, as in {name!r}: (2, 40)"
            )
        low, high = (text(one) for one in pair)
        parameters.append(f"{name}={low}..{high}")
    return parameters


def _list(items: str | Iterable[str]) -> list[str]:
    listed = items.split(",") if isinstance(items, str) else list(items)
    for one in listed:
        if not isinstance(one, str):
            raise ArgumentError(f"{one!r}: allowed: text, as in 'min=2..40'")
    return [one.strip() for one in listed]
