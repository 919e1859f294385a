"""Medians and the smoother of the program against SciPy, scikit-image, OpenCV and the definition."""

import cv2
import numpy
import pytest
import skimage
import tifffile
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import ndimage

import median_oracle as oracle
import morphology_oracle
from scale_of_tests import examples
from test_morphology import TYPES, noise, run

SIZES = {"3": (3, 3), "5": (5, 5), "4": (4, 4), "7x2": (2, 7), "1x9": (9, 1)}  # x first; (y, x)
ELEMENTS = ["disk:2.5", "circle:3", "line:9@30", "cross:3"]


WINDOWS = {("--size", size): oracle.box(*edges) for size, edges in SIZES.items()}
WINDOWS |= {("--element", spec): morphology_oracle.offsets(spec, 2) for spec in ELEMENTS}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("flags", WINDOWS, ids=lambda flags: flags[1])
def test_images_agree_with_scipy(tamis, tmp_path, flags, dtype):
    image, points = noise((23, 41), dtype), WINDOWS[flags]
    for percentile, border in ((50, "reflect"), (30, "nearest"), (95, "constant:1"), (50, "mirror"), (30, "wrap")):
        found = run(tamis, tmp_path, "median", image, *flags, "--percentile", percentile, "--border", border)
        assert found.dtype == image.dtype
        numpy.testing.assert_array_equal(found, oracle.by_scipy(image, points, percentile, border), err_msg=border)
    found = run(tamis, tmp_path, "median", image, *flags, "--border", "shrink")
    numpy.testing.assert_array_equal(found, oracle.step(image, points, 50, "shrink"))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(("size", "edges"), [("3", (3, 3, 3)), ("4x3x2", (2, 3, 4)), ("5x3", (3, 5))])
def test_volumes_agree_with_scipy(tamis, tmp_path, size, edges, dtype):
    """By two edges slice by slice."""
    image = noise((7, 11, 17), dtype)
    for percentile, border in ((50, "reflect"), (80, "constant:1"), (50, "mirror"), (20, "wrap")):
        found = run(tamis, tmp_path, "median", image, "--size", size, "--percentile", percentile, "--border", border)
        wanted = oracle.by_scipy(image, oracle.box(*edges), percentile, border)
        numpy.testing.assert_array_equal(found, wanted, err_msg=border)
    found = run(tamis, tmp_path, "median", image, "--size", size, "--border", "neutral")
    numpy.testing.assert_array_equal(found, oracle.step(image, oracle.box(*edges), 50, "shrink"))


def test_the_default_is_the_median_of_scipy(tamis, tmp_path):
    for shape in ((30, 40), (6, 12, 13)):
        image = noise(shape, numpy.int16)
        found = run(tamis, tmp_path, "median", image)
        numpy.testing.assert_array_equal(found, ndimage.median_filter(image, 3))


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_mask_any_origin_and_any_percentile_are_as_defined(tamis, tmp_path, data):
    shape = data.draw(st.tuples(st.integers(1, 12), st.integers(1, 30)))
    height, width = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 9))
    bits = data.draw(st.lists(st.booleans(), min_size=height * width, max_size=height * width).filter(any))
    mask = numpy.reshape(bits, (height, width))
    y0, x0 = data.draw(st.integers(-2, height + 1)), data.draw(st.integers(-2, width + 1))
    image = noise(shape, data.draw(st.sampled_from(TYPES)), data.draw(st.integers(0, 1000)))
    percentile = data.draw(st.one_of(st.integers(0, 100), st.floats(0, 100)))
    border = data.draw(st.sampled_from(["reflect", "mirror", "nearest", "wrap", "constant:0", "shrink"]))
    numpy.save(tmp_path / "mask.npy", mask)
    found = run(tamis, tmp_path, "median", image, "--element", f"file:mask.npy@{x0},{y0}", "--percentile",
                repr(percentile), "--border", border)
    points = [(0, int(y) - y0, int(x) - x0) for y, x in zip(*numpy.nonzero(mask))]
    numpy.testing.assert_array_equal(found, oracle.step(image, points, percentile, border))


def test_photographs_agree_with_opencv(tamis, tmp_path):
    image = skimage.data.camera()[100:220, 150:300]
    for dtype, sizes in ((numpy.uint8, (3, 5, 7, 15)), (numpy.uint16, (3, 5)), (numpy.float32, (3, 5))):
        grey = image.astype(dtype) * (1 if dtype == numpy.uint8 else 3)
        for size in sizes:
            found = run(tamis, tmp_path, "median", grey, "--size", size, "--border", "nearest")
            numpy.testing.assert_array_equal(found, cv2.medianBlur(grey, size), err_msg=f"{dtype} {size}")


def test_windows_that_shrink_agree_with_the_rank_filters_of_scikit_image(tamis, tmp_path):
    image = skimage.data.camera()[60:130, 200:290]
    for radius in (1, 2, 5):
        disk = skimage.morphology.disk(radius)
        found = run(tamis, tmp_path, "median", image, "--element", f"disk:{radius}", "--border", "shrink")
        numpy.testing.assert_array_equal(found, skimage.filters.rank.median(image, disk))
        for percentile in (10, 90):
            found = run(tamis, tmp_path, "median", image, "--element", f"disk:{radius}", "--border", "shrink",
                        "--percentile", percentile)
            wanted = skimage.filters.rank.percentile(image, disk, p0=percentile / 100)
            numpy.testing.assert_array_equal(found, wanted, err_msg=f"{radius} {percentile}")


