"""The package itself: stubs, docstrings, the scripts of the docs."""

import builtins
import doctest
import inspect
import os
import pickle
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import tamis

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "bindings" / "python" / "tamis"
DOCS = ROOT / "docs" / "python.md"
SCAN = "cement_128x128x128.tif"
WITHOUT_EXAMPLES = {"Element", "InputError", "MissingFileError", "Orientation", "Porosimetry", "ResourceError", "Sizes",
                    "Skew", "Thickness", "UnreadableFileError", "cube", "square"}


@pytest.mark.parametrize("name", ["_native.pyi", "_elements.pyi"])
def test_a_stub_is_that_of_the_module(name):
    """After a change: PYTHONPATH=build/python build/venv/bin/python tests/python/python_stub.py bindings/python/tamis"""
    pytest.importorskip("nanobind")
    from python_stub import STUBS

    assert STUBS[name]() == (PACKAGE / name).read_text()


def test_the_package_says_that_it_is_typed():
    assert (Path(tamis.__file__).parent / "py.typed").exists()


def test_what_is_public_is_listed_and_there():
    named = {name for name in vars(tamis) if not name.startswith("_")}
    modules = {name for name in named if inspect.ismodule(getattr(tamis, name))}
    assert named - modules == set(tamis.__all__) - {"__version__"}


def test_no_name_hides_one_of_python_s_own_but_open():
    """`from tamis import *` would otherwise change what `except EnvironmentError` catches."""
    assert set(tamis.__all__) & set(dir(builtins)) == {"open"}


def documented():
    for name in tamis.__all__:
        thing = getattr(tamis, name)
        if callable(thing):
            yield name


@pytest.mark.parametrize("name", list(documented()))
def test_every_example_is_right(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    thing = getattr(tamis, name)
    text = inspect.cleandoc(thing.__doc__ or "")
    examples = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(examples)
    assert result.failed == 0
    assert name in WITHOUT_EXAMPLES or result.attempted > 0


@pytest.mark.parametrize("name", ["threshold", "threshold_value", "convert", "granulometry", "size_map", "phantom"])
def test_a_docstring_has_every_keyword_and_all_parts(name):
    text = getattr(tamis, name).__doc__
    signature, _, rest = text.partition("\n")
    for keyword in re.findall(r"[(,] (\w+):", signature) + re.findall(r"\((\w+):", signature):
        assert re.search(rf"^{keyword}\b|^[\w, ]*\b{keyword}\b", rest, re.MULTILINE), keyword
    for part in ("Parameters", "Returns", "Raises", "Examples"):
        assert f"\n{part}\n" in rest


@pytest.mark.parametrize("name", ["threshold", "granulometry", "phantom"])
def test_functions_can_be_sent_to_other_processes(name):
    function = getattr(tamis, name)
    assert pickle.loads(pickle.dumps(function)) is function
    cloudpickle = pytest.importorskip("cloudpickle")
    assert pickle.loads(cloudpickle.dumps(function)) is function


@pytest.fixture(scope="module")
def qim3d(tmp_path_factory):
    """A folder with as much of the package qim3d as the docs use."""
    folder = tmp_path_factory.mktemp("packages")
    target = folder / "qim3d" / "examples" / SCAN
    target.parent.mkdir(parents=True)
    (folder / "qim3d" / "__init__.py").touch()
    for path in (Path(os.environ.get("TAMIS_DATA", "")) / "volumes" / f"qim3d_{SCAN}",
                 Path(os.environ.get("TAMIS_BUILD", ROOT / "build")) / "demo" / SCAN):
        if path.exists():
            shutil.copy(path, target)
            return folder
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:",
               "--ignore-requires-python", "--dest", folder, "qim3d==1.5.3"]
    download = subprocess.run(command, capture_output=True)
    if download.returncode != 0:
        pytest.skip("the scan of the docs could not be fetched")
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        target.write_bytes(wheel.read(f"qim3d/examples/{SCAN}"))
    return folder


def test_the_scripts_of_the_docs_run_as_they_stand(qim3d, tmp_path):
    pytest.importorskip("matplotlib")
    blocks = re.findall(r"<!-- run: \w+ -->\n```python\n(.*?)```", DOCS.read_text(), re.DOTALL)
    assert len(blocks) == 2
    assert len([line for line in blocks[0].splitlines() if line]) <= 10
    path = os.pathsep.join([str(qim3d), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run([sys.executable, "-c", "".join(blocks)], cwd=tmp_path, capture_output=True, text=True,
                          env=dict(os.environ, PYTHONPATH=path, MPLBACKEND="agg"))
    assert done.returncode == 0, done.stderr
    assert "predominant size  2 (5 voxels)" in done.stdout
    for name in ("cement.png", "cement_map.png"):
        assert (tmp_path / name).stat().st_size > 10_000
