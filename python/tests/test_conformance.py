"""A queue in Python is judged by the program's vectors."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Any

import pytest

from earlydrop import conformance


class Red:
    """RED without marks or idle time, whose average includes the packet that arrives: a fault."""

    own = 1

    def __init__(self, vector: dict[str, Any]) -> None:
        if vector["vector"] not in ("red/average", "red/idle"):
            raise NotImplementedError(vector["vector"])
        given = vector["parameters"]
        self.weight, self.max = given["weight"], given["max"]["value"]
        self.waiting: deque[dict[str, Any]] = deque()
        self.average = 0.0

    def enqueue(self, _now: int, packet: dict[str, Any], _call: conformance.Call) -> str:
        self.average += self.weight * (len(self.waiting) + self.own - self.average)
        if self.average >= self.max:
            return "dropped"
        self.waiting.append(packet)
        return "queued"

    def dequeue(self, _now: int, _call: conformance.Call) -> dict[str, Any] | None:
        return self.waiting.popleft() if self.waiting else None

    def state(self) -> dict[str, float]:
        return {"average": self.average}


class Fifo:
    """Drop-tail whose buffer holds `more` packets than its limit."""

    more = 0

    def __init__(self, vector: dict[str, Any]) -> None:
        if vector["vector"] != "droptail/packets":
            raise NotImplementedError(vector["vector"])
        self.limit = vector["parameters"]["limit"]["value"] + self.more
        self.waiting: list[dict[str, Any]] = []

    def enqueue(self, _now: int, packet: dict[str, Any], _call: conformance.Call) -> str:
        if len(self.waiting) >= self.limit:
            return "dropped"
        self.waiting.append(packet)
        return "queued"

    def dequeue(self, _now: int, _call: conformance.Call) -> dict[str, Any] | None:
        return self.waiting.pop(0) if self.waiting else None


class Larger(Fifo):
    """The fault: a buffer of n packets holds n + 1."""

    more = 1


@pytest.fixture(scope="module")
def program() -> str:
    """An `earlydrop` with conformance vectors."""
    built = Path(__file__).parents[2] / "target" / "debug" / "earlydrop"
    if built.exists():
        return str(built)
    try:
        return conformance._program()
    except FileNotFoundError as missing:
        pytest.skip(f"queues in Python are not judged: {missing}")


def test_a_fault_is_named(program: str) -> None:
    report = conformance.judge(Red, "red", program=program)
    assert not report
    assert "average-of-wrong-time" in [suspect.fault for suspect in report.suspects]
    assert "expected average" in str(report)


def test_a_fault_of_a_fifo_is_named_and_without_it_the_vector_is_passed(program: str) -> None:
    assert conformance.judge(Fifo, "droptail", program=program)
    report = conformance.judge(Larger, "droptail", program=program)
    assert report.suspects[0].fault == "limit-off-by-one"


def test_a_class_that_fails_says_where(program: str) -> None:
    class Broken(Fifo):
        def dequeue(self, _now: int, _call: conformance.Call) -> dict[str, Any] | None:
            raise LookupError("no packet")

    with pytest.raises(LookupError, match="no packet"):
        conformance.judge(Broken, "droptail", program=program)


def test_without_a_program_it_is_said() -> None:
    with pytest.raises(FileNotFoundError):
        conformance.judge(Fifo, program="/no/such/earlydrop")
