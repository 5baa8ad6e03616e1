"""Schemes written in Python run beside the built-in ones, and equal to them where they are."""

import math
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import earlydrop
from earlydrop import Verdict

SMALL = {"link": "5 Mbps", "rtt": "40 ms", "flows": 6, "buffer": "40 packets", "duration": "4 s"}


def rows(result: earlydrop.Result, label: str) -> list[dict[str, object]]:
    """The runs of one scheme, and what was sampled of its queue, without names."""
    cells = [row for row in result.runs if row["scheme"] == label]
    numbers = {row["cell"]: index for index, row in enumerate(cells)}
    kept = [{key: row[key] for key in row if key not in ("cell", "scheme")} for row in cells]
    for row in result.samples:
        if row["cell"] in numbers and row["name"] == "queue":
            kept.append(row | {"cell": numbers[row["cell"]], "scheme": ""})
    return kept


def assert_same_runs(result: earlydrop.Result, one: str, other: str) -> None:
    first, second = rows(result, one), rows(result, other)
    assert len(first) == len(second) > 100
    for mine, built_in in zip(first, second, strict=True):
        assert mine == built_in


class Tail(earlydrop.Scheme):
    """Keeps everything that fits."""

    def on_arrival(self, packet, queue, random):
        return False


class Threshold(earlydrop.Scheme):
    """Signals every packet above a threshold, as DCTCP's switch does."""

    threshold: int = 20

    def on_arrival(self, packet, queue, random):
        return Verdict.SIGNAL if queue.packets > self.threshold else Verdict.KEEP


class Book(earlydrop.Scheme):
    """RED with whole numbers as the core has them: 2^30 to a packet, 2^32 to a probability."""

    min: float = earlydrop.parameter(5, "no drop below", low=0, unit="packets")
    max: float = earlydrop.parameter(15, "everything is dropped above", low=0, unit="packets")
    max_p: float = earlydrop.parameter(0.1, low=0, high=1, unit="probability")
    shift: int = earlydrop.parameter(9, "the average's weight is 2^-shift", low=0, high=30)

    def start(self):
        if self.min >= self.max:
            raise ValueError(f"min = {self.min:g} must be below max = {self.max:g}")
        self.average, self.count = 0, 0
        rise = self.max_p * (1 / (self.max - self.min))
        self.slope = int(math.ldexp(rise * 2**32 / 2**30, 64))

    def on_arrival(self, packet, queue, random):
        sample = queue.packets << 30
        self.average += (sample >> self.shift) - (self.average >> self.shift)
        above = self.average - (math.ceil(self.min * 2**30))
        if above < 0:
            self.count = 0
            return False
        if self.average >= math.ceil(self.max * 2**30):
            self.count = 0
            return True
        probability = (above * self.slope) >> 64
        left = max(0, 2**32 - self.count * probability)
        drops = (int(random() * 2**32) >> 1) * left < probability << 31
        self.count = 0 if drops else self.count + 1
        return drops

    def on_refused(self, packet):
        self.count = 0

    def probes(self):
        return {"average": self.average / 2**30, "count": float(self.count)}


