"""tamis-papers: the papers' algorithms on a user's files have the answers of tamis."""
import os
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def papers(tmp_path):
    program = Path(os.environ.get("TAMIS_BUILD", ROOT / "build")) / "bin" / "tamis-papers"
    if not program.exists():
        pytest.skip("tamis-papers is not built (make papers)")

    def run(*words, **environment):
        more = [] if "study" in words else ["--device", "cpu"]
        return subprocess.run([program, *map(str, words), *more], cwd=tmp_path, capture_output=True, text=True, env={**os.environ, **environment})

    return run


def image(shape, seed, top=256):
    return numpy.random.default_rng(seed).integers(0, top, shape).astype("u1")


@pytest.mark.parametrize("element", ["cross", "cube", "square"])
@pytest.mark.parametrize("border", ["background", "neutral"])
def test_boulos_granulometry_has_the_sizes_and_the_map_of_tamis(papers, tamis, tmp_path, element, border):
    numpy.save(tmp_path / "v.npy", numpy.kron(image((7, 9, 11), 1, 10) > 0, numpy.ones((3, 3, 3))).astype("u1") * 255)
    same = ["--element", element, "--border", border]
    done = papers("boulos", "granulometry", "v.npy", *same, "--csv", "theirs.csv", "--map", "theirs.npy")
    assert done.returncode == 0, done.stderr
    tamis("granulometry", "v.npy", *same, "--csv", "ours.csv", "--map", "ours.npy")
    read = [numpy.genfromtxt(tmp_path / f"{name}.csv", delimiter=",", names=True) for name in ("theirs", "ours")]
    for column in ("size", "volume", "fraction", "spectrum"):
        assert (read[0][column] == read[1][column]).all()
    assert (numpy.load(tmp_path / "theirs.npy") == numpy.load(tmp_path / "ours.npy")).all()


@pytest.mark.parametrize("algorithm", ["vanherk", "morard", "bartovsky"])
def test_karas_open_is_an_opening_along_traced_lines(papers, tamis, tmp_path, algorithm):
    numpy.save(tmp_path / "i.npy", image((60, 70), 2))
    assert papers("karas", "open", "i.npy", "theirs.npy", "--length", 9, "--angle", 33, "--algorithm", algorithm).returncode == 0
    tamis("open", "i.npy", "ours.npy", "--element", "line:9@33", "--lines", "traced")
    assert (numpy.load(tmp_path / "theirs.npy") == numpy.load(tmp_path / "ours.npy")).all()


@pytest.mark.parametrize("operation", ["erode", "dilate", "open", "close"])
def test_izmantoko_filters_are_those_by_squares(papers, tamis, tmp_path, operation):
    numpy.save(tmp_path / "i.npy", (image((60, 70), 3, 9) > 0).astype("u1") * 255)
    assert papers("izmantoko", operation, "i.npy", "theirs.npy", "--size", 5).returncode == 0
    tamis(operation, "i.npy", "ours.npy", "--element", "square:5")
    assert (numpy.load(tmp_path / "theirs.npy") == numpy.load(tmp_path / "ours.npy")).all()


def test_perrot_median_is_the_median_with_repeated_edges(papers, tamis, tmp_path):
    numpy.save(tmp_path / "i.npy", image((60, 70), 4))
    assert papers("perrot", "median", "i.npy", "theirs.npy", "--size", 5).returncode == 0
    tamis("median", "i.npy", "ours.npy", "--size", "5", "--border", "nearest")
    assert (numpy.load(tmp_path / "theirs.npy") == numpy.load(tmp_path / "ours.npy")).all()


@pytest.mark.parametrize("words, wanted", [
    (["karas", "open", "i.npy", "o.npy", "--angle", "x"], "--angle x: wanted a number"),
    (["karas", "open", "i.npy", "o.npy", "--algorithm", "fast"], "fast on the CPU; wanted vanherk, morard, bartovsky or anchor"),
    (["karas", "open", "missing.npy", "o.npy"], "missing.npy: cannot read it"),
    (["izmantoko", "open", "i.npy", "o.npy"], "more than two values"),
    (["izmantoko", "open", "i.npy", "o.npy", "--size", "4"], "--size 4: wanted an odd number from 3"),
    (["perrot", "median", "i.npy", "o.npy", "--size", "0"], "--size 0: wanted an odd number from 1"),
    (["boulos", "granulometry", "i.npy"], "more than two values"),
])
def test_what_cannot_be_is_one_line_and_leaves_nothing(papers, tmp_path, words, wanted):
    numpy.save(tmp_path / "i.npy", image((20, 30), 5))
    done = papers(*words)
    assert done.returncode == 2 and wanted in done.stderr and done.stderr.count("\n") == 1
    assert not (tmp_path / "o.npy").exists()


def test_the_option_of_former_releases_names_the_program(tamis_program, tmp_path):
    done = subprocess.run([tamis_program, "granulometry", "i.npy", "--algorithm", "paper"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2 and "tamis-papers boulos granulometry" in done.stderr


STUDIES = {"boulos": (["--largest", "64"], "| 64³ |"), "izmantoko": (["--largest", "128", "--small", "2", "--batches", "3"], "Table 1"),
           "karas": (["--largest", "256", "--repetitions", "1"], "| 256² | horizontal |"),
           "perrot": (["--largest", "512", "--seconds", "0.01"], "| 512² | 3×3 |")}


@pytest.mark.whole
@pytest.mark.parametrize("author", STUDIES)
def test_a_study_makes_its_tables_in_an_empty_folder(papers, tmp_path, author):
    words, row = STUDIES[author]
    programs = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])  # which has NumPy
    done = papers(author, "study", "--out", tmp_path / "results", *words, PATH=programs)
    assert done.returncode == 0, done.stderr
    assert row in done.stdout
    stored = list((tmp_path / "results").glob(f"{author}_*.json"))
    assert len(stored) == 1
    assert papers(author, "study", "--show", stored[0], "--images", tmp_path / "results", PATH=programs).stdout in done.stdout
    assert "--largest" in papers(author, "study", "--help", PATH=programs).stdout
