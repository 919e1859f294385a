"""Erosion, dilation and their relatives of the program against SciPy, scikit-image, OpenCV and DIPlib."""

import cv2
import numpy
import pytest
import skimage
import tifffile
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import morphology_oracle as oracle
from scale_of_tests import examples

FLAT = ["square:3", "square:4", "rect:7x2", "cross:3", "disk:2.5", "circle:4", "octagon:5", "hexagon:4", "line:13@25",
        "line:9@100"]
SOLID = ["cube:3", "cube:2", "box:4x3x2", "cross:2", "ball:2.5", "line:9@30,40"]
TYPES = [numpy.uint8, numpy.uint16, numpy.int16, numpy.float32, bool]


def noise(shape, dtype, seed=1):
    random = numpy.random.default_rng(seed)
    if dtype == bool:
        return random.random(shape) < 0.6
    if dtype == numpy.float32:
        return random.normal(size=shape).astype(dtype)
    lowest, highest = oracle.extremes(dtype)
    return random.integers(lowest, highest, shape, dtype, endpoint=True)


def run(tamis, folder, command, image, *options):
    """The program's answer for an array."""
    numpy.save(folder / "in.npy", image)
    tamis(command, "in.npy", "out.npy", *options, cwd=folder)
    return numpy.load(folder / "out.npy")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("spec", FLAT)
def test_images_agree_with_scipy(tamis, tmp_path, spec, dtype):
    image = noise((37, 71), dtype)
    points = oracle.offsets(spec, 2)
    for command, border in (("erode", "neutral"), ("dilate", "neutral"), ("open", "neutral"), ("close", "reflect"),
                            ("open", "constant:1"), ("gradient", "nearest"), ("tophat", "neutral"), ("open", "mirror"),
                            ("close", "wrap")):
        found = run(tamis, tmp_path, command, image, "--element", spec, "--border", border)
        wanted = oracle.operation(command, image, points, border)
        numpy.testing.assert_array_equal(found, wanted, err_msg=f"{command} {border}")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("spec", [*SOLID, "square:3", "disk:3"])
def test_volumes_agree_with_scipy(tamis, tmp_path, spec, dtype):
    image = noise((9, 14, 23), dtype)
    points = oracle.offsets(spec, 3)
    for command, border in (("erode", "nearest"), ("open", "neutral"), ("close", "reflect"), ("bothat", "constant:1"),
                            ("open", "mirror"), ("open", "wrap")):
        found = run(tamis, tmp_path, command, image, "--element", spec, "--border", border)
        wanted = oracle.operation(command, image, points, border)
        numpy.testing.assert_array_equal(found, wanted, err_msg=f"{command} {border}")


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_mask_with_any_origin_agrees_with_scipy(tamis, tmp_path, data):
    shape = data.draw(st.tuples(st.integers(1, 20), st.integers(1, 90)))
    height, width = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 9))
    bits = data.draw(st.lists(st.booleans(), min_size=height * width, max_size=height * width).filter(any))
    mask = numpy.reshape(bits, (height, width))
    y0, x0 = data.draw(st.integers(-2, height + 1)), data.draw(st.integers(-2, width + 1))
    dtype = data.draw(st.sampled_from(TYPES))
    image = noise(shape, dtype, data.draw(st.integers(0, 1000)))
    command = data.draw(st.sampled_from(["erode", "dilate", "open", "close"]))
    border = data.draw(st.sampled_from(["neutral", "reflect", "mirror", "nearest", "wrap", "constant:0"]))
    numpy.save(tmp_path / "mask.npy", mask)
    found = run(tamis, tmp_path, command, image, "--element", f"file:mask.npy@{x0},{y0}", "--border", border)
    points = {(0, int(y) - y0, int(x) - x0) for y, x in zip(*numpy.nonzero(mask))}
    numpy.testing.assert_array_equal(found, oracle.operation(command, image, points, border))


def test_openings_agree_with_scikit_image_where_it_ignores_the_outside(tamis, tmp_path):
    image = noise((60, 83), numpy.uint8)
    mask = numpy.random.default_rng(3).random((5, 7)) < 0.4
    numpy.save(tmp_path / "mask.npy", mask)
    for command, theirs in (("erode", skimage.morphology.erosion), ("dilate", skimage.morphology.dilation),
                            ("open", skimage.morphology.opening), ("close", skimage.morphology.closing)):
        found = run(tamis, tmp_path, command, image, "--element", "file:mask.npy")
        # Its dilations take f(x+b), but for those of an opening.
        their_mask = mask[::-1, ::-1] if command in ("dilate", "close") else mask
        numpy.testing.assert_array_equal(found, theirs(image, their_mask, mode="ignore"), err_msg=command)


