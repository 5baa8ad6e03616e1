"""The papers' experiments, run again, with a verdict on each claim."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from . import _lib
from ._document import Answer, Document, TextTable, number
from .errors import ArgumentError
from .options import takes
from .progress import Bar, bar
from .result import Result
from .scenario import _wrapped
from .threads import thread_count

if TYPE_CHECKING:
    from distributed import Client


#: What arguments are that the command has otherwise.
_TEXTS = {
    "what": 'a paper ("clred") or a claim ("clred.F5"); all unless given',
    "full": "every seed and every point, and not a quick look",
    "folder": "where the runs are kept",
}


@dataclass(frozen=True)
class Comparison:
    """The evidence on a claim at one place: a scheme, or a point of a sweep."""

    place: str
    effect: float | None
    half_width: float | None
    p_value: float | None
    #: "supports", "contradicts", "equal" or "undecided", by itself and among all of the claim.
    alone: str
    evidence: str


@dataclass(frozen=True)
class Claim:
    """A paper's claim, and what the experiments say about it."""

    id: str
    paper: str
    figure: str
    claim: str
    metric: str
    #: "holds", "holds in part", "contradicted", "not shown", "cannot be decided".
    verdict: str
    #: Whether the verdict counts; that of a quick run is a first look.
    is_counted: bool
    #: The relative effect, with its 95% interval.
    effect: float | None
    interval: tuple[float, float] | None
    seeds: int | None
    #: The numbers of comparisons that support it, contradict it, and are equal; and of all.
    supported: int
    contradicted: int
    equal: int
    of: int
    #: What is missing of the experiment.
    missing: str
    comparisons: list[Comparison]
    #: The verdict in each universe, where `multiverse` asks for them.
    universes: list[str]
    #: The command that decides it with all seeds.
    command: str
    _document: Document

    @classmethod
    def _of(cls, document: Document) -> Claim:
        kept = [
            *("id", "paper", "figure", "claim", "metric", "verdict", "effect", "seeds"),
            *("supported", "contradicted", "equal", "of", "missing", "command", "is_counted"),
        ]
        interval = document["interval"]
        comparisons = [
            Comparison(
                place=one["place"],
                effect=one["effect"],
                half_width=one["half_width_95"],
                p_value=one["p_value"],
                alone=one["alone"],
                evidence=one["evidence"],
            )
            for one in document["comparisons"]
        ]
        universes = document.get("multiverse", {}).get("universes", [])
        return cls(
            **{name: document[name] for name in kept},
            interval=interval and (interval[0], interval[1]),
            comparisons=comparisons,
            universes=[universe["verdict"] for universe in universes],
            _document=document,
        )


@dataclass(frozen=True, repr=False)
class Reproduction(Answer):
    """Claims with their verdicts: the answer of `reproduce`."""

    claims: dict[str, Claim]
    is_quick: bool

    def to_json(self) -> Document:
        """The command's list under the key "claims"."""
        return self._document

    def _title(self) -> str:
        quick = "; quick: a first look, and no verdict" if self.is_quick else ""
        return f"{len(self.claims)} claims{quick}"

    def _tables(self) -> Iterable[TextTable]:
        rows = [
            [one.id, one.verdict, _effect(one), one.claim, *_universes(one)]
            for one in self.claims.values()
        ]
        has_universes = any(one.universes for one in self.claims.values())
        says = "first look" if self.is_quick else "verdict"
        header = ["claim", says, "effect", "text", *(["universes"] if has_universes else [])]
        yield TextTable(
            header, [row[: len(header)] + [""] * (len(header) - len(row)) for row in rows]
        )


def _effect(claim: Claim) -> str:
    if claim.interval is None:
        return number(claim.effect)
    low, high = claim.interval
    return f"{number(claim.effect)} [{number(low)}, {number(high)}]"


def _universes(claim: Claim) -> list[str]:
    counts = {verdict: claim.universes.count(verdict) for verdict in dict.fromkeys(claim.universes)}
    return [", ".join(f"{count} {verdict}" for verdict, count in counts.items())] if counts else []


class _Experiments:
    """A bar for each experiment."""

    def __init__(self, shown: bool | None) -> None:
        self._shown = shown
        self._bar: Bar | None = None
        self._name = ""

    def __call__(self, name: str, before: int, done: int, planned: int) -> None:
        if name != self._name:
            self.close()
            self._bar = bar(self._shown, f"{name} run")
            self._show = self._bar.__enter__()
            self._name = name
        self._show(before, done, planned)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.__exit__()
            self._bar = None


