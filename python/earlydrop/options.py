"""Keyword arguments that several functions take."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, TypedDict, TypeVar

if TYPE_CHECKING:
    from distributed import Client

    from .scenario import Schemes
    from .values import Value, Values

_Parameters = ParamSpec("_Parameters")
_Returned = TypeVar("_Returned")


class ScenarioOptions(TypedDict, total=False):
    """The command's options for a scenario; `set` takes any field by its path."""

    link: Value | Values | None
    rtt: Value | Values | None
    flows: Value | Values | None
    buffer: Value | Values | None
    tcp: str | Values | None
    ecn: str | Values | None
    duration: Value | Values | None
    warm_up: Value | Values | None
    seeds: int | str | Iterable[int] | None
    set: Mapping[str, Value | bool | Iterable[Value]] | None
    sweep: Mapping[str, Values] | None
    limits: str | None


class SchemeOptions(ScenarioOptions, total=False):
    """Those of a scenario, and the schemes that it compares."""

    schemes: Schemes | None


class RunOptions(SchemeOptions, total=False):
    """Those of a scenario, its schemes, and how it runs: the arguments of `compare`."""

    folder: str | os.PathLike[str] | None
    fresh: bool
    until: str | None
    threads: int | None
    client: Client | None
    progress: bool | None


class AxisOptions(TypedDict, total=False):
    """The labels and the measures of a picture: a length is text with a unit, or inches."""

    metrics: str | Sequence[str] | None
    title: str | None
    x_label: str | None
    y_label: str | None
    width: str | float | None
    height: str | float | None
    font: str | float | None


class PictureOptions(AxisOptions, total=False):
    """Those of a picture of several runs: which schemes, at which point of a sweep."""

    schemes: str | Sequence[str] | None
    at: Mapping[str, Value] | None


def takes(
    options: type | None = None, command: str = "compare", **texts: str
) -> Callable[[Callable[_Parameters, _Returned]], Callable[_Parameters, _Returned]]:
    """Shows the keywords of `**options: Unpack[...]` in a function's signature, which `help()` and
    completion in a notebook read, and refuses others with the nearest name. Describes all arguments
    in the docstring.
    """
    annotations = {} if options is None else options.__annotations__
    keywords = {
        name: getattr(annotation, "__forward_arg__", annotation)
        for name, annotation in annotations.items()
    }

    def decorate(
        function: Callable[_Parameters, _Returned],
    ) -> Callable[_Parameters, _Returned]:
        written = inspect.signature(function)
        named = [one for one in written.parameters.values() if one.kind != one.VAR_KEYWORD]
        added = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=text)
            for name, text in keywords.items()
        ]
        known = {one.name for one in [*named, *added]}

        @wraps(function)
        def checked(*given: _Parameters.args, **keyed: _Parameters.kwargs) -> _Returned:
            for name in keyed.keys() - known:
                near = get_close_matches(name, known, 1) or sorted(known - {"self"})
                raise TypeError(
                    f"{function.__qualname__}() has no argument {name!r}; nearest: {near[0]!r}"
                )
            return function(*given, **keyed)

        checked.__signature__ = written.replace(parameters=[*named, *added])  # type: ignore[attr-defined]
        return checked

    return decorate
