"""Schemes of one's own: a class in Python that judges packets inside the simulator."""

from __future__ import annotations

import contextlib
import inspect
import sys
import threading
import typing
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from difflib import get_close_matches
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar, get_args, get_origin

from . import _lib
from ._lib import Backlog, Packet, Random, Verdict
from .errors import ArgumentError

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: Any) -> Any:
        """Marks classes for type checkers; here it does nothing."""
        return lambda marked: marked


T = TypeVar("T")

#: What the simulator calls, if the class defines it.
_HOOKS = (
    "on_arrival",
    "on_accepted",
    "on_refused",
    "on_departure",
    "on_empty",
    "on_idle",
    "on_tick",
    "on_link_rate",
    "probes",
)
#: What a parameter cannot be called.
_TAKEN = frozenset({*_HOOKS, "start", "link", "limit", "as", "spec"})
#: Kinds of parameters by their unit.
_KINDS = {"s": "time", "bps": "rate", "bytes": "bytes", "packets": "length"}


@dataclass(frozen=True)
class Link:
    """The link behind a queue: its rate in bits per second, and the mean packet size in bytes."""

    rate: float
    mean_packet: int


@dataclass(frozen=True)
class _Parameter:
    """A parameter's default, and what it allows."""

    default: Any
    meaning: str
    low: float | None
    high: float | None
    unit: str


def parameter(
    default: T,
    meaning: str = "",
    *,
    low: float | None = None,
    high: float | None = None,
    unit: str = "",
) -> T:
    """A parameter of a scheme with what it means and what it allows.

    The unit "s", "bps" or "bytes" lets it be written with units ("20 ms"), and "packets" for a
    float with those of a queue length ("15", "30 kB", "20 ms"). The scheme has seconds, bits per
    second, bytes, packets.

    >>> import earlydrop
    >>> class Lazy(earlydrop.Scheme):
    ...     delay: float = earlydrop.parameter(0.02, "no drop below", low=0, unit="s")
    >>> Lazy(delay="10 ms").spec
    'lazy:delay=10 ms'
    >>> earlydrop.Scenario(schemes="lazy:delay=-1 s")
    Traceback (most recent call last):
    ...
    earlydrop.errors.ScenarioError: ...lazy: delay = -1 s is not a time at least 0 s...
    """
    described: Any = _Parameter(default, meaning, low, high, unit)
    return described  # type: ignore[no-any-return]


