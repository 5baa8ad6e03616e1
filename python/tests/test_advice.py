"""Answers are the command's JSON documents, to the last bit, and refusals its messages."""

import importlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import earlydrop

TC = "tc qdisc add dev eth0 root red limit 400000 min 30000 max 90000 avpkt 1000 probability 0.02"

SMALL = """
duration = "2 s"
seeds = 2
schemes = ["red", "codel"]
network = { rate = "5 Mbps", rtt = "40 ms" }
[flows.bulk]
count = 3
"""


def command(
    *words: str, code: int = 0, folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs the wheel's command."""
    line = [sys.executable, "-m", "earlydrop", *words]
    # Only the command is asked, not the sources in the current folder.
    ran = subprocess.run(line, capture_output=True, text=True, cwd=folder, check=False)
    assert ran.returncode == code, ran.stderr
    return ran


def document(*words: str, folder: Path | None = None) -> Any:
    return json.loads(command(*words, "--json", folder=folder).stdout)


def test_the_command_has_its_exit_codes_and_needs_no_numpy(tmp_path: Path) -> None:
    assert command("--version").stdout.startswith(f"earlydrop {earlydrop.__version__}")
    refused = command("compare", "--seeds", "few", code=2)
    assert "--seeds few" in refused.stderr
    # Numpy starts threads, with which no session of real packets can begin.
    line = "import sys, earlydrop.__main__; print('numpy' in sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", line], capture_output=True, text=True)
    assert loaded.stdout == "False\n", loaded.stderr


def test_ctrl_c_ends_the_command_with_130(tmp_path: Path) -> None:
    (tmp_path / "long.toml").write_text(SMALL.replace("seeds = 2", "seeds = 100000"))
    line = [sys.executable, "-m", "earlydrop", "run", "long.toml", "--out", "out", "--quiet"]
    started = subprocess.Popen(line, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    # It has begun, and handles the signal, once there are results.
    log = tmp_path / "out" / "results.sqlite-wal"
    while started.poll() is None and not (log.exists() and log.stat().st_size > 100_000):
        time.sleep(0.01)
    started.send_signal(signal.SIGINT)
    _, message = started.communicate()
    assert started.returncode == 130, message
    assert earlydrop.open_run(tmp_path / "out").done > 0


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({}, []),
        ({"goal": "delay=10ms", "ecn": True, "tcp": "reno"},
         ["--goal", "delay=10ms", "--ecn", "on", "--tcp", "reno"]),
        ({"tcp": "dctcp", "simulate": False}, ["--tcp", "dctcp", "--no-simulation"]),
        ({"scheme": "codel", "buffer": "300 packets"},
         ["--scheme", "codel", "--buffer", "300 packets"]),
        ({"loss": "2%", "windows": "normal:4,4,8", "method": "paper", "timeout": "300 ms"},
         ["--loss", "2%", "--windows", "normal:4,4,8", "--method", "paper", "--timeout", "300 ms"]),
    ],
)  # fmt: skip
def test_configurations_are_the_commands(keywords: dict[str, Any], words: list[str]) -> None:
    load = ["--link", "100Mbps", "--rtt", "50ms", "--flows", "150"]
    answer = earlydrop.configure(link="100 Mbps", rtt="50 ms", flows=150, **keywords)
    expected = document("configure", *load, *words)
    assert answer.to_json() == expected
    assert answer.scheme == expected["chosen"]
    assert answer.prediction.delay == expected["choices"][0]["expected"]["delay"]
    assert answer.scheme in repr(answer)
    assert answer.scheme in answer._repr_html_()


def test_a_choice_is_simulated_and_written_as_a_page(tmp_path: Path) -> None:
    answer = earlydrop.configure(link="5 Mbps", rtt="10 ms", flows=3, seeds=2)
    words = ["--link", "5Mbps", "--rtt", "10ms", "--flows", "3", "--seeds", "2"]
    assert answer.to_json() == document("configure", *words)
    assert answer.measured is not None
    assert 0 < answer.measured.utilisation.mean <= 1
    assert isinstance(answer.misses, list)
    assert answer.scheme in answer.report(tmp_path / "red.html").read_text()
    assert (
        earlydrop.configure(link="5 Mbps", rtt=timedelta(milliseconds=10), flows=3, seeds=2).scheme
        == answer.scheme
    )
    assert earlydrop.Scenario(answer.scenario(), schemes=[answer.scheme]).runs == 2


