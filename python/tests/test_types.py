"""A user's script passes type checkers; help names every argument; versions are Python's."""

import importlib.metadata
import inspect
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import earlydrop
from earlydrop import gym

SCRIPT = Path(__file__).with_name("typed_script.py")


def checks(*words: str) -> str:
    ran = subprocess.run(words, capture_output=True, text=True, cwd=SCRIPT.parent)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_a_users_script_passes_mypy_strict() -> None:
    assert "Success" in checks(
        sys.executable, "-m", "mypy", "--strict", "--no-incremental", str(SCRIPT)
    )


def test_a_users_script_passes_pyright() -> None:
    pyright = shutil.which("pyright", path=str(Path(sys.executable).parent))
    if pyright is None:
        pytest.skip("pyright is not installed")
    # It fetches its program when it is first called.
    if subprocess.run([pyright, "--version"], capture_output=True).returncode != 0:
        pytest.skip("pyright cannot be fetched")
    assert "0 errors" in checks(pyright, "--pythonpath", sys.executable, str(SCRIPT))


def test_a_users_script_runs() -> None:
    checks(sys.executable, str(SCRIPT))


#: Functions that take what the command takes; a method's first argument is itself.
DESCRIBED: list[Callable[..., Any]] = [
    earlydrop.compare,
    earlydrop.run,
    earlydrop.prepare,
    earlydrop.open_run,
    earlydrop.tune,
    earlydrop.trace,
    earlydrop.configure,
    earlydrop.explain,
    earlydrop.from_tc,
    earlydrop.translate,
    earlydrop.to_tc,
    earlydrop.batch_queue,
    earlydrop.scheme,
    earlydrop.schemes,
    earlydrop.reproduce,
    earlydrop.falsify,
    earlydrop.Scenario.__init__,
    earlydrop.Queue.__init__,
    earlydrop.Result.figure,
    earlydrop.Result.svg,
    earlydrop.Trace.figure,
    gym.AQMEnv.__init__,
    gym.AQMVectorEnv.__init__,
]


@pytest.mark.parametrize("function", DESCRIBED, ids=lambda one: one.__qualname__)
def test_help_describes_every_argument(function: Callable[..., Any]) -> None:
    *_, section = (function.__doc__ or "").partition("Args:\n")
    described = re.findall(r"^    (\w+): \S", section, re.MULTILINE)
    names = [one for one in inspect.signature(function).parameters if one != "self"]
    assert described == names
    assert "--" not in section


def test_the_version_is_pythons() -> None:
    assert earlydrop.__version__ == importlib.metadata.version("earlydrop")
    assert re.fullmatch(r"\d+\.\d+\.\d+", earlydrop.__version__)
    assert earlydrop.__commit__ is None or re.fullmatch(r"[0-9a-f]{9,40}", earlydrop.__commit__)


def test_what_may_be_wrong_is_a_warning_at_the_users_line() -> None:
    options: dict[str, Any] = {"link": "5 Mbps", "flows": 3, "duration": "2 s", "seeds": 2}
    scheme = "red:min=1,max=2"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scenario = earlydrop.Scenario(schemes=scheme, **options)
    assert scenario.warnings
    with pytest.warns(earlydrop.ScenarioWarning) as caught:
        result = earlydrop.run(scenario)
    assert [str(one.message) for one in caught] == scenario.warnings
    assert all(one.filename == __file__ for one in caught)
    for text in scenario.warnings:
        assert f"warning: {text}" in str(result)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result.resume()