REAL = ["gray/camera.png", "gray/coins.png", "gray/zebrafish_spinal_cord_u16.png", "gray/wood_ct_u16.tif",
        "volumes/quanfima_polymer_slice.tif", "scans/staff_lines.pbm", "volumes/qim3d_cement_128x128x128.tif"]


@pytest.mark.parametrize("name", REAL)
def test_real_images_agree_with_scipy(tamis, tmp_path, data, name):
    crop = "--crop", "20:110,30:100" + (",40:60" if "volumes/qim3d" in name else "")
    tamis("convert", data / name, "in.npy", *crop)
    image = numpy.load(tmp_path / "in.npy")
    for size in (3, 7):
        tamis("median", data / name, "out.npy", "--size", size, *crop)
        wanted = oracle.by_scipy(image, oracle.box(*[size] * image.ndim))
        numpy.testing.assert_array_equal(numpy.load(tmp_path / "out.npy"), wanted)


@pytest.mark.parametrize("dtype", TYPES)
def test_iterations_come_one_after_the_other(tamis, tmp_path, dtype):
    image = noise((20, 31), dtype)
    once = oracle.by_scipy(image, oracle.box(3, 3))
    found = run(tamis, tmp_path, "median", image, "--iterations", 2)
    numpy.testing.assert_array_equal(found, oracle.by_scipy(once, oracle.box(3, 3)))


@pytest.mark.parametrize("dtype", TYPES)
def test_a_smoother_is_a_median_along_y_then_along_x_then_along_z(tamis, tmp_path, dtype):
    for shape, size, edges in (((20, 31), "5", (5, 5)), ((20, 31), "7x4", (4, 7)), ((7, 12, 15), "5x3", (1, 3, 5)),
                               ((7, 12, 15), "5x3x4", (4, 3, 5)), ((7, 12, 15), "3", (3, 3, 3))):
        image = noise(shape, dtype)
        for border in ("reflect", "shrink"):
            wanted = image
            for axis in (-2, -1, -3)[:len(edges)]:
                line = [1] * len(edges)
                line[axis] = edges[axis]
                wanted = oracle.step(wanted, oracle.box(*line), 50, border)
            found = run(tamis, tmp_path, "smooth", image, "--size", size, "--border", border)
            numpy.testing.assert_array_equal(found, wanted, err_msg=f"{size} {border}")


def test_a_smoother_is_of_55_samples_unless_told_and_repeats(tamis, tmp_path):
    image = noise((70, 80), numpy.uint8)
    wanted = image
    for edges in ((55, 1), (1, 55)) * 2:
        wanted = oracle.by_scipy(wanted, oracle.box(*edges), 50, "nearest")
    found = run(tamis, tmp_path, "smooth", image, "--border", "nearest", "--iterations", 2)
    numpy.testing.assert_array_equal(found, wanted)


def test_nan_is_left_out_where_that_is_wanted(tamis, tmp_path):
    image = noise((15, 40), numpy.float32)
    image[3, 4:9] = numpy.nan
    image[8:14, 10:20] = numpy.nan
    for border in ("reflect", "shrink"):
        found = run(tamis, tmp_path, "median", image, "--nan", "ignore", "--border", border)
        numpy.testing.assert_array_equal(found, oracle.step(image, oracle.box(3, 3), 50, border))
    assert numpy.isnan(found).any() and numpy.isnan(found).sum() < numpy.isnan(image).sum()


def test_colour_is_worked_on_channel_by_channel(tamis, tmp_path):
    image = skimage.data.astronaut()[:60, 100:190]
    skimage.io.imsave(tmp_path / "in.png", image, check_contrast=False)
    tamis("median", "in.png", "out.png", "--size", "5", "--border", "nearest")
    numpy.testing.assert_array_equal(skimage.io.imread(tmp_path / "out.png"), cv2.medianBlur(image, 5))


def test_a_batch_is_a_stack_of_images(tamis, volume, balls, tmp_path):
    source = volume("balls.tif", balls)
    tamis("median", source, "solid.tif")
    tamis("median", source, "flat.tif", "--batch")
    wanted = numpy.stack([oracle.by_scipy(image, oracle.box(3, 3)) for image in balls])
    numpy.testing.assert_array_equal(tifffile.imread(tmp_path / "flat.tif"), wanted)
    wanted = oracle.by_scipy(balls, oracle.box(3, 3, 3))
    numpy.testing.assert_array_equal(tifffile.imread(tmp_path / "solid.tif"), wanted)


@pytest.mark.parametrize("simd", ["avx512", "avx2", "portable"])
def test_instruction_sets_and_threads_give_the_same_bits(tamis, tmp_path, simd):
    for dtype in TYPES:
        image = noise((40, 133), dtype)
        wanted = run(tamis, tmp_path, "median", image, "--size", "5")
        result = tamis("median", "in.npy", "out.npy", "--size", "5", "--simd", simd, "--threads", "1", check=False)
        if result.returncode == 2 and "has no" in result.stderr:
            pytest.skip(f"no {simd}")
        numpy.testing.assert_array_equal(numpy.load(tmp_path / "out.npy"), wanted)