# `parameter` is no field specifier: type checkers would take only a keyword `default` for one, and
# what it returns is the default itself.
@dataclass_transform(kw_only_default=True)
class Scheme:
    """The base class of a scheme written in Python.

    Annotated attributes of a subclass are its parameters, with their defaults: whole numbers,
    floats, bools, text, or a `Literal` of names. A scenario sets them as those of a built-in
    scheme. Its name in scenarios is the class's, in small letters with hyphens: `MyRamp` is
    "my-ramp"; `class MyRamp(earlydrop.Scheme, name="ramp")` gives it another.

    Each queue has an object of its own, so `self` keeps the queue's state; `start` prepares it.
    The simulator calls only what the class defines. Times are in seconds of simulated time.
    Randomness is drawn from `random` alone: then runs repeat, whatever the number of threads.

    >>> import earlydrop
    >>> class Ramp(earlydrop.Scheme):
    ...     '''Drops in proportion to the queue.'''
    ...     min: int = 5
    ...     gain: float = 0.005
    ...     def on_arrival(self, packet, queue, random):
    ...         return random() < self.gain * (queue.packets - self.min)
    >>> result = earlydrop.compare({"mine": Ramp(min=10), "red": "red:min=5,max=15"},
    ...                            link="5 Mbps", flows=5, duration="3 s", seeds=2)
    >>> result.scenario.schemes
    ['mine', 'red']

    A scenario names it as a built-in scheme, also inside another one:

    >>> earlydrop.Scenario(schemes=["ramp:gain=0.01", "fq-red:inner=ramp"], seeds=1).runs
    2

    A method adds 200 to 400 nanoseconds to the 200 that a packet costs in a simulation
    (`benches/schemes.py`), and the interpreter runs one thread at a time. A drop curve of the
    average queue needs no Python at each packet: `earlydrop.curve`.
    """

    #: The link behind the queue.
    link: ClassVar[Link]
    _known: ClassVar[dict[str, type[Scheme]]] = {}
    _name: ClassVar[str]
    _parameters: ClassVar[dict[str, _Parameter]] = {}

    def __init_subclass__(cls, *, name: str | None = None, **rest: Any) -> None:
        super().__init_subclass__(**rest)
        _refuse_unknown_calls(cls)
        if "__init__" in cls.__dict__:
            raise TypeError(
                f"{cls.__name__}.__init__: a scheme's parameters are annotated attributes, as in "
                "`k: int = 20`, and `start` prepares its state"
            )
        cls._name = name or _hyphenated(cls.__name__)
        cls._parameters = dict(cls._parameters) | _declared(cls)
        for parameter_name, described in cls._parameters.items():
            if parameter_name in cls.__dict__:
                setattr(cls, parameter_name, described.default)
        Scheme._known[cls._name] = cls
        if _lib.is_built_in(cls._name):
            warnings.warn(f"{_taken(cls)}; text names the built-in one", stacklevel=2)

    def __init__(self, **parameters: Any) -> None:
        for name, value in parameters.items():
            if name not in self._parameters and name != "limit":
                known = ", ".join([*self._parameters, "limit"])
                raise ArgumentError(f"{self._name} has no parameter {name!r}; known: {known}")
            setattr(self, name, value)
        self._given = parameters

    def _written(self, name: str, value: Any) -> str:
        """A parameter's value as a scenario has it: a number in its unit."""
        described = self._parameters.get(name)
        unit = described.unit if described else ""
        is_number = not isinstance(value, (bool, str)) and isinstance(value, Real)
        return f"{_as_text(value)} {unit}" if unit in _KINDS and is_number else _as_text(value)

    @property
    def spec(self) -> str:
        """The scheme with its parameters as a scenario has it: "ramp:min=10"."""
        given = ",".join(f"{name}={self._written(name, one)}" for name, one in self._given.items())
        return f"{self._name}:{given}" if given else self._name

    def start(self) -> None:
        """Prepares the state of a new queue, before its first packet.

        `self.link` and the parameters are set. Raise a ValueError for parameters that contradict
        each other: it is an error of the scenario.
        """

    def on_arrival(self, packet: Packet, queue: Backlog, random: Random) -> bool | Verdict:
        """Judges an arriving packet, which is not yet part of the queue.

        True drops it, False keeps it; a `Verdict` can also mark it.
        """
        return False

    def on_accepted(self, packet: Packet) -> None:
        """Hears that the packet just judged has joined the queue."""

    def on_refused(self, packet: Packet) -> None:
        """Hears that the packet just judged is dropped because the buffer is full."""

    def on_departure(self, packet: Packet, queue: Backlog, random: Random) -> bool | Verdict:
        """Judges a packet that has just left the queue to be sent.

        True drops it, and the next one is judged. `packet.sojourn` is how long it has waited.
        """
        return False

    def on_empty(self, now: float) -> None:
        """Hears that the queue is empty: the last packet has left, or an arrival was dropped."""

    def on_idle(self, now: float) -> None:
        """Hears that the link is idle: it asked for a packet, and there was none."""

    def on_tick(self, now: float, queue: Backlog) -> None:
        """Runs every `self.interval` seconds, beginning one interval after time zero."""

    def on_link_rate(self, rate: float) -> None:
        """Hears that the link now sends at `rate` bits per second, as `self.link.rate` says."""

    def probes(self) -> dict[str, float]:
        """State to be sampled over time with the queue, by name; the same names at all times."""
        return {}

    @classmethod
    def _of_queue(cls, parameters: dict[str, Any], link: tuple[float, int]) -> Scheme:
        """The scheme of a queue."""
        if _uses.classes is not None:
            _uses.classes[cls._name] = cls
        scheme = cls(**parameters)
        scheme._set_link(Link(*link))
        scheme.start()
        return scheme

    def _set_link(self, link: Link) -> None:
        self.__dict__["link"] = link

    def _set_link_rate(self, rate: float) -> None:
        self._set_link(Link(rate, self.link.mean_packet))


