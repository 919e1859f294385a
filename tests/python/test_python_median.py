"""tamis.median, smooth and remove_outliers against SciPy, scikit-image, OpenCV and the definition."""

import re
import subprocess
import sys
from pathlib import Path

import cv2
import numpy
import pytest
import scipy
import skimage
import tamis
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import ndimage

import median_oracle as oracle
from scale_of_tests import examples
from test_morphology import TYPES, noise
from test_python_arrays import Tensor
from test_python_filters import views
from test_python_gpu import Cupy, equal, library  # noqa: F401 (library is a fixture)
from test_python_gpu_filters import VIEWS

NAMES = ["median", "smooth", "remove_outliers"]
DOCS = Path(__file__).resolve().parents[2] / "docs"
GREY = noise((20, 30), numpy.uint8)
PHOTO = skimage.data.camera()[100:220, 150:300]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(("size", "edges"), [(3, (3, 3)), (4, (4, 4)), ((2, 7), (2, 7)), ("7x2", (2, 7)),
                                             ([1, 9], (1, 9)), (numpy.int64(5), (5, 5)), ("5", (5, 5))])
def test_images_agree_with_scipy(size, edges, dtype):
    image = noise((23, 41), dtype)
    for percentile, border in ((50, "reflect"), (30, "nearest"), (95.5, "constant:1"), (50, "mirror"), (30, "wrap")):
        found = tamis.median(image, size, percentile=percentile, border=border)
        assert found.dtype == image.dtype and found.flags.c_contiguous
        numpy.testing.assert_array_equal(found, oracle.by_scipy(image, oracle.box(*edges), percentile, border))
    for border in ("shrink", "neutral"):
        found = tamis.median(image, size, border=border)
        numpy.testing.assert_array_equal(found, oracle.step(image, oracle.box(*edges), 50, "shrink"))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(("size", "edges"), [(3, (3, 3, 3)), ((2, 3, 4), (2, 3, 4)), ("4x3x2", (2, 3, 4)),
                                             ((3, 5), (1, 3, 5)), ("5x3", (1, 3, 5))])
def test_volumes_agree_with_scipy(size, edges, dtype):
    """By two edges slice by slice."""
    image = noise((7, 11, 17), dtype)
    for percentile, border in ((50, "reflect"), (20, "nearest"), (50, "mirror"), (70, "wrap")):
        found = tamis.median(image, size, percentile=percentile, border=border)
        numpy.testing.assert_array_equal(found, oracle.by_scipy(image, oracle.box(*edges), percentile, border))


def test_without_a_size_the_window_has_edges_of_3():
    numpy.testing.assert_array_equal(tamis.median(GREY), ndimage.median_filter(GREY, 3))
    volume = noise((5, 9, 11), numpy.int16)
    numpy.testing.assert_array_equal(tamis.median(volume), ndimage.median_filter(volume, 3))
    numpy.testing.assert_array_equal(tamis.median(volume, batch=True), ndimage.median_filter(volume, (1, 3, 3)))


def test_even_sizes_and_percentiles_are_those_of_scipy():
    for size in (2, 4, (6, 3), (1, 8)):
        for mode in ("reflect", "mirror", "nearest", "wrap"):
            wanted = ndimage.median_filter(GREY, size, mode=mode)
            numpy.testing.assert_array_equal(tamis.median(GREY, size, border=mode), wanted)
    for percentile in (0, 1, 10, 33.3, 50, 87.5, 99, 100):
        wanted = ndimage.percentile_filter(GREY, percentile, (3, 4))
        numpy.testing.assert_array_equal(tamis.median(GREY, (3, 4), percentile=percentile), wanted)


