"""Grey granulometry of the program against SciPy and DIPlib: sums of grey values after openings of every size."""

import csv
import json

import numpy
import pytest
import tifffile
from morphology_oracle import footprint, offsets
from scipy import ndimage


def ends(dtype):
    return (-numpy.inf, numpy.inf) if dtype.kind == "f" else (numpy.iinfo(dtype).min, numpy.iinfo(dtype).max)


def openings(image, element, border="background", phase="bright", max_size=None):
    """Sums above the lowest value after the openings 0, 1, 2 ...; below the highest after closings if dark."""
    lowest, highest = ends(image.dtype)
    shrink, grow = ndimage.grey_erosion, ndimage.grey_dilation
    base = image.min()
    if phase == "dark":
        shrink, grow, lowest, highest, base = grow, shrink, highest, lowest, image.max()
    outside = highest if border == "neutral" else base
    sums = [numpy.abs(image.astype(float) - float(base)).sum()]
    while sums[-1] > 0 and len(sums) - 1 != max_size:
        n = len(sums)
        shape = f"{element}:{2 * n + 1 if element in ('square', 'cube') else n}"
        mask = footprint(offsets(shape, image.ndim), 3)
        mask = mask if image.ndim == 3 else mask[0]
        opened = shrink(image, footprint=mask, mode="constant", cval=outside)
        opened = grow(opened, footprint=mask, mode="constant", cval=lowest)
        sums.append(numpy.abs(opened.astype(float) - float(base)).sum())
    return sums


def blotches(shape, dtype, seed=1):
    """Smooth noise: many sizes, no symmetry."""
    noise = ndimage.gaussian_filter(numpy.random.default_rng(seed).normal(size=shape), 1.5)
    noise = (noise - noise.min()) / numpy.ptp(noise)
    if dtype == "float32":
        return (numpy.round(noise * 1000) / 8 - 60).astype(dtype)
    return (noise * 200 + (-100 if dtype == "int16" else 20)).astype(dtype)


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def compare(tamis, folder, image, *, element="cross", border="background", phase="bright", max_size=None):
    tifffile.imwrite(folder / "in.tif", image)
    command = ["granulometry", "in.tif", "--grey", "--element", element, "--border", border, "--phase", phase]
    command += [] if max_size is None else ["--max-size", max_size]
    tamis(*command, "--csv", "out.csv", "--json", "out.json", cwd=folder)
    rows = table(folder / "out.csv")
    expected = openings(image, element, border, phase, max_size)
    assert [float(row["volume"]) for row in rows] == expected
    assert [int(row["width [voxels]"]) for row in rows] == [2 * n + 1 for n in range(len(rows))]
    assert sum(float(row["spectrum"]) for row in rows) == expected[0]
    told = json.loads((folder / "out.json").read_text())
    assert told["volume"] == expected
    assert told["grey_base"] == (image.max() if phase == "dark" else image.min())
    spectrum = numpy.array(expected) - numpy.array([*expected[1:], 0])
    left = spectrum[-1] if max_size is not None and expected[-1] > 0 else 0
    sieved = spectrum[:-1] if left else spectrum
    assert told["predominant_size"] == int(sieved.argmax())
    assert told["unsieved_share"] == pytest.approx(left / expected[0])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("border", ["background", "neutral"])
@pytest.mark.parametrize("element", ["cross", "square", "disk", "octagon"])
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int16", "float32"])
def test_images_agree_with_scipy(tamis, tmp_path, dtype, element, border):
    compare(tamis, tmp_path, blotches((23, 31), dtype), element=element, border=border)


@pytest.mark.parametrize("element", ["cross", "cube", "ball", "square", "disk"])
def test_volumes_agree_with_scipy(tamis, tmp_path, element):
    compare(tamis, tmp_path, blotches((9, 14, 17), "uint8"), element=element)
    compare(tamis, tmp_path, blotches((9, 14, 17), "float32"), element=element, border="neutral", max_size=2)


@pytest.mark.parametrize("element", ["cross", "disk"])
def test_the_dark_phase_is_closed(tamis, tmp_path, element):
    compare(tamis, tmp_path, blotches((23, 31), "uint8"), element=element, phase="dark")


@pytest.mark.parametrize("name", ["gray/coins.png", "textures/sem_glass_bubbles.jpg", "gray/wood_ct_u16.tif",
                                  "volumes/quanfima_polymer_slice.tif"])
@pytest.mark.parametrize(("element", "border"), [("square", "neutral"), ("disk", "background")])
def test_real_images_agree_with_scipy(tamis, tmp_path, data, name, element, border):
    path = data / name
    if not path.exists():
        pytest.skip(f"{name} is not in TAMIS_DATA")
    tamis("granulometry", path, "--grey", "--element", element, "--border", border, "--max-size", 6, "--csv", "out.csv")
    tamis("convert", path, "same.npy")
    expected = openings(numpy.load(tmp_path / "same.npy"), element, border, max_size=6)
    numpy.testing.assert_allclose([float(row["volume"]) for row in table(tmp_path / "out.csv")], expected, rtol=1e-12)


