"""The papers' claims, as the installed command tries them."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path


def command(*words: str, folder: Path) -> str:
    line = [sys.executable, "-m", "earlydrop", "reproduce", "--quick", "--quiet", *words]
    return subprocess.run(line, cwd=folder, check=True, capture_output=True, text=True).stdout


# Claims that ten seeds are too few for, by paper, at most: each is within a tolerance that is
# narrower than what chance does to runs.
TOO_FINE = {"restraint": 1, "red-config": 5, "rared": 10}


def test_every_claim_is_tried_and_can_be_otherwise(tmp_path: Path) -> None:
    """Where a claim holds, a scheme that is wrong on purpose changes its verdict; where it does
    not, it would hold of runs as the paper has them."""
    assert " claims were tried" in command(folder=tmp_path)
    trials = json.loads(command("--wrong", "--json", folder=tmp_path))
    assert len(trials) > 500
    wrong = []
    too_fine: Counter[str] = Counter()
    for trial in trials:
        is_shown = trial["verdict_with_wrong"] is not None or trial["could_hold"]
        if is_shown or trial["verdict"] == "cannot be decided":
            continue
        if trial["seeds_needed"] is not None and trial["within_tolerance"]:
            too_fine[trial["id"].split(".")[0]] += 1
        else:
            wrong.append(f"{trial['id']}: {trial['shown']}")
    assert not wrong, "\n".join(wrong)
    assert all(count <= TOO_FINE.get(paper, 0) for paper, count in too_fine.items()), too_fine
