"""Data files of flent (https://flent.org): written for its plots, and read as tables.

The format is documented in flent's `data-format` page; this reads up to its version 4. What is
written is what `earlydrop export --to flent` writes.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _lib
from .errors import ArgumentError, RunError
from .table import Table

if TYPE_CHECKING:
    from .result import Result

#: The newest version of flent's format that is read.
_VERSION = 4

#: The most bytes that a compressed file may hold.
_LARGEST = 500_000_000


@dataclass(frozen=True)
class FlentData:
    """A data file of flent: its metadata, and its series as tables."""

    #: The name of flent's test, such as "rrul".
    name: str
    title: str
    #: All metadata by flent's keys.
    metadata: dict[str, Any]
    #: A row for each value: series, unit, time in seconds since the start, value.
    samples: Table
    #: A row for each value as measured: series, key, time in seconds since the epoch, value.
    raw: Table

    @property
    def series(self) -> list[str]:
        """The names of the series."""
        return list(dict.fromkeys(self.samples["series"]))

    def __repr__(self) -> str:
        lines = [f"{self.name}: {self.title}" if self.title else self.name]
        return "\n".join(lines + [f"  {name}" for name in self.series])


def read_flent(path: str | os.PathLike[str]) -> FlentData:
    """Reads a data file of flent: `.flent`, `.flent.gz` or `.flent.bz2`.

    >>> import earlydrop
    >>> data = earlydrop.read_flent("rrul-2024-05-01.flent.gz")     # doctest: +SKIP
    >>> data.samples.to_pandas().groupby("series").value.mean()     # doctest: +SKIP
    """
    path = Path(path)
    content = path.read_bytes()
    try:
        document = json.loads(_unpacked(content))
    except (ValueError, EOFError, OSError, zlib.error, RecursionError) as error:
        raise ArgumentError(f"{path}: not a data file of flent: {error}") from None
    return _read(document, str(path))


def _unpacked(content: bytes) -> bytes:
    """The content, which may be compressed. A few bytes can stand for gigabytes."""
    packed: gzip.GzipFile | bz2.BZ2File
    if content.startswith(b"\x1f\x8b"):
        packed = gzip.GzipFile(fileobj=io.BytesIO(content))
    elif content.startswith(b"BZh"):
        packed = bz2.BZ2File(io.BytesIO(content))
    else:
        return content
    with packed:
        unpacked = packed.read(_LARGEST + 1)
    if len(unpacked) > _LARGEST:
        raise ValueError(f"more than {_LARGEST // 1_000_000} MB when decompressed")
    return unpacked


def _read(document: Any, name: str) -> FlentData:
    keys = {"metadata": dict, "x_values": list, "results": dict}
    if not isinstance(document, dict) or not set(keys) <= set(document):
        wanted = ", ".join(sorted(keys))
        raise ArgumentError(f"{name}: not a data file of flent: its keys are {wanted}")
    version = document.get("version", 1)
    if version not in range(1, _VERSION + 1):
        raise ArgumentError(f"{name}: version {version} of flent's format; read: up to {_VERSION}")
    for key, kind in keys.items():
        _is(kind, document[key], f"{name}: {key}")
    times, metadata = document["x_values"], document["metadata"]
    about = _is(dict, metadata.get("SERIES_META", {}), f"{name}: SERIES_META")
    units = {one: _is(dict, of, f"{name}: SERIES_META").get("UNITS") for one, of in about.items()}
    raw = _is(dict, document.get("raw_values", {}), f"{name}: raw_values")
    for series, values in raw.items():
        for measured in _is(list, values, f"{name}: raw_values of {series!r}"):
            _is(dict, measured, f"{name}: a value of raw_values of {series!r}")
    rows = []
    for series, values in document["results"].items():
        _is(list, values, f"{name}: series {series!r}")
        if len(values) != len(times):
            text = f"series {series!r} has {len(values)} values, x_values {len(times)}"
            raise ArgumentError(f"{name}: {text}")
        unit = str(units.get(series) or "")
        rows += [
            (series, unit, _number(time), _number(value))
            for time, value in zip(times, values, strict=True)
        ]
    return FlentData(
        name=str(metadata.get("NAME", "")),
        title=str(metadata.get("TITLE") or ""),
        metadata=metadata,
        samples=_table(
            rows,
            ("series", "the series"),
            ("unit", "the unit of its values"),
            ("time", "seconds since the start"),
            ("value", "the value"),
        ),
        raw=_table(
            list(_raw_rows(raw)),
            ("series", "the series"),
            ("key", "what was measured"),
            ("time", "seconds since the epoch"),
            ("value", "the value"),
        ),
    )


def _raw_rows(raw: dict[str, list[dict[str, Any]]]) -> Iterator[tuple[Any, ...]]:
    for series, values in raw.items():
        for measured in values:
            for key, value in measured.items():
                if key != "t" and _number(value) is not None:
                    yield series, key, _number(measured.get("t")), _number(value)


def _is(kind: type, value: Any, what: str) -> Any:
    """The value, if it is what the format says."""
    if not isinstance(value, kind):
        raise ArgumentError(f"{what} is not a {kind.__name__}, but {type(value).__name__}")
    return value


def _number(value: object) -> float | None:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number else None  # type: ignore[arg-type]


def _table(rows: list[tuple[Any, ...]], *columns: tuple[str, str]) -> Table:
    lists = list(zip(*rows, strict=True)) if rows else [()] * len(columns)
    named = [
        (name, meaning, list(values))
        for (name, meaning), values in zip(columns, lists, strict=True)
    ]
    return Table(_lib.Table.of(named))


def write(result: Result, folder: str | os.PathLike[str], time: datetime | None) -> list[Path]:
    """Writes a data file for each run whose samples are stored."""
    begun = time or datetime.now(timezone.utc)
    files = result._run.flent(max(0, round(1e6 * begun.timestamp())))
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, content in files:
        path = folder / name
        # No file is written over, and none is left half written.
        part = path.with_suffix(".part")
        part.write_bytes(content)
        try:
            os.link(part, path)
        except FileExistsError:
            raise RunError(f"{path}: exists, and is not written over") from None
        finally:
            part.unlink()
        paths.append(path)
    return paths
