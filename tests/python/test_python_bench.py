"""python -m tamis.bench: what it compares, what it leaves out, and what it writes."""

import json
import subprocess
import sys

import numpy
import pytest
from tamis.bench import __main__ as bench
from tamis.bench.calls import Row, rows


def test_a_quick_run_times_what_gives_the_same_answer(tmp_path):
    call = [sys.executable, "-m", "tamis.bench", "--quick", "--json", "times.json"]
    said = subprocess.run(call, cwd=tmp_path, check=True, capture_output=True, text=True, timeout=120).stdout
    told = json.loads((tmp_path / "times.json").read_text())
    assert told["machine"]["packages"]["numpy"] == numpy.__version__
    assert len(told["calls"]) == len(said.splitlines()) - 1 - sum(len(row["left_out"]) for row in told["calls"])
    for row in told["calls"]:
        assert row["call"] in said and row["ms"]["tamis"] > 0
        assert not row["left_out"]
    assert any("SciPy" in row["ms"] for row in told["calls"])


def test_another_answer_and_a_failure_are_named_and_not_timed():
    ours = numpy.zeros((8, 8), numpy.uint8)
    wrong = ours.copy()
    wrong[4, 4] = 1
    at_the_border = ours.copy()
    at_the_border[0] = 1

    def fails():
        raise ValueError("no such kernel")

    row = Row("a call", lambda: ours, {"wrong": lambda: wrong, "border": lambda: at_the_border, "fails": fails,
                                       "shape": lambda: ours[1:]}, margin=1)  # fmt: skip
    measured = bench.measure(row, 0.01)
    assert set(measured["ms"]) == {"tamis", "border"}
    assert measured["left_out"] == {"wrong": "2.8 % of the samples", "fails": "no such kernel",
                                    "shape": "shape (7, 8), wanted (8, 8)"}  # fmt: skip


def test_no_library_needs_to_be_there(monkeypatch):
    monkeypatch.setattr("tamis.bench.calls.PACKAGES", {})
    assert all(not row.peers for row in rows(quick=True))


def test_a_plot_is_a_picture(tmp_path):
    pytest.importorskip("matplotlib")
    result = {"call": "erode", "ms": {"tamis": 1.0, "SciPy": 20.0}, "left_out": {}}
    bench.plot([result], ["tamis", "SciPy"], str(tmp_path / "a.svg"))
    text = (tmp_path / "a.svg").read_text()
    assert "SciPy" in text and "erode" in text
