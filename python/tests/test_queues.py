"""Curves of one's own, and queues driven from Python."""

import csv
import math
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import earlydrop

#: The command, where it is installed with the package.
COMMAND = shutil.which("earlydrop", path=str(Path(sys.executable).parent))


class Ramp(earlydrop.Scheme):
    """Drops in proportion to the queue, and what has waited for long."""

    def on_arrival(self, packet, queue, random):
        return random() < 0.01 * queue.packets

    def on_departure(self, packet, queue, random):
        return packet.sojourn > 0.03 and random() < 0.1


class Broken(earlydrop.Scheme):
    """Fails at its hundredth packet."""

    seen = 0

    def on_arrival(self, packet, queue, random):
        self.seen += 1
        return None if self.seen == 100 else False


def verdicts(spec: str) -> list[earlydrop.Fate]:
    """What a queue answers to bursts that come and go."""
    queue = earlydrop.Queue(spec, rate="10 Mbps", seed=7)
    fates = []
    for n in range(20_000):
        now = n * 4e-4
        fates.append(queue.enqueue(now))
        if n % 10 < (9 if n // 2000 % 2 else 11) and n % 13:
            queue.dequeue(now)
    return fates


@pytest.mark.parametrize(
    ("shape", "by_hand"),
    [
        ({"shape": "0.1 * ((avg - 5) / 10) ** 2", "start": 5, "to": 15}, "5: 0 0 0.001; 15: 1"),
        ({"shape": lambda avg: 0.1 * ((avg - 5) / 10) ** 3, "start": 5, "to": 15},
         "5: 0 0 0 0.0001; 15: 1"),
        ({"shape": [(5, 0), (15, 0.1)]}, "5: 0 0.01; 15: 1"),
        ({"shape": np.array([[5, 0], [10, 0.05], [15, 0.1], [20, 1]])},
         "5: 0 0.01; 15: 0.1 0.18; 20: 1"),
        ({"shape": "0.02", "start": 3, "to": 12, "above": 0.2}, "3: 0.02; 12: 0.2"),
    ],
)  # fmt: skip
def test_a_curve_gives_the_verdicts_of_the_one_written_by_hand(shape, by_hand) -> None:
    curve = earlydrop.curve(**shape, weight=0.01, limit="40 packets")
    hand = f"red:curve=numbers,segments={by_hand},weight=0.01,limit=40 packets"
    assert curve.max_error < 1e-15
    fates = verdicts(curve)
    assert fates == verdicts(hand)
    assert fates.count(earlydrop.Fate.EARLY) > 20


def test_a_fitted_curve_says_how_far_it_is_off() -> None:
    def wanted(avg: float) -> float:
        return 0.2 / (1 + math.exp(-(avg - 20) / 2))

    curve = earlydrop.curve(wanted, start=5, to=40)
    averages = np.linspace(5, 39.999, 50_000)
    off = np.abs(curve.probability(averages) - [wanted(avg) for avg in averages])
    assert off.max() < 1.1 * curve.max_error < 1e-3
    assert earlydrop.Scenario(schemes={"logistic": curve}).schemes == ["logistic"]
    # Many points are fitted, too, and what cannot be is refused.
    grid = np.linspace(5, 40, 200)
    many = earlydrop.curve(np.column_stack([grid, [wanted(avg) for avg in grid]]))
    assert np.abs(many.probability(averages) - curve.probability(averages)).max() < 2e-3
    teeth = [(float(n), 0.1 * (n % 2)) for n in range(5, 60)]
    with pytest.raises(earlydrop.ArgumentError, match=r"differ by up to 0\.\d+: .*tolerance="):
        earlydrop.curve(teeth)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"shape": "0.1 * av", "start": 5, "to": 15}, "'av' is not allowed; an expression has avg"),
        ({"shape": "__import__('os')", "start": 5, "to": 15}, "is not allowed"),
        ({"shape": "0.1 *", "start": 5, "to": 15}, "invalid syntax"),
        ({"shape": "0.1 * avg", "start": 5, "to": 15}, r"avg = 10\.\d+ is 1\.\d+; allowed: prob"),
        ({"shape": "9**9**9**9", "start": 5, "to": 15}, "the result is too large"),
        ({"shape": "(((avg**9)**9)**9)**9", "start": 5, "to": 15}, "is too large|allowed: prob"),
        ({"shape": "1 / (avg - 5)", "start": 5, "to": 15}, r"at avg = 5: .*division by zero"),
        ({"shape": "1" * 500, "start": 5, "to": 15}, "a number is too large"),
        ({"shape": "(" * 300 + "avg" + ")" * 300, "start": 5, "to": 15}, "too many nested|deep"),
        ({"shape": "+".join(["avg"] * 400), "start": 5, "to": 15}, "allowed: at most 1000"),
        ({"shape": "0.1"}, "a function needs the averages between which it holds"),
        ({"shape": [(5, 0), (5, 1)]}, "averages must be at least 0 and rise"),
        ({"shape": [(5, 0), (9, 1.5)]}, r"points\[1\]: a probability is from 0 to 1, not 1\.5"),
        ({"shape": [5, 6]}, r"not of shape \(2,\)"),
        ({"shape": lambda avg: None, "start": 5, "to": 15}, "is None, not a number"),
    ],
)
def test_wrong_curves_are_refused(arguments, message) -> None:
    with pytest.raises(earlydrop.ArgumentError, match=message):
        earlydrop.curve(**arguments)


