"""Drop curves given as points, a function or an expression, which run at native speed."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from . import _lib
from .errors import ArgumentError
from .values import Value, plain

Floats: TypeAlias = npt.NDArray[np.float64]
#: A piece: where it begins, and its coefficients of 1, x, x^2, x^3 with x = avg - start.
Piece: TypeAlias = tuple[float, list[float]]
#: A curve: points (average, probability), an expression in `avg`, or a function of it.
Shape: TypeAlias = (
    "str | Callable[[Any], Any] | Sequence[tuple[float, float]] | npt.NDArray[np.float64]"
)

#: The most pieces of a curve, without the constant above the last threshold.
_MOST = 8
#: Averages at which a curve is compared with its pieces.
_SAMPLES = 4096
#: What an expression may call.
_FUNCTIONS = {
    name: getattr(math, name)
    for name in ["exp", "log", "log2", "log10", "sqrt", "sin", "cos", "tan", "tanh", "atan", "pi"]
} | {"min": min, "max": max, "abs": abs}


class Curve(str):
    """A scheme of the RED family with a drop curve of one's own, as text for any scenario."""

    max_error: float
    """The largest difference between the probability asked for and the one that runs."""
    pieces: list[Piece]
    """The polynomials that run."""
    above: float
    """The probability from the last threshold on."""
    to: float
    """The last threshold."""

    def probability(self, average: npt.ArrayLike) -> Floats:
        """The initial drop probability at these averages."""
        at = np.asarray(average, dtype=np.float64)
        return _evaluate(self.pieces, self.to, self.above, at)


def curve(
    shape: Shape,
    *,
    start: float | None = None,
    to: float | None = None,
    above: float = 1.0,
    tolerance: float = 0.001,
    scheme: str = "red",
    **parameters: Value,
) -> Curve:
    """A scheme that drops by a curve of the average queue: points, an expression or a function.

    The probability is 0 below `start` and `above` from `to` on (1: everything is dropped);
    averages are in packets, or in bytes with `unit="bytes"`. Other keywords are parameters of the
    scheme: `weight=0.002, limit="100 packets"`.

    >>> import earlydrop
    >>> mine = earlydrop.curve("0.1 * ((avg - 5) / 10) ** 2", start=5, to=15, weight=0.01)
    >>> mine
    'red:curve=numbers,segments=5.0: 0.0 0.0 0.001; 15.0: 1.0,weight=0.01'
    >>> mine.max_error < 1e-15
    True
    >>> result = earlydrop.compare({"square": mine, "red": "red:min=5,max=15"}, seeds=1,
    ...                            duration="2 s")

    The simulator runs at most eight polynomials of third degree, at the speed of RED. Up to nine
    points and polynomials up to third degree are exact; what else there is, is fitted, and
    `max_error` is the largest difference at 4,096 averages. More than `tolerance` is an error.

    >>> bend = earlydrop.curve([(5, 0), (10, 0.02), (15, 0.1), (30, 1)])
    >>> bend.max_error < 1e-15
    True
    >>> import math
    >>> smooth = earlydrop.curve(lambda avg: 0.1 * math.expm1((avg - 5) / 5), start=5, to=15)
    >>> 0 < smooth.max_error < 1e-5
    True
    """
    if not 0 <= above <= 1:
        raise ArgumentError(f"above={above}: allowed: a probability from 0 to 1")
    # The constant above the curve is a piece of its own, unless everything is dropped there.
    most = _MOST if above == 1 else _MOST - 1
    if callable(shape) or isinstance(shape, str):
        if start is None or to is None or not 0 <= start < to < math.inf:
            raise ArgumentError(
                f"start={start}, to={to}: a function needs the averages between which it holds, "
                "start=5, to=15"
            )
        function = _expression(shape) if isinstance(shape, str) else shape
        wanted = _sampled(function, float(start), float(to))
        pieces = _polynomial(function, float(start)) or _fit(*wanted, most)
    else:
        points = _points(shape, start, to)
        pieces = _lines(points)
        grid = np.union1d(np.linspace(points[0, 0], points[-1, 0], _SAMPLES), points[:, 0])
        wanted = grid, np.interp(grid, points[:, 0], points[:, 1])
        if len(pieces) > most:
            pieces = _fit(*wanted, most)
    return _made(pieces, wanted, above, tolerance, scheme, parameters)


