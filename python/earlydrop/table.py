"""Tables that pandas, polars, pyarrow and duckdb take without copies."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, Any

from . import _lib
from .notebook import framed

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

#: More rows than these are not printed.
_SHOWN = 10


def _needs(package: str, what: str) -> ImportError:
    return ImportError(f"{what} needs {package}: pip install {package}")


class Table:
    """A table: named columns of one length, in base units.

    It is an Arrow stream (`__arrow_c_stream__`), so `polars.DataFrame(table)`,
    `pyarrow.table(table)` and `duckdb.from_arrow(pyarrow.table(table))` take it as it is.

    >>> import earlydrop
    >>> result = earlydrop.compare(["red", "codel"], seeds=2, duration="5 s")
    >>> result.runs["scheme"]
    ['red', 'codel', 'red', 'codel']
    >>> result.runs["utilisation"].shape
    (4,)
    """

    def __init__(self, table: _lib.Table) -> None:
        self._table = table

    @property
    def columns(self) -> list[str]:
        """The columns' names."""
        return self._table.names

    @property
    def meanings(self) -> dict[str, str]:
        """The meaning of each column, with its unit."""
        return self._table.meanings

    def __len__(self) -> int:
        return len(self._table)

    def __getitem__(self, column: str) -> Any:
        """The values of a column: an array of numbers, or a list of text, integers or lists."""
        floats = self._table.floats(column)
        if floats is not None:
            # Imported when needed: numpy starts threads, and `earlydrop shell` needs one thread.
            import numpy as np

            return np.frombuffer(floats, dtype=np.float64)
        return self._table.column(column)

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __contains__(self, column: object) -> bool:
        return column in self.columns

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns as lists; `None` where something was not measured."""
        return {name: self._table.column(name) for name in self.columns}

    def rows(self) -> Iterator[dict[str, Any]]:
        """The rows as dictionaries."""
        columns = self.to_dict()
        names = list(columns)
        for values in zip(*columns.values(), strict=True):
            yield dict(zip(names, values, strict=True))

    def to_arrow(self) -> pyarrow.Table:
        """The table of pyarrow, without a copy."""
        try:
            import pyarrow
        except ImportError:
            raise _needs("pyarrow", "to_arrow()") from None
        return pyarrow.table(self)

    def to_polars(self) -> polars.DataFrame:
        """The data frame of polars, without a copy."""
        try:
            import polars
        except ImportError:
            raise _needs("polars", "to_polars()") from None
        return polars.DataFrame(self)

    def to_pandas(self) -> pandas.DataFrame:
        """The data frame of pandas."""
        try:
            import pandas
        except ImportError:
            raise _needs("pandas", "to_pandas()") from None
        return pandas.DataFrame({name: self[name] for name in self.columns})

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._table.__arrow_c_schema__()

    def __repr__(self) -> str:
        shown = [[_text(value) for value in row.values()] for row in _first(self)]
        lines = [f"{len(self)} rows of {len(self.columns)} columns"]
        return "\n".join(lines + aligned(self.columns, shown) + _more(self))

    def _repr_html_(self) -> str:
        head = "".join(
            f'<th title="{escape(self.meanings.get(name, ""))}">{escape(name)}</th>'
            for name in self.columns
        )
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(_text(v))}</td>" for v in row.values()) + "</tr>"
            for row in _first(self)
        )
        more = "".join(f'<p class="note">{line}</p>' for line in _more(self))
        size = f'<p class="note">{len(self)} rows of {len(self.columns)} columns</p>'
        return framed(
            f'{size}<div class="wide"><table><thead><tr>{head}</tr></thead>'
            f"<tbody>{body}</tbody></table></div>{more}"
        )


def _first(table: Table) -> Iterator[dict[str, Any]]:
    for index, row in enumerate(table.rows()):
        if index == _SHOWN:
            return
        yield row


def _more(table: Table) -> list[str]:
    left = len(table) - _SHOWN
    return [f"and {left} more rows"] if left > 0 else []


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return _lib.number_text(value, digits=6)
    if isinstance(value, list):
        return f"[{len(value)} values]"
    return str(value)


def aligned(header: list[str], rows: list[list[str]]) -> list[str]:
    """Lays out a table for a terminal: text to the left, the rest to the right."""
    cells = [header, *rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]

    def line(row: list[str]) -> str:
        fields = [
            text.ljust(width) if column == 0 else text.rjust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        return "  ".join(fields).rstrip()

    return [line(row) for row in cells]
