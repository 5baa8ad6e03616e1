"""Parameters for a link, and what other tools' configurations of RED mean."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from . import _lib
from ._document import Answer, Document, Estimate, TextTable, number, percent, texts
from .errors import ArgumentError
from .scenario import Scenario, Value

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Prediction:
    """What the model predicts: times in seconds, the queue in packets, shares of packets."""

    queue: float
    delay: float
    loss: float
    marks: float
    utilisation: float
    #: The mean congestion window, in packets; of `configure` only, as what follows.
    window: float | None = None
    #: The share of losses that a timeout repairs.
    timeouts: float | None = None
    rtt: float | None = None

    @classmethod
    def _of(cls, document: Document) -> Prediction:
        names = {"queue_packets": "queue", "delay_s": "delay"}
        return cls(**{names.get(key, key): value for key, value in document.items()})

    def _cells(self) -> list[str]:
        return [
            number(self.queue, "packets"),
            number(self.delay, "ms", 1e3),
            percent(self.loss),
            percent(self.marks),
            percent(self.utilisation),
        ]


_PREDICTED = ["queue", "delay", "lost", "marked", "utilisation"]


@dataclass(frozen=True)
class Doubt:
    """Why a prediction may be wrong here."""

    name: str
    meaning: str


@dataclass(frozen=True)
class Thresholds:
    """RED's parameters, thresholds in packets."""

    min: float
    max: float
    max_p: float
    weight: float


@dataclass(frozen=True)
class Stability:
    """The stability of the linearised control loop; margins in radians and as a factor."""

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
    #: The simulation that `verify=True` asks for.
    measured: Measured | None
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
        yield TextTable(["method", "scheme", *_PREDICTED], rows, "Predicted, the chosen first")
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
    verify: bool = False,
    seeds: int = 5,
    threads: int | None = None,
) -> Configuration:
    """Chooses a scheme's parameters for a link and its flows, as `earlydrop configure` does.

    Parameters given with the scheme are kept: `"red:max_p=0.1"`. `goal` is "delay=10ms" or
    "utilisation=98%". `verify=True` simulates the choice.

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
            "ecn": _ecn(ecn),
            "method": method,
            "loss": loss,
            "windows": windows,
            "timeout": timeout,
        }
    )
    if not 1 <= seeds <= 1000:
        raise ArgumentError(
            f"seeds={seeds}: allowed: 1 to 1000; nearest: {min(max(seeds, 1), 1000)}"
        )
    document, page = _lib.configure(options, verify, seeds, threads or os.cpu_count() or 1)
    return Configuration._of(json.loads(document), page)


def _ecn(ecn: bool | str | None) -> str | None:
    return {True: "on", False: "off"}[ecn] if isinstance(ecn, bool) else ecn


@dataclass(frozen=True)
class Setting:
    """A knob of a tool's configuration: what is written, and what it means on the link."""

    knob: str
    name: str
    #: `None` where the tool's default applies, of which `origin` says where it is from.
    written: str | None
    value: str
    bytes: float | None
    packets: float | None
    seconds: float | None
    #: The long-run rate of signals just below max.
    long_run: float | None
    origin: str
    meaning: str


@dataclass(frozen=True)
class Finding:
    """Something about a configuration that is wrong, risky or good to know."""

    rule: str
    severity: str
    what: str
    change: str
    source: str


@dataclass(frozen=True)
class Change:
    """A parameter that a correction changes."""

    parameter: str
    before: str
    after: str
    reason: str


@dataclass(frozen=True)
class Fix:
    """A configuration corrected, in the same syntax."""

    text: str
    changes: list[Change]
    #: Findings that no knob of the tool mends, by their rules.
    left: dict[str, str]
    prediction: Prediction

    @classmethod
    def _of(cls, document: Document | None) -> Fix | None:
        if document is None:
            return None
        changes = document["changes"]
        return cls(
            text=document["text"],
            changes=[Change(c["parameter"], c["from"], c["to"], c["reason"]) for c in changes],
            left={left["rule"]: left["what"] for left in document["left"]},
            prediction=Prediction._of(document["prediction"]),
        )


