"""What a user holds is pickled and copied, for processes, threads and caches."""

import copy
import multiprocessing
import os
import pickle
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import earlydrop

SMALL: dict[str, Any] = {"link": "5 Mbps", "flows": 3, "duration": "2 s", "seeds": 2}


def tables(result: earlydrop.Result) -> dict[str, Any]:
    return {name: result.table(name).to_dict() for name in result._run.table_names()}


def sent(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))


@pytest.mark.parametrize("again", [sent, copy.copy, copy.deepcopy])
def test_results_in_memory_and_in_a_folder(again: Any, tmp_path: Path) -> None:
    memory = earlydrop.compare(["red", "codel"], rtt=[0.02, 0.05], **SMALL)
    other = again(memory)
    assert other is not memory and other.folder is None
    assert tables(other) == tables(memory)
    assert str(other) == str(memory)
    half = earlydrop.prepare(memory.scenario)
    half._run.add_cells(earlydrop._lib.Run.run_cells(half.scenario._native, [0, 1]))
    assert again(half).done == 2
    assert tables(again(half).resume()) == tables(memory)
    kept = memory.save(tmp_path / "run")
    assert again(kept).folder == kept.folder
    assert kept.save(tmp_path / "run") is kept
    more = earlydrop.compare("red", until="5%:delay_mean", **SMALL)
    assert again(more).planned == more.planned > 2
    assert again(more).runs.to_dict() == more.runs.to_dict()


@pytest.mark.parametrize("again", [sent, copy.copy, copy.deepcopy])
def test_tables_and_traces(again: Any) -> None:
    result = earlydrop.compare(["red", "codel"], **SMALL)
    for table in [result.runs, result.table("series"), result.compare_to("red")]:
        other = again(table)
        assert other.to_dict() == table.to_dict()
        assert other.meanings == table.meanings
        for name in table.columns:
            assert other[name].dtype == table[name].dtype
    traced = earlydrop.trace(result.scenario, scheme="codel", seed=2, packets=True)
    other = again(traced)
    assert (other.scheme, other.seed) == ("codel", 2)
    assert other.packets.to_dict() == traced.packets.to_dict()


class Counting(earlydrop.Scheme):
    """Drops every fourth packet."""

    def start(self) -> None:
        self.seen = 0

    def on_arrival(
        self, packet: earlydrop.Packet, queue: earlydrop.Backlog, random: earlydrop.Random
    ) -> bool:
        self.seen += 1
        return self.seen % 4 == 0


@pytest.mark.parametrize("scheme", ["red:min=2,max=6,weight=0.5", "fq-codel", Counting])
def test_a_copied_queue_has_the_same_future(scheme: Any) -> None:
    queue = earlydrop.Queue(scheme, rate="10 Mbps", seed=7)
    assert sent(queue).packets == 0
    for number in range(40):
        queue.enqueue(0.001 * number, flow=number % 3, packet=number)
    twin = copy.deepcopy(queue)
    with pytest.raises(TypeError, match="has been used cannot be pickled"):
        pickle.dumps(queue)

    def future(of: earlydrop.Queue) -> list[Any]:
        seen: list[Any] = [of.enqueue(1 + 0.001 * n, flow=n % 3, packet=n) for n in range(20)]
        while (departure := of.dequeue(1.1)) is not None:
            seen.append((departure.packet, departure.sojourn, departure.marked))
        return [*seen, of.counters, of.take_lost()]

    assert future(twin) == future(queue)


def test_a_copied_environment_is_in_the_same_step() -> None:
    pytest.importorskip("gymnasium")
    from earlydrop.gym import AQMEnv, AQMVectorEnv

    env = AQMEnv(traffic="reno10", duration="1 s", scale="unit")
    fresh = sent(env)
    env.reset(seed=3)
    for number in range(30):
        env.step(np.array([number / 30 - 1]))
    copies = [sent(env), copy.deepcopy(env)]
    wanted = env.step(np.array([0.1]))
    for other in copies:
        got = other.step(np.array([0.1]))
        np.testing.assert_array_equal(got[0], wanted[0])
        assert got[1:] == wanted[1:]
    assert fresh.reset(seed=3)[1] == {"seed": 3, "point": 0}
    many = AQMVectorEnv(3, duration="1 s")
    first, _ = many.reset(seed=1)
    np.testing.assert_array_equal(sent(many).reset(seed=1)[0], first)


def test_a_pool_of_processes_takes_and_gives_results() -> None:
    scenarios = [earlydrop.Scenario(schemes="red,codel", rtt=rtt, **SMALL) for rtt in [0.02, 0.05]]
    here = [earlydrop.run(one) for one in scenarios]
    spawning = multiprocessing.get_context("spawn")
    run = partial(earlydrop.run, threads=1, progress=False)
    with ProcessPoolExecutor(1, mp_context=spawning) as pool:
        there = list(pool.map(run, scenarios))
        assert pool.submit(len, here[0].runs).result() == 4
    assert [tables(one) for one in there] == [tables(one) for one in here]


def test_all_threads_are_those_that_the_process_may_use() -> None:
    from earlydrop.threads import available, thread_count

    for wrong, nearest in [(0, 1), (-1, 1), (100_000, 65535)]:
        with pytest.raises(earlydrop.ArgumentError, match=f"threads={wrong}: .*nearest: {nearest}"):
            earlydrop.compare("red", threads=wrong, **SMALL)
    with pytest.raises(earlydrop.ArgumentError, match="a whole number"):
        thread_count(1.5)  # type: ignore[arg-type]
    assert thread_count(3) == 3
    if not hasattr(os, "sched_setaffinity"):
        pytest.skip(f"{sys.platform} has no affinity")
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(before)})
        assert available() == thread_count(None) == 1
    finally:
        os.sched_setaffinity(0, before)
