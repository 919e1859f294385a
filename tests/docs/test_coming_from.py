"""The tables of docs/coming_from: both columns of a line give the same, bit for bit, where the peer is installed."""

import re
import sys
import types
from pathlib import Path

import numpy
import pytest
import skimage
import tamis
from scipy import ndimage

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "coming_from"
ROW = re.compile(r"^\| `([^`]+)` \| `([^`]+)` \|$", re.MULTILINE)
NOT_ON_PYPI = {"bonej", "imagej", "matlab"}
ON_A_GPU = {"cupy"}
PEERS = sorted(path.stem for path in FOLDER.glob("*.md") if path.stem != "index")
LINES = [(peer, *row) for peer in PEERS for row in ROW.findall((FOLDER / f"{peer}.md").read_text())]


def images():
    """What docs/coming_from/index.md promises; edges are odd and even, and nothing is symmetric."""
    random = numpy.random.default_rng(11)
    a = numpy.ascontiguousarray(skimage.data.camera()[100:193, 150:270])
    v = ndimage.gaussian_filter(random.normal(size=(21, 26, 33)), 1.5)
    v = ((v - v.min()) / numpy.ptp(v) * 255).astype("u1")
    b, w = a > 120, v > 128
    return {
        "a": a, "f": a.astype("f4") / 7, "c": skimage.data.astronaut()[100:170, 200:281].copy(),
        "v": v, "b": b, "w": w, "few": b & (random.random(b.shape) > 0.99), "low": numpy.minimum(a, a[::-1]),
    }


def setup(peer):
    blocks = re.findall(r"^```python\n(.*?)^```", (FOLDER / f"{peer}.md").read_text(), re.DOTALL | re.MULTILINE)
    return "".join(blocks)


def run(peer):
    """The names of a page after its first lines; without the peer where it is not there."""
    names = {}
    sys.modules.setdefault("pyvista", types.ModuleType("pyvista"))  # PoreSpy draws with it
    try:
        exec(setup(peer), names)
    except ImportError:
        return {"numpy": numpy, "tamis": tamis, **images()}, False
    return names, peer not in NOT_ON_PYPI


def others(names):
    """The same with images that are not those of the page: what gives the same there does so everywhere."""
    assert set(names) & set(images())
    return names | images()


def as_numpy(value):
    return value.get() if hasattr(value, "get") else numpy.asarray(value)


def same(theirs, ours):
    theirs, ours = as_numpy(theirs), as_numpy(ours)
    assert theirs.dtype == ours.dtype
    numpy.testing.assert_array_equal(ours, theirs)
    assert theirs.min() < theirs.max()  # it says something


def test_there_are_many_lines_and_each_is_read():
    assert len(LINES) > 100
    for peer in PEERS:
        text = (FOLDER / f"{peer}.md").read_text()
        rows = [line for line in text.splitlines() if line.startswith("| ") and "tamis |" not in line]
        assert len(rows) == len(ROW.findall(text)), peer
        assert (peer in NOT_ON_PYPI) == ("not compared by the tests" in text), peer


@pytest.mark.parametrize("peer", [peer for peer in PEERS if peer not in ON_A_GPU])
def test_what_tamis_is_given_runs(peer):
    names, _ = run(peer)
    for _, theirs, ours in (line for line in LINES if line[0] == peer):
        for each in re.findall(r"\btamis\.\w+", theirs if peer not in NOT_ON_PYPI else ""):
            assert hasattr(tamis, each.partition(".")[2])
        eval(ours, dict(names))
        eval(ours, others(names))


@pytest.mark.parametrize(("peer", "theirs", "ours"), [line for line in LINES if line[0] not in NOT_ON_PYPI | ON_A_GPU])
def test_a_line_gives_what_the_peer_gives(peer, theirs, ours):
    names, installed = run(peer)
    if not installed:
        pytest.skip(f"{peer} is not installed")
    for given in dict(names), others(names):
        same(eval(theirs, given), eval(ours, given))


@pytest.mark.gpu
@pytest.mark.parametrize(("peer", "theirs", "ours"), [line for line in LINES if line[0] in ON_A_GPU])
def test_a_line_gives_what_the_peer_on_a_gpu_gives(peer, theirs, ours):
    cupy = pytest.importorskip("cupy")
    names, _ = run(peer)
    same(eval(theirs, dict(names)), eval(ours, dict(names)))
    names = others(names)
    names |= {name: cupy.asarray(value) for name, value in names.items() if isinstance(value, numpy.ndarray)}
    same(eval(theirs, dict(names)), eval(ours, dict(names)))
