"""Scenarios: what is simulated, and what is compared."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from . import _lib
from .errors import ArgumentError
from .options import ScenarioOptions, takes
from .python_scheme import Scheme, SchemeLike, classes_of, collecting, known, natives, spec_of
from .values import plain

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: Schemes: "red,codel", a class, a list of these, or schemes by the labels that tables show.
Schemes: TypeAlias = "SchemeLike | Iterable[SchemeLike] | Mapping[str, SchemeLike]"

#: Where a scenario comes from: a file, TOML text of several lines, a dictionary with the fields of
#: a file, another scenario, or `None` for the built-in one.
Origin: TypeAlias = "str | os.PathLike[str] | Mapping[str, Any] | Scenario | None"


class Scenario:
    """A scenario, checked when it is made, exactly as the command checks it.

    The keyword arguments are the command's options; `set` takes any field by its path, and `sweep`
    fields with lists or arrays of values. A number is in base units (seconds, bits per second;
    queues and buffers are in packets), as in tables; text has its unit. `rtt=0.05`,
    `rtt="50 ms"` and `rtt=timedelta(milliseconds=50)` are one value, `rtt=[0.05, 0.1]` and
    `sweep={"network.rtt": [0.05, 0.1]}` one sweep.

    >>> from earlydrop import Scenario
    >>> scenario = Scenario(schemes=["red", "codel"], link="10 Mbps", rtt="50 ms", flows=50)
    >>> scenario.schemes, scenario.runs
    (['red', 'codel'], 20)
    >>> Scenario(link="10 Mbits")
    Traceback (most recent call last):
    ...
    earlydrop.errors.ScenarioError: link=10 Mbits: ...
    """

    #: The classes of Python schemes that it names.
    _own: dict[str, type[Scheme]]

    @takes(
        ScenarioOptions,
        origin="a file, TOML text of several lines, a dictionary with the fields of a file, or "
        "another scenario; without one, the built-in scenario",
    )
    def __init__(
        self,
        origin: Origin = None,
        *,
        schemes: Schemes | None = None,
        **options: Unpack[ScenarioOptions],
    ) -> None:
        fields = [
            (path, plain(one, path)) for path, one in (options.pop("set", None) or {}).items()
        ]
        swept = [
            (path, plain(all, path)) for path, all in (options.pop("sweep", None) or {}).items()
        ]
        _refuse_twice(options, [path for path, _ in [*fields, *swept]])
        limits = options.pop("limits", None)
        if isinstance(ecn := options.get("ecn"), bool):
            options["ecn"] = "on" if ecn else "off"
        given = [(name, plain(one, name)) for name, one in options.items() if one is not None]
        labelled = None
        explicit: list[SchemeLike] = []
        if isinstance(schemes, Mapping):
            explicit = list(schemes.values())
            labelled = [(label, spec_of(scheme)) for label, scheme in schemes.items()]
        elif schemes is not None:
            explicit = [schemes] if isinstance(schemes, (str, type, Scheme)) else list(schemes)
            given.insert(0, ("schemes", ",".join(spec_of(scheme) for scheme in explicit)))
        # A scenario keeps the classes it was made with; those given come before those defined.
        kept = origin._own if isinstance(origin, Scenario) else {}
        own = known() | kept | classes_of(explicit)
        native = _read(origin).with_schemes(natives(own))
        self._native = native.changed(given, fields, swept, labelled, limits)
        with collecting() as self._own:
            self._about = self._native.check()

    @property
    def title(self) -> str:
        """Its title: the file's, or one made from what runs."""
        return str(self._about["title"])

    @property
    def about(self) -> str:
        """Its description."""
        return str(self._about["about"])

    @property
    def schemes(self) -> list[str]:
        """The labels of the compared schemes."""
        return list(self._about["schemes"])

    @property
    def axes(self) -> dict[str, list[str]]:
        """The swept fields with their values as written."""
        return dict(self._about["axes"])

    @property
    def seeds(self) -> list[int]:
        """The seeds that each scheme runs with at each point."""
        return list(self._about["seeds"])

    @property
    def runs(self) -> int:
        """The number of runs: schemes times points times seeds."""
        return int(self._about["runs"])

    @property
    def warnings(self) -> list[str]:
        """What may be wrong with its settings, as the command warns."""
        return list(self._about["warnings"])

    def to_toml(self) -> str:
        """The scenario as it runs, which the command reads, too."""
        return str(self._about["toml"])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scenario) and self.to_toml() == other.to_toml()

    def __hash__(self) -> int:
        return hash(self.to_toml())

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restored, (*self._native.files(), self._own))

    def __repr__(self) -> str:
        axes = "".join(f", {field} at {len(values)} values" for field, values in self.axes.items())
        schemes = ", ".join(self.schemes)
        return f"<Scenario {self.title!r}: {schemes}{axes}, {len(self.seeds)} seeds>"


#: The fields that keywords set.
_FIELDS = {"link": "network.rate", "rtt": "network.rtt", "buffer": "network.buffer"}


def _refuse_twice(options: Mapping[str, object], paths: list[str]) -> None:
    """A field has one value: not another by its path than by its keyword."""
    for keyword in options:
        path = _FIELDS.get(keyword, keyword)
        if options[keyword] is not None and path in paths:
            raise ArgumentError(f"{path} is given twice, by {keyword}= and by its path; keep one")
    if twice := [path for path in paths if paths.count(path) > 1]:
        raise ArgumentError(f"{twice[0]} is given twice, by set= and by sweep=; keep one")


def _restored(
    name: str,
    text: str,
    recordings: list[tuple[str, str]],
    own: dict[str, type[Scheme]],
) -> Scenario:
    """The scenario of another process."""
    native = _lib.Scenario.from_files(name, text, dict(recordings))
    return _wrapped(native.with_schemes(natives(own)), own)


def _wrapped(native: _lib.Scenario, own: dict[str, type[Scheme]]) -> Scenario:
    scenario = Scenario.__new__(Scenario)
    scenario._native = native
    scenario._about = native.check()
    scenario._own = own
    return scenario


def _read(origin: Origin) -> _lib.Scenario:
    if origin is None:
        return _lib.Scenario.built_in()
    if isinstance(origin, Scenario):
        return origin._native
    if isinstance(origin, Mapping):
        return _lib.Scenario.from_dict(plain(origin), Path())
    if isinstance(origin, str) and "\n" in origin:
        return _lib.Scenario.from_toml(origin, "scenario", Path())
    return _lib.Scenario.open(Path(origin))
