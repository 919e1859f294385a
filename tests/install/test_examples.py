"""The programs in examples/, built as a stranger would and run; docs/cpp.md shows parts of them."""

import re
import shutil
import signal
import subprocess
import textwrap

import imageio.v3
import numpy as np
import pytest

from installed_tree import CLEAN, ROOT, run

PAGE = ROOT / "docs" / "cpp.md"


@pytest.fixture(scope="module")
def examples(installed, tmp_path_factory):
    return installed.build(ROOT / "examples", tmp_path_factory.mktemp("examples"))


def test_the_page_shows_what_the_examples_are():
    blocks = re.findall(r"<!-- (examples/\w+\.cpp) -->\n```cpp\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert {name for name, _ in blocks} == {f"examples/{path.name}" for path in (ROOT / "examples").glob("*.cpp")}
    assert len(blocks) == PAGE.read_text().count("```cpp")
    for name, code in blocks:
        first = code.splitlines()[0]
        source = (ROOT / name).read_text()
        indents = {line[:len(line) - len(line.lstrip())] for line in source.splitlines() if line.strip() == first}
        assert any(textwrap.indent(code, indent) in source for indent in indents), f"{name}:\n{code}"


def test_a_median_takes_noise_out_of_a_file(examples, tmp_path):
    image = np.full((20, 30), 100, np.uint8)
    image[5, 7] = 255
    imageio.v3.imwrite(tmp_path / "a.png", image)
    run(examples / "median", tmp_path / "a.png", tmp_path / "b.png")
    assert (imageio.v3.imread(tmp_path / "b.png") == 100).all()


def test_a_file_that_is_not_there_is_one_line(examples, tmp_path):
    done = subprocess.run([examples / "median", tmp_path / "none.png", tmp_path / "b.png"], capture_output=True,
                          text=True, env=CLEAN)
    assert done.returncode == 2
    assert "none.png" in done.stderr and done.stderr.count("\n") == 1


def test_every_frame_of_the_camera_comes_back_without_its_noise(examples):
    counts = run(examples / "camera").split()
    assert counts == ["1024"] * 10


def test_a_picture_with_a_pitch_loses_its_noise_and_its_corners(examples):
    assert run(examples / "views").split() == ["1025", "1020"]


def test_a_granulometry_says_how_far_it_is(examples, tmp_path):
    z, y, x = np.ogrid[-8:9, -8:9, -8:9]
    np.save(tmp_path / "pore.npy", np.where(abs(z) + abs(y) + abs(x) <= 5, 10, 200).astype(np.uint8))
    done = subprocess.run([examples / "granulometry", tmp_path / "pore.npy"], capture_output=True, text=True, env=CLEAN,
                          check=True)
    rows = [line.split() for line in done.stdout.splitlines()]
    assert [fraction for _, fraction in rows] == ["1"] * 6 + ["0"]
    assert " of " in done.stderr


def test_a_granulometry_ends_when_it_is_interrupted(examples, tmp_path):
    np.save(tmp_path / "noise.npy", np.random.default_rng(1).integers(0, 255, (300, 600, 600), np.uint8))
    process = subprocess.Popen([examples / "granulometry", tmp_path / "noise.npy"], stderr=subprocess.PIPE, env=CLEAN,
                               stdout=subprocess.DEVNULL)
    process.stderr.read(1)  # it works
    process.send_signal(signal.SIGINT)
    _, rest = process.communicate(timeout=60)
    assert process.returncode == 130
    assert rest.endswith(b"interrupted\n")


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no CUDA runtime to build with")
def test_an_array_on_a_gpu_is_filtered_there(examples):
    program = examples / "gpu_array"
    assert program.exists()
    done = subprocess.run([program], capture_output=True, text=True, env=CLEAN)
    if done.returncode == 77:
        pytest.skip("no GPU")
    assert done.stdout == "4 samples see the low one\n"