@takes(None, "reproduce", **_TEXTS)
def reproduce(
    what: str = "",
    *,
    full: bool = False,
    multiverse: int | None = None,
    folder: str | os.PathLike[str] = "runs",
    threads: int | None = None,
    client: Client | None = None,
    progress: bool | None = None,
) -> Reproduction:
    """Runs the experiments of a paper ("clred") or of a claim ("clred.F5"), or all, again.

    Quickly, with few seeds and points, unless `full`. `multiverse` runs them in so many universes,
    too, with other plausible values of what the paper does not print. Results are in `folder`,
    where the command has them; what Ctrl-C stops continues with the next call. With the client of a
    Dask cluster, its workers run them.

    >>> import earlydrop
    >>> claims = earlydrop.reproduce("clred.F5", folder=getfixture("tmp_path")).claims
    >>> claims["clred.F5.a"].claim
    'The average queue is smaller under CLRED than under RED.'
    """
    if multiverse is not None and not 2 <= multiverse <= 4096:
        near = min(max(multiverse, 2), 4096)
        raise ArgumentError(f"multiverse={multiverse}: allowed: 2 to 4096; nearest: {near}")
    if client is not None:
        if threads is not None:
            raise ArgumentError("with client=, threads= is not allowed")
        for _, native, place in _lib.planned_runs(what, full, multiverse, Path(folder)):
            Result(_wrapped(native, {}), folder=place).resume(client=client, progress=progress)
    # What is complete in its folder is only read.
    experiments = _Experiments(progress)
    try:
        text = _lib.reproduce(
            what, full, multiverse, thread_count(threads), Path(folder), experiments
        )
    finally:
        experiments.close()
    claims = [Claim._of(document) for document in json.loads(text)]
    document = {"claims": [claim._document for claim in claims]}
    return Reproduction(document, {claim.id: claim for claim in claims}, not full)


@dataclass(frozen=True)
class Trial:
    """A claim, and whether its test can come to another verdict."""

    id: str
    verdict: str
    #: The scheme, wrong on purpose, that ran in place of the one that the claim is about.
    wrong_scheme: str
    #: The worse verdict with it; `None` where it stays.
    verdict_with_wrong_scheme: str | None
    #: Whether a claim that is not shown, or contradicted, would hold of runs as the paper has them.
    could_hold: bool
    #: About how many seeds its trial would take, where there are too few.
    seeds_needed: int | None
    #: The outcome in words.
    summary: str

    @classmethod
    def _of(cls, document: Document) -> Trial:
        return cls(
            id=document["id"],
            verdict=document["verdict"],
            wrong_scheme=document["wrong"],
            verdict_with_wrong_scheme=document["verdict_with_wrong"],
            could_hold=document["could_hold"],
            seeds_needed=document["seeds_needed"],
            summary=document["shown"],
        )

    @property
    def can_fail(self) -> bool:
        """Whether its test was seen to come to another verdict."""
        return self.could_hold or self.verdict_with_wrong_scheme is not None


@dataclass(frozen=True, repr=False)
class Falsification(Answer):
    """Whether claims can fail: the answer of `falsify`."""

    trials: dict[str, Trial]

    def to_json(self) -> Document:
        """The list of the command under the key "trials"."""
        return self._document

    def _title(self) -> str:
        able = sum(one.can_fail for one in self.trials.values())
        return f"{able} of {len(self.trials)} claims were seen to come to another verdict"

    def _tables(self) -> Iterable[TextTable]:
        rows = [[one.id, one.verdict, one.summary] for one in self.trials.values()]
        yield TextTable(["claim", "verdict", "what its test can show"], rows)


@takes(None, "reproduce", **_TEXTS)
def falsify(
    what: str = "",
    *,
    full: bool = False,
    folder: str | os.PathLike[str] = "runs",
    threads: int | None = None,
    progress: bool | None = None,
) -> Falsification:
    """Shows that the claims of a paper ("clred") can fail, or that one can ("clred.F5.a"), as
    `earlydrop reproduce --wrong` does.

    A scheme that is wrong on purpose runs under the name of the one that a claim is about: a claim
    that holds must get a worse verdict. A claim that is not shown must hold of runs as the paper
    has them. Otherwise its test would show nothing.

    >>> import earlydrop
    >>> trials = earlydrop.falsify("clred.F5.a", folder=getfixture("tmp_path")).trials
    >>> trials["clred.F5.a"].can_fail
    True
    """
    experiments = _Experiments(progress)
    try:
        text = _lib.falsify(what, full, thread_count(threads), Path(folder), experiments)
    finally:
        experiments.close()
    document = {"trials": json.loads(text)}
    trials = [Trial._of(trial) for trial in document["trials"]]
    return Falsification(document, {trial.id: trial for trial in trials})
