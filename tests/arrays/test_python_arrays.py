"""What arrays tamis takes in Python, what it refuses, and that it keeps none of them."""

import array
import gc
import sys
import weakref

import numpy
import pytest
import tamis


@pytest.fixture
def grey():
    return numpy.random.default_rng(1).integers(0, 255, (20, 30), numpy.uint8)


@pytest.mark.parametrize(("make", "words"), [
    (lambda: numpy.ones(5), r"shape \(5,\); wanted axes"),
    (lambda: numpy.float64(3), r"shape \(\); wanted axes|got float64"),
    (lambda: numpy.ones((2, 3, 4, 5)), r"shape \(2, 3, 4, 5\).*image\[0\]"),
    (lambda: numpy.ones((0, 5)), "is empty"),
    (lambda: numpy.ones((40, 50, 3), numpy.uint8), r"looks like a colour image.*image\[\.\.\., 0\]"),
    (lambda: numpy.ones((40, 50, 4), numpy.float32), "colour"),
    (lambda: numpy.ones((4, 5), complex), r"complex numbers.*numpy\.abs\(image\)"),
    (lambda: numpy.ones((4, 5), object), r"objects.*astype\(numpy\.float32\)"),
    (lambda: numpy.ones((4, 5), numpy.float16), r"float16.*astype\(numpy\.float32\)"),
    (lambda: numpy.ones((4, 5), numpy.longdouble), "float128"),
    (lambda: numpy.ones((4, 5), "datetime64[s]"), r"datetime64\[s\]"),
    (lambda: numpy.full((4, 5), "a"), "samples of the format"),
    (lambda: numpy.ones((4, 5), [("a", "u1"), ("b", "f4")]), r"records.*image\['name'\]"),
    (lambda: numpy.ma.masked_less(numpy.ones((4, 5)), 3), r"masked array.*roi=~array\.mask"),
    (lambda: [[1, 2], [3]], "a list: .*; wanted numbers in equal rows"),
    (lambda: "scan.tif", r"a path, 'scan\.tif'.*tamis\.read"),
    (lambda: b"scan", "wanted axes"),
    (lambda: {"a": 1}, "got dict; wanted an array"),
    (lambda: 7, "got int; wanted an array"),
])
@pytest.mark.parametrize("call", [tamis.threshold, tamis.granulometry, lambda a: tamis.convert(a, "u8")])
def test_what_is_no_image_is_refused_with_the_cure(make, words, call):
    with pytest.raises(tamis.InputError, match=words) as caught:
        call(make())
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, ValueError)


def test_a_mask_may_be_three_columns_wide_and_a_test_image_too():
    assert tamis.threshold(numpy.ones((40, 50, 3), bool), 0).all()
    assert tamis.threshold(numpy.ones((4, 5, 3)), 0).all()
    mask = numpy.ones((40, 50, 3), bool)
    assert (tamis.size_map(mask) > 0).all() and (tamis.convert(mask, "u8", out=numpy.empty(mask.shape, "u1")) == 1).all()


def test_everything_with_a_buffer_is_an_array(grey):
    wanted = grey > 100
    flat = array.array("B", grey.tobytes())
    for same in (memoryview(grey), memoryview(flat).cast("B", grey.shape), grey.view(numpy.matrix)):
        numpy.testing.assert_array_equal(tamis.threshold(same, 100), wanted)


def test_memory_maps_are_used_in_place(grey, tmp_path):
    grey.tofile(tmp_path / "a.raw")
    mapped = numpy.memmap(tmp_path / "a.raw", numpy.uint8, "r", shape=grey.shape)
    numpy.testing.assert_array_equal(tamis.threshold(mapped, 100), grey > 100)


class Tensor:
    """A tensor of another library: nothing but DLPack, as PyTorch's."""

    def __init__(self, samples, device=1):
        self.samples = samples
        self.device = device

    def __dlpack__(self, **options):
        return self.samples.__dlpack__(**options)

    def __dlpack_device__(self):
        return (self.device, 0)


def from_dlpack(samples):
    return Tensor(samples)


