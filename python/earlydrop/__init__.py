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

if TYPE_CHECKING:
    from .batches import BatchQueue, batch_queue
    from .configuring import Configuration, configure
    from .curves import Curve, curve
    from .errors import (
        ArgumentError,
        EarlydropError,
        Interrupted,
        RunError,
        ScenarioError,
        ScenarioWarning,
        SchemeError,
    )
    from .explaining import Explanation, explain, from_tc
    from .flent import FlentData, read_flent
    from .papers import Falsification, Reproduction, falsify, reproduce
    from .python_scheme import Link, Scheme, parameter
    from .queues import Fate, Queue, Replay, Tally
    from .registry import SchemeInfo, metrics, scheme, schemes
    from .result import Outcome, Result
    from .running import compare, open_run, prepare, run
    from .scenario import Scenario
    from .table import Table
    from .tracing import Trace, trace
    from .translating import TcLine, Translation, to_tc, translate
    from .tuning import Tuning, tune

#: The version of the package, and the commit it was built from; `None` where that is not known.
__version__, __commit__ = _version()

__all__ = [
    "ArgumentError",
    "Backlog",
    "BatchQueue",
    "Configuration",
    "Curve",
    "Departure",
    "EarlydropError",
    "Explanation",
    "Falsification",
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
    "ScenarioWarning",
    "Scheme",
    "SchemeError",
    "SchemeInfo",
    "Table",
    "Tally",
    "TcLine",
    "Trace",
    "Translation",
    "Tuning",
    "Verdict",
    "batch_queue",
    "compare",
    "configure",
    "curve",
    "explain",
    "falsify",
    "from_tc",
    "metrics",
    "open_run",
    "parameter",
    "prepare",
    "read_flent",
    "reproduce",
    "run",
    "scheme",
    "schemes",
    "to_tc",
    "trace",
    "translate",
    "tune",
]

#: The modules with what they hold. Each is loaded when something of it is first used: an import
#: of everything takes longer than most of what is asked of the package.
_MODULES = {
    "batches": ["BatchQueue", "batch_queue"],
    "configuring": ["Configuration", "configure"],
    "curves": ["Curve", "curve"],
    "queues": ["Fate", "Queue", "Replay", "Tally"],
    "errors": [
        "ArgumentError",
        "EarlydropError",
        "Interrupted",
        "RunError",
        "ScenarioError",
        "ScenarioWarning",
        "SchemeError",
    ],
    "explaining": ["Explanation", "explain", "from_tc"],
    "flent": ["FlentData", "read_flent"],
    "python_scheme": ["Link", "Scheme", "parameter"],
    "papers": ["Falsification", "Reproduction", "falsify", "reproduce"],
    "registry": ["SchemeInfo", "metrics", "scheme", "schemes"],
    "result": ["Outcome", "Result"],
    "running": ["compare", "open_run", "prepare", "run"],
    "scenario": ["Scenario"],
    "table": ["Table"],
    "tracing": ["Trace", "trace"],
    "translating": ["TcLine", "Translation", "to_tc", "translate"],
    "tuning": ["Tuning", "tune"],
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> object:
    """Loads the module of a name when it is first used."""
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(f".{module}", __name__), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return [*__all__, "__commit__", "__version__"]
