"""tamis.erode and its relatives against SciPy, scikit-image and OpenCV."""

import os
import re
import subprocess
import sys
from pathlib import Path

import cv2
import numpy
import pytest
import skimage
import tamis
from scipy import ndimage

import morphology_oracle as oracle
from test_morphology import FLAT, SOLID, TYPES, noise

BY_ELEMENT = ["erode", "dilate", "open", "close", "gradient", "tophat", "bothat"]
FILTERS = [*BY_ELEMENT, "hitmiss", "asf", "reconstruct"]
DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("spec", FLAT)
def test_images_agree_with_scipy(spec, dtype):
    image = noise((37, 71), dtype)
    points = oracle.offsets(spec, 2)
    borders = ("neutral", "reflect", "neutral", "nearest", "neutral", "constant:1", "reflect")
    for name, border in zip(BY_ELEMENT, borders):
        found = getattr(tamis, name)(image, spec, border=border)
        assert found.dtype == image.dtype and found.flags.c_contiguous
        numpy.testing.assert_array_equal(found, oracle.operation(name, image, points, border), err_msg=name)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("spec", [*SOLID, "square:3", "disk:3"])
def test_volumes_agree_with_scipy(spec, dtype):
    """By 2-D elements slice by slice."""
    image = noise((9, 14, 23), dtype)
    points = oracle.offsets(spec, 3)
    for name, border in (("erode", "nearest"), ("open", "neutral"), ("bothat", "constant:1"), ("close", "mirror"),
                         ("open", "wrap")):
        found = getattr(tamis, name)(image, spec, border=border)
        numpy.testing.assert_array_equal(found, oracle.operation(name, image, points, border), err_msg=name)


@pytest.mark.parametrize("border", ["reflect", "mirror", "nearest", "wrap"])
def test_openings_and_closings_agree_with_scipy_under_each_of_its_modes(border):
    """Both halves see the border of their own input."""
    for image in (skimage.data.camera()[:90, :131], noise((7, 9, 8), numpy.int16)):
        for mask in (numpy.ones((4, 6), bool), numpy.random.default_rng(3).random((5, 7)) < 0.4):
            footprint = mask if image.ndim == 2 else mask[None]
            for name, theirs in (("open", ndimage.grey_opening), ("close", ndimage.grey_closing)):
                wanted = theirs(image, footprint=footprint, mode=border)
                numpy.testing.assert_array_equal(getattr(tamis, name)(image, mask, border=border), wanted, err_msg=name)


@pytest.mark.parametrize("border", ["mirror", "wrap"])
def test_images_smaller_than_the_element_are_laid_out_again_and_again(border):
    for shape in ((1, 1), (1, 9), (3, 2), (2, 1, 3)):
        image = noise(shape, numpy.uint8)
        for element in (tamis.square(12), tamis.rect(2, 3).shifted((-8, 9)), tamis.line(15, 30)):
            points = {tuple(map(int, point)) for point in element.offsets(3)}
            for name in ("erode", "open", "bothat"):
                wanted = oracle.operation(name, image, points, border)
                numpy.testing.assert_array_equal(getattr(tamis, name)(image, element, border=border), wanted, err_msg=name)


def test_erosions_agree_with_opencv_under_its_borders():
    image = skimage.data.camera()
    for border, theirs in (("reflect", cv2.BORDER_REFLECT), ("mirror", cv2.BORDER_REFLECT_101),
                           ("nearest", cv2.BORDER_REPLICATE)):
        for element in (tamis.square(9), tamis.disk(7)):
            wanted = cv2.erode(image, element.mask().astype(numpy.uint8), borderType=theirs)
            numpy.testing.assert_array_equal(tamis.erode(image, element, border=border), wanted, err_msg=border)


