"""Keyword arguments that several functions take."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache, wraps
from textwrap import fill
from typing import TYPE_CHECKING, Literal, ParamSpec, TypeAlias, TypedDict, TypeVar

from . import _lib

if TYPE_CHECKING:
    from distributed import Client

    from .scenario import Schemes
    from .values import Value, Values

_Parameters = ParamSpec("_Parameters")
_Returned = TypeVar("_Returned")


#: The pictures of several runs, and those of one.
What: TypeAlias = Literal["scatter", "sweep", "time", "cdf", "tail", "sizes"]
WhatOfOne: TypeAlias = Literal["time", "cdf", "tail"]


class ScenarioOptions(TypedDict, total=False):
    """The command's options for a scenario; `set` takes any field by its path."""

    link: Value | Values | None
    rtt: Value | Values | None
    flows: Value | Values | None
    buffer: Value | Values | None
    tcp: str | Values | None
    ecn: bool | str | Values | None
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


#: What arguments are that the command does not have, or has with another meaning.
_TEXTS = {
    "scenario": "a file, TOML text of several lines, a dictionary with the fields of a file, or a "
    "Scenario; without one, the built-in scenario",
    "schemes": 'the compared schemes: "red,codel:target=10 ms", a class, a list of these, or a '
    "dictionary of them by label",
    "sweep": 'fields by their paths, each with its values: {"network.rtt": [0.02, 0.08]}',
    "folder": "keeps the run there, and continues one that was interrupted; without it, in memory",
    "fresh": "begins in a new folder beside one that is there",
    "client": "the client of a Dask cluster, whose workers simulate",
    "threads": "how many threads simulate; by default as many as there are processors to use",
    "progress": "whether a bar shows it; by default, where somebody can see it",
    "metrics": "names of metrics or series, in a list or with commas",
    "at": 'the point of a sweep: {"network.rtt": "50 ms"}',
}


@lru_cache
def _of_command(command: str) -> dict[str, str]:
    return dict(_lib.options_of(command))


def _uncapitalised(text: str) -> str:
    """A text that does not begin a sentence; abbreviations stay: "TCP's use of ECN"."""
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


def arguments(command: str, names: Iterable[str], texts: Mapping[str, str]) -> str:
    """The section of a docstring that describes arguments: by these texts, by those that several
    functions share, or as the command's help does.
    """
    known = {**_of_command(command), **_TEXTS, **texts}
    lines = [
        fill(
            f"{name}: {_uncapitalised(known[name])}",
            width=96,
            initial_indent="    ",
            subsequent_indent="        ",
            break_on_hyphens=False,
        )
        for name in names
        if name in known
    ]
    return "\n".join(["Args:", *lines])


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
        known = [one.name for one in [*named, *added]]
        section = arguments(command, known, texts)
        function.__doc__ = "\n\n".join(filter(None, [inspect.getdoc(function), section]))
        if options is None:
            return function

        @wraps(function)
        def checked(*given: _Parameters.args, **keyed: _Parameters.kwargs) -> _Returned:
            for name in keyed.keys() - set(known):
                near = get_close_matches(name, known, 1) or [one for one in known if one != "self"]
                raise TypeError(
                    f"{function.__qualname__}() has no argument {name!r}; nearest: {near[0]!r}"
                )
            return function(*given, **keyed)

        checked.__signature__ = written.replace(parameters=[*named, *added])  # type: ignore[attr-defined]
        return checked

    return decorate