def _refuse_unknown_calls(cls: type[Scheme]) -> None:
    """An `on_...` that the simulator never calls is a mistake in its name."""
    calls = [name for name in _HOOKS if name.startswith("on_")]
    for name in {name for base in cls.__mro__ for name in vars(base)}:
        if name.startswith("on_") and name not in calls:
            near = get_close_matches(name, calls, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise TypeError(
                f"{cls.__name__}.{name}: the simulator has no such call; "
                f"it calls {', '.join(calls)}{hint}"
            )


def _hyphenated(name: str) -> str:
    """A class's name as that of a scheme: `MyRamp`, my-ramp."""
    letters = [
        "-" + letter if index and letter.isupper() and not name[index - 1].isupper() else letter
        for index, letter in enumerate(name)
    ]
    return "".join(letters).lower().replace("_", "-").strip("-")


def _annotations(cls: type) -> dict[str, Any]:
    """A class's own annotations, evaluated or not."""
    if sys.version_info >= (3, 14):
        import annotationlib

        return annotationlib.get_annotations(cls, format=annotationlib.Format.FORWARDREF)
    return dict(cls.__dict__.get("__annotations__", {}))


def _declared(cls: type[Scheme]) -> dict[str, _Parameter]:
    """The parameters that a class's own annotations declare."""
    declared = {}
    for name, annotation in _annotations(cls).items():
        if name.startswith("_") or "ClassVar" in str(annotation):
            continue
        if name in _TAKEN:
            raise TypeError(f"{cls.__name__}.{name}: a parameter needs another name")
        if name not in cls.__dict__:
            raise TypeError(f"{cls.__name__}.{name}: a parameter needs a default")
        value = cls.__dict__[name]
        known = isinstance(value, _Parameter)
        declared[name] = value if known else _Parameter(value, "", None, None, "")
    return declared


def _kind(cls: type[Scheme], name: str, described: _Parameter) -> tuple[str, list[str]]:
    """The kind of a parameter, and the names it allows."""
    try:
        annotation = typing.get_type_hints(cls)[name]
    except Exception:  # A name that is not known here, such as one for type checkers only.
        annotation = type(described.default)
    if get_origin(annotation) is Literal:
        return "choice", [str(choice) for choice in get_args(annotation)]
    if annotation is bool:
        return "flag", []
    if annotation is str:
        return "text", []
    if annotation is float:
        return _KINDS.get(described.unit, "number"), []
    if annotation is int:
        return "bytes" if described.unit == "bytes" else "whole", []
    raise TypeError(
        f"{cls.__name__}.{name}: a parameter is int, float, bool, str or a Literal of names, "
        f"not {annotation!r}"
    )


def _as_text(value: Any) -> str:
    """A value as a scenario has it."""
    if isinstance(value, timedelta):
        value = _lib.time_text(value.total_seconds())
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, bool):
        return "on" if value else "off"
    text = str(value) if isinstance(value, str) else repr(value)
    if "," in text:
        raise ArgumentError(f"a parameter's value has no comma: {text}")
    return text


def _with_unit(kind: str, default: Any) -> str:
    """A default as text that shows its unit."""
    text = _as_text(default)
    return f"{text} packets" if kind == "length" and not isinstance(default, str) else text


#: Classes for the simulator. Not in the classes: those can be pickled.
_natives: dict[type[Scheme], _lib.SchemeClass] = {}


def _taken(cls: type[Scheme]) -> str:
    """What is wrong with the name of a class."""
    return (
        f"a scheme called {cls._name!r} is built in: give yours another name, "
        f'class {cls.__name__}(earlydrop.Scheme, name="my-{cls._name}")'
    )


