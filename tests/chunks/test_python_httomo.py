"""Methods of HTTomo: blocks with the padding that a method asks for give what the whole volume gives."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
import tamis
import yaml
from tamis import httomo

SCAN = (numpy.random.default_rng(3).random((26, 21, 37)) * 250).astype("f4")
CASES = [
    ("median", {}), ("median", {"size": "5x3x7", "border": "nearest"}), ("median", {"size": 5, "percentile": 20.0}),
    ("smooth", {"size": 5}), ("remove_outliers", {"size": 3, "threshold": 20.0}),
    ("erode", {"element": "ball:2"}), ("dilate", {"element": "box:3x5x7"}), ("open", {"element": "ball:2"}),
    ("close", {"element": "cube:3", "iterations": 2}), ("close", {"element": "disk:3"}), ("gradient", {"element": "cube:3"}),
    ("tophat", {"element": "cross:2"}), ("bothat", {"element": "cube:3"}), ("asf", {"element": "cube:3", "order": "co"}),
    ("hitmiss", {}),
    ("size_map", {"threshold": 60, "max_size": 2}), ("size_map", {"threshold": "90", "max_size": 3, "element": "square"}),
    ("size_map", {"threshold": 60, "max_size": 4, "phase": "dark"}),
]  # fmt: skip


def in_blocks(method, axis, length, arguments):
    """As HTTomo's loaders split a scan: each block with its padding, at the ends the first and the last slice again."""
    before, after = httomo.padding(method, **arguments)
    lengths = [(0, 0)] * 3
    lengths[axis] = (before, after)
    padded = numpy.pad(SCAN, lengths, "edge")
    for first in range(0, SCAN.shape[axis], length):
        last = min(first + length, SCAN.shape[axis])
        part = [slice(None)] * 3
        part[axis] = slice(first, last + before + after)
        result = getattr(httomo, method)(numpy.ascontiguousarray(padded[tuple(part)]), **arguments)
        part[axis] = slice(before, before + last - first)
        yield result[tuple(part)]


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize(("method", "arguments"), CASES)
def test_blocks_give_what_the_whole_gives(method, arguments, axis):
    (whole,) = in_blocks(method, axis, 100, arguments)
    for length in (1, 4, 9):
        numpy.testing.assert_array_equal(numpy.concatenate(list(in_blocks(method, axis, length, arguments)), axis), whole)
    reach = httomo.padding(method, **arguments)[0]
    inside = [slice(None)] * 3
    inside[axis] = slice(reach, SCAN.shape[axis] - reach)
    alone = getattr(tamis, method)(SCAN, **arguments)
    numpy.testing.assert_array_equal(whole[tuple(inside)], alone[tuple(inside)])


def test_every_method_is_tried():
    assert {method for method, _ in CASES} == set(httomo.METHODS)


@pytest.mark.parametrize(("method", "arguments", "words"), [
    ("open", {"element": "ball:3", "by_reconstruction": True}, "open: looks at the whole volume"),
    ("size_map", {"threshold": 60}, "max_size: missing"), ("size_map", {"max_size": 0}, "wanted a whole number from 1"),
    ("size_map", {"max_size": 3, "threshold": "otsu"}, "a method would see one block; wanted a number"),
    ("size_map", {"max_size": 3, "threshold": 1, "element": "ball"}, "wanted 'cross' or 'square'"),
    ("erode", {"element": "bal:3"}, "bal"),
])
def test_what_blocks_cannot_have_is_refused_before_any_is_computed(method, arguments, words):
    with pytest.raises(tamis.InputError, match=words):
        httomo.padding(method, **arguments)


def test_the_files_are_written_where_they_are_wanted(tmp_path):
    command = [sys.executable, "-m", "tamis.httomo", str(tmp_path)]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(told) == 5 + len(httomo.METHODS)
    text = (tmp_path / "yaml_templates" / "tamis" / "tamis.httomo" / "size_map.yaml").read_text()
    assert "    threshold: REQUIRED\n" in text and "    element: 'cross'\n" in text and "    widths: false\n" in text
    (tmp_path / "file").write_text("")
    refused = subprocess.run([*command[:-1], str(tmp_path / "file")], capture_output=True, text=True, check=False)
    assert refused.returncode == 1 and refused.stderr.startswith("tamis.httomo: cannot write the methods")