def test_openings_agree_with_scikit_image_where_it_ignores_the_outside():
    image, mask = skimage.data.camera(), numpy.random.default_rng(3).random((5, 7)) < 0.4
    for name, theirs in (("erode", "erosion"), ("dilate", "dilation"), ("open", "opening"), ("close", "closing")):
        # Its dilations take f(x+b), but for those of an opening.
        their_mask = mask[::-1, ::-1] if name in ("dilate", "close") else mask
        wanted = getattr(skimage.morphology, theirs)(image, their_mask, mode="ignore")
        numpy.testing.assert_array_equal(getattr(tamis, name)(image, mask), wanted, err_msg=name)


@pytest.mark.parametrize("dtype", [numpy.uint8, numpy.uint16, numpy.int16, numpy.float32])
def test_photographs_agree_with_opencv(dtype):
    image = (skimage.data.camera().astype(dtype) * (1 if dtype == numpy.uint8 else 3)).astype(dtype)
    names = {"erode": cv2.MORPH_ERODE, "dilate": cv2.MORPH_DILATE, "open": cv2.MORPH_OPEN, "close": cv2.MORPH_CLOSE,
             "gradient": cv2.MORPH_GRADIENT, "tophat": cv2.MORPH_TOPHAT, "bothat": cv2.MORPH_BLACKHAT}
    for element in (tamis.square(9), tamis.disk(7), tamis.cross(6), tamis.rect(31, 1)):
        for name, theirs in names.items():
            wanted = cv2.morphologyEx(image, theirs, element.mask().astype(numpy.uint8))
            numpy.testing.assert_array_equal(getattr(tamis, name)(image, element), wanted, err_msg=f"{name} {element}")