@dataclass(frozen=True, repr=False)
class Explanation(Answer):
    """What a configuration of RED means on a link: the answer of `explain`."""

    #: The tool's name: "linux", "cisco".
    tool: str
    #: The scheme with its parameters, as `compare` takes it.
    scheme: str
    settings: list[Setting]
    prediction: Prediction
    #: Where 8 of 10 simulations measured, if this was predicted: seconds and shares.
    measured: dict[str, tuple[float, float]]
    doubts: list[Doubt]
    #: What the model leaves out.
    caveats: list[str]
    #: The gravest first.
    findings: list[Finding]
    #: The correction that `fix=True` asks for.
    fix: Fix | None

    @classmethod
    def _of(cls, document: Document) -> Explanation:
        findings = [
            Finding(one["rule"], one["gravity"], one["what"], one["change"], one["source"])
            for one in document["findings"]
        ]
        measured = {
            name.removesuffix("_s"): (low, high)
            for name, (low, high) in document["measured"].items()
        }
        return cls(
            _document=document,
            tool=document["tool"],
            scheme=document["spec"],
            settings=[Setting(**setting) for setting in document["settings"]],
            prediction=Prediction._of(document["prediction"]),
            measured=measured,
            doubts=[Doubt(**doubt) for doubt in document["doubts"]],
            caveats=document["caveats"],
            findings=findings,
            fix=Fix._of(document.get("fix")),
        )

    def curve(
        self, name: str | None = None
    ) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
        """The average queue in packets, and the long-run share of packets dropped or marked at it;
        of the first class of traffic unless named.
        """
        curves = self._document["long_run"]
        known = [curve["class"] for curve in curves]
        if name is not None and name not in known:
            raise ArgumentError(f"name={name}: allowed: {', '.join(known)}")
        points = curves[0 if name is None else known.index(name)]["points"]
        return _columns(points)

    def _title(self) -> str:
        return self.scheme

    def _tables(self) -> Iterable[TextTable]:
        rows = [
            [one.name, one.written or f"{one.value} ({one.origin})", _on_link(one), one.meaning]
            for one in self.settings
        ]
        yield TextTable(["knob", "value", "on this link", "meaning"], rows)
        predicted = [["as given", *self.prediction._cells()]]
        if self.fix is not None:
            predicted.append(["corrected", *self.fix.prediction._cells()])
        yield TextTable(["", *_PREDICTED], predicted, "Predicted")
        found = [[one.severity, one.what, one.change, one.source] for one in self.findings]
        yield TextTable(["severity", "finding", "change", "source"], found, "Findings")
        if self.fix is not None:
            changes = [[c.parameter, c.before, c.after, c.reason] for c in self.fix.changes]
            yield TextTable(["parameter", "from", "to", "reason"], changes, self.fix.text)


def _on_link(setting: Setting) -> str:
    if setting.packets is None or setting.seconds is None:
        return ""
    return f"{setting.packets:.4g} packets, {1e3 * setting.seconds:.4g} ms"


def _columns(
    points: Sequence[Sequence[float]],
) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
    import numpy as np

    array = np.array(points, dtype=np.float64).reshape(-1, 2)
    return array[:, 0], array[:, 1]


def explain(
    configuration: str | os.PathLike[str],
    *,
    tool: str | None = None,
    fix: bool = False,
    link: Value | None = None,
    rtt: Value | None = None,
    flows: Value | None = None,
    packet: Value | None = None,
    tcp: str | None = None,
    ecn: bool | str | None = None,
) -> Explanation:
    """Explains another tool's configuration of RED, as `earlydrop explain` does.

    The configuration is text in the tool's syntax, or a file with it: Linux tc, ns-2, ns-3, DPDK,
    Cisco, Junos, SONiC, INET. `fix=True` corrects it.

    >>> import earlydrop
    >>> line = "tc qdisc add dev eth0 root red limit 400000 min 30000 max 90000 avpkt 1000"
    >>> answer = earlydrop.explain(line, link="10 Mbps", fix=True)
    >>> answer.tool, [finding.rule for finding in answer.findings][:1]
    ('linux', [...])
    >>> print(answer.fix.text)
    tc qdisc add dev eth0 root red ...
    """
    load = _load(link, rtt, flows, packet, tcp, ecn)
    return Explanation._of(json.loads(_lib.explain(os.fspath(configuration), tool, fix, load)))


def _load(
    link: Value | None,
    rtt: Value | None,
    flows: Value | None,
    packet: Value | None,
    tcp: str | None,
    ecn: bool | str | None,
) -> dict[str, str]:
    return texts(
        {"link": link, "rtt": rtt, "flows": flows, "packet": packet, "tcp": tcp, "ecn": _ecn(ecn)}
    )


