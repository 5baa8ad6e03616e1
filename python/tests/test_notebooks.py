"""Every notebook runs, and shows what is saved in it.

`EARLYDROP_WRITE_PAGES=1 python -m pytest tests/test_notebooks.py` saves what they show now.
"""

import math
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parents[2] / "notebooks"
#: What is saved: code hosts show it, and it is small.
SAVED = ["text/plain", "image/png"]


def execute(notebook: Any) -> Any:
    """Runs all cells; an exception in one is raised here."""
    resources = {"metadata": {"path": str(FOLDER)}}
    return NotebookClient(
        notebook, kernel_name="python3", timeout=None, resources=resources
    ).execute()


def kept(output: Any) -> Any:
    """An output as it is saved; `None` for progress bars and warnings of libraries."""
    if output.output_type == "stream":
        return output if output.name == "stdout" else None
    data = {kind: output.data[kind] for kind in SAVED if kind in output.data}
    if not data or "application/vnd.jupyter.widget-view+json" in output.data:
        return None
    output.data, output.metadata = data, {}
    return output


def joined(outputs: Iterable[Any]) -> list[Any]:
    """The outputs with what was printed in one piece."""
    result: list[Any] = []
    for output in outputs:
        if result and output.output_type == result[-1].output_type == "stream":
            result[-1].text += output.text
        else:
            result.append(output)
    return result


def tidy(notebook: Any) -> Any:
    """A notebook as it is saved."""
    for cell in notebook.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.outputs = joined(output for output in map(kept, cell.outputs) if output)
    notebook.metadata.pop("widgets", None)
    notebook.metadata.language_info = {"name": "python"}
    return notebook


def texts(notebook: Any) -> list[str]:
    """The text of the outputs of each cell."""
    shown = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            text = output.get("text") or output.data.get("text/plain", "")
            shown.append(f"{cell.source.splitlines()[0]}\n{text}")
    return shown


NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?")


def same(one: str, other: str) -> bool:
    """Whether texts are the same but for the last digits of numbers and the space between words."""
    words = [NUMBER.sub("#", text).split() for text in (one, other)]
    numbers = [[float(number) for number in NUMBER.findall(text)] for text in (one, other)]
    return words[0] == words[1] and all(
        math.isclose(a, b, rel_tol=1e-3, abs_tol=1e-9) for a, b in zip(*numbers, strict=True)
    )


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_shows_what_is_saved_in_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    saved = nbformat.read(path, as_version=4)
    before = texts(saved)
    executed = tidy(execute(saved))
    if os.environ.get("EARLYDROP_WRITE_PAGES"):
        nbformat.write(executed, path)
        return
    now = texts(executed)
    assert len(before) == len(now), "EARLYDROP_WRITE_PAGES=1 saves what the notebook shows now"
    for was, shows in zip(before, now, strict=True):
        assert same(was, shows), f"saved:\n{was}\nnow:\n{shows}"


def test_a_run_in_a_notebook_shows_a_bar_and_a_table() -> None:
    notebook = nbformat.v4.new_notebook()
    source = "import earlydrop\nearlydrop.compare('red', duration='2 s', seeds=3)"
    notebook.cells = [nbformat.v4.new_code_cell(source)]
    (cell,) = execute(notebook).cells
    bars = [
        output
        for output in cell.outputs
        if output.get("name") == "stderr"
        or "application/vnd.jupyter.widget-view+json" in output.get("data", {})
    ]
    assert bars and "Warning" not in str(bars)
    (table,) = [output for output in cell.outputs if output.output_type == "execute_result"]
    assert "<table>" in table.data["text/html"] and "scheme" in table.data["text/plain"]
