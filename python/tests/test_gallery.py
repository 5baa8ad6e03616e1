"""The lines of the gallery make its pictures, and those of its neighbour run.

`EARLYDROP_WRITE_PAGES=1 python -m pytest tests/test_gallery.py` draws them anew.
"""

import os
import re
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "how-to"
#: Lines of Python, and the picture below them where there is one.
BLOCK = re.compile(r"```python\n(.*?)```(?:\n\n!\[[^]]*\]\((.*?)\))?", re.DOTALL)


def test_the_lines_of_the_gallery_make_its_pictures() -> None:
    page = (FOLDER / "gallery.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    drawn = []
    for lines, picture in BLOCK.findall(page):
        if not picture:
            exec(lines, names)
            continue
        assert len(lines.splitlines()) <= 3, "three lines that make a picture"
        *before, last = lines.splitlines()
        exec("\n".join(before), names)
        text = eval(last, names)
        path = FOLDER / picture
        if os.environ.get("EARLYDROP_WRITE_PAGES"):
            path.write_text(text, encoding="utf-8")
        assert path.read_text(encoding="utf-8") == text, picture
        drawn.append(path.name)
    assert sorted(drawn) == sorted(path.name for path in (FOLDER / "gallery").iterdir())
    assert len(drawn) >= 7


def test_the_lines_for_those_who_come_from_elsewhere_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    page = (FOLDER / "coming-from.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    for lines, _ in BLOCK.findall(page):
        exec(lines, names)
    assert "min=5 packets" in names["mine"] and "limit=100 packets" in names["mine"]
    assert set(names["means"].index) == {"mine", "pie"}
    assert names["differences"].significant.dtype == bool
    assert list((tmp_path / "data").iterdir())
