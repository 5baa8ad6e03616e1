"""Data files of flent (https://flent.org): written for its plots, and read as tables.

The format is documented in flent's `data-format` page; this is its version 4.
"""

from __future__ import annotations

import bz2
import gzip
import json
import os
import re
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

#: A data file's content.
Document = dict[str, Any]

#: The version of flent's format that is written, and the newest that is read.
_VERSION = 4
#: The test of flent that measures what these runs have: uploads, and the delay of pings.
_TEST = "tcp_nup"
_QDISC = "qdisc_stats_bottleneck"


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
        if content.startswith(b"\x1f\x8b"):
            content = gzip.decompress(content)
        elif content.startswith(b"BZh"):
            content = bz2.decompress(content)
        document = json.loads(content)
    except (ValueError, EOFError, OSError, zlib.error) as error:
        raise ArgumentError(f"{path}: not a data file of flent: {error}") from None
    return _read(document, str(path))


def _read(document: Any, name: str) -> FlentData:
    keys = {"metadata", "x_values", "results"}
    if not isinstance(document, dict) or not keys <= set(document):
        wanted = ", ".join(sorted(keys))
        raise ArgumentError(f"{name}: not a data file of flent: its keys are {wanted}")
    version = int(document.get("version", 1))
    if version > _VERSION:
        raise ArgumentError(f"{name}: version {version} of flent's format; read: up to {_VERSION}")
    times, metadata = document["x_values"], document["metadata"]
    units = {one: about.get("UNITS", "") for one, about in metadata.get("SERIES_META", {}).items()}
    rows = []
    for series, values in document["results"].items():
        if len(values) != len(times):
            text = f"series {series!r} has {len(values)} values, x_values {len(times)}"
            raise ArgumentError(f"{name}: {text}")
        unit = units.get(series) or ""
        rows += [
            (series, unit, time, _number(value)) for time, value in zip(times, values, strict=True)
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
            list(_raw_rows(document.get("raw_values", {}))),
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
    found = documents(result, begun)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for document in found:
        path = folder / document["metadata"]["DATA_FILENAME"]
        content = json.dumps(document, indent=1, sort_keys=True).encode()
        # No file is written over, and none is left half written.
        part = path.with_suffix(".part")
        part.write_bytes(gzip.compress(content, mtime=0))
        try:
            os.link(part, path)
        except FileExistsError:
            raise RunError(f"{path}: exists, and is not written over") from None
        finally:
            part.unlink()
        paths.append(path)
    return paths


def documents(result: Result, time: datetime | None = None) -> list[Document]:
    """The data files of the runs whose samples are stored."""
    time = (time or datetime.now(timezone.utc)).astimezone(timezone.utc)
    derived = result.to_json(metrics="utilisation")["derived"]
    watched = {row["cell"]: row["link"] for row in result.queues.rows() if row["watched"]}
    samples = result.samples.to_dict()
    runs: dict[int, _Run] = {}
    for index, cell in enumerate(samples["cell"]):
        if cell not in runs:
            keys = {name: column[index] for name, column in samples.items()}
            runs[cell] = _Run(keys, derived[keys["point"]], watched[cell])
        runs[cell].add(*(samples[name][index] for name in ("source", "name", "time", "value")))
    if not runs:
        raise RunError('no samples are stored: set={"measure.series": "all"} stores those of all')
    groups = dict(result.scenario._about["groups"])
    return [run.document(result.scenario.title, groups, time) for run in runs.values()]


class _Run:
    """One run's series on its way to a data file."""

    def __init__(self, keys: Document, derived: Document, watched: str) -> None:
        self._keys = keys
        self._derived = derived
        self._watched = watched
        self._times: list[float] = []
        self._of_link: dict[str, list[float | None]] = {}

    def add(self, source: str, name: str, time: float, value: float | None) -> None:
        """Adds a sample, of which those of the measured link count."""
        if source == self._watched:
            values = self._of_link.setdefault(name, [])
            values.append(value)
            if len(values) > len(self._times):
                self._times.append(time)

    def document(self, title: str, groups: dict[str, bool], time: datetime) -> Document:
        """The data file."""
        results = self._bandwidths(groups)
        results["Ping (ms) ICMP"] = self._pings()
        results[_QDISC] = self._of_link["queue"]
        results[f"{_QDISC}::dropped"] = self._of_link["drops"]
        results[f"{_QDISC}::ecn_mark"] = self._of_link["marks"]
        return {
            "version": _VERSION,
            "metadata": self._metadata(title, results, time),
            "x_values": self._times,
            "results": results,
            "raw_values": self._raw(results, time.timestamp()),
        }

    def _bandwidths(self, groups: dict[str, bool]) -> dict[str, list[float | None]]:
        begin = "departures of "
        rates = {
            name[len(begin) :]: values
            for name, values in self._of_link.items()
            if name.startswith(begin)
        }
        if not rates:
            raise RunError(
                "flent's bandwidths are the rates at which groups leave the queue, which this run "
                'has not sampled: set={"measure.departures": True} samples them'
            )
        results: dict[str, list[float | None]] = {}
        for group, values in rates.items():
            protocol = "TCP" if groups[group] else "UDP"
            results[f"{protocol} upload::{group}"] = [_mega(value) for value in values]
        tcp = [values for name, values in results.items() if name.startswith("TCP")]
        if tcp:
            sums = [sum(value or 0.0 for value in at) for at in zip(*tcp, strict=True)]
            results["TCP upload sum"] = list(sums)
            results["TCP upload avg"] = [value / len(tcp) for value in sums]
        return results

    def _pings(self) -> list[float | None]:
        """The base round trip, and the time that the packets in the queue take."""
        wait = self._wait()
        base = 1e3 * self._derived["rtt"]
        return [None if q is None else base + 1e3 * q * wait for q in self._of_link["queue"]]

    def _wait(self) -> float:
        """The time that a packet takes on the measured link."""
        links = self._derived["links"]
        link = next((one for one in links if one["link"] == self._watched), links[0])
        return float(8 * link["mean_packet"] / link["rate"])

    def _metadata(self, title: str, results: Document, time: datetime) -> Document:
        keys = self._keys
        fields = [name for name in keys if name not in _KEYS]
        at = "".join(f", {field}={keys[field]}" for field in fields)
        short = f"{keys['scheme']}{at}, seed {keys['seed']}"
        step = self._times[1] - self._times[0] if len(self._times) > 1 else 1.0
        stamp = time.strftime("%Y-%m-%dT%H%M%S.%f")
        name = re.sub("[^A-Za-z0-9-]", "_", short)
        units = {one: _unit(one) for one in results}
        return {
            "NAME": _TEST,
            "TITLE": short,
            "NOTE": f"{title}. Simulated by earlydrop {_lib.version()}. Ping (ms) is the base "
            "round trip and the time that the packets in the queue take.",
            "TIME": _stamp(time),
            "T0": _stamp(time),
            "DATA_FILENAME": f"{_TEST}-{stamp}.{name}.flent.gz",
            "LENGTH": round(self._times[-1]),
            "TOTAL_LENGTH": self._times[-1],
            "STEP_SIZE": step,
            "HOST": "simulated",
            "HOSTS": ["simulated"],
            "LOCAL_HOST": "earlydrop",
            "FLENT_VERSION": f"earlydrop {_lib.version()}",
            "IP_VERSION": 4,
            "TEST_PARAMETERS": {
                "upload_streams": str(
                    sum("::" in one and one.startswith("TCP") for one in results)
                ),
                "qdisc_stats_hosts": "bottleneck",
                "qdisc_stats_interfaces": self._watched,
            },
            "SERIES_META": {
                one: {"UNITS": unit, "MEAN_VALUE": _mean(results[one])}
                for one, unit in units.items()
            },
        }

    def _raw(self, results: Document, begun: float) -> Document:
        """The values with their times, which flent's box plots and distributions use."""
        raw: Document = {
            name: [{"t": begun + t, "val": v} for t, v in zip(self._times, values, strict=True)]
            for name, values in results.items()
            if not name.startswith(_QDISC)
        }
        wait = self._wait()
        columns = (self._of_link[name] for name in ("queue", "drops", "marks"))
        raw[_QDISC] = [
            {
                "t": begun + time,
                "backlog_packets": queue,
                "delay": None if queue is None else 1e3 * queue * wait,
                "dropped": drops,
                "ecn_mark": marks,
            }
            for time, queue, drops, marks in zip(self._times, *columns, strict=True)
        ]
        return raw


#: The columns of samples that are no swept fields.
_KEYS = {"cell", "scheme", "point", "seed", "source", "name", "time", "value"}


def _mega(value: float | None) -> float | None:
    return None if value is None else value / 1e6


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _unit(series: str) -> str:
    if series.startswith("Ping"):
        return "ms"
    return "packets" if series.startswith(_QDISC) else "Mbits/s"


def _stamp(time: datetime) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