def test_a_photograph_agrees_with_diplib(tamis, tmp_path, data):
    diplib = pytest.importorskip("diplib")
    path = data / "gray" / "coins.png"
    options = ["--grey", "--element", "square", "--border", "neutral", "--max-size", 8]
    tamis("granulometry", path, *options, "--csv", "o.csv")
    tamis("convert", path, "same.npy")
    image = numpy.load(tmp_path / "same.npy")
    expected = [image.sum() - image.size * int(image.min())]
    for n in range(1, 9):
        opened = numpy.asarray(diplib.Opening(diplib.Image(image), diplib.SE([2 * n + 1, 2 * n + 1], "rectangular")))
        expected.append(opened.sum() - image.size * int(image.min()))
    rows = table(tmp_path / "o.csv")
    assert [int(row["volume"]) for row in rows] == expected
    # Its own granulometry says what is gone; its disk of diameter 3 is a square of edge 3.
    theirs = diplib.Granulometry(diplib.Image(image), scales=[3.0, 5.0, 7.0], type="isotropic", polarity="opening")
    assert theirs.Y()[0] == pytest.approx(1 - float(rows[1]["fraction"]), rel=1e-6)


def test_grey_values_without_a_threshold_teach_the_option(tamis, tmp_path):
    tifffile.imwrite(tmp_path / "in.tif", blotches((23, 31), "uint8"))
    told = tamis("granulometry", "in.tif", check=False)
    assert told.returncode == 2
    assert "more than two values" in told.stderr and "--threshold V" in told.stderr
    assert "or --grey for sums of grey values" in told.stderr and told.stderr.count("\n") == 1


@pytest.mark.parametrize(("options", "words"), [
    (["--grey", "--threshold", "9"], "--threshold 9: --grey counts grey values"),
    (["--grey", "--roi", "cylinder"], "--roi cylinder: --grey counts the whole image; wanted --crop"),
    (["--grey", "--map", "m.tif"], "--map m.tif: --grey counts grey values, which have no size map"),
    (["--grey", "--element", "cube"], "in.tif: element cube on a 2-D image of 31x23; wanted cross, square, octagon"),
    (["--threshold", "9", "--element", "octagon"], "--element octagon: wanted cross, cube, square, ball or disk, or --grey"),
])
def test_options_that_do_not_go_together_are_refused(tamis, tmp_path, options, words):
    tifffile.imwrite(tmp_path / "in.tif", blotches((23, 31), "uint8"))
    told = tamis("granulometry", "in.tif", *options, check=False)
    assert told.returncode == 2 and words in told.stderr and told.stderr.count("\n") == 1, told.stderr


def test_what_is_no_number_and_what_has_other_types_is_refused(tamis, tmp_path):
    image = blotches((23, 31), "float32")
    image[4, 7] = numpy.nan
    tifffile.imwrite(tmp_path / "nan.tif", image)
    told = tamis("granulometry", "nan.tif", "--grey", check=False)
    assert told.returncode == 2 and "nan.tif: granulometry: the image holds NaN at x 7, y 4; wanted" in told.stderr
    tifffile.imwrite(tmp_path / "double.tif", image.astype(float))
    told = tamis("granulometry", "double.tif", "--grey", check=False)
    assert told.returncode == 2 and "double.tif: granulometry: the image holds NaN at x 7, y 4; wanted" in told.stderr
    tifffile.imwrite(tmp_path / "colour.tif", numpy.zeros((20, 30, 3), numpy.uint8), photometric="rgb")
    told = tamis("granulometry", "colour.tif", "--grey", check=False)
    assert told.returncode == 2 and "3 channels; wanted one: --channel luma" in told.stderr


def test_a_constant_image_is_a_warning(tamis, tmp_path):
    tifffile.imwrite(tmp_path / "in.tif", numpy.full((9, 8), 7, numpy.uint8))
    told = tamis("granulometry", "in.tif", "--grey", "--csv", "out.csv")
    assert "all samples have the same value" in told.stderr
    assert [row["volume"] for row in table(tmp_path / "out.csv")] == ["0"]


def test_a_crop_and_several_files_make_one_table(tamis, tmp_path):
    image = blotches((23, 31), "uint8")
    tifffile.imwrite(tmp_path / "a.tif", image)
    tifffile.imwrite(tmp_path / "b.tif", image[3:20, 5:25])
    tamis("granulometry", "a.tif", "b.tif", "--grey", "--csv", "both.csv", "--plot", "both.svg")
    tamis("granulometry", "a.tif", "--grey", "--crop", "5:25,3:20", "--csv", "crop.csv")
    b = [row["volume"] for row in table(tmp_path / "both.csv") if row["file"] == "b.tif"]
    assert b == [row["volume"] for row in table(tmp_path / "crop.csv")]
    assert "grey values left" in (tmp_path / "both.svg").read_text()


@pytest.mark.gpu
@pytest.mark.parametrize("element", ["cross", "square", "disk"])
def test_a_gpu_gives_the_same(tamis, tmp_path, element):
    for dtype in ("uint8", "float32"):
        tifffile.imwrite(tmp_path / "in.tif", blotches((150, 170), dtype))
        for device in ("cpu", "cuda"):
            options = ["--grey", "--element", element, "--device", device]
            tamis("granulometry", "in.tif", *options, "--csv", f"{device}.csv")
        assert (tmp_path / "cpu.csv").read_text() == (tmp_path / "cuda.csv").read_text()
