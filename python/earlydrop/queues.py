"""A queue driven with one's own packets and clock."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _lib
from ._lib import Departure
from .errors import ArgumentError
from .options import takes
from .python_scheme import Scheme, SchemeLike, classes_of, known, natives, spec_of
from .values import Value, text


class Fate(enum.IntEnum):
    """What became of a packet. Drops have the names of `earlydrop export`'s columns."""

    KEPT = 0
    """It joined the queue, or was sent."""
    MARKED = 1
    """It joined the queue, or was sent, with an ECN mark."""
    EARLY = 2
    """The scheme dropped it on arrival."""
    FORCED = 3
    """The buffer was full."""
    POLICY = 4
    """A rule about its flow dropped it."""
    DEQUEUE = 5
    """The scheme dropped it on departure."""

    @property
    def is_drop(self) -> bool:
        """Whether it was dropped."""
        return self >= Fate.EARLY


@dataclass(frozen=True)
class Tally:
    """A number of packets, and of their bytes."""

    packets: int
    bytes: int


@dataclass(frozen=True)
class Replay:
    """Recorded packets after their way through a queue and its link."""

    fates: npt.NDArray[np.uint8]
    """The `Fate` of each packet."""
    began: npt.NDArray[np.float64]
    """When each packet's transmission began, in seconds; NaN for a packet that was dropped."""
    sojourn: npt.NDArray[np.float64]
    """How long each packet waited, in seconds; NaN for a packet that was dropped."""

    def count(self, fate: Fate) -> int:
        """The number of packets with this fate."""
        return int(np.count_nonzero(self.fates == fate))