def _made(
    pieces: list[Piece],
    wanted: tuple[Floats, Floats],
    above: float,
    tolerance: float,
    scheme: str,
    parameters: dict[str, Value],
) -> Curve:
    averages, probabilities = wanted
    to = float(averages[-1])
    texts = [
        f"{begin!r}: " + " ".join(repr(float(one)) for one in _trimmed(coefficients))
        for begin, coefficients in pieces
    ]
    segments = "; ".join([*texts, f"{to!r}: {float(above)!r}"])
    given = "".join(
        f",{name}={_lib.parameter_text(scheme, name, plain(value))}"
        for name, value in parameters.items()
    )
    made = Curve(f"{scheme}:curve=numbers,segments={segments}{given}")
    made.pieces, made.above, made.to = pieces, float(above), to
    # The last average is already above the curve.
    below = averages[:-1]
    made.max_error = float(np.max(np.abs(made.probability(below) - probabilities[:-1])))
    if made.max_error > tolerance:
        raise ArgumentError(
            f"the curve would differ by up to {made.max_error:.3g}: it runs as at most "
            f"{_MOST} polynomials of third degree; allow it with tolerance={made.max_error:.1g}, "
            "or give it fewer bends"
        )
    return made


def _trimmed(coefficients: list[float]) -> list[float]:
    """The coefficients without zeros at the end."""
    used = max((power for power, one in enumerate(coefficients) if one), default=0)
    return coefficients[: used + 1]


def _evaluate(pieces: list[Piece], to: float, above: float, at: Floats) -> Floats:
    begins = np.array([begin for begin, _ in pieces])
    index = np.clip(np.searchsorted(begins, at, side="right") - 1, 0, None)
    c = np.array([coefficients for _, coefficients in pieces])[index]
    x = at - begins[index]
    inside = (c[..., 0] + c[..., 1] * x) + (c[..., 2] + c[..., 3] * x) * (x * x)
    inside = np.where(at < begins[0], 0.0, np.clip(inside, 0.0, 1.0))
    return np.where(at >= to, above, inside)


def _points(shape: Any, start: float | None, to: float | None) -> Floats:
    """Points in order, checked."""
    points = np.asarray(shape, dtype=np.float64)
    if start is not None or to is not None:
        raise ArgumentError("points say where the curve begins and ends: leave out start and to")
    if points.ndim != 2 or points.shape[1] != 2 or len(points) < 2:
        raise ArgumentError(
            "points: allowed: two or more pairs (average, probability), as a list or an array "
            f"of shape (n, 2), not of shape {points.shape}"
        )
    averages, probabilities = points[:, 0], points[:, 1]
    if not (averages[0] >= 0 and (np.diff(averages) > 0).all() and np.isfinite(averages).all()):
        raise ArgumentError("points: averages must be at least 0 and rise from point to point")
    wrong = np.flatnonzero(~((probabilities >= 0) & (probabilities <= 1)))
    if wrong.size:
        raise ArgumentError(
            f"points[{wrong[0]}]: a probability is from 0 to 1, not {probabilities[wrong[0]]}"
        )
    return points


def _lines(points: Floats) -> list[Piece]:
    """Straight lines between points; one through those that lie on it."""
    lines: list[Piece] = []
    exact = [(Fraction(float(a)), Fraction(float(p))) for a, p in points]
    last: Fraction | None = None
    for (a, p), (b, q) in zip(exact, exact[1:], strict=False):
        slope = (q - p) / (b - a)
        if slope != last:
            lines.append((float(a), [float(p), float(slope), 0.0, 0.0]))
        last = slope
    return lines