def test_a_tensor_in_host_memory_gives_a_tensor(grey):
    binary = tamis.threshold(Tensor(grey), 100)
    assert isinstance(binary, Tensor)
    numpy.testing.assert_array_equal(binary.samples, grey > 100)
    assert tamis.granulometry(Tensor(grey > 100)) == tamis.granulometry(grey > 100)
    out = Tensor(numpy.empty(grey.shape, bool))
    assert tamis.threshold(Tensor(grey), 100, out=out) is out
    numpy.testing.assert_array_equal(out.samples, grey > 100)


@pytest.mark.skipif("torch" not in sys.modules and not __import__("importlib.util").util.find_spec("torch"),
                    reason="PyTorch is not installed")
def test_a_tensor_of_pytorch_gives_one(grey):
    import torch

    binary = tamis.threshold(torch.from_numpy(grey), 100)
    assert binary.dtype == torch.bool
    assert (binary.numpy() == (grey > 100)).all()


def test_an_array_on_a_device_that_tamis_cannot_reach_is_not_copied_silently(grey):
    if tamis.devices()[0]["cuda_build"] is not None:
        pytest.skip("this tamis has CUDA: see the tests on a GPU")
    for call in (tamis.threshold, tamis.granulometry):
        with pytest.raises(tamis.ResourceError, match=r"on a GPU.*array\.get\(\)"):
            call(Tensor(grey, device=2))


def test_pictures_and_labelled_arrays_are_arrays(grey):
    image = pytest.importorskip("PIL.Image").fromarray(grey)
    numpy.testing.assert_array_equal(tamis.threshold(image, 100), grey > 100)


@pytest.mark.parametrize(("make", "words"), [
    (lambda: numpy.empty((20, 30), numpy.uint8), r"got shape \(20, 30\) of uint8; wanted shape \(20, 30\) of bool"),
    (lambda: numpy.empty((30, 20), bool), r"out: got shape \(30, 20\) of bool"),
    (lambda: numpy.empty((1, 20, 30), bool), r"out: got shape \(1, 20, 30\)"),
    (lambda: numpy.broadcast_to(numpy.empty(30, bool), (20, 30)), "out: the array is read-only"),
    (lambda: [[True]], "out: got list; wanted an array"),
])
def test_a_wrong_out_is_refused(grey, make, words):
    with pytest.raises(tamis.InputError, match=words):
        tamis.threshold(grey, out=make())


def test_an_image_may_be_its_own_out(grey):
    mask = grey > 100
    wanted = ~mask
    assert tamis.threshold(mask, 0, phase="dark", out=mask) is mask
    numpy.testing.assert_array_equal(mask, wanted)


def test_fortran_order_is_gathered_not_copied_whole():
    image = numpy.asfortranarray(tamis.phantom("foam", (60, 70, 80), max_radius=9))
    assert tamis.granulometry(image) == tamis.granulometry(numpy.ascontiguousarray(image))


def test_no_array_is_kept_and_none_is_copied(grey):
    """The reference counts are as before, and an array that nobody else holds goes."""

    class Watched(numpy.ndarray):
        pass

    watched = grey.view(Watched)
    mask = (grey > 100).view(Watched)
    before = sys.getrefcount(watched), sys.getrefcount(mask)
    tamis.threshold(watched, 100, roi=mask)
    tamis.granulometry(mask)
    tamis.size_map(mask)
    tamis.convert(watched, "f32")
    for bad in ({"threshold": "otto"}, {"roi": numpy.ones((2, 2))}):
        with pytest.raises(tamis.InputError):
            tamis.threshold(watched, **bad)
    gc.collect()
    assert (sys.getrefcount(watched), sys.getrefcount(mask)) == before
    alive = weakref.ref(watched)
    result = tamis.threshold(watched, 100)
    del watched
    gc.collect()
    assert alive() is None
    assert result.base is None and result.flags.owndata and result.flags.c_contiguous


