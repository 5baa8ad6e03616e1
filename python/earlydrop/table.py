"""Tables that numpy, pandas, polars, pyarrow and duckdb take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from operator import index
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

from . import _lib
from .notebook import framed, terminal_width

if TYPE_CHECKING:
    import numpy as np
    import pandas
    import polars
    import pyarrow
    from numpy.typing import NDArray

#: More rows than these are not printed.
_SHOWN = 10


def _needs(package: str, what: str) -> ImportError:
    return ImportError(f"{what} needs {package}: pip install {package}")


class Table:
    """A table: named columns of one length, in base units.

    A column is an array of numpy by its name; a row is a dictionary, by its number or in a loop.

    >>> import earlydrop
    >>> runs = earlydrop.compare(["red", "codel"], seeds=2, duration="5 s").runs
    >>> runs["scheme"].tolist(), runs["seed"].tolist()
    (['red', 'codel', 'red', 'codel'], [1, 1, 2, 2])
    >>> runs["utilisation"][runs["scheme"] == "red"].shape
    (2,)
    >>> [row["scheme"] for row in runs if row["seed"] == 1]
    ['red', 'codel']

    `pandas.DataFrame(table)`, `polars.DataFrame(table)`, `pyarrow.table(table)`,
    `duckdb.from_arrow(pyarrow.table(table))` and `numpy.asarray(table)`, a structured array, take
    it as it is: it is an Arrow stream (`__arrow_c_stream__`), a data frame of the interchange
    protocol (`__dataframe__`), and an array (`__array_interface__`: pandas would take the names
    away from what has `__array__`).
    """

    def __init__(self, table: _lib.Table) -> None:
        self._table = table
        self._arrays: dict[str, NDArray[Any]] = {}

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

    @overload
    def __getitem__(self, key: str) -> NDArray[Any]: ...

    @overload
    def __getitem__(self, key: SupportsIndex) -> dict[str, Any]: ...

    def __getitem__(self, key: str | SupportsIndex) -> NDArray[Any] | dict[str, Any]:
        """A column by its name: an array, of floats with NaN where something was not measured, of
        integers, of flags, or of objects: text or arrays. A row by its number: a dictionary.
        """
        if isinstance(key, str):
            if key not in self._arrays:
                self._arrays[key] = self._array(key)
            return self._arrays[key]
        try:
            number, count = index(key), len(self)
        except TypeError:
            raise TypeError(
                f"a column by its name or a row by its number, not {type(key).__name__}; some rows "
                "of a column are table[name][mask], some rows of all are to_pandas()[mask]"
            ) from None
        if not -count <= number < count:
            raise IndexError(f"row {number}: allowed: 0 to {count - 1}")
        return self._rows(range(count)[number], 1)[0]

    def _array(self, column: str) -> NDArray[Any]:
        # Imported when needed: numpy starts threads, and `earlydrop shell` needs one thread.
        import numpy as np

        if (numbers := self._table.numbers(column)) is not None:
            kind, values = numbers
            return np.frombuffer(values, dtype=kind)
        objects = self._table.column(column)
        array = np.empty(len(objects), dtype=object)
        for number, one in enumerate(objects):
            array[number] = np.array(one) if isinstance(one, list) else one
        array.flags.writeable = False
        return array

    def _rows(self, first: int, count: int) -> list[dict[str, Any]]:
        columns = [self._table.column(name, first, count) for name in self.columns]
        return [dict(zip(self.columns, row, strict=True)) for row in zip(*columns, strict=True)]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self._rows(0, len(self)))

    def __contains__(self, column: object) -> bool:
        return column in self.columns

    def _ipython_key_completions_(self) -> list[str]:
        return self.columns

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns as lists; `None` where something was not measured."""
        return {name: self._table.column(name) for name in self.columns}

    def to_numpy(self) -> NDArray[np.void]:
        """A structured array with a field for each column; text is of fixed width."""
        import numpy as np

        columns = [self[name] for name in self.columns]
        plain = [one.astype(str) if _is_text(one) else one for one in columns]
        array = np.empty(
            len(self), [(name, one.dtype) for name, one in zip(self.columns, plain, strict=True)]
        )
        for name, one in zip(self.columns, plain, strict=True):
            array[name] = one
        return array

    @property
    def __array_interface__(self) -> dict[str, Any]:
        array = self.to_numpy()
        if array.dtype.hasobject:
            raise AttributeError("lists are no fields of an array")
        # The bytes live as long as what is made of them.
        return {**array.__array_interface__, "data": array.tobytes()}

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restored, (self._table.state(),))

    def __dataframe__(self, nan_as_null: bool = False, allow_copy: bool = True) -> object:
        return self.to_arrow().__dataframe__(nan_as_null, allow_copy)

    def to_arrow(self) -> pyarrow.Table:
        """The table of pyarrow, without a copy."""
        try:
            import pyarrow
        except ImportError:
            raise _needs("pyarrow", "to_arrow()") from None
        return pyarrow.table(self)

    def to_polars(self) -> polars.DataFrame:
        """The data frame of polars; numbers are not copied."""
        try:
            import polars
        except ImportError:
            raise _needs("polars", "to_polars()") from None
        # Names of schemes are a dictionary in Arrow, which polars joins with no text.
        names = polars.col(polars.Categorical, polars.Enum)
        return polars.DataFrame(self).with_columns(names.cast(polars.String))

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
        rows = self._rows(0, _SHOWN)
        names, shown = self.columns, [[_text(value, 4) for value in row.values()] for row in rows]
        fits = _fitting(names, shown, terminal_width())
        lines = [f"{len(self)} rows of {len(names)} columns"]
        lines += aligned(names[:fits], [row[:fits] for row in shown])
        return "\n".join(lines + _more(len(self) - _SHOWN, names[fits:]))

    def _repr_html_(self) -> str:
        names = self.columns
        head = "".join(
            f'<th title="{escape(self.meanings.get(name, ""))}">{escape(name)}</th>'
            for name in names
        )
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(_text(row[name]))}</td>" for name in names) + "</tr>"
            for row in self._rows(0, _SHOWN)
        )
        more = "".join(f'<p class="note">{line}</p>' for line in _more(len(self) - _SHOWN, []))
        size = f'<p class="note">{len(self)} rows of {len(self.columns)} columns</p>'
        return framed(
            f'{size}<div class="wide"><table><thead><tr>{head}</tr></thead>'
            f"<tbody>{body}</tbody></table></div>{more}"
        )


def _restored(state: list[Any]) -> Table:
    """The table of another process."""
    return Table(_lib.Table.restored(state))


def _is_text(column: NDArray[Any]) -> bool:
    return column.dtype == object and all(one is None or isinstance(one, str) for one in column)


def _fitting(names: Sequence[str], rows: list[list[str]], width: int) -> int:
    """How many of the columns fit side by side, at least one."""
    used = 0
    for number, name in enumerate(names):
        used += max(len(text) for text in [name, *(row[number] for row in rows)]) + 2
        if used - 2 > width and number > 0:
            return number
    return len(names)


def _more(rows: int, columns: list[str]) -> list[str]:
    """What of a table is not shown."""
    left = [f"{rows} more rows"] if rows > 0 else []
    if len(columns) == 1:
        left.append(f"the column {columns[0]}")
    elif columns:
        left.append(f"{len(columns)} more columns ({columns[0]} to {columns[-1]})")
    return [f"and {', '.join(left)}"] if left else []


def _text(value: object, digits: int = 6) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return _lib.number_text(value, digits=digits)
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
