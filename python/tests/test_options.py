"""Keyword arguments that several functions share are shown, and misspelt ones refused."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest

import earlydrop
from earlydrop import options

SCENARIO = set(options.ScenarioOptions.__annotations__)
RUN = set(options.RunOptions.__annotations__)
PICTURE = set(options.PictureOptions.__annotations__)


@pytest.mark.parametrize(
    ("function", "keywords"),
    [
        (earlydrop.Scenario, SCENARIO | {"schemes"}),
        (earlydrop.compare, RUN | {"scenario"}),
        (earlydrop.run, RUN),
        (earlydrop.tune, SCENARIO | {"schemes", "minimise", "folder", "client"}),
        (earlydrop.Result.figure, PICTURE),
        (earlydrop.Result.svg, PICTURE),
        (earlydrop.Trace.figure, PICTURE - {"schemes", "at"}),
    ],
)
def test_help_and_completion_see_every_keyword(
    function: Callable[..., Any], keywords: set[str]
) -> None:
    parameters = inspect.signature(function).parameters
    assert keywords <= set(parameters)
    assert not [one for one in parameters.values() if one.kind == one.VAR_KEYWORD]


def test_a_misspelt_keyword_is_refused_with_the_nearest() -> None:
    with pytest.raises(TypeError, match=r"compare\(\) has no argument 'ling'; nearest: 'link'"):
        earlydrop.compare(ling="10 Mbps")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="no argument 'warmup'; nearest: 'warm_up'"):
        earlydrop.Scenario(warmup="1 s")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="no argument 'thread'; nearest: 'threads'"):
        earlydrop.run("scenarios/incast.toml", thread=2)  # type: ignore[call-arg]
