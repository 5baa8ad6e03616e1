"""The reference page is made from the docstrings, and everything exported has one.

`EARLYDROP_WRITE_PAGES=1 python -m pytest tests/test_reference.py` writes it anew.
"""

import ast
import inspect
import json
import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import earlydrop
from earlydrop import gym

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "python.md"

HEAD = """# Python

Every function and class of the package `earlydrop`, made from its docstrings. \
[Use Python](../how-to/python.md) shows them at work.

"""


def text(thing: object) -> str:
    """Returns a docstring with its examples as code, and its arguments as a list."""
    whole, _, section = (inspect.getdoc(thing) or "").partition("Args:\n")
    examples = with_examples(whole.rstrip())
    return "\n\n".join(filter(None, [examples, listed(section)]))


def listed(section: str) -> str:
    """Returns the section of a docstring that describes arguments as a list."""
    entries: list[str] = []
    for line in dedent(section).splitlines():
        if line.startswith(" "):
            entries[-1] += " " + line.strip()
        elif line:
            name, _, meaning = line.partition(": ")
            entries.append(f"- `{name}`: {meaning}")
    return "\n".join(entries)


def with_examples(docstring: str) -> str:
    """Returns a docstring with its examples as code."""
    lines: list[str] = []
    in_example = False
    for line in docstring.splitlines():
        begins = line.startswith(">>>")
        if begins and not in_example:
            lines.append("```python")
            in_example = True
        if in_example and not line:
            lines.append("```")
            in_example = False
        lines.append(line)
    if in_example:
        lines.append("```")
    return "\n".join(lines)


def parameter(one: inspect.Parameter) -> str:
    """Returns a parameter as it is written in a definition."""
    star = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
    typed = "" if one.annotation is one.empty else f": {annotation(one.annotation)}"
    if one.default is one.empty:
        return f"{star}{one.name}{typed}"
    default = json.dumps(one.default) if isinstance(one.default, str) else repr(one.default)
    return f"{one.name}{typed}{' = ' if typed else '='}{default}"


def annotation(of: object) -> str:
    """Returns an annotation as text: it may be a string, quoted once more, or a type."""
    if isinstance(of, str):
        return of.strip("'\"")
    return inspect.formatannotation(of)


def signature(name: str, thing: object) -> str:
    """Returns the first line of a definition, folded where it is long."""
    whole = inspect.signature(thing)  # type: ignore[arg-type]
    parameters = [parameter(one) for one in whole.parameters.values()]
    returned = annotation(whole.return_annotation)
    ending = f") -> {returned}" if whole.return_annotation is not whole.empty else ")"
    # A keyword-only parameter shows in its place only with the star before it.
    kinds = [one.kind for one in whole.parameters.values()]
    if inspect.Parameter.KEYWORD_ONLY in kinds:
        parameters.insert(kinds.index(inspect.Parameter.KEYWORD_ONLY), "*")
    parameters = [one for one in parameters if one != "self"]
    line = f"{name}({', '.join(parameters)}{ending}"
    if len(line) <= 100:
        return line
    return f"{name}(\n    " + ",\n    ".join(parameters) + f",\n{ending}"


def stub_order() -> dict[str, list[str]]:
    """Returns the members of the extension's classes as its stub has them.

    The classes themselves have no order: an interpreter gives the properties of an extension
    class differently from run to run.
    """
    stub = Path(earlydrop.__file__).with_name("_lib.pyi")
    return {
        one.name: [part.name for part in one.body if isinstance(part, ast.FunctionDef)]
        for one in ast.parse(stub.read_text()).body
        if isinstance(one, ast.ClassDef)
    }


STUB = stub_order()


def ordered(cls: type) -> list[tuple[str, object]]:
    """Returns the members of a class in the order in which they are written."""
    members = list(vars(cls).items())
    if cls.__module__ == "earlydrop" and cls.__name__ in STUB:
        written = STUB[cls.__name__]
        members.sort(key=lambda one: written.index(one[0]) if one[0] in written else -1)
    return members


def members(cls: type) -> list[str]:
    """Returns the descriptions of a class's own public members."""
    parts = []
    for name, member in ordered(cls):
        if name.startswith("_"):
            continue
        thing = member.__func__ if isinstance(member, (classmethod, staticmethod)) else member
        if isinstance(thing, property) or inspect.isgetsetdescriptor(thing):
            assert thing.__doc__, f"{cls.__name__}.{name} has no docstring"
            parts.append(f"**`.{name}`**: {inspect.getdoc(thing)}\n")
        elif inspect.isfunction(thing) or inspect.ismethoddescriptor(thing):
            assert thing.__doc__, f"{cls.__name__}.{name} has no docstring"
            parts.append(f"```python\n.{signature(name, thing)}\n```\n\n{text(thing)}\n")
    return parts


def page() -> str:
    """Returns the page."""
    functions, classes, errors = [], [], []
    for name in sorted(earlydrop.__all__):
        thing = getattr(earlydrop, name)
        if inspect.isclass(thing):
            group = errors if issubclass(thing, BaseException) else classes
            group.append((name, thing))
        elif inspect.isfunction(thing):
            functions.append((name, thing))
    parts = [HEAD, "## Functions\n\n"]
    for name, function in functions:
        assert function.__doc__, f"{name} has no docstring"
        heading = f"### {name}\n\n```python\n{signature(name, function)}\n```\n\n"
        parts.append(heading + text(function) + "\n\n")
    parts.append("## Classes\n\n")
    for name, cls in classes:
        assert cls.__doc__, f"{name} has no docstring"
        own = vars(cls).get("__init__")
        begin = f"```python\n{signature(name, own)}\n```\n\n" if own is not None else ""
        arguments = f"{text(own)}\n\n" if own is not None and own.__doc__ else ""
        described = f"### {name}\n\n{begin}{text(cls)}\n\n{arguments}"
        parts.append(described + "\n".join(members(cls)) + "\n")
    parts.append(f"## Environments for learning: `earlydrop.gym`\n\n{text(gym)}\n\n")
    for name in gym.__all__:
        cls = getattr(gym, name)
        own = vars(cls)["__init__"]
        begin = f"```python\n{signature(name, own)}\n```\n\n"
        described = f"### {name}\n\n{begin}{text(cls)}\n\n{text(own)}\n\n"
        parts.append(described + "\n".join(members(cls)) + "\n")
    parts.append("## Errors\n\n")
    for name, cls in errors:
        assert cls.__doc__, f"{name} has no docstring"
        parts.append(f"### {name}\n\n{text(cls)}\n\n")
    return "".join(parts)


def test_the_page_is_what_the_docstrings_say() -> None:
    made = page()
    if os.environ.get("EARLYDROP_WRITE_PAGES"):
        PAGE.write_text(made)
    assert PAGE.read_text() == made, "EARLYDROP_WRITE_PAGES=1 writes docs/reference/python.md anew"


def test_every_name_has_its_module_and_nothing_is_loaded_before() -> None:
    for name in earlydrop.__all__:
        assert getattr(earlydrop, name).__name__ == name
    held = {name for names in earlydrop._MODULES.values() for name in names}
    assert held | {"Backlog", "Departure", "Packet", "Random", "Verdict"} == set(earlydrop.__all__)
    ask = (
        "import sys, earlydrop;"
        "print(*[name for name in sys.modules if name.startswith('earlydrop') or name == 'numpy'])"
    )
    loaded = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    assert set(loaded.stdout.split()) == {"earlydrop", "earlydrop._lib"}
