"""Numbers from Python are those of the `earlydrop` command, for every shipped scenario."""

import importlib.metadata
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import earlydrop

ROOT = Path(__file__).resolve().parents[2]
COMMAND = shutil.which("earlydrop", path=str(Path(sys.executable).parent))
SUITES = ROOT / "crates/earlydrop-lab/suites"
# Links of a data centre carry as much in a hundredth of the time; the warm-up is shortened with it.
SHORT = {
    "leaf-spine": "4ms",
    "rdma-thresholds": "2ms",
    "rdma": "12ms",
    "pauses": "12ms",
    "incast": "50ms",
    "data-centre": "300ms",
}
# The suite of data centres is the fabric of `leaf-spine.toml` once more, twenty times as large.
SHIPPED = sorted([*(ROOT / "scenarios").glob("*.toml"), *SUITES.glob("[!d]*/*.toml")])


@pytest.mark.skipif(COMMAND is None, reason="the command is not installed")
@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_shipped_scenario_gives_the_commands_numbers(path: Path, tmp_path: Path) -> None:
    assert COMMAND is not None
    # A run of each scheme at each point is enough: seeds differ in nothing else.
    duration = next((time for part, time in SHORT.items() if part in str(path)), "3s")
    arguments = ["--duration", duration, "--seeds", "1", "--json", "--quiet", "--out", "run"]
    ran = subprocess.run(
        [COMMAND, "run", str(path), *arguments], cwd=tmp_path, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    of_command = json.loads(ran.stdout)
    result = earlydrop.run(path, duration=duration, seeds=1)
    of_python = result.to_json()
    for document in [of_command, of_python]:
        del document["folder"], document["report"]
    assert of_python == of_command
    stored = earlydrop.open_run(tmp_path / "run")
    for name in ["cells", "flows", "samples", "sojourn"]:
        assert stored.table(name).to_dict() == result.table(name).to_dict(), name


def test_every_shipped_scenario_is_tried() -> None:
    assert len(SHIPPED) >= 20


@pytest.mark.parametrize("name", ["LICENSE-APACHE", "LICENSE-MIT"])
def test_the_package_carries_its_licences(name: str) -> None:
    found = importlib.metadata.distribution("earlydrop").read_text(f"licenses/{name}")
    assert found == (ROOT / name).read_text()
