"""Parameters for a link and its flows."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from . import _lib
from ._document import Answer, Document, Estimate, TextTable, texts
from .errors import ArgumentError
from .options import takes
from .prediction import PREDICTED, Doubt, Prediction, ecn_text
from .scenario import Scenario
from .threads import thread_count
from .values import Value


@dataclass(frozen=True)
class Thresholds:
    """RED's parameters, thresholds in packets."""

    min: float
    max: float
    max_p: float
    weight: float


@dataclass(frozen=True)
class Stability:
    """The stability of the linearised loop; margins in degrees (-180 or more) and as a factor."""

    verdict: str
    gain: float | None
    phase_margin: float | None
    gain_margin: float | None
    #: The period of oscillations, in seconds.
    period: float | None


@dataclass(frozen=True)
class Choice:
    """A method's parameters, with what is predicted of them."""

    method: str
    source: str
    #: The scheme with its parameters, as `compare` takes it.
    scheme: str
    thresholds: Thresholds | None
    notes: list[str]
    prediction: Prediction
    #: What the batch-arrival queue predicts (Chandrayana et al.).
    closed_loop: Prediction
    stability: Stability | None
    doubts: list[Doubt]

    @classmethod
    def _of(cls, document: Document) -> Choice:
        thresholds, stability = document["thresholds"], document["stability"]
        return cls(
            method=document["method"],
            source=document["source"],
            scheme=document["spec"],
            thresholds=thresholds and Thresholds(**thresholds),
            notes=document["notes"],
            prediction=Prediction._of(document["expected"]),
            closed_loop=Prediction._of(document["closed_loop"]["expected"]),
            stability=stability and Stability(**stability),
            doubts=[Doubt(**doubt) for doubt in document["doubts"]],
        )


@dataclass(frozen=True)
class Measured:
    """What the simulator measured with the chosen parameters."""

    queue: Estimate
    delay: Estimate
    loss: Estimate
    marks: Estimate
    utilisation: Estimate


@dataclass(frozen=True, repr=False)
class Configuration(Answer):
    """Parameters for a link and its flows: the answer of `configure`."""

    #: The scheme with the chosen parameters, as `compare` takes it.
    scheme: str
    prediction: Prediction
    #: Every method's parameters, the chosen first.
    choices: list[Choice]
    #: The buffer, in packets.
    buffer: float
    #: The delay aimed at, in seconds.
    goal: float
    #: The most flows for which RED's oscillations stay small.
    most_flows: float | None
    warnings: list[str]
    #: The simulation of the choice; `None` where nothing was simulated.
    measured: Measured | None
    #: What the choice misses of its goal in the simulation: "delay", "utilisation", "idle", "loss",
    #: "stability"; empty where it was met or nothing was simulated.
    misses: list[str]
    #: The configuration by tool: "linux", "cisco", "ns3"; "earlydrop" is a scenario.
    paste: dict[str, str]
    _page: str

    @classmethod
    def _of(cls, document: Document, page: str) -> Configuration:
        choices = [Choice._of(choice) for choice in document["choices"]]
        return cls(
            _document=document,
            scheme=document["chosen"],
            prediction=choices[0].prediction,
            choices=choices,
            buffer=document["buffer"],
            goal=document["goal"]["delay"],
            most_flows=document["most_flows"],
            warnings=document["warnings"],
            measured=_measured(document["measured"]),
            misses=[miss["what"] for miss in (document["simulated"] or {"misses": []})["misses"]],
            paste=document["paste"],
            _page=page,
        )

    def scenario(self) -> Scenario:
        """The scenario that simulates the choice."""
        return Scenario(self.paste["earlydrop"])

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Writes the page of `earlydrop configure --html`, and returns its path."""
        Path(path).write_text(self._page, encoding="utf-8")
        return Path(path)

    def _title(self) -> str:
        return self.scheme

    def _tables(self) -> Iterable[TextTable]:
        rows = [[one.method, one.scheme, *one.prediction._cells()] for one in self.choices]
        yield TextTable(["method", "scheme", *PREDICTED], rows, "Predicted, the chosen first")
        if self.measured is not None:
            values = vars(self.measured).values()
            header = ["queue, packets", "delay, s", "lost", "marked", "utilisation"]
            yield TextTable(header, [[str(value) for value in values]], "Simulated")
        yield TextTable(["warnings"], [[warning] for warning in self.warnings])


def _measured(document: Document | None) -> Measured | None:
    if document is None:
        return None
    names = ["queue", "delay", "loss", "marks", "utilisation"]
    return Measured(**{n: Estimate(document[n]["mean"], document[n]["half"]) for n in names})


@takes(
    command="configure",
    simulate="whether what the model proposes is simulated and corrected before it is recommended",
)
def configure(
    scheme: str = "red",
    *,
    link: Value,
    rtt: Value,
    flows: Value,
    goal: str | None = None,
    packet: Value | None = None,
    buffer: Value | None = None,
    tcp: str | None = None,
    ecn: bool | str | None = None,
    method: str | None = None,
    loss: Value | None = None,
    windows: str | None = None,
    timeout: Value | None = None,
    simulate: bool = True,
    patience: Value | None = None,
    seeds: int = 3,
    threads: int | None = None,
) -> Configuration:
    """Chooses a scheme's parameters for a link and its flows, as `earlydrop configure` does.

    Parameters given with the scheme, or by its preset, are kept: `"red:max_p=0.1"`,
    `"nlred:as=paper"`. `goal` is "delay=10ms" or "utilisation=98%". What the model proposes is
    simulated, and corrected, before it is recommended, unless that takes longer than `patience`
    ("30 s"); `simulate=False` is the model alone. `tcp` is "reno", "cubic" or "dctcp", with which
    `ecn` is on.

    >>> import earlydrop
    >>> advice = earlydrop.configure(link="100 Mbps", rtt="50 ms", flows=150)
    >>> advice.scheme.split(",")[0]
    'red:min=21'
    >>> advice.prediction.delay < 0.01
    True
    >>> print(advice.paste["linux"])
    tc qdisc add ...
    """
    options = texts(
        {
            "scheme": scheme,
            "link": link,
            "rtt": rtt,
            "flows": flows,
            "goal": goal,
            "packet": packet,
            "buffer": buffer,
            "tcp": tcp,
            "ecn": ecn_text(ecn),
            "method": method,
            "loss": loss,
            "windows": windows,
            "timeout": timeout,
            "patience": patience,
        }
    )
    if not 1 <= seeds <= 1000:
        raise ArgumentError(
            f"seeds={seeds}: allowed: 1 to 1000; nearest: {min(max(seeds, 1), 1000)}"
        )
    document, page = _lib.configure(options, simulate, seeds, thread_count(threads))
    return Configuration._of(json.loads(document), page)
