"""Sentences of notebooks and pages say what the outputs beside them show.

Each sentence that says who is better, or by how much, is listed with what must hold in the saved
outputs. `test_notebooks.py` holds the outputs to what runs; a sentence that is changed is listed
anew.
"""

import re
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[2]

#: A number, also with a sign.
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


class Notebook:
    """A saved notebook: its prose, and the lines of its outputs."""

    def __init__(self, name: str) -> None:
        cells = nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4).cells
        self.prose = " ".join(one.source for one in cells if one.cell_type == "markdown")
        texts = [
            output.get("text") or output.data.get("text/plain", "")
            for cell in cells
            for output in cell.get("outputs", [])
        ]
        self.lines = "\n".join(texts).splitlines()

    def rows(self, heading: str, length: int) -> dict[str, list[float]]:
        """The numbers of the lines below a line, by the text before the first number."""
        begin = next(index for index, line in enumerate(self.lines) if heading in line) + 1
        found: dict[str, list[float]] = {}
        for line in self.lines[begin : begin + length]:
            name = re.split(r"\s{2,}|:", line.strip())[0]
            found[name] = [float(one) for one in NUMBER.findall(line.strip()[len(name) :])]
        return found


def agents_table(notebook: Notebook) -> dict[str, list[float]]:
    """Score, utilisation, delay, loss, lead and half-width by scheme, the best first."""
    begin = next(i for i, line in enumerate(notebook.lines) if line.startswith("scheme  "))
    lines = notebook.lines[begin + 1 : begin + 7]
    return {line[:10].strip(): [float(one) for one in NUMBER.findall(line[10:])] for line in lines}


def agent_wins(notebook: Notebook) -> bool:
    return next(iter(agents_table(notebook))) == "agent"


def codel_is_last_and_wide(notebook: Notebook) -> bool:
    table = agents_table(notebook)
    *_, lead, half = table["codel"]
    return list(table)[-1] == "codel" and half > 0.5 * lead


def trained_pie_is_like_pie(notebook: Notebook) -> bool:
    table = agents_table(notebook)
    trained = next(values for name, values in table.items() if name.startswith("pie,"))
    return abs(trained[0] - table["pie"][0]) < min(trained[-1], table["pie"][-1])


def verdicts_follow_intervals(notebook: Notebook) -> bool:
    ends = [re.search(r"\b(ahead|behind|decided)\s*$", line) for line in notebook.lines]
    words = [end[1] for end in ends if end]
    values = [values for name, values in agents_table(notebook).items() if name != "agent"]
    expected = [
        "ahead" if one[-2] > one[-1] else "behind" if -one[-2] > one[-1] else "decided"
        for one in values
    ]
    return words == expected


def queues(notebook: Notebook) -> dict[str, list[float]]:
    """The predicted and the measured queue by rule."""
    rows = notebook.rows("predicted   measured", 9)
    return {line.split()[0]: values[-2:] for line, values in rows.items()}


def model_ranks_what_differs(notebook: Notebook) -> bool:
    values = list(queues(notebook).values())
    return all(
        (one[0] > other[0]) == (one[1] > other[1])
        for one in values
        for other in values
        if max(one[0], other[0]) > 4 / 3 * min(one[0], other[0])
    )


def floyd_is_shortest_and_idle(notebook: Notebook) -> bool:
    measured = {name: values[1] for name, values in queues(notebook).items()}
    idle = next(line for line in notebook.lines if line.startswith("idle under floyd-1997"))
    return measured["floyd-1997"] == min(measured.values()) and not re.search(r"\b0%", idle)


def pie_adapts_red_does_not(notebook: Notebook) -> bool:
    begin = next(i for i, line in enumerate(notebook.lines) if "delay (ms)" in line)
    # The table is folded: a load has several lines.
    loads: dict[float, list[float]] = {}
    for line in notebook.lines[begin + 1 :]:
        if re.match(r"\d+\.\d ", line):
            flows, *values = map(float, NUMBER.findall(line))
            loads.setdefault(flows, []).extend(values)
    rows = [[flows, *values] for flows, values in loads.items()]
    # Flows, then the delays and the idle shares of codel, droptail, pie and the chosen thresholds.
    pie = all(13.5 < row[3] < 16.5 and row[7] < 0.1 for row in rows)
    few, *_, many = rows
    return pie and few[0] == 5 and few[8] > 5 and many[0] == 120 and many[8] < 2 and many[4] < 10


def of_link(notebook: Notebook, count: int) -> dict[str, list[float]]:
    """Utilisation (%), goodput, delay (ms), and so on, each with its half-width but for 100%."""
    begin = next(i for i, line in enumerate(notebook.lines) if line.startswith("The link, all"))
    head = next(i for i in range(begin, begin + 9) if notebook.lines[i].startswith("scheme "))
    lines = notebook.lines[head + 1 : head + 1 + count]
    table = {}
    for line in lines:
        name, rest = line.split(maxsplit=1)
        rest = re.sub(r"^100\b(?! ±)", "100 ± 0", rest)
        table[name] = [float(one) for one in NUMBER.findall(rest)]
    return table


def short_waits_full_link_more_loss(notebook: Notebook) -> bool:
    table = of_link(notebook, 3)
    full = table["droptail"]
    others = [table["red"], table["codel"]]
    return all(
        one[4] < 0.25 * full[4] and one[0] > full[0] - 0.5 and one[8] > full[8] for one in others
    )


