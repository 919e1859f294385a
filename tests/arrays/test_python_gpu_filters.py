"""Filters of CuPy arrays and PyTorch tensors on a GPU: what NumPy arrays give, on their stream."""

import time

import numpy
import pytest
import tamis
import test_morphology
from test_python_gpu import Cupy, equal, library  # noqa: F401 (library is a fixture)

pytestmark = pytest.mark.gpu


def noise(shape, dtype, seed=1):
    return test_morphology.noise(shape, bool if dtype == "bool" else getattr(numpy, dtype), seed)


TYPES = ["bool", "uint8", "int16", "float32"]  # PyTorch has few operations for uint16
BY_ELEMENT = ["erode", "dilate", "open", "close", "gradient", "tophat", "bothat"]

VIEWS = {
    "whole": lambda a: a,
    "slice": lambda a: a[1:, 2:-1, 3:],
    "steps": lambda a: a[::2, ::3, ::2],
    "flat": lambda a: a[3],
    "odd": lambda a: a[:, :, 1:],
}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", BY_ELEMENT)
def test_filters_are_those_of_numpy_arrays(library, name, dtype, view):  # noqa: F811
    host = noise((9, 31, 80), dtype)
    array = VIEWS[view](library.put(host))
    host = VIEWS[view](host)
    for keywords in ({"element": "square:5"}, {"element": tamis.disk(2), "border": "reflect"},
                     {"element": [[0, 1], [1, 1]], "iterations": 2, "border": "constant:1"}):
        equal(library, getattr(tamis, name)(array, **keywords), getattr(tamis, name)(host, **keywords))


@pytest.mark.parametrize("dtype", TYPES)
def test_solid_elements_kinds_hitmiss_and_asf(library, dtype):  # noqa: F811
    host = noise((12, 20, 33), dtype)
    array = library.put(host)
    calls = [
        lambda a: tamis.open(a, "cube:3"),
        lambda a: tamis.tophat(a, "ball:2.5"),
        lambda a: tamis.gradient(a, "cross:2", kind="inner"),
        lambda a: tamis.gradient(a, "disk:2", kind="outer"),
        lambda a: tamis.hitmiss(a, "rect:2x1", tamis.element([[1]], origin=(0, -1))),
        lambda a: tamis.asf(a, "disk:2"),
        lambda a: tamis.asf(a, "cube:5", order="co"),
    ]
    for call in calls:
        equal(library, call(array), call(host))


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("dtype", TYPES[1:])
@pytest.mark.parametrize("which", ["bright", "dark", "both"])
def test_outliers_are_those_of_numpy_arrays(library, which, dtype, view):  # noqa: F811
    host = noise((9, 31, 80), dtype)
    array = VIEWS[view](library.put(host))
    host = VIEWS[view](host)
    for keywords in ({"threshold": 0}, {"threshold": 20.5, "border": "nearest"}, {"element": "disk:2", "border": "shrink"}):
        equal(library, tamis.remove_outliers(array, which=which, **keywords),
              tamis.remove_outliers(host, which=which, **keywords))


def test_uint16_arrays_of_cupy():
    cupy = Cupy(pytest.importorskip("cupy"))
    host = noise((40, 64), "uint16")
    equal(cupy, tamis.close(cupy.put(host), "octagon:3"), tamis.close(host, "octagon:3"))
    equal(cupy, tamis.close(cupy.put(host)[::-1, ::-1], "line:7@30"), tamis.close(host[::-1, ::-1], "line:7@30"))


def test_a_batch_is_images_and_channels_are_filtered_alone(library):  # noqa: F811
    stack = noise((5, 30, 64), "uint8")
    equal(library, tamis.open(library.put(stack), "cross:2", batch=True), tamis.open(stack, "cross:2", batch=True))
    colour = noise((40, 50, 3), "uint8")
    for axis in (-1, 2):
        equal(library, tamis.open(library.put(colour), "disk:2", channel_axis=axis),
              tamis.open(colour, "disk:2", channel_axis=axis))
    volume = noise((6, 20, 2, 30), "int16")
    equal(library, tamis.open(library.put(volume), "ball:2", channel_axis=2),
          tamis.open(volume, "ball:2", channel_axis=2))
    equal(library, tamis.open(library.put(volume), "cross:2", channel_axis=2, batch=True),
          tamis.open(volume, "cross:2", channel_axis=2, batch=True))