@pytest.mark.parametrize("dtype", [numpy.float32, numpy.float64])
@pytest.mark.parametrize("word", ["u8", "u16", "i16"])
def test_images_of_0_to_1_do_not_become_two_values(dtype, word):
    image = numpy.linspace(0, 1, 60, dtype=dtype).reshape(3, 4, 5)
    out = numpy.full(image.shape, 7, tamis.convert(image[:1, :1, :1], word).dtype)
    for call in (lambda: tamis.convert(image, word), lambda: tamis.convert(image[:, ::2], word),
                 lambda: tamis.convert(image, word, out=out), lambda: tamis.convert(image * 0.2, word)):
        with pytest.raises(tamis.InputError, match=f"convert to {word}: all samples would become 0 or 1, .*window=\\(0, 1\\)"):
            call()
    assert (out == 7).all()
    full = numpy.iinfo(out.dtype)
    assert tamis.convert(image, word, (0, 1)).max() == full.max
    assert set(numpy.unique(tamis.convert(numpy.rint(image), word))) == {0, 1}  # a mask of floats
    assert tamis.convert(image * 2, word).max() == 2
    assert tamis.convert(image, "f32").max() == 1
    mostly = numpy.zeros((4, 50, 60), dtype)
    mostly[3, 49, 58:] = 0.5, 1.75
    assert tamis.convert(mostly, word).max() == 2


VOLUME = numpy.random.default_rng(5).integers(0, 255, (6, 7, 8)).astype(numpy.uint8)


@pytest.mark.parametrize("crop", [
    numpy.s_[1:4, 2:7, 3:5], numpy.s_[:, 2:], numpy.s_[2:4], slice(1, 3), numpy.s_[-4:-1, :-2, -3:], (), numpy.s_[:99, 1:],
    numpy.s_[numpy.int64(1):numpy.int64(5)],
])
def test_a_crop_is_slices_as_an_array_takes_them(crop):
    part = numpy.ascontiguousarray(VOLUME[crop])
    numpy.testing.assert_array_equal(tamis.convert(VOLUME, "u16", crop=crop), part)
    numpy.testing.assert_array_equal(tamis.threshold(VOLUME, 100, crop=crop), part > 100)
    assert tamis.threshold_value(VOLUME, "mean", crop=crop) == tamis.threshold_value(part, "mean")
    assert tamis.granulometry(VOLUME, 100, crop=crop) == tamis.granulometry(part, 100)
    numpy.testing.assert_array_equal(tamis.distance(VOLUME, 100, crop=crop), tamis.distance(part, 100))
    numpy.testing.assert_array_equal(tamis.threshold(VOLUME, 100, crop=crop, roi=VOLUME > 50), (part > 100) & (part > 50))


def test_a_crop_of_an_image_and_as_a_text():
    image = VOLUME[0]
    for crop in (numpy.s_[1:4, 2:5], "2:5,1:4"):
        numpy.testing.assert_array_equal(tamis.convert(image, "u16", crop=crop), image[1:4, 2:5])
    for crop in ("", None):
        numpy.testing.assert_array_equal(tamis.convert(image, "u16", crop=crop), image)


@pytest.mark.parametrize(("crop", "words"), [
    (numpy.s_[1:4, 2], "crop=.*: wanted slices: an index would take an axis away"),
    (numpy.s_[::2], "crop=.*: wanted slices without a step"), (numpy.s_[::-1], "without a step"),
    (numpy.s_[:, :, :, :], "wanted at most 3 slices"), (numpy.s_[3:3], "a crop of nothing"), (numpy.s_[99:], "a crop of nothing"),
    (numpy.s_[..., 1:], "wanted slices"), ([slice(1, 2)], "wanted 'x0:x1,y0:y1,z0:z1', or slices"), (3, "or slices"),
    ("1:2", "wanted x0:x1"), ("0:9,0:7,0:6", "wanted LOW < HIGH within 0:8,0:7,0:6"),
])
def test_what_is_no_crop_is_refused(crop, words):
    with pytest.raises(tamis.InputError, match=words):
        tamis.convert(VOLUME, "u16", crop=crop)


def test_errors_say_where_in_the_order_of_the_axes():
    image = numpy.ones((3, 4, 5), numpy.float32)
    image[1, 2, 3] = numpy.nan
    for call in (lambda: tamis.convert(image, "u8"), lambda: tamis.median(image, 3), lambda: tamis.erode(image),
                 lambda: tamis.reconstruct(image, image), lambda: tamis.granulometry(image, grey=True)):
        with pytest.raises(tamis.InputError, match="z 1, y 2, x 3"):
            call()
    with pytest.raises(tamis.InputError, match="y 2, x 3"):
        tamis.median(image[1], 3)
