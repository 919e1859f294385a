"""python -m tamis.bench: what it compares, what it leaves out, and what it writes."""

import json
import subprocess
import sys
from types import ModuleType, SimpleNamespace

import numpy
import pytest
import tamis
from tamis.bench import __main__ as bench
from tamis.bench import calls, gpu_calls, npp
from tamis.bench.calls import Row, rows
from tamis.bench.gpu_calls import installed_on_gpu, rows_on_gpu


@pytest.mark.whole
def test_a_quick_run_times_what_gives_the_same_answer(tmp_path):
    call = [sys.executable, "-m", "tamis.bench", "--quick", "--json", "times.json"]
    said = subprocess.run(call, cwd=tmp_path, check=True, capture_output=True, text=True, timeout=120).stdout
    told = json.loads((tmp_path / "times.json").read_text())
    assert told["machine"]["packages"]["numpy"] == numpy.__version__
    tables = {row["arrays"] for row in told["calls"]}
    lines = [line for line in said.splitlines() if not line.startswith("not ")]
    assert len(lines) == len(tables) + len(told["calls"])
    for name, why in told["absent"].items():
        assert any(line.startswith("not measured:") and name in line and why in line for line in said.splitlines())
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

    row = Row("a call", lambda device: ours, {"wrong": lambda: wrong, "border": lambda: at_the_border, "fails": fails,
                                       "shape": lambda: ours[1:]}, margin=1)  # fmt: skip
    measured = bench.measure(row, 0.01)
    assert set(measured["ms"]) == {"tamis", "border"}
    assert "tamis, GPU" in bench.measure(row, 0.01, with_gpu=True)["ms"]
    assert measured["left_out"] == {"wrong": "differs in 2.8 % of the samples", "fails": "fails: no such kernel",
                                    "shape": "gives shape (7, 8), wanted (8, 8)"}  # fmt: skip


def test_no_library_needs_to_be_there():
    assert all(not row.peers for row in rows(quick=True, here={}))
    assert not list(rows_on_gpu(quick=True, here={}))


@pytest.mark.extra  # PoreSpy compiles its loops first
def test_porespy_gives_the_same_sizes(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyvista", ModuleType("pyvista"))  # PoreSpy draws with it
    here = {"PoreSpy": pytest.importorskip("porespy")}
    measured = [bench.measure(row, 0.001) for row in rows(quick=True, here=here) if row.peers]
    assert [set(row["ms"]) for row in measured] == [{"tamis", "PoreSpy"}] * 2


def test_without_a_gpu_the_libraries_for_it_are_absent_for_that_reason(monkeypatch):
    why = "no NVIDIA driver"
    monkeypatch.setattr(tamis, "devices", lambda: [{"device": "cpu", "why_no_gpu": why}])
    assert installed_on_gpu() == ({}, {"CuPy": why, "cuCIM": why, "NPP": why})


@pytest.fixture
def stand_in(monkeypatch):
    """CuPy made of NumPy and SciPy: the calls for GPUs run, and give the same answers, on any machine."""
    ndimage = pytest.importorskip("scipy.ndimage")
    above = ModuleType("cupyx.scipy")
    above.ndimage = ndimage
    for name, module in (("cupyx", ModuleType("cupyx")), ("cupyx.scipy", above), ("cupyx.scipy.ndimage", ndimage)):
        monkeypatch.setitem(sys.modules, name, module)
    cuda = SimpleNamespace(Device=lambda: SimpleNamespace(synchronize=lambda: None))
    return SimpleNamespace(asarray=numpy.asarray, asnumpy=numpy.asarray, ones=numpy.ones, cuda=cuda)


def test_calls_on_a_gpu_are_compared_too(stand_in):
    measured = [bench.measure(row, 0.001) for row in rows_on_gpu(quick=True, here={"CuPy": stand_in})]
    assert all(row["arrays"] == "GPU" and not row["left_out"] for row in measured)
    assert sum("CuPy" in row["ms"] for row in measured) == len(measured) - 1  # CuPy has no thresholds


@pytest.mark.gpu
def test_every_library_on_the_gpu_gives_the_same_answers():
    pytest.importorskip("cupy")
    here, absent = installed_on_gpu()
    measured = [bench.measure(row, 0.001) for row in rows_on_gpu(quick=True, here=here)]
    assert measured and all(not row["left_out"] for row in measured)
    assert ("NPP" in absent) == (npp.library() is None or npp.library("libnppif") is None)


@pytest.mark.parametrize(("option", "path", "words"), [
    ("--json", "no/such/x.json", "there is no folder no/such"), ("--json", ".", ". is a folder"),
    ("--plot", "no/such/x.png", "there is no folder no/such"), ("--plot", "times.txt", "times.txt: wanted an ending of"),
    ("--plot", "times", "times: wanted an ending of"),
])  # fmt: skip
def test_a_file_that_cannot_be_written_is_refused_before_anything_is_measured(option, path, words, tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(bench, "measure", None)
    assert bench.main(["--quick", option, path]) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.startswith(f"tamis.bench: {option}: ") and words in said.err
    assert said.err.count("\n") == 1 and not list(tmp_path.iterdir())


def test_calls_without_another_library_are_not_drawn(tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib")
    alone = {"call": "a call of ours", "arrays": "host", "ms": {"tamis": 1.0}, "left_out": {"SciPy": "fails"}}
    shared = alone | {"call": "shared", "ms": {"tamis": 1.0, "tamis, GPU": 0.5}}
    assert bench.compared([alone, shared]) == [shared]
    monkeypatch.setattr(bench, "measure", lambda *_: alone)
    assert bench.main(["--quick", "--plot", str(tmp_path / "a.svg")]) == 0
    assert "not drawn: no other library was timed" in capsys.readouterr().out and not list(tmp_path.iterdir())


def test_every_library_has_a_mark_of_its_own():
    assert set(bench.MARKS) == {"tamis, GPU", *calls.PACKAGES, *gpu_calls.PACKAGES, "NPP"}
    assert len({shape for shape, _ in bench.MARKS.values()}) == len(bench.MARKS)


def test_a_plot_is_a_picture(tmp_path):
    pytest.importorskip("matplotlib")
    result = {"call": "erode", "arrays": "host", "ms": {"tamis": 1.0, "SciPy": 20.0}, "left_out": {}}
    on_gpu = {"call": "open", "arrays": "GPU", "ms": {"tamis": 1.0, "NPP": 5.0}, "left_out": {}}
    bench.plot([result, on_gpu], str(tmp_path / "a.svg"))
    text = (tmp_path / "a.svg").read_text()
    for word in ("SciPy", "NPP", "erode", "open, GPU arrays"):
        assert word in text
