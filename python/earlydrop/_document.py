"""Answers of the command, read from its JSON documents, and how they show themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias

from . import _lib
from .notebook import framed
from .table import aligned
from .values import Value, text

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

#: A JSON document.
Document: TypeAlias = dict[str, Any]


@dataclass(frozen=True, repr=False)
class Answer:
    """An answer of the command."""

    _document: Document = field(compare=False)

    def to_json(self) -> Document:
        """The document that the command prints with `--json`."""
        return self._document

    def _title(self) -> str:
        raise NotImplementedError

    def _tables(self) -> Iterable[TextTable]:
        raise NotImplementedError

    def __repr__(self) -> str:
        parts = [self._title()]
        for table in self._tables():
            if table.rows:
                parts += ["", *table.lines()]
        return "\n".join(parts)

    def _repr_html_(self) -> str:
        tables = "".join(table.html() for table in self._tables() if table.rows)
        return framed(f'<p class="name">{escape(self._title())}</p>{tables}')


@dataclass(frozen=True)
class TextTable:
    """A small table for a terminal or a notebook."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""

    def lines(self) -> list[str]:
        """Its lines for a terminal."""
        title = [self.title] if self.title else []
        return title + aligned(list(self.header), [list(row) for row in self.rows])

    def html(self) -> str:
        """The table as HTML."""
        head = "".join(f"<th>{escape(name)}</th>" for name in self.header)
        rows = "".join(
            "<tr>"
            + "".join(f'<td style="text-align: left">{escape(c)}</td>' for c in row)
            + "</tr>"
            for row in self.rows
        )
        title = f"<caption>{escape(self.title)}</caption>" if self.title else ""
        return (
            f'<div class="wide"><table>{title}<thead><tr>{head}</tr></thead>'
            f"<tbody>{rows}</tbody></table></div>"
        )


#: What numbers of options count.
_UNITS = {"link": "bps", "rtt": "s", "packet": "bytes", "timeout": "s", "patience": "s"}


def texts(options: Mapping[str, Value | None]) -> dict[str, str]:
    """The options that are given, as text; numbers are in base units."""
    return {
        name: text(value, _UNITS.get(name, ""))
        for name, value in options.items()
        if value is not None
    }


def number(value: float | None, unit: str = "", scale: float = 1.0) -> str:
    """A number as the command prints it, with its unit."""
    return "-" if value is None else _lib.number_text(scale * value, None, unit)


def percent(share: float | None) -> str:
    """A share in percent."""
    return number(share, "%", 100)


@dataclass(frozen=True)
class Estimate:
    """A mean over seeds, with the half-width of its 95% interval."""

    mean: float
    half_width: float | None
    seeds: int | None = None

    @classmethod
    def _of(cls, document: Document | None) -> Estimate | None:
        if document is None:
            return None
        half = document.get("half_width_95", document.get("half"))
        return cls(document["mean"], half, document.get("seeds"))

    def __str__(self) -> str:
        return _lib.number_text(self.mean, self.half_width)


def columns(
    points: Sequence[Sequence[float]],
) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
    """Points as two arrays."""
    import numpy as np

    array = np.array(points, dtype=np.float64).reshape(-1, 2)
    return array[:, 0], array[:, 1]
