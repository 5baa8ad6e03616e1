"""What the model predicts of a queue, and the load that it predicts it for."""

from __future__ import annotations

from dataclasses import dataclass

from ._document import Document, number, percent, texts
from .values import Value


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


#: The names of the cells of a prediction.
PREDICTED = ["queue", "delay", "lost", "marked", "utilisation"]


@dataclass(frozen=True)
class Doubt:
    """Why a prediction may be wrong here."""

    name: str
    meaning: str


def load_options(
    link: Value | None,
    rtt: Value | None,
    flows: Value | None,
    packet: Value | None,
    tcp: str | None,
    ecn: bool | str | None,
) -> dict[str, str]:
    """The options of a load that are given, as text."""
    given = {"link": link, "rtt": rtt, "flows": flows, "packet": packet, "tcp": tcp}
    return texts({**given, "ecn": ecn_text(ecn)})


def ecn_text(ecn: bool | str | None) -> str | None:
    """The option `ecn` as text."""
    return {True: "on", False: "off"}[ecn] if isinstance(ecn, bool) else ecn
