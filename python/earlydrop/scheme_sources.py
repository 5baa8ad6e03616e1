"""The Python schemes of a run's folder: their text is kept beside the results."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .errors import RunError
from .python_scheme import Scheme, known, source_of

#: The file in a run's folder.
FILE = "python-schemes.json"


def _read(folder: Path) -> dict[str, dict[str, str]]:
    import json

    try:
        kept: dict[str, dict[str, str]] = json.loads((folder / FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise RunError(f"{folder / FILE}: {error}") from None
    return kept


def _meaning(source: str) -> str:
    """A class's text without its comments and spaces."""
    import ast
    import textwrap

    try:
        return ast.dump(ast.parse(textwrap.dedent(source)))
    except SyntaxError:
        return source


def check(folder: Path, own: Mapping[str, type[Scheme]]) -> None:
    """Refuses to continue a run with classes that have changed since."""
    for name, entry in _read(folder).items():
        if name in own and _meaning(entry["source"]) != _meaning(source_of(own[name])):
            raise RunError(
                f"{folder}: the class of {name!r} has changed since this run began, so its runs "
                f"would not be comparable; choose another folder (the class as it was is in "
                f"{folder / FILE})"
            )


def keep(folder: Path, own: Mapping[str, type[Scheme]]) -> None:
    """Keeps the text of classes in a run's folder."""
    import json

    before = _read(folder)
    kept = dict(before)
    for name, cls in own.items():
        entry = {"class": cls.__qualname__, "module": cls.__module__, "source": source_of(cls)}
        kept.setdefault(name, entry)
    if kept != before:
        temporary = folder / f".{FILE}.{os.getpid()}"
        temporary.write_text(json.dumps(kept, indent=1), encoding="utf-8")
        temporary.replace(folder / FILE)


def classes(folder: Path) -> dict[str, type[Scheme]]:
    """The classes that the run in a folder needs, which must be defined."""
    defined: dict[str, Any] = known()
    missing = {name: entry for name, entry in _read(folder).items() if name not in defined}
    if missing:
        name, entry = next(iter(missing.items()))
        raise RunError(
            f"{folder}: this run compares the Python scheme {name!r}, which is not defined here: "
            f"import or define class {entry['class']} of {entry['module']} first (its text is in "
            f"{folder / FILE})"
        )
    return {name: defined[name] for name in _read(folder)}
