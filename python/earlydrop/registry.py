"""The schemes: parameters with their defaults and ranges, presets, probes, drop curves."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from . import _lib
from ._document import Answer, Document, TextTable, columns
from .options import takes
from .table import Table
from .values import Value, text

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Parameter:
    """A parameter of a scheme; values are text with units, as in scenarios."""

    name: str
    #: What its values are: "time", "packets, bytes or time", "probability".
    unit: str
    #: The allowed values in words: "a probability in (0, 1]".
    range: str
    default: str
    #: Where the default is from.
    origin: str
    meaning: str
    #: The value here: the default where none is given.
    value: str
    #: Names that are allowed, with their meanings.
    choices: dict[str, str] | None = None
    #: The condition under which it has an effect: "curve=numbers".
    when: str | None = None

    @classmethod
    def _of(cls, document: Document) -> Parameter:
        choices = document.get("choices")
        named = {**document, "choices": choices and {c["name"]: c["meaning"] for c in choices}}
        return cls(**named)


@dataclass(frozen=True)
class Preset:
    """Parameters as a paper or a tool has them: `red:as=linux`."""

    name: str
    meaning: str
    values: dict[str, str]


@dataclass(frozen=True)
class DropCurve:
    """A drop curve: probabilities over the average queue; a jump has two points."""

    #: The unit of the average: "packets" or "bytes".
    unit: str
    _points: list[list[float]]

    @property
    def average(self) -> NDArray[numpy.float64]:
        """The average queue of each point."""
        return columns(self._points)[0]

    @property
    def probability(self) -> NDArray[numpy.float64]:
        """The probability of a drop or a mark at each point."""
        return columns(self._points)[1]

    def _repr_html_(self) -> str:
        end = self._points[-1][0] or 1.0
        path = " ".join(f"{200 * x / end:.1f},{60 * (1 - y):.1f}" for x, y in self._points)
        return (
            '<svg viewBox="-2 -2 204 64" width="204" height="64" role="img" '
            f'aria-label="drop curve"><title>to {end:g} {escape(self.unit)}</title>'
            f'<polyline points="{path}" fill="none" stroke="currentColor" stroke-width="1.5"/>'
            "</svg>"
        )


@dataclass(frozen=True, repr=False)
class SchemeInfo(Answer):
    """A scheme on a link: the answer of `earlydrop schemes NAME`."""

    name: str
    summary: str
    #: Who published it.
    source: str
    parameters: dict[str, Parameter]
    #: Values that are sampled over time, with their meanings.
    probes: dict[str, str]
    presets: dict[str, Preset]
    #: The drop curve, the initial one where it adapts; `None` of schemes without one.
    curve: DropCurve | None

    @classmethod
    def _of(cls, document: Document) -> SchemeInfo:
        curve = document.get("curve")
        return cls(
            _document=document,
            name=document["name"],
            summary=document["summary"],
            source=document["source"],
            parameters={one["name"]: Parameter._of(one) for one in document["parameters"]},
            probes={probe["name"]: probe["meaning"] for probe in document["probes"]},
            presets={preset["name"]: Preset(**preset) for preset in document["presets"]},
            curve=curve and DropCurve(curve["unit"], curve["points"]),
        )

    def _title(self) -> str:
        return f"{self.name}: {self.summary} ({self.source})"

    def _tables(self) -> Iterable[TextTable]:
        header = ["parameter", "value", "allowed", "meaning"]
        rows = [[p.name, p.value, p.range, p.meaning] for p in self.parameters.values()]
        yield TextTable(header, rows)
        presets = [[preset.name, preset.meaning] for preset in self.presets.values()]
        yield TextTable(["preset", "meaning"], presets)

    def _repr_html_(self) -> str:
        curve = "" if self.curve is None else self.curve._repr_html_()
        return curve + super()._repr_html_()


class Schemes(Mapping[str, SchemeInfo]):
    """All schemes by their names."""

    def __init__(self, schemes: Iterable[SchemeInfo]) -> None:
        self._schemes = {scheme.name: scheme for scheme in schemes}

    def __getitem__(self, name: str) -> SchemeInfo:
        return self._schemes[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._schemes)

    def __len__(self) -> int:
        return len(self._schemes)

    def _table(self) -> TextTable:
        return TextTable(["scheme", "summary"], [[one.name, one.summary] for one in self.values()])

    def __repr__(self) -> str:
        lines = self._table().lines()
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return self._table().html()


@takes(command="schemes")
def schemes(*, link: Value = "10 Mbps") -> Schemes:
    """All schemes, with their parameters on a link of this rate.

    >>> import earlydrop
    >>> "nlred" in earlydrop.schemes()
    True
    """
    documents = json.loads(_lib.schemes(None, text(link, "bps")))
    return Schemes(SchemeInfo._of(document) for document in documents)


@takes(command="schemes", spec='the scheme, optionally with parameters: "red:max_p=0.2"')
def scheme(spec: str, *, link: Value = "10 Mbps") -> SchemeInfo:
    """A scheme, optionally with parameters, on a link of this rate.

    >>> import earlydrop
    >>> nlred = earlydrop.scheme("nlred:max_p=0.2")
    >>> nlred.summary
    'nonlinear RED: ...'
    >>> nlred.parameters["max_p"].value, nlred.parameters["max_p"].default
    ('0.2', '0.1')
    >>> float(nlred.curve.probability.max())
    1.0
    >>> earlydrop.scheme("nlrde")
    Traceback (most recent call last):
    ...
    earlydrop.errors.ArgumentError: no scheme is called 'nlrde'; did you mean 'nlred'?
    """
    return SchemeInfo._of(json.loads(_lib.schemes(spec, text(link, "bps")))[0])


def metrics() -> Table:
    """What is measured of each run: a row for each metric, in the order of `Result.runs`.

    `unit` is that of tables, `better` is "less", "more" or nothing.

    >>> import earlydrop
    >>> metrics = earlydrop.metrics()
    >>> {row["name"]: row["unit"] for row in metrics}["delay_p99"]
    's'
    """
    names = ["name", "title", "unit", "better", "meaning"]
    about = [
        "its name in tables",
        "its heading",
        "the unit of its values in tables",
        "which values are better",
        "its definition",
    ]
    columns = [list(column) for column in zip(*_lib.metrics(), strict=True)]
    return Table(_lib.Table.of(list(zip(names, about, columns, strict=True))))