@pytest.mark.parametrize("dtype", TYPES)
def test_results_go_to_out_which_may_be_the_image(library, dtype):  # noqa: F811
    host = noise((30, 64), dtype)
    wanted = tamis.tophat(host, "square:7")
    whole = library.put(numpy.zeros((30, 90), dtype))
    part = whole[:, 5:69]
    assert tamis.tophat(library.put(host), "square:7", out=part) is part
    numpy.testing.assert_array_equal(library.get(part), wanted)
    assert not library.get(whole)[:, :5].any() and not library.get(whole)[:, 69:].any()
    own = library.put(host)
    assert tamis.tophat(own, "square:7", out=own) is own
    numpy.testing.assert_array_equal(library.get(own), wanted)
    shifted = library.put(noise((31, 64), dtype, 3))
    expected = tamis.erode(library.get(shifted)[1:], "disk:3")
    tamis.erode(shifted[1:], "disk:3", out=shifted[:-1])
    numpy.testing.assert_array_equal(library.get(shifted)[:-1], expected)
    colour = noise((20, 30, 3), dtype)
    image = library.put(colour)
    assert tamis.dilate(image, "square:3", channel_axis=-1, out=image) is image
    numpy.testing.assert_array_equal(library.get(image), tamis.dilate(colour, "square:3", channel_axis=-1))


def marker_for(host, by):
    """The image in some places, elsewhere what grows into nothing."""
    low, high = (False, True) if host.dtype == bool else (host.min(), host.max())
    chosen = numpy.random.default_rng(5).random(host.shape) < 0.03
    return numpy.where(chosen, host, low if by == "dilation" else high).astype(host.dtype)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("dtype", TYPES)
def test_reconstructions_are_those_of_numpy_arrays(library, dtype, view):  # noqa: F811
    host = noise((9, 31, 80), dtype)
    mask = VIEWS[view](library.put(host))
    for by in ("dilation", "erosion"):
        marker = marker_for(host, by)
        array = VIEWS[view](library.put(marker))
        for connectivity in ("face", "full"):
            keywords = {"by": by, "connectivity": connectivity}
            equal(library, tamis.reconstruct(array, mask, **keywords),
                  tamis.reconstruct(VIEWS[view](marker), VIEWS[view](host), **keywords))
    host = VIEWS[view](host)
    for name in ("open", "close"):
        for keywords in ({"element": "square:5"}, {"element": "disk:2", "connectivity": "face", "border": "reflect"}):
            equal(library, getattr(tamis, name)(mask, by_reconstruction=True, **keywords),
                  getattr(tamis, name)(host, by_reconstruction=True, **keywords))


@pytest.mark.parametrize("dtype", TYPES)
def test_reconstructions_of_batches_and_channels_go_to_out_which_may_be_an_input(library, dtype):  # noqa: F811
    host = noise((5, 30, 64), dtype)
    marker = marker_for(host, "dilation")
    stack = tamis.reconstruct(marker, host, batch=True)
    equal(library, tamis.reconstruct(library.put(marker), library.put(host), batch=True), stack)
    equal(library, tamis.open(library.put(host), "cross:2", by_reconstruction=True, batch=True),
          tamis.open(host, "cross:2", by_reconstruction=True, batch=True))
    for axis in (0, 2):
        equal(library, tamis.reconstruct(library.put(marker), library.put(host), channel_axis=axis),
              tamis.reconstruct(marker, host, channel_axis=axis))
    for which in (0, 1):
        arrays = [library.put(marker), library.put(host)]
        assert tamis.reconstruct(*arrays, batch=True, out=arrays[which]) is arrays[which]
        numpy.testing.assert_array_equal(library.get(arrays[which]), stack)
    own = library.put(host)
    assert tamis.close(own, "square:3", by_reconstruction=True, out=own) is own
    numpy.testing.assert_array_equal(library.get(own), tamis.close(host, "square:3", by_reconstruction=True))


def test_faults_of_a_reconstruction_are_named_as_for_numpy_arrays(library):  # noqa: F811
    mask = noise((6, 20, 30), "int16")
    marker = mask.copy()
    marker[4, 3, 2] = mask.max() + 1
    floats = noise((20, 30), "float32")
    floats[3, 5] = numpy.nan
    calls = [
        (lambda put: tamis.reconstruct(put(marker), put(mask)), "the marker is above the mask at z 4, y 3, x 2"),
        (lambda put: tamis.reconstruct(put(mask), put(marker), by="erosion"), "the marker is below the mask at z 4"),
        (lambda put: tamis.reconstruct(put(floats), put(floats)), "NaN at y 3, x 5; wanted numbers"),
        (lambda put: tamis.reconstruct(put(mask[1:]), put(mask)), "wanted one .*shape"),
        (lambda put: tamis.reconstruct(put(mask > 3), put(mask)), "wanted one .*type"),
    ]
    for call, words in calls:
        for put in (library.put, numpy.asarray):
            with pytest.raises(tamis.InputError, match=words) as caught:
                call(put)
            assert "\n" not in str(caught.value)
    with pytest.raises(tamis.InputError, match="NaN"):
        tamis.open(library.put(floats), by_reconstruction=True, nan="ignore")
    with pytest.raises(tamis.InputError, match="marker"):
        tamis.reconstruct(marker, library.put(mask))


