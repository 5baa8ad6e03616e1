"""The queue with batch arrivals, M^X/M/1/K, solved exactly."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _lib
from ._document import Answer, Document, TextTable, number, percent, texts
from .options import takes
from .values import Value

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, repr=False)
class BatchQueue(Answer):
    """A queue of batches with its solution: the answer of `queue`."""

    #: The offered load: packets offered over packets that can be sent.
    rho: float
    #: K, the largest number of packets, the one in service included.
    buffer: int
    #: The mean number of packets.
    mean_queue: float
    #: The share of time in which the queue is empty, and full.
    empty: float
    full: float
    #: The share of packets that are rejected.
    loss: float
    #: The share of time in which a packet is sent.
    utilisation: float
    #: By how many packets the mean queue grows with each unit of load.
    sensitivity: float
    #: The number of packets that is not exceeded for a share of time.
    quantiles: dict[float, int]
    #: The probabilities of the numbers of packets that were asked for.
    at: dict[int, float]

    @classmethod
    def _of(cls, document: Document) -> BatchQueue:
        same = [
            *("rho", "buffer", "mean_queue", "empty", "full"),
            *("loss", "utilisation", "sensitivity"),
        ]
        return cls(
            document,
            **{name: document[name] for name in same},
            quantiles={one["share"]: one["packets"] for one in document["quantiles"]},
            at={one["packets"]: one["probability"] for one in document["at"]},
        )

    @property
    def distribution(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """The first and last numbers of packets of at most 200 bins, and their probabilities."""
        import numpy as np

        bins = self._document["distribution"]
        first, last = (np.array([one[end] for one in bins]) for end in ("from", "to"))
        return first, last, np.array([one["probability"] for one in bins])

    def _title(self) -> str:
        return f"M^X/M/1/{self.buffer} at a load of {number(self.rho)}"

    def _tables(self) -> Iterable[TextTable]:
        yield TextTable(
            ["mean queue", *(f"{share:.4g} quantile" for share in self.quantiles), "lost", "used"],
            [
                [
                    number(self.mean_queue, "packets"),
                    *(str(packets) for packets in self.quantiles.values()),
                    percent(self.loss),
                    percent(self.utilisation),
                ]
            ],
        )
        rows = [[str(packets), number(share)] for packets, share in self.at.items()]
        yield TextTable(["packets", "probability"], rows)


@takes(command="queue", at="numbers of packets whose probabilities are wanted")
def batch_queue(
    *,
    buffer: int,
    rho: float | None = None,
    lambda_: float | None = None,
    mu: float = 1.0,
    batch: str | int | Mapping[int, float] = 1,
    reject: str = "partial",
    method: str = "exact",
    at: Iterable[int] = (),
) -> BatchQueue:
    """Solves the queue M^X/M/1/K, as `earlydrop queue` does: a router without early drops.

    Batches arrive as a Poisson process of rate `lambda_`, or of the rate that offers the load
    `rho`; packets are sent one by one, at the rate `mu`. `batch` is the number of packets in a
    batch, or its distribution: {1: 0.5, 2: 0.3, 3: 0.2}, "geometric:0.75", "normal:4,4,8" (mean,
    variance, largest). `buffer` is K. Of a batch that does not fit, what does not fit is rejected
    ("partial") or all of it ("whole"). `at` asks for the probabilities of numbers of packets.

    >>> import earlydrop
    >>> sizes = {1: 0.5, 2: 0.3, 3: 0.2}
    >>> solved = earlydrop.batch_queue(rho=0.9, batch=sizes, buffer=50, at=range(51))
    >>> round(solved.mean_queue, 2), round(sum(solved.at.values()), 9)
    (12.17, 1.0)
    """
    if isinstance(batch, Mapping):
        law = ",".join(f"{packets}:{weight!r}" for packets, weight in batch.items())
    else:
        law = f"fixed:{batch}" if isinstance(batch, int) else batch
    options: dict[str, Value | None] = {
        "buffer": buffer,
        "rho": rho,
        "lambda": lambda_,
        "mu": mu,
        "batch": law,
        "reject": reject,
        "method": method,
    }
    if (rho is None) == (lambda_ is None):
        from .errors import ArgumentError

        raise ArgumentError("batch_queue() takes one of rho= and lambda_=")
    return BatchQueue._of(json.loads(_lib.queue(texts(options), list(at))))
