"""What notebooks show: HTML in the notebook's light or dark colours."""

from __future__ import annotations

import shutil
from functools import lru_cache

from . import _lib


@lru_cache(maxsize=1)
def _style() -> str:
    return _lib.notebook_style()


def framed(body: str) -> str:
    """Tables and paragraphs with the style of results."""
    return f'<div class="earlydrop"><style>{_style()}</style>{body}</div>'


def terminal_width() -> int:
    """The number of columns of text for a terminal or a notebook."""
    return shutil.get_terminal_size((100, 24)).columns