def test_footprints_agree_with_scikit_image():
    disk = skimage.morphology.disk(3)
    for footprint in (disk, "disk:3", tamis.disk(3)):
        found = tamis.median(PHOTO, element=footprint)
        wanted = skimage.filters.median(PHOTO, disk, mode="reflect")
        numpy.testing.assert_array_equal(found, wanted)
    shrunk = tamis.median(PHOTO, element=disk, border="shrink")
    numpy.testing.assert_array_equal(shrunk, skimage.filters.rank.median(PHOTO, disk))
    low = tamis.median(PHOTO, element=disk, percentile=10, border="shrink")
    numpy.testing.assert_array_equal(low, skimage.filters.rank.percentile(PHOTO, disk, p0=0.1))
    ends = [tamis.median(PHOTO, element=disk, percentile=p, border="shrink") for p in (0, 100)]
    numpy.testing.assert_array_equal(ends, [tamis.erode(PHOTO, disk), tamis.dilate(PHOTO, disk)])


def test_photographs_agree_with_opencv():
    for dtype, sizes in ((numpy.uint8, (3, 5, 7, 15)), (numpy.uint16, (3, 5)), (numpy.float32, (3, 5))):
        image = PHOTO.astype(dtype) * (1 if dtype == numpy.uint8 else 3)
        for size in sizes:
            numpy.testing.assert_array_equal(tamis.median(image, size, border="nearest"), cv2.medianBlur(image, size))
    colours = skimage.data.astronaut()[:60, 100:190]
    found = tamis.median(colours, 5, border="nearest", channel_axis=-1)
    numpy.testing.assert_array_equal(found, cv2.medianBlur(colours, 5))


def test_other_programs_call_it_as_the_docs_say():
    footprint = skimage.morphology.octagon(2, 2)
    row = r"^\| `((?:scipy|skimage|cv2)\S.*?)` \| `(.*?)` \|$"
    calls = re.findall(row, (DOCS / "median.md").read_text(), re.MULTILINE)
    assert len(calls) == 5
    for theirs, ours in calls:
        a = skimage.data.astronaut()[:60, 100:190] if "channel_axis" in ours else PHOTO
        known = {"a": a, "footprint": footprint, "scipy": scipy, "skimage": skimage, "cv2": cv2, "median": tamis.median}
        numpy.testing.assert_array_equal(eval(ours, known), eval(theirs, known), err_msg=theirs)


def test_the_script_of_the_docs_runs_as_it_stands(tmp_path):
    scripts = re.findall(r"```python\n(.*?)```", (DOCS / "median.md").read_text(), re.DOTALL)
    (script,) = [code for code in scripts if "even.png" in code]
    tamis.write(tmp_path / "page.png", skimage.data.page())
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    left, right = numpy.array_split(tamis.read(tmp_path / "even.png"), 2, axis=1)
    assert abs(numpy.median(left) - numpy.median(right)) < 5  # in the page itself 80


@settings(max_examples=examples(100), deadline=None)
@given(data=st.data())
def test_any_view_any_mask_any_origin_any_percentile_are_as_defined(data):
    image = data.draw(views())
    height, width = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 7))
    bits = data.draw(st.lists(st.booleans(), min_size=height * width, max_size=height * width).filter(any))
    mask = numpy.reshape(bits, (height, width))
    origin = data.draw(st.integers(-1, height)), data.draw(st.integers(-1, width))
    percentile = data.draw(st.one_of(st.integers(0, 100), st.floats(0, 100)))
    border = data.draw(st.sampled_from(["reflect", "mirror", "nearest", "wrap", "constant:0", "shrink"]))
    found = tamis.median(image, element=tamis.element(mask, origin), percentile=percentile, border=border)
    points = [(0, int(y) - origin[0], int(x) - origin[1]) for y, x in numpy.argwhere(mask)]
    native = image.astype(image.dtype.newbyteorder("="))
    numpy.testing.assert_array_equal(found, oracle.step(native, points, percentile, border))


@pytest.mark.parametrize("dtype", TYPES)
def test_iterations_are_medians_of_medians(dtype):
    image = noise((20, 31), dtype)
    wanted = image
    for _ in range(3):
        wanted = tamis.median(wanted, 3)
    numpy.testing.assert_array_equal(tamis.median(image, 3, iterations=3), wanted)


