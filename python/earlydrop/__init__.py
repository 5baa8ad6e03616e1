"""Queue disciplines simulated, compared and explained.

>>> import earlydrop
>>> result = earlydrop.compare(["red", "nlred", "pie"], link="20 Mbps", rtt="50 ms", flows=20,
...                            duration="5 s", seeds=2)
>>> result.runs.columns[:4]
['cell', 'scheme', 'point', 'seed']
"""

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
from .errors import ArgumentError, EarlydropError, Interrupted, RunError, ScenarioError
from .papers import Reproduction, reproduce
from .result import Outcome, Result
from .running import compare, open_run, prepare, run
from .scenario import Scenario
from .schemes import Scheme, scheme, schemes
from .sweep import sweep
from .table import Table
from .tuning import Tuning, tune

__version__ = _version()

__all__ = [
    "ArgumentError",
    "Configuration",
    "EarlydropError",
    "Explanation",
    "Interrupted",
    "Outcome",
    "Reproduction",
    "Result",
    "RunError",
    "Scenario",
    "ScenarioError",
    "Scheme",
    "Table",
    "Translation",
    "Tuning",
    "compare",
    "configure",
    "explain",
    "from_tc",
    "open_run",
    "prepare",
    "reproduce",
    "run",
    "scheme",
    "schemes",
    "sweep",
    "translate",
    "tune",
]
