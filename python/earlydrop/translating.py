"""Configurations of RED in other tools' syntax."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass

from . import _lib
from ._document import Answer, Document, TextTable, texts
from .explaining import from_tc
from .options import takes
from .prediction import PREDICTED, Prediction, load_options
from .values import Value


@dataclass(frozen=True)
class Lost:
    """A knob that a tool does not have."""

    knob: str
    before: str
    after: str
    #: Empty where the tool simply has no such knob.
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
            signals_at_max=effect["signals_at_max"],
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
        yield TextTable(["", *PREDICTED], rows, "Predicted")


@takes(command="translate")
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
    class_: str | None = None,
    profile: str | None = None,
    queue: str | None = None,
    buffer: Value | None = None,
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
    load = load_options(link, rtt, flows, packet, tcp, ecn)
    load |= texts({"class": class_, "profile": profile, "queue": queue, "buffer": buffer})
    document = _lib.translate(os.fspath(configuration), tool, listed, load)
    return Translation._of(json.loads(document))


@dataclass(frozen=True)
class TcLine:
    """A scheme as a line of Linux's tc."""

    text: str
    #: The scheme that the line sets, as `compare` takes it: as Linux runs it.
    runs: str
    #: What the line cannot set.
    lost: list[Lost]

    def __str__(self) -> str:
        return self.text


@takes(command="translate", scheme='a scheme with its parameters: "fq-codel:limit=200"')
def to_tc(scheme: str, *, link: Value | None = None) -> TcLine:
    """The line of Linux's tc that sets a scheme: the reverse of `from_tc`.

    Where Linux's discipline is another one, `lost` says what the line leaves out, and `runs` is the
    scheme that it sets. RED's max_p is adapted as `translate` does, so that RED signals as often.

    >>> import earlydrop
    >>> line = earlydrop.to_tc("fq-codel:limit=200,target=2ms")
    >>> print(line)
    tc qdisc add dev eth0 root fq_codel ...
    >>> earlydrop.from_tc(line.text) == line.runs
    True
    """
    document = _lib.tc_of_scheme(scheme, texts({"link": link}))
    if document is None:
        of_red = translate(scheme, "linux", tool="earlydrop", link=link).proposed["linux"]
        return TcLine(of_red.text, from_tc(of_red.text, link=link), of_red.lost)
    [line] = json.loads(document)["to"]
    lost = [Lost(one["knob"], one["from"], one["to"], why="") for one in line["lost"]]
    return TcLine(line["text"], line["runs"], lost)