def _native(cls: type[Scheme]) -> _lib.SchemeClass:
    """The class for the simulator, made at its first use."""
    if _lib.is_built_in(cls._name):
        raise ArgumentError(_taken(cls))
    if cls not in _natives:
        described = []
        for name, one in cls._parameters.items():
            kind, choices = _kind(cls, name, one)
            described.append(_Described(name, one, kind, choices))
        own = [hook for hook in _HOOKS if getattr(cls, hook) is not getattr(Scheme, hook)]
        summary = (inspect.getdoc(cls) or "a scheme in Python").strip().splitlines()[0]
        if cls.__doc__ is None:
            summary = f"class {cls.__qualname__} of {cls.__module__}"
        _natives[cls] = _lib.SchemeClass(
            cls, cls._name, summary.rstrip("."), described, own, _probe_names(cls)
        )
    return _natives[cls]


class _Described:
    """A parameter as the simulator takes it."""

    def __init__(self, name: str, one: _Parameter, kind: str, choices: list[str]) -> None:
        self.name, self.kind, self.choices = name, kind, choices
        self.meaning, self.unit = one.meaning, one.unit
        self.low, self.high = one.low, one.high
        self.default = _with_unit(kind, one.default)


def _probe_names(cls: type[Scheme]) -> list[str]:
    """What a new queue shows. An error here is met again, and reported, when a queue is made."""
    if cls.probes is Scheme.probes:
        return []
    try:
        return list(cls._of_queue({}, (1e7, 1000)).probes())
    except Exception:
        return []


#: A scheme: its text, a class, or a class with parameters.
SchemeLike = str | type[Scheme] | Scheme


def spec_of(scheme: SchemeLike) -> str:
    """The text of a scheme."""
    if isinstance(scheme, type) and issubclass(scheme, Scheme):
        return scheme._name
    if isinstance(scheme, Scheme):
        return scheme.spec
    if isinstance(scheme, str):
        return str(scheme)
    raise ArgumentError(
        f"a scheme is text, a subclass of earlydrop.Scheme or an object of one, not {scheme!r}"
    )


def classes_of(schemes: Iterable[object]) -> dict[str, type[Scheme]]:
    """The classes among schemes, by name."""
    found: dict[str, type[Scheme]] = {}
    for scheme in schemes:
        cls = scheme if isinstance(scheme, type) else type(scheme)
        if issubclass(cls, Scheme) and found.setdefault(cls._name, cls) is not cls:
            raise ArgumentError(
                f"two classes are called {cls._name!r} in scenarios: "
                f'give one another name, class {cls.__name__}(earlydrop.Scheme, name="...")'
            )
    return found


class _Uses(threading.local):
    """The classes that were asked for a queue's scheme since a scenario's check began."""

    classes: dict[str, type[Scheme]] | None = None


_uses = _Uses()


@contextlib.contextmanager
def collecting() -> Iterator[dict[str, type[Scheme]]]:
    """Collects the classes that a scenario uses while it is checked."""
    used: dict[str, type[Scheme]] = {}
    _uses.classes = used
    try:
        yield used
    finally:
        _uses.classes = None


def natives(own: Mapping[str, type[Scheme]]) -> list[_lib.SchemeClass]:
    """Classes for the simulator."""
    return [_native(cls) for cls in own.values()]


def known() -> dict[str, type[Scheme]]:
    """The classes that text can name: the latest of each name. One that is wrong is left out, so
    that it is in nobody's way; its error comes when it is used itself.
    """
    usable = {}
    for name, cls in Scheme._known.items():
        with contextlib.suppress(ArgumentError, TypeError):
            _native(cls)
            usable[name] = cls
    return usable


def source_of(cls: type[Scheme]) -> str:
    """The class as it was written, or as it was compiled where its text cannot be found."""
    try:
        return inspect.getsource(cls)
    except (OSError, TypeError):
        codes = {
            name: (code.co_code.hex(), [repr(one) for one in code.co_consts], code.co_names)
            for name, function in sorted(vars(cls).items())
            if (code := getattr(function, "__code__", None)) is not None
        }
        return f"{codes!r}"