def test_colours_agree_with_opencv():
    photo = skimage.data.astronaut()
    wanted = cv2.morphologyEx(photo, cv2.MORPH_OPEN, tamis.disk(4).mask().astype(numpy.uint8))
    numpy.testing.assert_array_equal(tamis.open(photo, "disk:4", channel_axis=-1), wanted)
    first = numpy.ascontiguousarray(photo.transpose(2, 0, 1))
    numpy.testing.assert_array_equal(tamis.open(first, "disk:4", channel_axis=0), wanted.transpose(2, 0, 1))
    swapped = photo.copy()
    assert tamis.open(swapped, "disk:4", channel_axis=2, out=swapped[..., ::-1]) is not None  # all are read first
    numpy.testing.assert_array_equal(swapped[..., ::-1], wanted)
    for found in (tamis.hitmiss(photo, channel_axis=-1), tamis.asf(photo, "disk:2", channel_axis=-1),
                  tamis.reconstruct(photo // 2, photo, channel_axis=-1)):
        assert (found.shape, found.dtype) == (photo.shape, photo.dtype)


def test_iterations_are_elementary_steps():
    image = noise((40, 50), numpy.uint8)
    numpy.testing.assert_array_equal(tamis.erode(image, "cross:1", iterations=3),
                                     ndimage.minimum_filter(image, footprint=tamis.cross(3), mode="constant", cval=255))
    opened = tamis.erode(image, "disk:2", iterations=2, border="reflect")
    opened = tamis.dilate(opened, "disk:2", iterations=2, border="reflect")
    numpy.testing.assert_array_equal(tamis.open(image, "disk:2", iterations=2, border="reflect"), opened)


@pytest.mark.parametrize("shape", [(40, 64), (40, 300), (300, 1500), (6, 40, 64), (5, 30, 1100)])
def test_bits_agree_with_scipy_however_they_lie(shape):
    """Rows of some length are filtered as bytes, longer ones as packed bits."""
    bits = numpy.random.default_rng(5).random(shape) > 0.3
    size = (3,) * len(shape)
    wanted = ndimage.binary_opening(bits, numpy.ones(size, bool))
    inside = (slice(2, -2),) * len(shape)  # SciPy erodes from outside
    spec = "square:3" if len(shape) == 2 else "cube:3"
    for image in (bits, numpy.asfortranarray(bits), numpy.repeat(bits, 2, axis=-1)[..., ::2]):
        assert (tamis.open(image, spec)[inside] == wanted[inside]).all()
    strange = bits.view(numpy.uint8) * numpy.uint8(200)  # what others leave where True should be 1
    found = tamis.open(strange.view(bool), spec)
    assert (found.view(numpy.uint8)[inside] == wanted[inside]).all()
    out = bits.copy()
    assert tamis.open(out, spec, out=out) is out
    assert (out[inside] == wanted[inside]).all()


def test_gradients_have_three_kinds():
    image = noise((40, 50), numpy.int16)
    eroded, dilated = tamis.erode(image, "disk:2"), tamis.dilate(image, "disk:2")
    for kind, (high, low) in {"full": (dilated, eroded), "inner": (image, eroded), "outer": (dilated, image)}.items():
        numpy.testing.assert_array_equal(tamis.gradient(image, "disk:2", kind=kind), oracle.saturated(high, low))


@pytest.mark.parametrize("dtype", TYPES)
def test_hit_or_miss_is_an_erosion_above_a_dilation(dtype):
    image = noise((40, 50), dtype)
    hit, miss = tamis.rect(1, 2), tamis.rect(3, 1).shifted((1, 0))
    above = oracle.step(image, {(0, y, x) for y, x in hit.offsets().tolist()}, True)
    below = oracle.step(image, {(0, -y, -x) for y, x in miss.offsets().tolist()}, False)
    wanted = above & ~below if dtype == bool else numpy.where(above > below, oracle.saturated(above, below), 0)
    numpy.testing.assert_array_equal(tamis.hitmiss(image, hit, miss), wanted)


def test_hit_or_miss_of_bits_is_that_of_scipy_inside():
    image = noise((40, 50), bool)
    wanted = ndimage.binary_hit_or_miss(image, tamis.square(1), tamis.circle(1))
    inside = (slice(2, -2),) * 2
    numpy.testing.assert_array_equal(tamis.hitmiss(image)[inside], wanted[inside])


def test_alternating_filters_are_openings_and_closings_that_grow():
    image = noise((40, 50), numpy.uint8)
    for order, names in (("oc", ("open", "close")), ("co", ("close", "open"))):
        wanted = image
        for radius in (1, 2, 3):
            for name in names:
                wanted = getattr(tamis, name)(wanted, tamis.disk(radius))
        numpy.testing.assert_array_equal(tamis.asf(image, tamis.disk(3), order=order), wanted)


@pytest.mark.parametrize("shape", [(40, 55), (9, 20, 21)])
@pytest.mark.parametrize("dtype", [numpy.uint8, numpy.float32])
def test_reconstruction_agrees_with_scikit_image(shape, dtype):
    random = numpy.random.default_rng(5)
    mask = random.integers(0, 200, shape).astype(dtype)
    marker = numpy.where(random.random(shape) < 0.03, mask, 0).astype(dtype)
    for way, seed, over in (("dilation", marker, mask), ("erosion", 255 - marker, 255 - mask)):
        for connectivity, rank in (("face", 1), ("full", len(shape))):
            found = tamis.reconstruct(seed, over, by=way, connectivity=connectivity)
            unit = ndimage.generate_binary_structure(len(shape), rank)
            wanted = skimage.morphology.reconstruction(seed, over, way, footprint=unit)
            numpy.testing.assert_array_equal(found, wanted)


def test_what_survives_an_opening_by_reconstruction_keeps_its_shape():
    coins = skimage.data.coins()
    for connectivity in ("face", "full"):
        wanted = tamis.reconstruct(tamis.erode(coins, "disk:6"), coins, connectivity=connectivity)
        found = tamis.open(coins, "disk:6", by_reconstruction=True, connectivity=connectivity)
        numpy.testing.assert_array_equal(found, wanted)
        closed = tamis.close(255 - coins, "disk:6", by_reconstruction=True, connectivity=connectivity)
        numpy.testing.assert_array_equal(255 - closed, wanted)


def test_nan_is_refused_or_left_out():
    image = noise((30, 40), numpy.float32)
    image[7, 5:9] = numpy.nan
    image[20:26, 20:26] = numpy.nan
    for name in FILTERS[:9]:
        with pytest.raises(tamis.InputError, match="NaN at y 7, x 5"):
            getattr(tamis, name)(image)
    with pytest.raises(tamis.InputError, match="NaN"):
        tamis.reconstruct(image, image)
    filled = numpy.where(numpy.isnan(image), numpy.inf, image)
    wanted = ndimage.grey_erosion(filled, (3, 3), mode="constant", cval=numpy.inf)
    numpy.testing.assert_array_equal(tamis.erode(image, nan="ignore"),
                                     numpy.where(numpy.isinf(wanted), numpy.nan, wanted))


@pytest.mark.parametrize("value", [numpy.inf, -numpy.inf, numpy.finfo("f4").min, numpy.finfo("f4").max])
def test_a_border_may_have_any_value_that_f32_has(value):
    image = numpy.random.default_rng(3).random((9, 11), "float32")
    border = f"constant:{value}"
    numpy.testing.assert_array_equal(
        tamis.erode(image, "square:3", border=border), ndimage.minimum_filter(image, 3, mode="constant", cval=value))
    numpy.testing.assert_array_equal(
        tamis.dilate(image, "disk:3", border=border),
        ndimage.maximum_filter(image, footprint=tamis.disk(3).mask(), mode="constant", cval=value))
    numpy.testing.assert_array_equal(
        tamis.median(image, 5, border=border), ndimage.median_filter(image, 5, mode="constant", cval=value))
    for none in ("constant:3.41e38", "constant:nan", "constant:1e400"):
        with pytest.raises(tamis.InputError, match="border"):
            tamis.erode(image, border=none)


def test_top_hats_of_infinities_are_those_of_their_arithmetic():
    image = numpy.zeros((7, 9), "float32")
    image[3, 4], image[:, 7:] = numpy.inf, numpy.inf
    with numpy.errstate(invalid="ignore"):
        wanted = image - tamis.open(image, "square:3", border="nearest")
    found = tamis.tophat(image, "square:3", border="nearest")
    numpy.testing.assert_array_equal(found, wanted)
    assert found[3, 4] == numpy.inf and numpy.isnan(found[3, 8]) and found[0, 0] == 0


def test_real_images_agree_with_scipy(data):
    for name, spec in (("gray/camera.png", "octagon:9"), ("gray/zebrafish_spinal_cord_u16.png", "disk:6"),
                       ("volumes/quanfima_polymer_slice.tif", "line:21@40"), ("mri/FatMRISlice.png", "square:7"),
                       ("volumes/qim3d_cement_128x128x128.tif", "ball:3")):
        image = tamis.read(data / name)
        if image.shape[-1] == 3:
            image = image[..., 0]  # a grey picture that was kept as colours
        wanted = oracle.operation("open", image, oracle.offsets(spec, image.ndim))
        numpy.testing.assert_array_equal(tamis.open(image, spec), wanted, err_msg=name)


def test_instruction_sets_and_threads_give_the_same_bits():
    image = noise((90, 333), numpy.float32)
    wanted = tamis.open(image, "disk:5")
    for simd in ("avx512", "avx2", "portable"):
        try:
            numpy.testing.assert_array_equal(tamis.open(image, "disk:5", simd=simd, threads=1), wanted)
        except tamis.ResourceError as error:
            assert "has no" in str(error)


def test_the_script_of_the_docs_runs_as_it_stands(tmp_path):
    pytest.importorskip("matplotlib")
    scripts = re.findall(r"<!-- run-morphology -->\n```python\n(.*?)```", (DOCS / "python.md").read_text(), re.DOTALL)
    assert len(scripts) == 1
    done = subprocess.run([sys.executable, "-c", scripts[0]], cwd=tmp_path, capture_output=True, text=True,
                          env=dict(os.environ, MPLBACKEND="agg"))
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "vessels.png").stat().st_size > 10_000