def test_explanations_are_the_commands(tmp_path: Path) -> None:
    answer = earlydrop.explain(TC, fix=True, link="10 Mbps", rtt="20 ms", flows=40)
    words = ["--fix", "--link", "10 Mbps", "--rtt", "20 ms", "--flows", "40"]
    expected = document("explain", TC, *words)
    assert answer.to_json() == expected
    assert answer.fix is not None
    assert answer.fix.text == expected["fix"]["text"]
    average, share = answer.curve()
    assert np.column_stack([average, share]).tolist() == expected["long_run"][0]["points"]
    assert [one.rule for one in answer.findings] == [one["rule"] for one in expected["findings"]]
    assert answer.findings[0].what in repr(answer)
    (tmp_path / "red.txt").write_text(TC)
    assert earlydrop.explain(tmp_path / "red.txt").to_json() == document("explain", TC)


def test_one_of_several_objects_is_explained() -> None:
    profile = '"green_min_threshold": "{}", "green_max_threshold": "{}"'
    profiles = f'"A": {{{profile.format(1000, 3000)}}}, "B": {{{profile.format(20000, 60000)}}}'
    text = f'{{"WRED_PROFILE": {{{profiles}}}}}'
    answer = earlydrop.explain(text, profile="B", buffer="200 kB", link="1 Gbps")
    words = ["--profile", "B", "--buffer", "200 kB", "--link", "1 Gbps"]
    assert answer.to_json() == document("explain", text, *words)
    assert answer.settings[0].written == "20000"
    assert earlydrop.translate(text, "linux", profile="B").proposed["linux"].text
    with pytest.raises(earlydrop.ArgumentError, match="choose one, such as profile='B'"):
        earlydrop.explain(text)
    classes = "".join(
        f"tc {number} wred {name} = {value}\n"
        for number, of in enumerate([(40, 80, 12, 8), (10, 50, 9, 7)])
        for name, value in zip(["min", "max", "inv prob", "weight"], of, strict=True)
    )
    assert earlydrop.explain(classes, class_="1").to_json() == document(
        "explain", classes, "--class", "1"
    )
    with pytest.raises(earlydrop.ArgumentError, match="choose one, such as class_='1'"):
        earlydrop.explain(classes)


def test_translations_are_the_commands() -> None:
    answer = earlydrop.translate(TC, to=["ns3", "cisco"], ecn=True)
    expected = document("translate", TC, "--to", "ns3,cisco", "--ecn", "on")
    assert answer.to_json() == expected
    assert answer.proposed["cisco"].text == expected["to"][1]["proposed"]["text"]
    assert answer.text in repr(answer)
    assert set(earlydrop.translate(TC, to="all").proposed) >= {"linux", "ns2", "junos"}


def test_a_line_of_tc_runs() -> None:
    scheme = earlydrop.from_tc(TC)
    assert scheme == document("explain", TC)["spec"]
    result = earlydrop.run(SMALL, schemes={"as on the router": scheme, "codel": "codel"})
    assert result.scenario.schemes == ["as on the router", "codel"]
    assert (result.runs["utilisation"] > 0).all()


def test_lines_of_other_disciplines_run() -> None:
    line = "tc qdisc add dev eth0 root fq_codel limit 500 target 2ms"
    scheme = earlydrop.from_tc(line)
    assert scheme == "fq-codel:as=linux,bypass=on,limit=500,target=2000us"
    assert (earlydrop.run(SMALL, schemes=scheme).runs["utilisation"] > 0).all()
    assert f"--schemes {scheme}" in command("explain", line).stdout
    with pytest.raises(earlydrop.ArgumentError, match="did you mean 'target'"):
        earlydrop.from_tc("tc qdisc add dev eth0 root pie tarqet 5ms")


@pytest.mark.parametrize("scheme", ["fq-codel:limit=200", "pie:target=20ms", "red:min=20,max=60"])
def test_a_scheme_as_a_line_of_tc_is_the_commands(scheme: str) -> None:
    line = earlydrop.to_tc(scheme, link="50 Mbps")
    assert str(line) in command("translate", scheme, "--to", "linux", "--link", "50Mbps").stdout
    assert earlydrop.from_tc(line.text, link="50 Mbps") == line.runs


def test_a_scheme_that_tc_has_no_line_of_is_refused() -> None:
    with pytest.raises(earlydrop.ArgumentError, match="clred"):
        earlydrop.to_tc("clred")