def test_a_queue_driven_step_by_step_is_the_replayed_one() -> None:
    generator = np.random.default_rng(1)
    times = np.cumsum(generator.exponential(1.4e-3, 5000)).round(6)
    sizes = generator.integers(40, 1500, 5000)
    flows = generator.integers(0, 20, 5000)
    ecn = generator.integers(0, 2, 5000) == 1
    for spec in ["red:min=5,max=15,weight=0.01", "codel:target=5 ms", "fq-codel", Ramp]:
        queue = earlydrop.Queue(spec, rate="4 Mbps", seed=3)
        replay = queue.replay(times, sizes, flows, ecn)
        wire = Wire(queue)
        for n, now in enumerate(times.tolist()):
            wire.send_until(now)
            wire.fates[n] = queue.enqueue(now, sizes[n], flows[n], ecn[n], packet=n)
            wire.hear_of_packets(now)
        wire.send_until(math.inf)
        assert [wire.fates[n] for n in range(5000)] == replay.fates.tolist()
        expected = [wire.began.get(n, math.nan) for n in range(5000)]
        np.testing.assert_array_equal(replay.began, expected)
        drops = sum(fate.is_drop for fate in wire.fates.values())
        assert np.isnan(replay.began).sum() == drops > 0
        counted = queue.counters
        assert sum(counted[name].packets for name in ["early", "forced", "dequeue"]) == drops


def seed_of_queue(seed: int) -> int:
    """The seed of the first link's queue in a run: SplitMix64's finaliser, with the purpose 1."""
    x = seed ^ 1
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
    return x ^ (x >> 31)


