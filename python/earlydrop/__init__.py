"""Queue disciplines simulated, compared and explained.

>>> import earlydrop
>>> result = earlydrop.compare(["red", "nlred", "pie"], link="20 Mbps", rtt="50 ms", flows=20,
...                            duration="5 s", seeds=2)
>>> result.runs.columns[:4]
['cell', 'scheme', 'point', 'seed']
"""

from importlib import import_module
from typing import TYPE_CHECKING

from ._lib import Backlog, Departure, Packet, Random, Verdict
from ._lib import version as _version
from .advice import (
    Configuration,
    Explanation,
    Translation,
    configure,
    explain,
    from_tc,
    translate,
)
from .errors import (
    ArgumentError,
    EarlydropError,
    Interrupted,
    RunError,
    ScenarioError,
    SchemeError,
)
from .own import Link, Scheme, parameter
from .papers import Reproduction, reproduce
from .result import Outcome, Result
from .running import compare, open_run, prepare, run
from .scenario import Scenario
from .schemes import SchemeInfo, scheme, schemes
from .sweep import sweep
from .table import Table
from .tracing import Trace, trace
from .tuning import Tuning, tune

if TYPE_CHECKING:
    from .curves import Curve, curve
    from .driven import Fate, Queue, Replay, Tally
    from .flent import FlentData, read_flent

__version__ = _version()

__all__ = [
    "ArgumentError",
    "Backlog",
    "Configuration",
    "Curve",
    "Departure",
    "EarlydropError",
    "Explanation",
    "Fate",
    "FlentData",
    "Interrupted",
    "Link",
    "Outcome",
    "Packet",
    "Queue",
    "Random",
    "Replay",
    "Reproduction",
    "Result",
    "RunError",
    "Scenario",
    "ScenarioError",
    "Scheme",
    "SchemeError",
    "SchemeInfo",
    "Table",
    "Tally",
    "Trace",
    "Translation",
    "Tuning",
    "Verdict",
    "compare",
    "configure",
    "curve",
    "explain",
    "from_tc",
    "open_run",
    "parameter",
    "prepare",
    "read_flent",
    "reproduce",
    "run",
    "scheme",
    "schemes",
    "sweep",
    "trace",
    "translate",
    "tune",
]

#: Where to find what is loaded when it is first used.
_LAZY = (
    dict.fromkeys(["Curve", "curve"], ".curves")
    | dict.fromkeys(["Fate", "Queue", "Replay", "Tally"], ".driven")
    | dict.fromkeys(["FlentData", "read_flent"], ".flent")
)


def __getattr__(name: str) -> object:
    """Loads what takes long to import when it is first used."""
    module = _LAZY.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(module, __name__), name)
    globals()[name] = found
    return found
