"""Values of Python as the simulator takes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeAlias

from . import _lib
from .errors import ArgumentError

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

#: A value: text with its unit ("20 Mbps"), a number in base units (seconds, bits per second,
#: bytes), or a duration.
Value: TypeAlias = "str | float | timedelta | np.generic"

#: Values of a swept field: a list, an array, a series.
Values: TypeAlias = "Iterable[Value] | np.ndarray[Any, Any] | pd.Series[Any] | pd.Index[Any]"


def plain(value: object, path: str = "") -> Any:
    """A value as text, a number or a flag, or a list or a dictionary of these; `path` leads to it
    in messages.
    """
    if isinstance(value, (str, bool)):
        return value
    if isinstance(value, timedelta):
        return _lib.time_text(value.total_seconds())
    if isinstance(value, Mapping):
        dot = "." if path else ""
        return {name: plain(one, f"{path}{dot}{name}") for name, one in value.items()}
    if getattr(getattr(value, "dtype", None), "kind", "") == "m":
        return _durations(value)
    if hasattr(value, "tolist"):
        # Of numpy and pandas: a number or a list.
        listed = value.tolist()
        return listed if isinstance(listed, (str, bool, int, float)) else plain(listed, path)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    if isinstance(value, (set, frozenset)):
        raise ArgumentError(f"{path or 'values'}: a set has no order; nearest: {sorted(value)!r}")
    if isinstance(value, Iterable):
        return [plain(one, path) for one in value]
    where = f"{path}: " if path else ""
    raise ArgumentError(
        f"{where}a value is text, a number, a bool, a timedelta, or a list or an array of these, "
        f"not {value!r}"
    )


def _durations(value: Any) -> Any:
    """Durations of numpy or pandas as text."""
    import numpy as np

    seconds = np.asarray(value) / np.timedelta64(1, "s")
    return np.vectorize(_lib.time_text, otypes=[object])(seconds).tolist()


def text(value: Value, unit: str = "") -> str:
    """A value as an option has it; a number is in `unit`."""
    one = plain(value)
    if isinstance(one, bool):
        return "true" if one else "false"
    if isinstance(one, (int, float)):
        # An option takes no exponent's plus sign, and zero needs no unit.
        return f"{one!r} {unit}".rstrip()
    if isinstance(one, list):
        return "[" + ", ".join(text(part, unit) for part in one) + "]"
    return str(one)
