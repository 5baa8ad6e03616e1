"""Judge a queue of yours by conformance vectors: packets in, each one's fate out.

A class is judged, whose instances are queues:

>>> class Fifo:
...     def __init__(self, vector):
...         if vector["scheme"] != "droptail":
...             raise NotImplementedError(vector["scheme"])
...         self.limit = vector["parameters"]["limit"]["value"]
...         self.waiting = []
...     def enqueue(self, now, packet, call):
...         if len(self.waiting) >= self.limit:
...             return "dropped"
...         self.waiting.append(packet)
...         return "queued"
...     def dequeue(self, now, call):
...         return self.waiting.pop(0) if self.waiting else None

``vector`` is the header of a vector: scheme, link_bps, parameters in base units, and what it is
about. ``now`` is in nanoseconds. A packet is a dictionary with id, size, flow and ecn ("not",
"ect0", "ect1", "ce"). ``enqueue`` returns "queued", "marked" or "dropped"; ``dequeue`` returns the
packet that is sent, or None. ``call.random()`` is the next random number in [0, 1),
``call.lost(packet)`` says that another packet is dropped. A method ``state()``, where there is one,
returns the queue's own values by name.

The judge is the program `earlydrop` of ``cargo install``. It has the vectors; this package has not.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["Call", "Difference", "Report", "Suspect", "judge"]

#: Passes lines between the judge and this process, whose end of a socket it inherits.
_RELAY = """
import socket, sys
lines = socket.socket(fileno=int(sys.argv[1])).makefile("rw")
for line in sys.stdin:
    lines.write(line)
    lines.flush()
    if not (answer := lines.readline()):
        break
    print(answer, end="", flush=True)
"""


@dataclass
class Call:
    """What a call brings besides the packet, and what it leaves."""

    #: The random numbers of 32 bits that the reference draws.
    draws: list[int]
    #: How many were drawn.
    drawn: int = 0
    #: The numbers of the packets, other than the one that arrives, that were dropped.
    dropped: list[int] = field(default_factory=list)

    def next_u32(self) -> int:
        """The next random number of 32 bits; 0 where the reference draws no more."""
        number = self.draws[self.drawn] if self.drawn < len(self.draws) else 0
        self.drawn += 1
        return number

    def random(self) -> float:
        """The next random number in [0, 1)."""
        return self.next_u32() / 2**32

    def lost(self, packet: dict[str, Any]) -> None:
        """Says that a packet that waits is dropped."""
        self.dropped.append(packet["id"])


@dataclass(frozen=True)
class Difference:
    """The first step at which the queue leaves a vector."""

    vector: str
    step: int
    #: When, in nanoseconds.
    t: int
    expected: str
    found: str
    #: The faults that the vector exposes.
    exposes: list[str]


@dataclass(frozen=True)
class Suspect:
    """A fault that would explain differences."""

    fault: str
    what: str
    #: The vectors that expose it: those that were failed, and all.
    failed: int
    vectors: int


@dataclass(frozen=True)
class Report:
    """What the vectors say of a queue; true where it passes."""

    differences: list[Difference]
    #: The likeliest fault first.
    suspects: list[Suspect]
    #: The vectors that the queue has not got the scheme for.
    skipped: list[str]

    def __bool__(self) -> bool:
        return not self.differences

    def __str__(self) -> str:
        lines = [
            f"{one.vector}, step {one.step}: expected {one.expected}, found {one.found}"
            for one in self.differences
        ]
        lines += [
            f"{suspect.fault} ({suspect.failed} of {suspect.vectors} vectors): {suspect.what}"
            for suspect in self.suspects
        ]
        return "\n".join(lines or ["every vector passed"])


def judge(queue: Any, scheme: str | None = None, *, program: str | None = None) -> Report:
    """Judges the class `queue` by the vectors of `scheme` ("codel", "red,ared"), or by all.

    `program` is the path of `earlydrop` of ``cargo install``; without it, it is looked for on the
    path and in ``~/.cargo/bin``.
    """
    ours, theirs = socket.socketpair()
    with ours, theirs:
        relay = [sys.executable, "-c", _RELAY, str(theirs.fileno())]
        schemes = [f"--scheme={scheme}"] if scheme else []
        command = [program or _program(), "conformance", "--json", *schemes, "--", *relay]
        run = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            pass_fds=[theirs.fileno()],
        )
        theirs.close()
        output: list[str] = []
        reader = threading.Thread(target=lambda: output.extend(run.communicate()))
        reader.start()
        try:
            _answer(queue, ours)
        finally:
            ours.close()
            reader.join()
    if not output[0].strip():
        raise RuntimeError(output[1].strip() or f"{command[0]} conformance printed nothing")
    found = json.loads(output[0])
    return Report(
        [Difference(**one) for one in found["differences"]],
        [Suspect(**one) for one in found["suspects"]],
        found["skipped"],
    )


def _program() -> str:
    """The first `earlydrop` that has conformance vectors."""
    here = shutil.which("earlydrop")
    candidates = [here] if here else []
    candidates.append(str(Path.home() / ".cargo" / "bin" / "earlydrop"))
    for candidate in candidates:
        if Path(candidate).exists():
            listed = [candidate, "conformance", "--scheme=droptail"]
            tried = subprocess.run(listed, capture_output=True, check=False)
            if tried.returncode == 0:
                return candidate
    raise FileNotFoundError(
        f"no earlydrop with conformance vectors in {', '.join(candidates)}: "
        "cargo install --path crates/earlydrop-cli, or program=PATH"
    )


def _answer(make: Any, connection: socket.socket) -> None:
    """Answers the judge's lines until there are no more."""
    queue: Any = None
    with connection.makefile("rw") as lines:
        while line := lines.readline():
            asked = json.loads(line)
            if "vector" in asked:
                try:
                    queue = make(asked)
                    answer: dict[str, Any] = {"ready": True}
                except NotImplementedError:
                    answer = {"ready": False}
            else:
                answer = _call(queue, asked)
            lines.write(json.dumps(answer) + "\n")
            lines.flush()


def _call(queue: Any, asked: dict[str, Any]) -> dict[str, Any]:
    """Makes a call of the queue."""
    call = Call(asked.get("draws", []))
    answer: dict[str, Any] = {}
    if "enqueue" in asked:
        packet = {"ecn": "not", **asked["enqueue"]}
        answer["fate"] = queue.enqueue(asked["t"], packet, call)
    elif (sent := queue.dequeue(asked["t"], call)) is not None:
        answer["sent"] = {"id": sent["id"], "ecn": sent["ecn"]}
    answer.update(lost=call.dropped, drawn=call.drawn)
    if hasattr(queue, "state"):
        answer["state"] = queue.state()
    return answer