@pytest.mark.parametrize("dtype", TYPES)
def test_a_smoother_is_medians_along_one_axis_after_the_other(dtype):
    image, volume = noise((20, 31), dtype), noise((7, 12, 15), dtype)
    along = tamis.median(tamis.median(image, (7, 1)), (1, 5))
    for size in ((7, 5), "5x7"):
        numpy.testing.assert_array_equal(tamis.smooth(image, size), along)
    along = tamis.median(tamis.median(tamis.median(volume, "1x3"), "3x1"), "1x1x3")
    numpy.testing.assert_array_equal(tamis.smooth(volume, 3), along)
    flat = tamis.median(tamis.median(volume, "1x4"), "5x1")
    numpy.testing.assert_array_equal(tamis.smooth(volume, (4, 5)), flat)
    numpy.testing.assert_array_equal(tamis.smooth(image), tamis.smooth(image, "55x55"))


@pytest.mark.parametrize("name", NAMES)
def test_channels_batches_and_out(name):
    function = getattr(tamis, name)
    stack = noise((4, 20, 33), numpy.uint8)
    numpy.testing.assert_array_equal(function(stack, 5, batch=True), [function(image, 5) for image in stack])
    colours = numpy.ascontiguousarray(stack.transpose(1, 2, 0))
    numpy.testing.assert_array_equal(function(colours, 5, channel_axis=-1),
                                     function(stack, 5, batch=True).transpose(1, 2, 0))
    own = GREY.copy()
    assert function(own, 5, out=own) is own
    numpy.testing.assert_array_equal(own, function(GREY, 5))


def test_nan_is_refused_or_left_out():
    image = noise((30, 40), numpy.float32)
    image[7, 5:9] = numpy.nan
    image[20:26, 20:26] = numpy.nan
    for name in NAMES:
        out = numpy.full(image.shape, 7, numpy.float32)
        with pytest.raises(tamis.InputError, match="NaN at y 7, x 5"):
            getattr(tamis, name)(image, out=out)
        assert (out == 7).all()
    for border in ("reflect", "shrink"):
        found = tamis.median(image, nan="ignore", border=border)
        numpy.testing.assert_array_equal(found, oracle.step(image, oracle.box(3, 3), 50, border))


@pytest.mark.parametrize("name", ["gray/camera.png", "gray/zebrafish_spinal_cord_u16.png", "gray/scroll_ct_u16.tif",
                                  "volumes/quanfima_polymer_slice.tif", "mri/FatMRISlice.png",
                                  "volumes/qim3d_bone_128x128x128.tif"])
def test_real_images_agree_with_scipy(data, name):
    image = tamis.read(data / name)
    if image.shape[-1] == 3:
        image = image[..., 0]  # a grey picture that was kept as colours
    part = image[(slice(40, 60),) * (image.ndim - 2)][..., 30:130, 60:150]
    for size in (3, 7):
        numpy.testing.assert_array_equal(tamis.median(part, size), ndimage.median_filter(part, size))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("which", ["bright", "dark", "both"])
def test_outliers_are_samples_far_from_the_median_of_scipy(which, dtype):
    for image, size, wanted_by in ((noise((23, 41), dtype), (5, 3), {"size": (5, 3)}),
                                   (noise((9, 14, 21), dtype), (3, 3, 3), {"size": 3})):
        median = ndimage.median_filter(image.astype(numpy.uint8) if dtype == bool else image, size).astype(dtype)
        above = image.astype(float) - median.astype(float)
        for threshold in (0, 0.5, 40.25, 1e6):
            far = {"bright": above > threshold, "dark": -above > threshold, "both": abs(above) > threshold}[which]
            found = tamis.remove_outliers(image, threshold=threshold, which=which, **wanted_by)
            assert found.dtype == image.dtype
            numpy.testing.assert_array_equal(found, numpy.where(far, median, image))