class Blueish(earlydrop.Scheme):
    """BLUE: the probability rises on overflow and falls while the link is idle."""

    d1: float = 0.02
    d2: float = 0.002
    freeze_time: float = earlydrop.parameter(0.1, low=0, unit="s")

    def start(self):
        self.probability, self.thaw, self.idle = 0.0, 0, False
        self.freeze = round(self.freeze_time * 1e9)

    def lower(self, now):
        while self.probability > 0 and now >= self.thaw:
            self.probability = max(0.0, self.probability - self.d2)
            self.thaw += self.freeze
        if now >= self.thaw:
            self.thaw += ((now - self.thaw) // self.freeze + 1) * self.freeze

    def on_arrival(self, packet, queue, random):
        if self.idle:
            self.lower(round(packet.now * 1e9))
        return random.chance(self.probability)

    def on_accepted(self, packet):
        self.idle = False

    def on_refused(self, packet):
        now = round(packet.now * 1e9)
        if now >= self.thaw:
            self.probability = min(1.0, self.probability + self.d1)
            self.thaw = now + self.freeze

    def on_idle(self, now):
        now = round(now * 1e9)
        self.idle = True
        if now >= self.thaw:
            self.thaw = now
            self.lower(now)


def test_a_drop_tail_in_python_gives_the_built_in_ones_runs() -> None:
    result = earlydrop.compare({"mine": Tail, "built in": "droptail"}, seeds=2, **SMALL)
    assert_same_runs(result, "mine", "built in")


def test_a_threshold_in_python_marks_what_the_built_in_one_marks() -> None:
    schemes = {"mine": Threshold(threshold=12), "built in": "step:threshold=12 packets"}
    result = earlydrop.compare(schemes, ecn="on", seeds=2, **SMALL)
    assert_same_runs(result, "mine", "built in")
    assert sum(row["marked"] for row in result.runs) > 0


def test_red_in_python_gives_the_built_in_ones_runs() -> None:
    built_in = "red:min=5,max=15,max_p=0.1,weight=0.001953125,idle=none,cautious=off,ecn=off"
    result = earlydrop.compare({"mine": Book(), "built in": built_in}, seeds=3, **SMALL)
    assert_same_runs(result, "mine", "built in")
    assert all(row["loss"] > 0 for row in result.runs)


def test_blue_in_python_gives_the_built_in_ones_runs() -> None:
    settings = SMALL | {"duration": "20 s", "buffer": "10 packets"}
    result = earlydrop.compare({"mine": Blueish, "built in": "blue:ecn=off"}, seeds=2, **settings)
    assert_same_runs(result, "mine", "built in")


def test_runs_do_not_hang_on_threads() -> None:
    schemes = {"book": Book(), "blue": Blueish, "fair": "fq-red:inner=book", "red": "red"}
    alone = earlydrop.compare(schemes, seeds=4, threads=1, **SMALL)
    together = earlydrop.compare(schemes, seeds=4, threads=4, **SMALL)
    assert alone.runs.to_dict() == together.runs.to_dict()
    assert alone.samples.to_dict() == together.samples.to_dict()


def test_text_names_classes_inside_other_schemes_too() -> None:
    scenario = earlydrop.Scenario(schemes="book:max_p=0.2,fq-red:inner=book,inner.min=3,red")
    assert scenario.schemes == ["book", "fq-red", "red"]
    with pytest.raises(earlydrop.ScenarioError, match="did you mean 'book'"):
        earlydrop.Scenario(schemes="bok")
    with pytest.raises(earlydrop.ScenarioError, match=r"book: shift = 40 is not .*\[0, 30\]"):
        earlydrop.Scenario(schemes=[Book(shift=40)])
    with pytest.raises(earlydrop.ScenarioError, match="did you mean 'max_p'"):
        earlydrop.Scenario(schemes="book:maxp=1")
    with pytest.raises(earlydrop.ArgumentError, match="known: min, max, max_p, shift, limit"):
        Book(maxp=1)


def test_parameters_have_units_and_kinds() -> None:
    seen = []

    class Kinds(earlydrop.Scheme):
        length: float = earlydrop.parameter(5, unit="packets")
        delay: float = earlydrop.parameter(0.02, unit="s")
        rate: float = earlydrop.parameter(1e6, unit="bps")
        size: int = earlydrop.parameter(1500, unit="bytes")
        flag: bool = True
        mode: Literal["fast", "slow"] = "fast"
        note: str = "x"
        shift: int = -3

        def start(self):
            found = [getattr(self, name) for name in type(self)._parameters]
            seen.append((found, self.link))

    schemes = {
        "default": Kinds,
        "given": Kinds(length="16 ms", delay="5 ms", rate="2 Mbps", size="2 kB", flag=False,
                       mode="slow", note="y", shift=4),
    }  # fmt: skip
    earlydrop.Scenario(schemes=schemes, link="8 Mbps")
    default, given = seen[0], seen[-1]
    assert default[0] == [5.0, 0.02, 1e6, 1500, True, "fast", "x", -3]
    assert given[0][1:] == [0.005, 2e6, 2000, False, "slow", "y", 4]
    link = given[1]
    assert link.rate == 8e6
    assert given[0][0] == pytest.approx(0.016 * 8e6 / 8 / link.mean_packet)
    with pytest.raises(earlydrop.ScenarioError, match="one of fast, slow"):
        earlydrop.Scenario(schemes="kinds:mode=quick")


def test_auto_is_the_default() -> None:
    """The scenario of `compare` sets `min` and others to "auto" for the built-in schemes."""
    seen = []

    class Auto(earlydrop.Scheme):
        min: int = 7
        max: float = earlydrop.parameter(0.02, unit="s")

        def start(self):
            seen.append((self.min, self.max))

    earlydrop.Scenario(schemes=[Auto])
    earlydrop.Scenario(schemes=[Auto(min="auto", max="5 ms")])
    assert seen[0] == (7, 0.02)
    assert earlydrop.Scenario(schemes="red")._own == {}
    assert seen[-1] == (7, 0.005)


def test_parameters_that_contradict_each_other_are_errors_of_the_scenario() -> None:
    with pytest.raises(earlydrop.ScenarioError, match=r"min = 20 must be below max = 15") as error:
        earlydrop.Scenario(schemes=[Book(min=20)])
    assert isinstance(error.value.__cause__, ValueError)


def test_wrong_classes_are_refused() -> None:
    with pytest.warns(UserWarning, match="'red' is built in.*; text names the built-in one"):

        class Red(earlydrop.Scheme):
            pass

    with pytest.raises(earlydrop.ArgumentError, match='built in: .*, name="my-red"'):
        earlydrop.Scenario(schemes=[Red])

    class Listed(earlydrop.Scheme):
        list: tuple = (1, 2)

    with pytest.raises(TypeError, match=r"Listed\.list: a parameter is int, float, bool, str or"):
        earlydrop.Scenario(schemes=[Listed])
    # A class that is wrong is in nobody else's way.
    assert earlydrop.Scenario(schemes="red").schemes == ["red"]
    with pytest.raises(TypeError, match="needs a default"):

        class Bare(earlydrop.Scheme):
            gain: float

    with pytest.raises(TypeError, match="needs another name"):

        class Taken(earlydrop.Scheme):
            limit: int = 3


def failing(answer: object) -> type[earlydrop.Scheme]:
    """A scheme that is wrong at its hundredth packet."""

    class Wrong(earlydrop.Scheme):
        seen = 0

        def on_arrival(self, packet, queue, random):
            self.seen += 1
            if self.seen < 100:
                return False
            if isinstance(answer, Exception):
                raise answer
            return answer

    return Wrong


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, r"returned None \(is a `return` missing\?\); allowed: True"),
        (0.5, r"returned 0\.5; allowed: True \(drop\), False \(keep\), or one of"),
        (Verdict.MARK, "not ECN-capable"),
        (ZeroDivisionError("division by zero"), "ZeroDivisionError: division by zero"),
    ],
)
def test_a_wrong_call_ends_the_run_and_keeps_what_is_finished(answer: object, message: str) -> None:
    Wrong = failing(answer)
    scenario = earlydrop.Scenario(schemes=["red", Wrong], seeds=2, **SMALL)
    result = earlydrop.prepare(scenario)
    expected = rf"wrong: on_arrival at \d+\.\d+ s of simulated time, seed 1: .*{message}"
    with pytest.raises(earlydrop.SchemeError, match=expected) as error:
        result.resume(threads=1)
    assert (error.value.scheme, error.value.call) == ("wrong", "on_arrival")
    assert 0 < error.value.time < 4
    assert isinstance(error.value.__cause__, type(answer) if "division" in message else Exception)
    # One thread runs the cells in order: the first of "red" comes before the failure.
    assert error.value.result is result
    assert result.done == 1
    assert set(result.runs["scheme"]) == {"red"}
    assert (error.value.seed, error.value.point) == (1, {})
    assert pickle.loads(pickle.dumps(error.value)).time == error.value.time