@pytest.mark.parametrize("dtype", [numpy.uint8, numpy.uint16, numpy.int16, numpy.float32])
def test_symmetric_elements_agree_with_opencv(tamis, tmp_path, dtype):
    image = noise((123, 257), dtype)
    for spec in ("square:9", "disk:7", "cross:6", "rect:31x1"):
        kernel = oracle.footprint(oracle.offsets(spec, 2), 2).astype(numpy.uint8)
        for command, theirs in (("open", cv2.MORPH_OPEN), ("close", cv2.MORPH_CLOSE), ("tophat", cv2.MORPH_TOPHAT)):
            found = run(tamis, tmp_path, command, image, "--element", spec)
            wanted = cv2.morphologyEx(image, theirs, kernel)
            numpy.testing.assert_array_equal(found, wanted, err_msg=f"{spec} {command}")


def test_volumes_agree_with_diplib(tamis, tmp_path):
    diplib = pytest.importorskip("diplib")
    image = noise((40, 41, 42), numpy.uint8)
    for spec, theirs in (("cube:5", diplib.SE(5, "rectangular")), ("cross:3", diplib.SE(7, "diamond"))):
        found = run(tamis, tmp_path, "erode", image, "--element", spec)
        inside = (slice(5, -5),) * 3  # it mirrors at the border, with the edge sample twice or once
        numpy.testing.assert_array_equal(found[inside], numpy.asarray(diplib.Erosion(image, theirs))[inside])


def test_real_images_agree_with_scipy(tamis, tmp_path, data):
    for name, spec in (("gray/camera.png", "octagon:9"), ("gray/zebrafish_spinal_cord_u16.png", "disk:6"),
                       ("volumes/quanfima_polymer_slice.tif", "line:21@40"), ("mri/FatMRISlice.png", "square:7")):
        tamis("open", data / name, "out.npy", "--element", spec)
        tamis("convert", data / name, "in.npy")
        image = numpy.load(tmp_path / "in.npy")
        wanted = oracle.operation("open", image, oracle.offsets(spec, 2))
        numpy.testing.assert_array_equal(numpy.load(tmp_path / "out.npy"), wanted, err_msg=name)


def test_a_real_volume_agrees_with_scipy(tamis, tmp_path, data):
    path = data / "volumes" / "qim3d_cement_128x128x128.tif"
    tamis("close", path, "out.tif", "--element", "ball:4")
    wanted = oracle.operation("close", tifffile.imread(path), oracle.offsets("ball:4", 3))
    numpy.testing.assert_array_equal(tifffile.imread(tmp_path / "out.tif"), wanted)


def test_reconstruction_agrees_with_scikit_image(tamis, tmp_path):
    random = numpy.random.default_rng(5)
    for shape in ((40, 55), (9, 20, 21)):
        mask = random.integers(0, 200, shape, numpy.uint8)
        marker = numpy.where(random.random(shape) < 0.03, mask, 0).astype(numpy.uint8)
        for way, seed, over in (("dilation", marker, mask), ("erosion", 255 - marker, 255 - mask)):
            numpy.save(tmp_path / "marker.npy", seed)
            numpy.save(tmp_path / "mask.npy", over)
            for connectivity, full in (("face", False), ("full", True)):
                tamis("reconstruct", "marker.npy", "mask.npy", "out.npy", "--by", way, "--connectivity", connectivity)
                unit = numpy.ones((3,) * len(shape)) if full else oracle.footprint(
                    oracle.offsets("cross:1", len(shape)), len(shape))
                wanted = skimage.morphology.reconstruction(seed, over, way, footprint=unit)
                numpy.testing.assert_array_equal(numpy.load(tmp_path / "out.npy"), wanted)


@pytest.mark.parametrize("simd", ["avx512", "avx2", "portable"])
def test_instruction_sets_give_the_same_bits(tamis, tmp_path, simd):
    image = noise((90, 333), numpy.float32)
    wanted = run(tamis, tmp_path, "open", image, "--element", "disk:5")
    result = tamis("open", "in.npy", "out.npy", "--element", "disk:5", "--simd", simd, check=False)
    if result.returncode == 2 and "has no" in result.stderr:
        pytest.skip(f"no {simd}")
    numpy.testing.assert_array_equal(numpy.load(tmp_path / "out.npy"), wanted)