def test_nan_is_refused_or_left_out(library):  # noqa: F811
    host = noise((30, 41), "float32")
    host[5:9, 7:30] = numpy.nan
    with pytest.raises(tamis.InputError, match="open: the array holds NaN; wanted numbers, or nan ignore"):
        tamis.open(library.put(host))
    for element in ("square:3", "disk:2", "rect:1x9"):
        equal(library, tamis.open(library.put(host), element, nan="ignore"), tamis.open(host, element, nan="ignore"))
    colour = numpy.stack([noise((30, 41), "float32"), host], axis=-1)
    image = library.put(colour)
    with pytest.raises(tamis.InputError, match="NaN"):
        tamis.erode(image, channel_axis=-1, out=image)
    numpy.testing.assert_array_equal(library.get(image), colour)


def test_filters_are_queued_on_the_current_stream(library):  # noqa: F811
    host = noise((300, 512), "uint8")
    array = library.put(host)
    tamis.open(array, "square:15")  # kernels are loaded by their first call
    tamis.tophat(tamis.threshold(array, 100), "disk:3")
    library.busy(0.001)
    with library.stream():
        library.busy(1)
        start = time.perf_counter()
        opened = tamis.open(array, "square:15")
        bits = tamis.tophat(tamis.threshold(array, 100), "disk:3")
        assert time.perf_counter() - start < 0.3
        library.wait()
    equal(library, opened, tamis.open(host, "square:15"))
    equal(library, bits, tamis.tophat(host > 100, "disk:3"))


def test_images_may_go_while_their_work_is_queued(library):  # noqa: F811
    host = noise((200, 321), "uint8")
    wanted = tamis.bothat(host, "disk:5")
    with library.stream():
        for _ in range(20):
            result = tamis.bothat(library.put(host), "disk:5")
            noisy = [library.put(numpy.full(host.shape, 255, numpy.uint8)) for _ in range(3)]
            equal(library, result, wanted)
            del noisy


def test_errors_name_the_cure(library):  # noqa: F811
    host = noise((30, 40), "uint8")
    array = library.put(host)
    calls = [
        (lambda: tamis.erode(array, device="cpu"), "device cpu"),
        (lambda: tamis.erode(array, out=numpy.empty_like(host)), "out: an array in host memory"),
        (lambda: tamis.erode(array, out=library.put(host > 3)), "wanted 40x30 of u8"),
        (lambda: tamis.erode(array, "cube:3"), "3-D"),
        (lambda: tamis.erode(array, border="constant:300"), "border constant:300"),
        (lambda: tamis.erode(library.put(host.astype("float64"))), "f64 samples; wanted bool, u8"),
        (lambda: tamis.erode(library.put(noise((30, 40, 3), "uint8"))), "looks like a colour image"),
        (lambda: tamis.erode(array, channel_axis=0), "wanted .y, x. or .z, y, x. and an axis"),
    ]
    for call, words in calls:
        with pytest.raises(tamis.InputError, match=words) as caught:
            call()
        assert "\n" not in str(caught.value)


def test_arrays_of_a_second_gpu_are_filtered_there():
    cupy = Cupy(pytest.importorskip("cupy"))
    if cupy.module.cuda.runtime.getDeviceCount() < 2:
        pytest.skip("one GPU")
    host = noise((30, 64), "uint8")
    with cupy.module.cuda.Device(1):
        array = cupy.put(host)
    opened = tamis.open(array, "square:5")
    assert opened.device.id == 1
    equal(cupy, opened, tamis.open(host, "square:5"))


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "float32"])
def test_orientation_gives_maps_on_the_gpu(library, dtype):  # noqa: F811
    host = noise((40, 53), dtype)
    if dtype == "float32":
        host = numpy.nan_to_num(host, nan=0, posinf=9, neginf=-9)
    for view in (lambda a: a, lambda a: a[3:, ::2]):
        found = tamis.orientation(view(library.put(host)), 9, angles=20)
        wanted = tamis.orientation(view(host), 9, angles=20)
        assert found.device.startswith("cuda:")
        for name in ("orientation", "enhanced", "contrast"):
            equal(library, getattr(found, name), getattr(wanted, name))
        numpy.testing.assert_array_equal(found.spectrum, wanted.spectrum)
        numpy.testing.assert_array_equal(found.histogram, wanted.histogram)


def test_pages_on_the_gpu_are_turned_and_straightened(library):  # noqa: F811
    page = numpy.full((300, 400), 230, numpy.uint8)
    page[20:-20:12, 30:-30] = 20
    turned = tamis.rotate(page, 4, fill=230)
    equal(library, tamis.rotate(library.put(page), 4, fill=230), turned)
    assert tamis.skew(library.put(turned)).angle == tamis.skew(turned).angle
    equal(library, tamis.deskew(library.put(turned)), tamis.deskew(turned))
    colour = numpy.stack([turned, turned, 255 - turned], -1)
    equal(library, tamis.deskew(library.put(colour), channel_axis=-1), tamis.deskew(colour, channel_axis=-1))