def test_schemes_are_the_commands() -> None:
    every = earlydrop.schemes()
    assert [one.to_json() for one in every.values()] == document("schemes")
    nlred = earlydrop.scheme("nlred:max_p=0.5", link="100 Mbps")
    [expected] = document("schemes", "nlred:max_p=0.5", "--link", "100Mbps")
    assert nlred.to_json() == expected
    assert nlred.curve is not None
    points = np.column_stack([nlred.curve.average, nlred.curve.probability])
    assert points.tolist() == expected["curve"]["points"]
    assert "svg" in nlred._repr_html_()
    assert every["codel"].curve is None
    assert every["red"].presets["linux"].values


def test_refusals_name_the_keyword() -> None:
    load: dict[str, Any] = {"link": "100 Mbps", "rtt": "50 ms", "flows": 150}
    refusals = {
        r"^rtt=50: the number needs a unit; .*nearest: rtt=50ms$": {"rtt": "50"},
        r"^tcp=bbr: allowed: reno, cubic, dctcp; nearest:": {"tcp": "bbr"},
        r"^goal=dly=3: ": {"goal": "dly=3"},
        r"^windows: needs the loss rate, loss$": {"windows": "fixed:4"},
        r"^scheme=rde: no scheme is called 'rde'; did you mean 'red'": {"scheme": "rde"},
        r"^seeds=0: allowed: 1 to 1000; nearest: 1$": {"seeds": 0},
    }
    for message, keywords in refusals.items():
        with pytest.raises(earlydrop.ArgumentError, match=message):
            earlydrop.configure(**{**load, **keywords})
    with pytest.raises(earlydrop.ArgumentError, match="^tool=lnux: .*linux"):
        earlydrop.explain(TC, tool="lnux")
    with pytest.raises(earlydrop.ArgumentError, match="the argument:1:"):
        earlydrop.explain("tc qdisc add dev eth0 root red limt 5")
    with pytest.raises(earlydrop.ArgumentError, match="^to=cico: .*cisco"):
        earlydrop.translate(TC, to="cico")
    with pytest.raises(
        earlydrop.ArgumentError, match="^minimise: no metric is called dlay; known: "
    ):
        earlydrop.tune(SMALL, minimise="dlay")
    over: Any
    for over, message in [
        ({"max_p": 0.1}, r"two bounds, as in 'max_p': \(2, 40\)"),
        ([("max_p", 0.1, 0.2)], "allowed: text, as in"),
    ]:
        with pytest.raises(earlydrop.ArgumentError, match=message):
            earlydrop.tune(SMALL, minimise="delay_mean", over=over)
    with pytest.raises(earlydrop.ScenarioError, match="did you mean 'codel'"):
        earlydrop.tune(SMALL.replace("codel", "codl"), minimise="loss")
    with pytest.raises(earlydrop.ArgumentError, match="clred"):
        earlydrop.reproduce("clrd.F5")