def test_a_failure_in_a_sweep_names_seed_and_point() -> None:
    class Late(earlydrop.Scheme):
        def on_arrival(self, packet, queue, random):
            if self.link.rate > 3e6:
                raise ArithmeticError("too fast")
            return False

    document = {
        "flows": {"bulk": {"count": 6}},
        "sweep": {"network.rate": ["2 Mbps", "4 Mbps"]},
    }
    scenario = earlydrop.Scenario(document, schemes=[Late], seeds=[41, 42], duration="4 s")
    with pytest.raises(
        earlydrop.SchemeError, match=r"simulated time, seed 4[12], network\.rate = 4 Mbps: Arith"
    ) as error:
        earlydrop.run(scenario)
    assert error.value.point == {"network.rate": "4 Mbps"}
    assert error.value.seed in (41, 42)
    copy = pickle.loads(pickle.dumps(error.value))
    assert (copy.seed, copy.point) == (error.value.seed, error.value.point)
    assert str(copy) == str(error.value)


def test_a_queue_by_hand_has_no_seed_to_name() -> None:
    error = earlydrop.SchemeError("ramp", "start", 0.5, "no")
    assert str(error) == "ramp: start at 0.500000000 s of simulated time: no"
    assert (error.seed, error.point) == (None, {})


def test_numpys_bools_are_answers() -> None:
    class Numpy(earlydrop.Scheme):
        def on_arrival(self, packet, queue, random):
            return np.float64(queue.packets) > 10

    result = earlydrop.compare([Numpy], seeds=1, **SMALL)
    assert result.runs["loss"][0] > 0