@pytest.mark.parametrize(("call", "words"), [
    (lambda a: tamis.remove_outliers(a, threshold=-1), "threshold=-1: wanted a number, 0 or more"),
    (lambda a: tamis.remove_outliers(a, which="any"), "which='any': wanted bright, dark or both"),
    (lambda a: tamis.median(a, 0), "size=0: wanted N, WxH or WxHxD"),
    (lambda a: tamis.median(a, -3), "size=-3: wanted"),
    (lambda a: tamis.median(a, "3x"), "size='3x': wanted"),
    (lambda a: tamis.median(a, 2.5), r"size=2\.5: wanted an edge length, edges \(z, y, x\)"),
    (lambda a: tamis.median(a, True), "size=True: wanted"),
    (lambda a: tamis.median(a, (3,)), r"size=\(3,\): wanted"),
    (lambda a: tamis.median(a, (3, 2.5)), r"size=\(3, 2\.5\): wanted"),
    (lambda a: tamis.median(a, (0, 3)), r"size=\(0, 3\): wanted"),
    (lambda a: tamis.median(a, (1, 2, 3, 4)), r"size=\(1, 2, 3, 4\): wanted"),
    (lambda a: tamis.median(a, numpy.array([[3, 3]])), "size=array.*wanted"),
    (lambda a: tamis.median(a, (3, 3, 3)), "size 3x3x3 on an image; wanted N or WxH"),
    (lambda a: tamis.median(a, 3, element="disk:1"), "size and element; wanted one of them"),
    (lambda a: tamis.median(a, element="dsk:5"), "element dsk:5; wanted a shape"),
    (lambda a: tamis.median(a, element="ball:5"), "element ball:5 is 3-D, the image 2-D"),
    (lambda a: tamis.median(a, percentile=101), "percentile=101: wanted a number from 0 to 100"),
    (lambda a: tamis.median(a, percentile=numpy.nan), "percentile=nan: wanted a number from 0 to 100"),
    (lambda a: tamis.median(a, border="symmetric"), "border='symmetric': wanted reflect, mirror, nearest, wrap, constant:V or shrink"),
    (lambda a: tamis.smooth(a, border="fit"), "border='fit': wanted reflect, mirror, nearest, wrap, constant:V or shrink"),
    (lambda a: tamis.smooth(a, border="constant:256"), "constant:256 of a u8 image"),
    (lambda a: tamis.smooth(a, iterations=0), "iterations=0: wanted a whole number from 1 to 1000000"),
    (lambda a: tamis.smooth(a, nan="drop"), "nan='drop': wanted refuse or ignore"),
    (lambda a: tamis.smooth(a, (3, 3, 3)), "size 3x3x3 on an image"),
    (lambda a: tamis.smooth(a, "0"), "size='0': wanted"),
    (lambda a: tamis.median(a * 1e300), r"f64 samples that f32 cannot hold"),
    (lambda a: tamis.median(numpy.ones((40, 50, 3), numpy.uint8)), "looks like a colour image"),
    (lambda a: tamis.median(numpy.ones(5, numpy.uint8)), r"shape \(5,\); wanted axes"),
])
def test_what_cannot_be_is_said(call, words):
    with pytest.raises(tamis.InputError, match=words) as caught:
        call(GREY)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", NAMES)
def test_a_docstring_has_every_keyword_and_all_parts(name):
    signature, _, rest = getattr(tamis, name).__doc__.partition("\n")
    for keyword in re.findall(r"[(,] (\w+):", signature) + re.findall(r"\((\w+):", signature):
        assert re.search(rf"^{keyword}\b|^[\w, ]*\b{keyword}\b", rest, re.MULTILINE), keyword
    for part in ("Parameters", "Returns", "Raises", "Examples"):
        assert f"\n{part}\n" in rest


@pytest.mark.parametrize("name", NAMES)
def test_an_array_on_a_gpu_is_refused_and_not_copied_silently(name):
    if tamis.devices()[0]["cuda_build"] is not None:
        pytest.skip("this tamis has CUDA: see the tests on a GPU")
    with pytest.raises(tamis.ResourceError, match=r"on a GPU.*array\.get\(\)"):
        getattr(tamis, name)(Tensor(GREY, device=2))