def early_is_a_trade(notebook: Notebook) -> bool:
    begin = next(i for i, line in enumerate(notebook.lines) if line.startswith("scheme  point"))
    rows = [line.split() for line in notebook.lines[begin + 1 : begin + 9]]
    early = {row[2]: (float(row[4]), row[-1]) for row in rows if row[0] == "early"}
    yes = ("1", "True")
    return (
        early["delay_mean"][0] < 0 and early["delay_mean"][1] in yes
        and early["utilisation"][0] < 0 and early["utilisation"][1] in yes
        and early["loss"][0] > 0 and early["loss"][1] in yes
    )  # fmt: skip


def by_load(notebook: Notebook, heading: str) -> dict[int, tuple[float, bool]]:
    begin = next(i for i, line in enumerate(notebook.lines) if line.startswith(heading)) + 1
    found = {}
    for line in notebook.lines[begin : begin + 5]:
        flows, difference = NUMBER.findall(line)[:2]
        found[int(flows)] = (float(difference), "(significant)" in line)
    return found


def early_wins_at_one_load(notebook: Notebook) -> bool:
    delay = by_load(notebook, "queueing delay of early")
    busy = by_load(notebook, "utilisation of early")
    worse = [flows for flows, (less, is_sure) in busy.items() if less < 0 and is_sure]
    won = [
        flows
        for flows, (more, is_sure) in delay.items()
        if more < 0 and is_sure and flows not in worse
    ]
    return worse == [5, 10, 20] and won == [40]


def nlred_is_ahead_at_80(notebook: Notebook) -> bool:
    more, is_sure = by_load(notebook, "queueing delay of early")[80]
    return is_sure and 0 < more < 2


def choices_change_little_but_the_factor(notebook: Notebook) -> bool:
    rows = [line for line in notebook.lines if " near " in line and line.endswith("kbps")]
    shares = {}
    for line in rows:
        near, far = (float(one) for one in re.findall(r"(?:near|far) +(\d+) kbps", line))
        shares[re.split(r"\s{2,}", line)[0]] = near / far
    red, printed = shares.pop("red"), shares.pop("the factor as printed")
    return red > 2 and printed > 10 and all(0.8 < share < 1.25 for share in shares.values())


SENTENCES: list[tuple[str, str, Callable[[Notebook], bool]]] = [
    ("training-a-policy", "On average, the agent.", agent_wins),
    ("training-a-policy", "CoDel is far behind on average", codel_is_last_and_wide),
    ("training-a-policy", "PIE with a trained target is about as good as", trained_pie_is_like_pie),
    ("training-a-policy", "says *ahead* where the interval", verdicts_follow_intervals),
    ("choosing-thresholds", "rules whose queues differ by a third", model_ranks_what_differs),
    ("choosing-thresholds", "the shortest queue, and a link", floyd_is_shortest_and_idle),
    ("choosing-thresholds", "PIE adapts: about its target at every load", pie_adapts_red_does_not),
    ("first-steps", "keep the wait far shorter", short_waits_full_link_more_loss),
    ("your-own-curve", "The early curve has the shorter queue, significantly so", early_is_a_trade),
    ("your-own-curve", "it beats NLRED at one load of the five", early_wins_at_one_load),
    ("your-own-curve", "NLRED is slightly ahead", nlred_is_ahead_at_80),
    ("a-figure-of-a-paper", "It hangs on one line", choices_change_little_but_the_factor),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "sentence", "holds"), SENTENCES, ids=[holds.__name__ for *_, holds in SENTENCES]
)
def test_a_sentence_says_what_the_outputs_show(
    name: str, sentence: str, holds: Callable[[Notebook], bool]
) -> None:
    notebook = Notebook(name)
    assert sentence in notebook.prose, "a sentence that was changed is listed anew"
    assert holds(notebook), f"{name}: the outputs contradict {sentence!r}"


def test_prose_quotes_no_share_that_no_output_has() -> None:
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        notebook = Notebook(path.stem)
        shown = "\n".join(notebook.lines)
        quoted = re.findall(r"\d+(?:\.\d+)?%", re.sub(r"`[^`]*`|\b95%", "", notebook.prose))
        assert [one for one in quoted if one not in shown] == [], path.stem


def test_the_page_about_policies_says_what_its_table_shows() -> None:
    page = (ROOT / "docs/how-to/train-a-policy.md").read_text(encoding="utf-8")
    pattern = r"^\| ([\w ]+)(?:: `[^`]*`)? \| ([-\d.]+) \| ([-\d.]+) ± ([\d.]+) \|$"
    rows = {row[0]: [float(one) for one in row[1:]] for row in re.findall(pattern, page, re.M)}
    assert len(rows) == 7 and "for all seven rivals" in page
    leads = {name: (lead, half) for name, (_, lead, half) in rows.items()}
    assert "tuned CoDel and PIE are within a hundredth of it" in page
    for name in ["codel tuned", "pie tuned"]:
        assert abs(leads[name][0]) < 0.01 < leads[name][1] / 2
    assert "CoDel at its defaults is last" in page
    assert min(rows, key=lambda name: rows[name][0]) == "codel"
    assert "does worse on these twelve than RED as it is" in page
    assert rows["red tuned"][0] < rows["red"][0]
    assert "those of RED and CoDel at their defaults have zero in them" in page
    assert all(leads[name][0] < leads[name][1] for name in ["red", "codel"])
    assert all(leads[name][0] > leads[name][1] for name in ["ared", "pie", "red tuned"])