def from_tc(line: str, *, link: Value | None = None) -> str:
    """The scheme of a `tc qdisc` line, or of what `tc qdisc show` prints, as `compare` takes it.

    It reads red, codel, fq_codel, pie, pfifo and bfifo. What the line leaves out is Linux's
    default; what red computes from the rate where the line has no `bandwidth` is that of `link`.

    >>> import earlydrop
    >>> earlydrop.from_tc("tc qdisc add dev eth0 root fq_codel target 2ms quantum 300")
    'fq-codel:as=linux,bypass=on,target=2000us,quantum=300bytes'
    >>> earlydrop.from_tc("tc qdisc add dev eth0 root red limit 400kb min 30kb max 90kb avpkt 1000")
    'red:...'
    """
    if re.search(r"\bred\b", line):
        return explain(line, tool="linux", link=link).scheme
    return _lib.scheme_of_qdisc(line)


@dataclass(frozen=True)
class Lost:
    """A knob that a tool does not have."""

    knob: str
    before: str
    after: str
    why: str


@dataclass(frozen=True)
class Translated:
    """A configuration in a tool's syntax."""

    text: str
    notes: list[str]
    lost: list[Lost]
    max_p: float
    #: The long-run share of packets signalled just below max.
    signals_at_max: float
    prediction: Prediction

    @classmethod
    def _of(cls, document: Document) -> Translated:
        effect = document["comes_to"]
        lost = [Lost(one["knob"], one["from"], one["to"], one["why"]) for one in document["lost"]]
        return cls(
            text=document["text"],
            notes=document["notes"],
            lost=lost,
            max_p=effect["max_p"],
            signals_at_max=effect["told_at_max"],
            prediction=Prediction._of(effect["prediction"]),
        )


@dataclass(frozen=True, repr=False)
class Translation(Answer):
    """A configuration in other tools' syntax: the answer of `translate`."""

    #: The tool of the configuration that was given.
    tool: str
    #: What is predicted of the configuration that was given.
    prediction: Prediction
    #: By tool, with max_p adapted so that it signals as often.
    proposed: dict[str, Translated]
    #: By tool, with the numbers copied.
    word_for_word: dict[str, Translated]

    @classmethod
    def _of(cls, document: Document) -> Translation:
        to = document["to"]
        return cls(
            _document=document,
            tool=document["from"],
            prediction=Prediction._of(document["comes_to"]["prediction"]),
            proposed={one["tool"]: Translated._of(one["proposed"]) for one in to},
            word_for_word={one["tool"]: Translated._of(one["word_for_word"]) for one in to},
        )

    @property
    def text(self) -> str:
        """The proposed configurations, ready to paste."""
        return "\n\n".join(one.text for one in self.proposed.values())

    def _title(self) -> str:
        return self.text

    def _tables(self) -> Iterable[TextTable]:
        for tool, one in self.proposed.items():
            notes = [[note] for note in one.notes]
            yield TextTable([f"notes for {tool}"], notes)
            lost = [[lost.knob, lost.before, lost.after, lost.why] for lost in one.lost]
            yield TextTable([f"not carried over to {tool}", "was", "is", "why"], lost)
        rows = [[f"{self.tool}, as given", *self.prediction._cells()]]
        for variant, all_of_it in [
            ("as proposed", self.proposed),
            ("word for word", self.word_for_word),
        ]:
            rows += [[f"{t}, {variant}", *one.prediction._cells()] for t, one in all_of_it.items()]
        yield TextTable(["", *_PREDICTED], rows, "Predicted")


def translate(
    configuration: str | os.PathLike[str],
    to: str | Iterable[str],
    *,
    tool: str | None = None,
    link: Value | None = None,
    rtt: Value | None = None,
    flows: Value | None = None,
    packet: Value | None = None,
    tcp: str | None = None,
    ecn: bool | str | None = None,
) -> Translation:
    """Translates a configuration of RED to other tools, as `earlydrop translate` does.

    `to` is a tool, a list of tools, or "all"; `tool` names that of the configuration, where its
    syntax is ambiguous.

    >>> import earlydrop
    >>> answer = earlydrop.translate("red:min=20,max=60,max_p=0.1", to=["linux", "ns3"])
    >>> print(answer.proposed["linux"].text)
    tc qdisc add dev ... red ...
    >>> [lost.knob for lost in answer.proposed["ns3"].lost]
    [...]
    """
    listed = to if isinstance(to, str) else ",".join(to)
    load = _load(link, rtt, flows, packet, tcp, ecn)
    document = _lib.translate(os.fspath(configuration), tool, listed, load)
    return Translation._of(json.loads(document))
