"""Runs on a Dask cluster are those of this process, whatever happens to workers."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import earlydrop
from earlydrop import cluster as workers

distributed = pytest.importorskip("distributed")

SWEEP = """
duration = "3 s"
seeds = 6
schemes = ["red:min=5,max=15", "codel"]
network = { rate = "10 Mbps", rtt = "40 ms" }
[flows.bulk]
count = 5
[sweep]
"network.rtt" = ["20 ms", "40 ms", "80 ms"]
"""


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def tables(result: earlydrop.Result) -> dict[str, dict[str, list[Any]]]:
    return {name: result.table(name).to_dict() for name in result._run.table_names()}


def test_a_sweep_gives_the_tables_of_a_local_run(client: Any, tmp_path: Path) -> None:
    local = earlydrop.run(SWEEP)
    swept = earlydrop.run(SWEEP, client=client, folder=tmp_path / "swept")
    assert swept.done == 36
    assert tables(swept) == tables(local)
    again = earlydrop.run(SWEEP, client=client, folder=tmp_path / "swept")
    assert tables(again) == tables(local)


def test_a_killed_worker_costs_its_chunk_and_nothing_else(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    workers = set(client.run(os.getpid).values())
    killed: list[int] = []
    add = earlydrop._lib.Run.add_cells

    class Killing:
        """A run that kills a worker as soon as the first rows have come back."""

        def __init__(self, run: Any) -> None:
            self._run = run

        def __getattr__(self, name: str) -> Any:
            return getattr(self._run, name)

        def add_cells(self, rows: bytes) -> int:
            if not killed:
                killed.append(min(workers))
                os.kill(killed[0], signal.SIGKILL)
            return add(self._run, rows)

    result = earlydrop.prepare(earlydrop.Scenario(SWEEP))
    monkeypatch.setattr(result, "_run", Killing(result._run))
    result.resume(client=client)
    assert killed
    assert result.done == 36
    assert tables(result) == tables(earlydrop.run(SWEEP))


def test_what_a_cluster_cannot_do_is_refused(client: Any) -> None:
    result = earlydrop.prepare(earlydrop.Scenario(SWEEP))
    with pytest.raises(earlydrop.ArgumentError, match="until="):
        result.resume(client=client, until="1%")


def test_a_search_on_workers_finds_what_this_process_finds(
    client: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    effort: dict[str, Any] = {"minimise": "delay_p99", "subject_to": "utilisation>=80%"}
    effort |= {"budget": 30, "search_seeds": 2}
    here = earlydrop.tune(SWEEP, **effort)
    killed: list[int] = []
    simulated: list[str] = []
    simulate = workers.Workers.simulate

    def killing(self: Any, label: str, *given: Any) -> Any:
        """Simulates after it has killed a worker, in the middle of the search."""
        simulated.append(label)
        if len(simulated) == 3:
            killed.append(min(client.run(os.getpid).values()))
            os.kill(killed[0], signal.SIGKILL)
        return simulate(self, label, *given)

    monkeypatch.setattr(workers.Workers, "simulate", killing)
    away = earlydrop.tune(SWEEP, **effort, client=client, folder=tmp_path / "away")
    assert killed
    # The original, a generation or more, and the finalists of each scheme.
    assert all(simulated.count(label) >= 3 for label in ("red", "codel"))
    report = str(tmp_path / "away" / "report.html")
    assert away.to_json() == {**here.to_json(), "report": report}
    assert tables(away.validation) == tables(here.validation)
    with pytest.raises(earlydrop.ArgumentError, match="threads= is not allowed"):
        earlydrop.tune(SWEEP, **effort, client=client, threads=1)


def test_a_scenario_that_only_lost_workers_had_is_sent_again(client: Any) -> None:
    scenario = earlydrop.Scenario(SWEEP)
    at_work = workers.Workers(client, scenario)
    distributed.wait(at_work._scenario)
    for process in client.run(os.getpid).values():
        os.kill(process, signal.SIGKILL)
    chunks = [chunk for chunk, _ in at_work.run(workers.run_cells, [0, 1])]
    assert sorted(sum(chunks, [])) == [0, 1]


def test_claims_judged_by_workers_are_those_of_this_process(client: Any, tmp_path: Path) -> None:
    here = earlydrop.reproduce("clred.F5.a", multiverse=2, folder=tmp_path / "here")
    done: list[str] = []
    add = earlydrop._lib.Run.add_cells

    class Counting:
        def __init__(self, run: Any) -> None:
            self.run = run

        def __getattr__(self, name: str) -> Any:
            return getattr(self.run, name)

        def add_cells(self, rows: bytes) -> int:
            done.append(str(self.run.folder))
            return add(self.run, rows)

    native = earlydrop.result.Result.__init__

    def counting(self: earlydrop.Result, *given: Any, **named: Any) -> None:
        native(self, *given, **named)
        self._run = Counting(self._run)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(earlydrop.result.Result, "__init__", counting)
        patched.setattr(earlydrop._lib, "reproduce", nothing_is_run(earlydrop._lib.reproduce))
        away = earlydrop.reproduce(
            "clred.F5.a", multiverse=2, folder=tmp_path / "away", client=client
        )
    assert away.to_json() == here.to_json()
    assert len({folder.rsplit("/", 1)[-1] for folder in done}) == 3
    with pytest.raises(earlydrop.ArgumentError, match="threads= is not allowed"):
        earlydrop.reproduce("clred.F5.a", client=client, threads=1)


def nothing_is_run(reproduce: Any) -> Any:
    """The extension's function, which may only read."""

    def reading(*given: Any) -> str:
        *given, listener = given

        def heard(name: str, before: int, done: int, planned: int) -> None:
            assert before == planned, f"{name} was run here"
            listener(name, before, done, planned)

        return reproduce(*given, heard)  # type: ignore[no-any-return]

    return reading
