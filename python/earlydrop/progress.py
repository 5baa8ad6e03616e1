"""Progress bars: those of tqdm where it is installed, otherwise a line on the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Protocol
from warnings import catch_warnings, simplefilter


class Bar(Protocol):
    """Something that shows how many runs were done before, are done, and are planned."""

    def __enter__(self) -> Callable[[int, int, int], None]: ...
    def __exit__(self, *_: object) -> None: ...


class _Hidden:
    def __enter__(self) -> _Hidden:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def __call__(self, before: int, done: int, planned: int) -> None:
        pass


class _Tqdm:
    """A bar of tqdm, which fits a terminal and a notebook."""

    def __init__(self, tqdm: Any, unit: str) -> None:
        self._bar: Any = None
        self._tqdm = tqdm
        self._unit = unit

    def __enter__(self) -> _Tqdm:
        return self

    def __call__(self, before: int, done: int, planned: int) -> None:
        if self._bar is None:
            self._bar = self._tqdm(total=planned, initial=before, unit=self._unit, leave=False)
        self._bar.total = planned
        self._bar.update(done - self._bar.n)

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()


class _Line(_Hidden):
    """A line that is written over, for terminals without tqdm."""

    def __init__(self, unit: str) -> None:
        self._unit = unit
        self._shown = False

    def __call__(self, before: int, done: int, planned: int) -> None:
        sys.stderr.write(f"\r{done} of {planned} {self._unit}s")
        sys.stderr.flush()
        self._shown = True

    def __exit__(self, *_: object) -> None:
        if self._shown:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


def _in_notebook() -> bool:
    kernel = sys.modules.get("ipykernel")
    return kernel is not None and "IPython" in sys.modules


def bar(progress: bool | None, unit: str = "run") -> Bar:
    """Makes the bar for a `progress` argument: `None` shows one where somebody sees it."""
    if progress is None:
        progress = sys.stderr.isatty() or _in_notebook()
    if not progress:
        return _Hidden()
    try:
        # Without ipywidgets, tqdm warns and shows a bar of text, which is all that is needed.
        with catch_warnings():
            simplefilter("ignore")
            from tqdm.auto import tqdm
    except ImportError:
        return _Line(unit)
    return _Tqdm(tqdm, unit)
