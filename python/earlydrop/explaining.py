"""What other tools' configurations mean on a link, and which schemes simulate them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import _lib
from ._document import Answer, Document, TextTable, columns, number, texts
from .errors import ArgumentError
from .options import takes
from .prediction import PREDICTED, Doubt, Prediction, load_options
from .values import Value

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray


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
    #: Where 8 of 10 simulations measured, if this was predicted: seconds and shares. Empty outside
    #: of what was simulated.
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
            for name, (low, high) in (document["measured"] or {}).items()
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
        return columns(points)

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
        yield TextTable(["", *PREDICTED], predicted, "Predicted")
        found = [[one.severity, one.what, one.change, one.source] for one in self.findings]
        yield TextTable(["severity", "finding", "change", "source"], found, "Findings")
        if self.fix is not None:
            changes = [[c.parameter, c.before, c.after, c.reason] for c in self.fix.changes]
            yield TextTable(["parameter", "from", "to", "reason"], changes, self.fix.text)


def _on_link(setting: Setting) -> str:
    if setting.packets is None or setting.seconds is None:
        return ""
    return f"{number(setting.packets, 'packets')}, {number(setting.seconds, 'ms', 1e3)}"


@takes(command="explain")
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
    class_: str | None = None,
    profile: str | None = None,
    queue: str | None = None,
    buffer: Value | None = None,
) -> Explanation:
    """Explains another tool's configuration of RED, as `earlydrop explain` does.

    The configuration is text in the tool's syntax, or a file with it: Linux tc, ns-2, ns-3, DPDK,
    Cisco, Junos, SONiC, INET and others. `fix=True` corrects it. Where it has several classes,
    profiles or queues, `class_`, `profile` or `queue` names one; `buffer` is the one that the
    tool configures elsewhere or has percentages of.

    >>> import earlydrop
    >>> line = "tc qdisc add dev eth0 root red limit 400000 min 30000 max 90000 avpkt 1000"
    >>> answer = earlydrop.explain(line, link="10 Mbps", fix=True)
    >>> answer.tool, [finding.rule for finding in answer.findings][:1]
    ('linux', [...])
    >>> print(answer.fix.text)
    tc qdisc add dev eth0 root red ...
    """
    load = load_options(link, rtt, flows, packet, tcp, ecn)
    load |= texts({"class": class_, "profile": profile, "queue": queue, "buffer": buffer})
    return Explanation._of(json.loads(_lib.explain(os.fspath(configuration), tool, fix, load)))


@takes(command="explain", line="a line of Linux's tc")
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