@pytest.mark.skipif(COMMAND is None, reason="the command is not installed")
def test_a_replayed_queue_does_what_it_did_in_the_simulator(tmp_path: Path) -> None:
    arguments = ["--schemes", "red:min=5,max=15", "--duration", "4s", "--packets", "packets.csv"]
    ran = subprocess.run(
        [str(COMMAND), "trace", *arguments], cwd=tmp_path, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    with (tmp_path / "packets.csv").open() as file:
        packets = list(csv.DictReader(file))
    arrived = [row for row in packets if row["event"] != "departed"]
    fates = {"": earlydrop.Fate.KEPT, "early": earlydrop.Fate.EARLY}
    queue = earlydrop.Queue(
        "red:min=5,max=15", rate="20 Mbps", seed=seed_of_queue(1), mean_packet=1500
    )
    replay = queue.replay(
        [float(row["time"]) for row in arrived],
        [int(row["size"]) for row in arrived],
        [int(row["flow"]) for row in arrived],
    )
    assert replay.fates.tolist() == [fates[row["reason"]] for row in arrived]
    assert replay.count(earlydrop.Fate.EARLY) > 100
    departed = [round(float(row["time"]) * 1e9) for row in packets if row["event"] == "departed"]
    began = np.rint(replay.began[~np.isnan(replay.began)] * 1e9)
    # The recording ends while packets wait.
    assert began[: len(departed)].tolist() == departed


class Wire:
    """A link of 4 Mbps: each byte takes 2,000 ns."""

    def __init__(self, queue: earlydrop.Queue) -> None:
        self.queue = queue
        self.free, self.is_idle = 0, True
        self.fates: dict[int, earlydrop.Fate] = {}
        self.began: dict[int, float] = {}

    def hear_of_packets(self, now: float) -> None:
        self.fates |= dict(self.queue.take_lost())
        if self.is_idle and self.queue.packets:
            self.is_idle = False
            self.free = max(self.free, round(now * 1e9))

    def send_until(self, end: float) -> None:
        while not self.is_idle and self.free <= end * 1e9 + 0.5:
            departure = self.queue.dequeue(self.free / 1e9)
            self.fates |= dict(self.queue.take_lost())
            if departure is None:
                self.is_idle = True
                return
            self.began[departure.packet] = self.free / 1e9
            if departure.marked:
                self.fates[departure.packet] = earlydrop.Fate.MARKED
            self.free += departure.size * 2000


def test_a_queues_counters_and_errors() -> None:
    queue = earlydrop.Queue("droptail:limit=2", rate="1 Mbps")
    fates = [queue.enqueue(0.1 * n, size=100) for n in range(3)]
    assert fates == [earlydrop.Fate.KEPT] * 2 + [earlydrop.Fate.FORCED]
    assert (queue.packets, queue.bytes, len(queue)) == (2, 200, 2)
    assert queue.counters["forced"] == earlydrop.Tally(1, 100)
    assert queue.counters["arrived"].packets == 3
    with pytest.raises(earlydrop.ArgumentError, match=r"time runs backwards; .* 0\.2 s"):
        queue.dequeue(0.1)
    with pytest.raises(earlydrop.ArgumentError, match="allowed: seconds from 0"):
        queue.dequeue(math.nan)
    with pytest.raises(earlydrop.ArgumentError, match="ecn=7: allowed"):
        queue.enqueue(1, ecn=7)
    with pytest.raises(earlydrop.ArgumentError, match="did you mean 'codel'"):
        earlydrop.Queue("codle", rate="1 Mbps")
    with pytest.raises(earlydrop.ArgumentError, match="rate=1 Mbits: .*nearest: 1 Mbit"):
        earlydrop.Queue("codel", rate="1 Mbits")
    with pytest.raises(earlydrop.ArgumentError, match=r"times\[1\]=0\.5: allowed: times in order"):
        queue.replay([1, 0.5])
    broken = earlydrop.Queue(Broken, rate="1 Mbps")
    with pytest.raises(earlydrop.SchemeError, match="at 0.099"):
        for n in range(100):
            broken.enqueue(n / 1000)
    with pytest.raises(earlydrop.RunError, match="not known"):
        broken.dequeue(1)


def test_a_drop_on_departure_counts_as_one() -> None:
    class Stale(earlydrop.Scheme):
        def on_departure(self, packet, queue, random):
            return packet.sojourn > 0.03

    queue = earlydrop.Queue(Stale, rate="10 Mbps")
    for n in range(5):
        assert queue.enqueue(0.01 * n, packet=n) is earlydrop.Fate.KEPT
    departure = queue.dequeue(0.05)
    assert departure is not None and departure.packet == 2
    assert departure.sojourn == pytest.approx(0.03)
    assert queue.take_lost() == [(0, earlydrop.Fate.DEQUEUE), (1, earlydrop.Fate.DEQUEUE)]
    assert queue.take_lost() == []
