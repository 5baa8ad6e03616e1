"""Queue disciplines simulated, compared and explained.

>>> import earlydrop
>>> result = earlydrop.compare(["red", "nlred", "pie"], link="20 Mbps", rtt="50 ms", flows=20,
...                            duration="5 s", seeds=2)
>>> result.runs.columns[:4]
['cell', 'scheme', 'point', 'seed']
"""

from ._lib import version as _version
from .errors import ArgumentError, EarlydropError, Interrupted, RunError, ScenarioError
from .result import Outcome, Result
from .running import compare, open_run, prepare, run
from .scenario import Scenario
from .sweep import sweep
from .table import Table

__version__ = _version()

__all__ = [
    "ArgumentError",
    "EarlydropError",
    "Interrupted",
    "Outcome",
    "Result",
    "RunError",
    "Scenario",
    "ScenarioError",
    "Table",
    "compare",
    "open_run",
    "prepare",
    "run",
    "sweep",
]