def test_instruction_sets_and_threads_give_the_same_bits():
    for dtype in TYPES:
        image = noise((60, 133), dtype)
        wanted = tamis.median(image, 5)
        for simd in ("avx512", "avx2", "portable"):
            try:
                numpy.testing.assert_array_equal(tamis.median(image, 5, simd=simd, threads=1), wanted)
            except tamis.ResourceError as error:
                assert "has no" in str(error)


@pytest.mark.gpu
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "float32"])  # PyTorch has few operations for uint16
def test_arrays_on_a_gpu_give_what_numpy_arrays_give(library, dtype, view):  # noqa: F811
    host = noise((9, 31, 80), bool if dtype == "bool" else getattr(numpy, dtype))
    array = VIEWS[view](library.put(host))
    host = VIEWS[view](host)
    for keywords in ({"size": "5x5"}, {"size": 3, "border": "nearest"}, {"size": "4x1", "percentile": 30},
                     {"element": "disk:3", "border": "shrink"}, {"size": 3, "iterations": 2, "border": "constant:1"},
                     {"size": "15x15", "batch": True}):
        equal(library, tamis.median(array, **keywords), tamis.median(host, **keywords))
    for keywords in ({"size": "9x5"}, {"size": 3, "border": "shrink"}):
        equal(library, tamis.smooth(array, **keywords), tamis.smooth(host, **keywords))
    for keywords in ({"threshold": 0.5}, {"size": 5, "threshold": 20, "which": "both"}, {"which": "dark", "batch": True}):
        equal(library, tamis.remove_outliers(array, **keywords), tamis.remove_outliers(host, **keywords))


@pytest.mark.gpu
def test_uint16_arrays_of_cupy():
    cupy = Cupy(pytest.importorskip("cupy"))
    host = noise((40, 64), numpy.uint16)
    for size in (3, 5, 7, 31):
        equal(cupy, tamis.median(cupy.put(host), size), tamis.median(host, size))
    equal(cupy, tamis.smooth(cupy.put(host), 9), tamis.smooth(host, 9))


@pytest.mark.gpu
def test_on_a_gpu_colours_out_nan_and_errors_are_as_elsewhere(library):  # noqa: F811
    colours = noise((40, 50, 3), numpy.uint8)
    image = library.put(colours)
    wanted = tamis.median(colours, 5, channel_axis=-1)
    equal(library, tamis.median(image, 5, channel_axis=-1), wanted)
    assert tamis.median(image, 5, channel_axis=-1, out=image) is image
    numpy.testing.assert_array_equal(library.get(image), wanted)
    holed = noise((30, 41), numpy.float32)
    holed[5:9, 7:30] = numpy.nan
    with pytest.raises(tamis.InputError, match="NaN"):
        tamis.median(library.put(holed))
    equal(library, tamis.median(library.put(holed), nan="ignore"), tamis.median(holed, nan="ignore"))
    with pytest.raises(tamis.InputError, match="size 3x3x3 on an image"):
        tamis.median(library.put(GREY), (3, 3, 3))


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", TYPES)
def test_device_cuda_gives_the_same_bits(dtype):
    image = noise((60, 133), dtype)
    for size in (3, 5, 7, 15):
        numpy.testing.assert_array_equal(tamis.median(image, size, device="cuda"), tamis.median(image, size))
    volume = noise((9, 20, 33), dtype)
    numpy.testing.assert_array_equal(tamis.median(volume, device="cuda"), tamis.median(volume))
    numpy.testing.assert_array_equal(tamis.smooth(volume, 5, device="cuda"), tamis.smooth(volume, 5))


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int16", "float32"])
@pytest.mark.parametrize("iterations", [1, 2, 3])
def test_images_are_left_as_they_are_and_results_are_arrays_of_their_own(dtype, iterations):
    image = numpy.random.default_rng(1).integers(0, 200, (40, 70)).astype(dtype)
    before = image.copy()
    image.flags.writeable = False
    result = tamis.median(image, 5, iterations=iterations)
    numpy.testing.assert_array_equal(image, before)
    assert result.flags.owndata and result.flags.writeable and not numpy.shares_memory(result, image)
    again = result.copy()
    tamis.median(before, 9)
    numpy.testing.assert_array_equal(result, again)