def test_random_belongs_to_the_call() -> None:
    class Keeps(earlydrop.Scheme):
        random = None

        def on_arrival(self, packet, queue, random):
            self.random = random
            return random.below(1000) == 0

        def on_refused(self, packet):
            self.random()

    with pytest.raises(earlydrop.SchemeError, match="draw from it during the call only"):
        earlydrop.compare([Keeps(limit=3)], seeds=1, duration="4 s", flows=6)


def test_each_queue_has_an_object_of_its_own() -> None:
    counts: dict[int, int] = {}

    class Counts(earlydrop.Scheme):
        def on_arrival(self, packet, queue, random):
            counts[id(self)] = counts.get(id(self), 0) + 1
            return False

    settings = SMALL | {"buffer": "100 packets"}
    earlydrop.compare(["fq-red:inner=counts"], seeds=1, threads=1, **settings)
    # Six CUBIC flows, and those of the web senders and the voice calls.
    assert len(counts) > 6


def test_ticks_come_at_their_times_and_probes_are_sampled() -> None:
    ticks: list[float] = []

    class Ticks(earlydrop.Scheme):
        interval: float = earlydrop.parameter(0.25, unit="s")

        def start(self):
            self.ticks, self.seen = 0, 0

        def on_tick(self, now, queue):
            self.ticks += 1
            self.seen = queue.packets
            ticks.append(now)

        def probes(self):
            return {"ticks": self.ticks, "seen": self.seen}

    result = earlydrop.compare([Ticks], seeds=1, set={"measure.drain": "0 s"}, **SMALL)
    assert ticks[:3] == [0.25, 0.5, 0.75]
    assert ticks == [0.25 * (n + 1) for n in range(len(ticks))]
    assert len(ticks) in (15, 16)
    samples = [row for row in result.samples if row["name"] == "ticks"]
    assert len(samples) > 100
    for row in samples:
        assert row["value"] == math.floor(row["time"] / 0.25), row

    class Never(earlydrop.Scheme):
        def on_tick(self, now, queue):
            pass

    with pytest.raises(earlydrop.ScenarioError, match="set it to a number of at least 1e-6"):
        earlydrop.Scenario(schemes=[Never])