def test_machines_without_a_gpu_have_methods_too(tmp_path):
    subprocess.run([sys.executable, "-m", "tamis.httomo", "--cpu", str(tmp_path)], capture_output=True, check=True)
    text = (tmp_path / "methods_database" / "packages" / "backends" / "tamis" / "tamis.yaml").read_text()
    assert text == httomo.methods_text(cpu=True) and "gpu" not in text.replace("memory_gpu: None", "")


PIPELINE = """
- method: standard_tomo
  module_path: httomo.data.hdf.loaders
  parameters:
    data_path: /data
    image_key_path: /key
    rotation_angles: {data_path: /angle}
- {method: median, module_path: tamis.httomo, parameters: {size: 3}, save_result: true}
- {method: open, module_path: tamis.httomo, parameters: {element: "ball:2"}, save_result: true}
- {method: size_map, module_path: tamis.httomo, parameters: {threshold: 2500, max_size: 3}, save_result: true}
"""
# Its program, where h5py is serial and there is no CuPy: one process writes without MPI.
HTTOMO = """
import sys, h5py, numpy
class File(h5py.File):
    def __init__(self, *arguments, driver=None, comm=None, **rest):
        super().__init__(*arguments, **rest)
h5py.File = File
numpy.get_array_module = lambda array: numpy
from httomo.cli import main
from tamis import httomo
httomo.write_methods(cpu=True)
sys.argv = ["httomo", "run", "--max-cpu-slices", "25", "scan.nxs", "pipeline.yaml", "."]
main()
"""


@pytest.mark.skipif(importlib.util.find_spec("httomo") is None, reason="httomo is not installed")
def test_a_pipeline_of_httomo_itself_gives_what_the_whole_scan_gives(tmp_path):
    h5py = pytest.importorskip("h5py")
    scan = numpy.random.default_rng(1).integers(100, 4000, (68, 24, 64)).astype("u2")
    with h5py.File(tmp_path / "scan.nxs", "w") as file:
        file["data"], file["key"] = scan, numpy.repeat([0, 1, 2], [60, 4, 4])
        file["angle"] = numpy.linspace(0, 180, 68)
    (tmp_path / "pipeline.yaml").write_text(PIPELINE)
    subprocess.run([sys.executable, "-c", HTTOMO], cwd=tmp_path, capture_output=True, check=True)
    made = []
    for path in sorted(tmp_path.glob("*_output/task_*.h5")):
        with h5py.File(path) as file:
            made.append(file["data"][:])
    given = [scan[:60], *made[:-1]]
    calls = [lambda i: tamis.median(i, size=3), lambda i: tamis.open(i, element="ball:2"),
             lambda i: tamis.size_map(i, threshold=2500, max_size=3)]  # fmt: skip
    for image, result, call, reach in zip(given, made, calls, (1, 4, 8), strict=True):
        assert (call(image) == result)[reach : 60 - reach].all()


@pytest.mark.skipif(importlib.util.find_spec("httomo_backends") is None, reason="httomo_backends is not installed")
def test_httomo_finds_methods_and_padding(tmp_path, monkeypatch):
    import httomo_backends.methods_database.packages.backends as backends
    from httomo_backends.methods_database import query

    httomo.write_methods(tmp_path)
    folder = tmp_path / "methods_database" / "packages"
    monkeypatch.setattr(query, "YAML_DIR", folder)
    monkeypatch.setattr(backends, "__path__", [*backends.__path__, str(folder / "backends")])
    for name, arguments in CASES:
        found = query.MethodDatabaseRepository().query("tamis.httomo", name)
        assert found.padding() and found.get_implementation() == "gpu_cupy" and found.get_pattern() == query.Pattern.all
        assert found.get_memory_gpu_params().multiplier == 4 and not found.get_output_dims_change()
        assert found.calculate_padding(**arguments) == httomo.padding(name, **arguments)


def test_the_pipeline_of_the_page_runs():
    page = (Path(__file__).resolve().parents[2] / "docs/httomo.md").read_text()
    steps = yaml.safe_load(re.search(r"```yaml\n(.*?)```", page, re.DOTALL)[1])
    block = SCAN / SCAN.max() / 40  # of which the threshold finds some
    for step in steps:
        assert step["module_path"] == "tamis.httomo"
        block = getattr(httomo, step["method"])(block, **step["parameters"])
    assert len(steps) == 3 and 0 < block.max() <= 9