def test_tunings_are_the_commands(tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(SMALL)
    options = ["--subject-to", "utilisation>=1%", "--budget", "12", "--search-seeds", "1"]
    words = ["small.toml", "--minimise", "delay_p99", *options, "--out", "out"]
    expected = document("tune", *words, folder=tmp_path)
    keywords: dict[str, Any] = {"minimise": "delay_p99", "subject_to": "utilisation>=1%"}
    effort: dict[str, Any] = {"budget": 12, "search_seeds": 1}
    memory = earlydrop.tune(tmp_path / "small.toml", **keywords, **effort)
    folder = earlydrop.tune(tmp_path / "small.toml", **keywords, **effort, folder=tmp_path / "in")
    for answer, report in [(memory, None), (folder, str(tmp_path / "in" / "report.html"))]:
        assert answer.to_json() == {**expected, "report": report}
        assert answer.meets_limits
        runs = answer.validation.runs
        assert set(runs["scheme"]) >= {"red", "codel"}
        for tuned in answer.schemes.values():
            assert tuned.scheme is None or tuned.scheme in repr(answer)
            assert tuned.before is not None
            mean = np.mean(
                [
                    v
                    for v, s in zip(runs["delay_p99"], runs["scheme"], strict=True)
                    if s == tuned.label
                ]
            )
            assert tuned.before.mean == pytest.approx(mean)
    assert earlydrop.open_run(tmp_path / "in").runs.to_dict() == memory.validation.runs.to_dict()


def test_claims_are_the_commands(tmp_path: Path) -> None:
    expected = document("reproduce", "clred.F5", "--multiverse", "2", folder=tmp_path)
    answer = earlydrop.reproduce("clred.F5", multiverse=2, folder=tmp_path / "again")
    assert answer.to_json() == {"claims": expected}
    claim = answer.claims["clred.F5.a"]
    assert claim.verdict == expected[0]["verdict"]
    assert len(claim.universes) == 2
    assert claim.claim in repr(answer)
    # What another call, or the command, has run is not run again.
    again = earlydrop.reproduce("clred.F5", multiverse=2, folder=tmp_path / "runs")
    assert again.to_json() == answer.to_json()


def test_whether_claims_can_fail_is_the_commands(tmp_path: Path) -> None:
    expected = document("reproduce", "clred.F5", "--wrong", folder=tmp_path)
    answer = earlydrop.falsify("clred.F5", folder=tmp_path / "runs")
    assert answer.to_json() == {"trials": expected}
    trial = answer.trials["clred.F5.a"]
    assert trial.verdict_with_wrong_scheme == expected[0]["verdict_with_wrong"]
    assert trial.can_fail
    assert trial.summary in repr(answer)


def interrupted_by_progress(
    monkeypatch: pytest.MonkeyPatch, module: str, what: str
) -> threading.Event:
    """Presses Ctrl-C as soon as the progress of a call is heard of."""
    pressed = threading.Event()
    called = getattr(importlib.import_module(module), what)

    def press(self: Any, *reached: Any) -> None:
        called.__call__(self, *reached)
        if not pressed.is_set():
            pressed.set()
            os.kill(os.getpid(), signal.SIGINT)

    kind = type(what, (called,), {"__call__": press})
    monkeypatch.setattr(importlib.import_module(module), what, kind)
    return pressed


def test_ctrl_c_stops_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    pressed = interrupted_by_progress(monkeypatch, "earlydrop.progress", "_Hidden")
    with pytest.raises(KeyboardInterrupt):
        earlydrop.tune(SMALL, minimise="delay_p99", budget=100_000, seeds=1000)
    assert pressed.is_set()


def test_ctrl_c_stops_a_reproduction_which_continues(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pressed = interrupted_by_progress(monkeypatch, "earlydrop.papers", "_Experiments")
    with pytest.raises(KeyboardInterrupt):
        earlydrop.reproduce("clred", folder=tmp_path)
    assert pressed.is_set()
    assert list(tmp_path.rglob("results.sqlite"))


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"rho": 0.98, "batch": "normal:4,4,8", "buffer": 200, "at": [0, 200]},
         ["--rho", "0.98", "--batch", "normal:4,4,8", "--buffer", "200", "--at", "0,200"]),
        ({"lambda_": 0.5, "mu": 2, "batch": {1: 0.5, 2: 0.3}, "buffer": 10, "reject": "whole"},
         ["--lambda", "0.5", "--mu", "2", "--batch", "1:0.5,2:0.3", "--buffer", "10",
          "--reject", "whole"]),
        ({"rho": 1.2, "batch": 4, "buffer": 40, "method": "paper"},
         ["--rho", "1.2", "--batch", "fixed:4", "--buffer", "40", "--method", "paper"]),
    ],
)  # fmt: skip
def test_queues_are_the_commands(keywords: dict[str, Any], words: list[str]) -> None:
    solved = earlydrop.batch_queue(**keywords)
    assert solved.to_json() == document("queue", *words)
    first, last, probability = solved.distribution
    assert first[0] == 0 and last[-1] == keywords["buffer"]
    assert probability.sum() == pytest.approx(1)
    assert f"M^X/M/1/{keywords['buffer']}" in repr(solved)
    assert "mean queue" in solved._repr_html_()


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"rho": 0.9}, "buffer=0"),
        ({"buffer": 10}, "one of rho= and lambda_="),
        ({"buffer": 10, "rho": 1, "lambda_": 1}, "one of rho= and lambda_="),
        ({"buffer": 10, "rho": 0.9, "reject": "hole"}, 'reject="hole": did you mean "whole"?'),
        ({"buffer": 10, "lambda_": -1}, "lambda_=-1"),
        ({"buffer": 10, "rho": 0.9, "batch": "poisson:4"}, "batch=poisson:4"),
    ],
)  # fmt: skip
def test_queues_are_refused_by_keyword(keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(earlydrop.ArgumentError) as raised:
        earlydrop.batch_queue(**{"buffer": 0} | keywords)
    assert message in str(raised.value)