class _Poly:
    """A polynomial of `avg` with exact coefficients: decimal numbers are what they look like."""

    #: Products of a higher degree are not followed.
    HIGHEST = 9

    def __init__(self, coefficients: Sequence[Fraction]) -> None:
        self.coefficients = list(coefficients)

    @staticmethod
    def of(value: Any) -> _Poly:
        if isinstance(value, _Poly):
            return value
        if isinstance(value, (int, float)):
            return _Poly([Fraction(repr(value))])
        raise TypeError(f"no polynomial: {value!r}")

    def __add__(self, other: Any) -> _Poly:
        one, two = self.coefficients, _Poly.of(other).coefficients
        length = max(len(one), len(two))
        padded = [list(c) + [Fraction(0)] * (length - len(c)) for c in (one, two)]
        return _Poly([a + b for a, b in zip(*padded, strict=True)])

    def __mul__(self, other: Any) -> _Poly:
        two = _Poly.of(other).coefficients
        degree = len(self.coefficients) + len(two) - 2
        if degree > _Poly.HIGHEST:
            raise TypeError("no polynomial")
        product = [Fraction(0)] * (degree + 1)
        for i, a in enumerate(self.coefficients):
            for j, b in enumerate(two):
                product[i + j] += a * b
        return _Poly(product)

    def __neg__(self) -> _Poly:
        return self * -1

    def __sub__(self, other: Any) -> _Poly:
        return self + -_Poly.of(other)

    def __rsub__(self, other: Any) -> _Poly:
        return _Poly.of(other) - self

    def __truediv__(self, other: Any) -> _Poly:
        divisor = _Poly.of(other).coefficients
        if len(divisor) != 1:
            raise TypeError("no polynomial")
        return self * _Poly([1 / divisor[0]])

    def __pow__(self, power: Any) -> _Poly:
        if power not in range(_Poly.HIGHEST + 1):
            raise TypeError("no polynomial")
        product = _Poly([Fraction(1)])
        for _ in range(int(power)):
            product = product * self
        return product

    __radd__ = __add__
    __rmul__ = __mul__


def _polynomial(function: Callable[[Any], Any], start: float) -> list[Piece] | None:
    """The one piece of a function that is a polynomial of at most third degree."""
    try:
        # As a polynomial of x, with avg = start + x.
        made = _Poly.of(function(_Poly([Fraction(repr(start)), Fraction(1)])))
    except Exception:
        return None
    coefficients = made.coefficients
    if any(coefficients[4:]):
        return None
    padded = [float(one) for one in coefficients[:4]] + [0.0] * (4 - len(coefficients[:4]))
    return [(start, padded)]


#: Longer expressions are refused: Python's own parser ends badly at deep ones.
_LONGEST = 1000


def _expression(text: str) -> Callable[[Any], Any]:
    """The function of an expression in `avg`."""
    allowed = (
        ast.Expression, ast.BinOp, ast.UnaryOp, ast.Constant, ast.Name, ast.Load, ast.Call,
        ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.USub, ast.UAdd, ast.IfExp, ast.Compare,
        ast.Lt, ast.LtE, ast.Gt, ast.GtE,
    )  # fmt: skip
    if len(text) > _LONGEST:
        raise ArgumentError(
            f"{text[:30]!r}...: {len(text)} characters; allowed: at most {_LONGEST}, "
            "or a function of avg"
        )
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError as error:
        raise ArgumentError(f"{text!r}: {error.msg}, at column {error.offset}") from None
    except (MemoryError, RecursionError, ValueError) as error:
        raise ArgumentError(f"{text[:30]!r}...: {error or 'too deeply nested'}") from None
    for node in ast.walk(tree):
        known = not isinstance(node, ast.Name) or node.id == "avg" or node.id in _FUNCTIONS
        plain = not isinstance(node, ast.Constant) or isinstance(node.value, (int, float))
        if not (isinstance(node, allowed) and known and plain):
            raise ArgumentError(
                f"{text!r}: {ast.unparse(node)!r} is not allowed; an expression has avg, numbers, "
                f"+ - * / **, comparisons, `a if b else c`, and {', '.join(_FUNCTIONS)}"
            )
        # Whole numbers of Python have no bound: 9 ** 9 ** 9 as such would take for ever.
        if isinstance(node, ast.Constant):
            node.value = _as_float(text, node.value)
    code = compile(tree, "<curve>", "eval")

    def function(avg: Any) -> Any:
        try:
            return eval(code, {"__builtins__": {}, **_FUNCTIONS}, {"avg": avg})
        except (ArithmeticError, ValueError, TypeError) as error:
            raise ArgumentError(f"{text!r} at avg = {avg:.6g}: {_reason(error)}") from None

    return function