class Queue:
    """A queue under any scheme, driven with one's own packets and clock.

    It is the simulator's queue. Time is in seconds from 0 and does not run backwards. Call
    `dequeue` when the link is free.

    >>> import earlydrop
    >>> queue = earlydrop.Queue("red:min=5,max=15,weight=1", rate="10 Mbps", seed=1)
    >>> fates = [queue.enqueue(0.001 * n, size=1500, packet=n) for n in range(20)]
    >>> fates.count(earlydrop.Fate.EARLY), queue.packets
    (5, 15)
    >>> queue.dequeue(0.02).packet
    0
    >>> queue.probes()["average"]
    15.0

    `earlydrop queue` of the command is another thing: it solves a model of a queue.
    """

    @takes(
        scheme='the scheme: "red:min=5,max=15", a class or an object of one',
        rate='the rate of the link behind the queue: "10 Mbps", or bits per second',
        mean_packet="the mean packet size in bytes, for schemes that count in packets",
        seed="seeds the queue's random numbers",
    )
    def __init__(
        self,
        scheme: SchemeLike = "droptail",
        *,
        rate: Value,
        mean_packet: int = 1000,
        seed: int = 1,
    ) -> None:
        own: dict[str, type[Scheme]] = known() | classes_of([scheme])
        bps = text(rate, "bps")
        self._made = (scheme, bps, mean_packet, seed)
        try:
            self._native = _lib.Queue(spec_of(scheme), bps, mean_packet, seed, natives(own))
        except OverflowError:
            text_ = f"mean_packet={mean_packet}, seed={seed}: allowed: whole numbers from 0 on"
            raise ArgumentError(text_) from None

    def __copy__(self) -> Queue:
        copy = Queue.__new__(Queue)
        copy._made, copy._native = self._made, self._native.copied()
        return copy

    def __deepcopy__(self, memo: object) -> Queue:
        """A queue in the same state: it has the same future. Packets carry the same objects."""
        return self.__copy__()

    def __reduce__(self) -> tuple[Any, ...]:
        if not self._native.is_new:
            raise TypeError(
                "a queue that has been used cannot be pickled: send what it was made of, or copy "
                "it in this process (copy.copy)"
            )
        return (_remade, self._made)

    def enqueue(
        self,
        now: float,
        size: int = 1500,
        flow: int = 0,
        ecn: bool | int = False,
        packet: object = None,
    ) -> Fate:
        """Puts a packet of `size` bytes into the queue, and returns its fate.

        `ecn` is whether it may be marked, or its codepoint: 1 for ECT(1), 2 for ECT(0), 3 for CE.
        `packet` is any object; `dequeue` returns it.
        """
        try:
            return Fate(self._native.enqueue(now, size, flow, _codepoint(ecn), packet))
        except OverflowError:
            given = f"size={size}, flow={flow}, ecn={ecn}"
            raise ArgumentError(
                f"{given}: allowed: a size from 0 to 4294967295 bytes, a flow from 0 on, "
                "and an ECN codepoint from 0 to 3"
            ) from None

    def dequeue(self, now: float) -> Departure | None:
        """Takes the next packet to send; `None` when the queue is empty."""
        return self._native.dequeue(now)

    def take_lost(self) -> list[tuple[Any, Fate]]:
        """The objects of packets that were dropped after `enqueue` had accepted them, since the
        last call: by CoDel on departure, by CHOKe, by FQ-CoDel in the longest queue.
        """
        return [(packet, Fate(fate)) for packet, fate in self._native.take_lost()]

    @property
    def packets(self) -> int:
        """The packets that wait."""
        return self._native.packets

    @property
    def bytes(self) -> int:
        """The bytes that wait."""
        return self._native.bytes

    @property
    def now(self) -> float:
        """The time of the last call, in seconds."""
        return self._native.now

    def __len__(self) -> int:
        return self._native.packets

    def probes(self, now: float | None = None) -> dict[str, float]:
        """The scheme's state by name, brought up to `now` where it is given."""
        return self._native.probes(now)

    @property
    def counters(self) -> dict[str, Tally]:
        """Packets and bytes that arrived, departed, were marked, and were dropped by reason."""
        counted = self._native.counters()
        return {name: Tally(packets, bytes_) for name, packets, bytes_ in counted}

    def replay(
        self,
        times: npt.ArrayLike,
        sizes: npt.ArrayLike = 1500,
        flows: npt.ArrayLike = 0,
        ecn: npt.ArrayLike = False,
    ) -> Replay:
        """Sends recorded packets through a new queue of this kind and a link of its rate.

        A link that becomes free at the moment of an arrival first takes the next packet, as in
        the simulator. This queue stays as it is.

        >>> import earlydrop
        >>> queue = earlydrop.Queue("droptail:limit=3", rate="12 Mbps")
        >>> replay = queue.replay([0, 0, 0, 0, 0, 0.001], sizes=1500)
        >>> replay.count(earlydrop.Fate.FORCED)
        1
        >>> replay.began.tolist()
        [0.0, 0.001, 0.002, 0.003, nan, 0.004]
        """
        arrived = np.ascontiguousarray(times, dtype=np.float64)
        shape = arrived.shape
        bits = np.asarray(ecn)
        bits = np.where(bits, 2, 0) if bits.dtype == np.bool_ else bits
        columns = [
            np.ascontiguousarray(np.broadcast_to(np.asarray(column), shape), dtype=kind).tobytes()
            for column, kind in [(sizes, np.uint32), (flows, np.uint64), (bits, np.uint8)]
        ]
        fates, began = self._native.replay(arrived.tobytes(), *columns)
        starts = np.frombuffer(began, dtype=np.float64)
        return Replay(np.frombuffer(fates, dtype=np.uint8), starts, starts - arrived)

    def __repr__(self) -> str:
        return repr(self._native)


def _remade(scheme: SchemeLike, rate: str, mean_packet: int, seed: int) -> Queue:
    """The queue of another process, before its first packet."""
    return Queue(scheme, rate=rate, mean_packet=mean_packet, seed=seed)


def _codepoint(ecn: bool | int) -> int:
    """The ECN bits on the wire."""
    if isinstance(ecn, (bool, np.bool_)):
        return 2 if ecn else 0
    return ecn
