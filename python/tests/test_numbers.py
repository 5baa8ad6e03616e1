"""Numbers as text: those that every place shows."""

import csv
from pathlib import Path

import pytest

from earlydrop import _lib
from earlydrop._document import Estimate, number

TEXTS = Path(__file__).parents[2] / "crates/earlydrop-model/src/number/texts.csv"


def rows() -> list[dict[str, str]]:
    with TEXTS.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("row", rows(), ids=lambda row: row["text"])
def test_texts_are_those_of_every_place(row: dict[str, str]) -> None:
    mean, half = float(row["mean"]), float(row["half"]) if row["half"] else None
    assert _lib.number_text(mean, half, row["unit"]) == row["text"]
    if not row["unit"]:
        assert str(Estimate(mean, half)) == row["text"]
    if half is None:
        assert number(mean, row["unit"]) == row["text"]
