"""The package itself: stubs, docstrings, the scripts of the docs."""

import ast
import builtins
import doctest
import inspect
import os
import pickle
import pydoc
import re
import runpy
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy
import pytest
import tamis

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(tamis.__file__).parent  # with the stubs, which the build makes
DOCS = ROOT / "docs" / "python.md"
SCAN = "cement_128x128x128.tif"
WITHOUT_EXAMPLES = {"Element", "InputError", "MissingFileError", "Orientation", "Porosimetry", "ResourceError", "Sizes",
                    "Skew", "Thickness", "UnreadableFileError", "cube", "square"}


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
    for keyword in inspect.signature(getattr(tamis, name)).parameters:
        assert re.search(rf"^{keyword}\b|^[\w, ]*\b{keyword}\b", text, re.MULTILINE), keyword
    for part in ("Parameters", "Returns", "Raises", "Examples"):
        assert f"\n{part}\n" in text


@pytest.mark.parametrize("name", ["threshold", "granulometry", "phantom"])
def test_functions_can_be_sent_to_other_processes(name):
    function = getattr(tamis, name)
    assert pickle.loads(pickle.dumps(function)) is function
    cloudpickle = pytest.importorskip("cloudpickle")
    assert pickle.loads(cloudpickle.dumps(function)) is function


@pytest.fixture(scope="module")
def mypy(tmp_path_factory):
    """Runs mypy; what it has read once of NumPy and others it keeps for the next run."""
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path_factory.mktemp("mypy")),
               "--config-file", str(ROOT / "pyproject.toml")]
    path = dict(os.environ, MYPYPATH=str(PACKAGE.parent))
    return lambda file: subprocess.run([*command, str(file)], capture_output=True, text=True, env=path)


@pytest.mark.parametrize("what", [PACKAGE, Path(__file__).with_name("typical_calls.py")], ids=["package", "calls"])
@pytest.mark.whole
def test_mypy_finds_nothing_to_say_of_the_package_and_of_typical_calls(mypy, what):
    done = mypy(what)
    assert done.returncode == 0, done.stdout + done.stderr


def test_typical_calls_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(Path(__file__).with_name("typical_calls.py")))


@pytest.mark.whole
def test_mypy_refuses_a_word_that_an_option_has_not(mypy, tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import tamis\ntamis.gradient([[0, 1], [1, 0]], kind='outside')\n")
    said = mypy(wrong).stdout
    assert "kind" in said and "Literal['full', 'inner', 'outer']" in said


def functions():
    return [name for name in tamis.__all__ if inspect.isroutine(getattr(tamis, name))]


@pytest.mark.parametrize("name", functions())
def test_a_function_shows_its_signature_and_is_known_by_its_name(name):
    function = getattr(tamis, name)
    signature = inspect.signature(function)
    assert function.__name__ == function.__qualname__ == name
    assert function.__module__.split(".")[0] == "tamis"
    assert pickle.loads(pickle.dumps(function)) is function
    first = pydoc.plain(pydoc.render_doc(function)).split("\n")[2]
    assert first == f"{name}{signature}"


def test_a_signature_has_names_kinds_and_defaults():
    parameters = inspect.signature(tamis.median).parameters
    assert list(parameters)[:3] == ["image", "size", "element"]
    assert parameters["image"].default is inspect.Parameter.empty
    assert (parameters["percentile"].default, parameters["border"].default) == (50.0, "reflect")
    assert parameters["border"].kind is inspect.Parameter.KEYWORD_ONLY
    assert inspect.signature(tamis.orientation).parameters["range"].default == (0, 180)
    assert inspect.signature(tamis.devices).parameters == {}


def native_methods():
    return [(kind, name) for kind in (tamis.Sizes, tamis.Element, tamis.Skew) for name, value in vars(kind).items()
            if inspect.isroutine(value) and not name.startswith("_")]


@pytest.mark.parametrize(("kind", "name"), native_methods(), ids=lambda part: getattr(part, "__name__", part))
def test_a_native_method_shows_the_signature_of_the_stub(kind, name):
    method = getattr(kind, name)
    assert method.__qualname__ == f"{kind.__name__}.{name}" and method.__module__ == "tamis"
    assert pydoc.plain(pydoc.render_doc(method)).split("\n")[2] == f"{name}{inspect.signature(method)}"
    (stub,) = [node for node in ast.parse((PACKAGE / "_native.pyi").read_text()).body
               if isinstance(node, ast.ClassDef) and node.name == kind.__name__]
    (told,) = [node for node in stub.body if isinstance(node, ast.FunctionDef) and node.name == name]
    assert [argument.arg for argument in told.args.args] == list(inspect.signature(method).parameters)


def test_native_methods_are_called_as_their_signatures_say():
    assert len(native_methods()) >= 8
    assert list(inspect.signature(tamis.Element).parameters) == ["spec", "origin"]
    assert inspect.signature(tamis.Element.mask).parameters["rank"].default is None
    assert inspect.signature(tamis.disk(2).shifted).parameters.keys() == {"by"}
    assert tamis.disk(1).shifted(by=(0, 3)).mask(rank=2).sum() == tamis.Element("disk:1", origin=None).mask().sum() == 5
    with pytest.raises(TypeError):
        tamis.disk(2).shifted((1, 2), 3)


def test_the_stub_has_the_parameters_of_every_function():
    """Checkers and inspect see one function."""
    for node in ast.parse((PACKAGE / "_native.pyi").read_text()).body:
        if not isinstance(node, ast.FunctionDef) or not hasattr(tamis, node.name):
            continue
        told = [argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)]
        assert told == list(inspect.signature(getattr(tamis, node.name)).parameters), node.name


@pytest.mark.parametrize(("call", "words"), [
    (lambda image: tamis.erode(image, footprint=[[1]]), "footprint: erode() has no such argument; tamis calls it element"),
    (lambda image: tamis.dilate(image, selem=[[1]]), "selem: dilate() has no such argument; tamis calls it element"),
    (lambda image: tamis.open(image, structure=[[1]]), "structure: open() has no such argument; tamis calls it element"),
    (lambda image: tamis.close(image, kernel=[[1]]), "kernel: close() has no such argument; tamis calls it element"),
    (lambda image: tamis.erode(image, size=3),
     "size: erode() has no such argument; tamis calls it element, as in element='square:3'"),
    (lambda image: tamis.median(image, ksize=3), "ksize: median() has no such argument; tamis calls it size"),
    (lambda image: tamis.median(image, mode="wrap"), "mode: median() has no such argument; tamis calls it border"),
    (lambda image: tamis.median(image, cval=3),
     "cval: median() has no such argument; tamis calls it border, as in border='constant:0'"),
    (lambda image: tamis.rotate(image, 3, cval=3), "cval: rotate() has no such argument; tamis calls it fill"),
    (lambda image: tamis.distance(image, sampling=2), "sampling: distance() has no such argument; tamis calls it spacing"),
    (lambda image: tamis.median(image, percentil=3), "percentil: median() has no such argument; did you mean percentile?"),
    (lambda image: tamis.erode(image, elemnt="disk:3"), "elemnt: erode() has no such argument; did you mean element?"),
    (lambda image: tamis.skew(image, xyzzy=3), "xyzzy: skew() has no such argument; wanted image, max_angle"),
    (lambda image: tamis.devices(all=True), "all: devices() has no such argument; wanted none"),
])
def test_a_wrong_keyword_names_itself_first_and_suggests(call, words):
    with pytest.raises(TypeError, match="^" + re.escape(words)):
        call(numpy.zeros((9, 9), numpy.uint8))


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


@pytest.mark.whole
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