def test_probes_keep_their_names() -> None:
    class Fickle(earlydrop.Scheme):
        seen = 0

        def on_arrival(self, packet, queue, random):
            self.seen += 1
            return False

        def probes(self):
            return {"a": 1.0} if self.seen < 100 else {"b": 1.0}

    with pytest.raises(earlydrop.SchemeError, match="probes .*by the same names.*: a"):
        earlydrop.compare([Fickle], seeds=1, **SMALL)


def test_a_folder_keeps_the_class(tmp_path: Path) -> None:
    run = tmp_path / "run"
    result = earlydrop.compare([Book], seeds=1, folder=run, **SMALL)
    assert earlydrop.open_run(run).runs.to_dict() == result.runs.to_dict()
    # It continues with the same class, and not with another one of this name.
    assert earlydrop.compare([Book], seeds=1, folder=run, **SMALL).done == 1

    class Changed(Book, name="book"):
        def on_refused(self, packet):
            self.count = 1

    try:
        with pytest.raises(earlydrop.RunError, match="'book' has changed since this run began"):
            earlydrop.compare([Changed], seeds=1, folder=run, **SMALL)
        del earlydrop.Scheme._known["book"]
        with pytest.raises(earlydrop.RunError, match="define class Book of .*test_schemes"):
            earlydrop.open_run(run)
    finally:
        earlydrop.Scheme._known["book"] = Book
    # The message in a process without the class, from the scenario itself.
    text = earlydrop.open_run(run).scenario.to_toml()
    code = "import sys, earlydrop; earlydrop.Scenario(sys.stdin.read())"
    other = subprocess.run([sys.executable, "-c", code], input=text, capture_output=True, text=True)
    assert "no scheme is called 'book'" in other.stderr


def test_scenarios_keep_their_classes() -> None:
    class Twice(earlydrop.Scheme, name="twice"):
        def on_arrival(self, packet, queue, random):
            return queue.packets > 10

    scenario = earlydrop.Scenario(schemes=[Twice], seeds=1, **SMALL)
    before = earlydrop.run(scenario).runs.to_dict()

    class Again(earlydrop.Scheme, name="twice"):
        def on_arrival(self, packet, queue, random):
            return queue.packets > 3

    # As after a cell of a notebook has run again: text and new scenarios have the new class.
    assert earlydrop.run(earlydrop.Scenario(scenario, seeds=1)).runs.to_dict() == before
    assert earlydrop.compare("twice", seeds=1, **SMALL).runs.to_dict() != before
    with pytest.raises(earlydrop.ArgumentError, match="two classes are called 'twice'"):
        earlydrop.Scenario(schemes=[Twice, Again])
    again = pickle.loads(pickle.dumps(earlydrop.Scenario(schemes=[Book], seeds=1, **SMALL)))
    assert earlydrop.run(again).done == 1


def test_a_cluster_runs_classes_of_this_process(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")

    class Here(earlydrop.Scheme, name="mine"):
        """Cannot be imported by the workers."""

        gain: float = 0.01

        def on_arrival(self, packet, queue, random):
            return random() < self.gain * queue.packets

    scenario = earlydrop.Scenario(schemes=[Here(gain=0.02), "fq-red:inner=mine"], seeds=2, **SMALL)
    local = earlydrop.run(scenario)
    cluster = distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:
        swept = earlydrop.run(scenario, client=client)
    assert swept.runs.to_dict() == local.runs.to_dict()


def test_a_constructor_is_refused_with_the_way() -> None:
    with pytest.raises(TypeError, match="annotated attributes, as in `k: int = 20`"):

        class Built(earlydrop.Scheme):
            def __init__(self, k: int = 20) -> None:
                self.k = k


def test_a_misspelt_call_is_refused_with_the_nearest() -> None:
    with pytest.raises(TypeError, match=r"Wrong.on_arival: .* did you mean 'on_arrival'\?"):

        class Wrong(earlydrop.Scheme):
            def on_arival(self, packet: Any, queue: Any, random: Any) -> bool:
                return True

    class Mixin:
        def on_dequeue(self) -> None: ...

    with pytest.raises(TypeError, match="it calls on_arrival, on_accepted"):

        class Mixed(Mixin, earlydrop.Scheme):
            pass