def _as_float(text: str, number: Any) -> float:
    try:
        return float(number)
    except OverflowError:
        raise ArgumentError(f"{text!r}: a number is too large") from None


def _reason(error: Exception) -> str:
    return "the result is too large" if isinstance(error, OverflowError) else str(error)


def _sampled(function: Callable[[Any], Any], start: float, to: float) -> tuple[Floats, Floats]:
    """A function's probabilities at many averages."""
    averages = np.linspace(start, to, _SAMPLES)
    values = []
    for average in averages.tolist():
        value = function(average)
        try:
            number = float(value)
        except TypeError:
            raise ArgumentError(
                f"the curve at avg = {average:.6g} is {value!r}, not a number"
            ) from None
        if not -1e-9 <= number <= 1 + 1e-9:
            raise ArgumentError(
                f"the curve at avg = {average:.6g} is {number:.6g}; allowed: probabilities from "
                "0 to 1 from start to to"
            )
        values.append(number)
    return averages, np.clip(np.array(values), 0.0, 1.0)


def _fit(averages: Floats, probabilities: Floats, most: int) -> list[Piece]:
    """At most this many cubics that meet each other, with about the least largest error."""
    exact = _greedy(averages, probabilities, most, 1e-12)
    if exact is not None:
        return exact
    low, high = 1e-12, 1.0
    best = _greedy(averages, probabilities, most, high)
    while high > 1.02 * low:
        middle = math.sqrt(low * high)
        fitted = _greedy(averages, probabilities, most, middle)
        if fitted is None:
            low = middle
        else:
            best, high = fitted, middle
    return cast("list[Piece]", best)


def _greedy(averages: Floats, probabilities: Floats, most: int, error: float) -> list[Piece] | None:
    """Pieces that are each as long as this error allows; `None` where they are too many."""
    pieces: list[Piece] = []
    begin, last = 0, len(averages) - 1
    while begin < last:
        if len(pieces) == most:
            return None
        # Neighbours can always be joined.
        low, high = begin + 1, last + 1
        while high - low > 1:
            middle = (low + high) // 2
            if _cubic(averages, probabilities, begin, middle)[1] <= error:
                low = middle
            else:
                high = middle
        if high == last + 1 and _cubic(averages, probabilities, begin, last)[1] <= error:
            low = last
        coefficients, _ = _cubic(averages, probabilities, begin, low)
        pieces.append((float(averages[begin]), coefficients))
        begin = low
    return pieces


def _cubic(averages: Floats, probabilities: Floats, i: int, j: int) -> tuple[list[float], float]:
    """The cubic through both ends with least squares between, and its largest error; infinite
    where it leaves [0, 1].
    """
    width = float(averages[j] - averages[i])
    t = (averages[i : j + 1] - averages[i]) / width
    p, q = float(probabilities[i]), float(probabilities[j])
    rest = probabilities[i : j + 1] - (p + (q - p) * t)
    bumps = np.column_stack([t * (1 - t), t * t * (1 - t)])
    (a, b), *_ = np.linalg.lstsq(bumps, rest, rcond=None)
    error = float(np.max(np.abs(rest - bumps @ np.array([a, b]))))
    coefficients = [p, (q - p + a) / width, (b - a) / width**2, -b / width**3]
    # As the simulator checks it.
    x = width * np.linspace(0, 1, 65)
    values = ((coefficients[3] * x + coefficients[2]) * x + coefficients[1]) * x + p
    is_probability = bool(((values >= -1e-9) & (values <= 1 + 1e-9)).all())
    return [float(one) for one in coefficients], error if is_probability else math.inf
