"""Tables are arrays, rows and data frames."""

import numpy as np
import pytest

import earlydrop

SMALL = {"link": "5 Mbps", "flows": 3, "duration": "2 s", "seeds": 2}


@pytest.fixture(scope="module")
def result() -> earlydrop.Result:
    return earlydrop.compare(["red", "codel"], **SMALL)


def test_every_column_is_an_array(result: earlydrop.Result) -> None:
    for name in result._run.table_names():
        table = result.table(name)
        for column in table.columns:
            array = table[column]
            assert isinstance(array, np.ndarray) and array.shape == (len(table),), column
            assert array.dtype.kind in "fiO", column
            assert not array.flags.writeable
            assert array is table[column]
    runs = result.runs
    assert (runs["seed"] == 1).tolist() == [True, True, False, False]
    assert len(runs["utilisation"][runs["scheme"] == "red"]) == 2
    series = result.table("series")
    assert all(isinstance(one, np.ndarray) for one in series["values"])


def test_rows_are_dictionaries(result: earlydrop.Result) -> None:
    runs = result.runs
    assert [row["scheme"] for row in runs] == runs["scheme"].tolist()
    assert runs[0] == next(iter(runs))
    assert runs[-1]["seed"] == 2
    with pytest.raises(IndexError, match="row 4: allowed: 0 to 3"):
        runs[4]
    with pytest.raises(TypeError, match=r"table\[name\]\[mask\]"):
        runs[runs["seed"] == 1]  # type: ignore[call-overload]
    with pytest.raises(earlydrop.ArgumentError, match='did you mean "scheme"'):
        runs["shceme"]


def test_data_frames_take_a_table_as_it_is(result: earlydrop.Result) -> None:
    pandas = pytest.importorskip("pandas")
    runs = result.runs
    frame = pandas.DataFrame(runs)
    assert frame.columns.tolist() == runs.columns
    assert frame.delay_mean.tolist() == runs["delay_mean"].tolist()
    assert frame.seed.dtype == np.int64
    assert runs.to_pandas().scheme.tolist() == frame.scheme.tolist()
    if hasattr(pandas.DataFrame, "from_arrow"):
        assert pandas.DataFrame.from_arrow(runs).seed.tolist() == [1, 1, 2, 2]
    polars = pytest.importorskip("polars")
    assert polars.DataFrame(runs)["scheme"].to_list() == runs["scheme"].tolist()
    families = polars.DataFrame({"scheme": ["red", "codel"], "family": ["RED", "delay"]})
    joined = runs.to_polars().join(families, on="scheme")
    assert len(joined) == len(runs) and joined["scheme"].dtype == polars.String
    interchange = runs.__dataframe__()
    assert list(interchange.column_names()) == runs.columns  # type: ignore[attr-defined]


def test_numpy_takes_a_table_as_a_structured_array(result: earlydrop.Result) -> None:
    array = np.asarray(result.runs)
    assert array.dtype.names == tuple(result.runs.columns)
    assert array["scheme"].tolist() == ["red", "codel", "red", "codel"]
    np.testing.assert_array_equal(array["loss"], result.runs["loss"])


def test_a_table_fits_the_terminal(
    result: earlydrop.Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    for width in [40, 100]:
        monkeypatch.setenv("COLUMNS", str(width))
        lines = repr(result.runs).splitlines()
        assert max(map(len, lines[:-1])) <= width
        assert lines[1].startswith("cell")
        assert "more columns" in lines[-1] and result.runs.columns[-1] in lines[-1]
    assert "more rows, " not in lines[-1]
    assert result.samples.columns[0] in repr(result.samples)


def test_tab_completes_columns(result: earlydrop.Result) -> None:
    assert result.runs._ipython_key_completions_() == result.runs.columns
