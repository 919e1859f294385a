"""Arrays with strange shapes, strides and types, and objects that describe themselves wrongly: right, or one error."""

import numpy
import pytest
import tamis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scale_of_tests import examples

EASY = settings(max_examples=examples(60), deadline=None, derandomize=True,
                suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
TYPES = ["?", "u1", "<u2", ">u2", "<i2", ">i2", "<f4", ">f4"]


@st.composite
def views(draw, dtype=None, dims=(2, 3)):
    """A view of a larger array: any order of axes, steps of either sign, repeated, unaligned, of either byte order."""
    code = numpy.dtype(draw(st.sampled_from(TYPES)) if dtype is None else dtype)
    rank = draw(st.sampled_from(dims))
    edges = [draw(st.integers(1, 12)) for _ in range(rank)]
    steps = [draw(st.sampled_from([1, 1, 1, 2, -1, -2, 0])) for _ in range(rank)]
    whole = [edge * max(1, abs(step)) for edge, step in zip(edges, steps, strict=True)]
    random = numpy.random.default_rng(draw(st.integers(0, 9)))
    values = random.integers(0, 2 if code == bool else 100, whole).astype(code)
    if draw(st.booleans()):  # unaligned
        shifted = numpy.frombuffer(bytearray(values.nbytes + 1), numpy.uint8)[1:].view(code).reshape(whole)
        shifted[...] = values
        values = shifted
    view = values[tuple(slice(None, None, step or 1) for step in steps)]
    order = draw(st.permutations(range(rank)))
    view = numpy.transpose(view, order)
    view = view[tuple(slice(0, 1) if steps[axis] == 0 else slice(None) for axis in order)]
    shape = [edges[axis] if steps[axis] == 0 else view.shape[i] for i, axis in enumerate(order)]
    return numpy.broadcast_to(view, shape)


OPERATIONS = {
    "threshold": lambda image, **out: tamis.threshold(image, 1, **out),
    "convert": lambda image, **out: tamis.convert(image, "u8", window=(0, 100), **out),
    "size_map": lambda image, **out: tamis.size_map(image, 1, **out),
    "open": lambda image, **out: tamis.open(image, "square:3", **out),
    "line": lambda image, **out: tamis.dilate(image, "line:5@30", **out),
    "tophat": lambda image, **out: tamis.tophat(image, "disk:2", **out),
    "median": lambda image, **out: tamis.median(image, 3, **out),
    "smooth": lambda image, **out: tamis.smooth(image, 3, **out),
    "gradient": lambda image, **out: tamis.gradient(image, "rect:3x1", **out),
}


@pytest.mark.parametrize("name", OPERATIONS)
@EASY
@given(image=views())
def test_every_view_gives_what_its_dense_copy_gives(name, image):
    operation = OPERATIONS[name]
    dense = image.astype(image.dtype.newbyteorder("="), order="C")
    before = image.copy()
    wanted = operation(dense)
    result = operation(image)
    numpy.testing.assert_array_equal(result, wanted)
    numpy.testing.assert_array_equal(image, before)
    # The same into an array with strides of its own.
    every_second = tuple(slice(None, None, -2) for _ in wanted.shape)
    out = numpy.zeros([2 * edge for edge in wanted.shape], wanted.dtype)[every_second]
    assert operation(image, out=out) is out
    numpy.testing.assert_array_equal(out, wanted)


@pytest.mark.parametrize("name", OPERATIONS)
@EASY
@given(dtype=st.sampled_from(["?", "u1", "<u2", "<i2", "<f4"]), shift=st.sampled_from([-3, -2, -1, 0, 1, 2, 3]),
       seed=st.integers(0, 5), height=st.integers(5, 40))
def test_an_output_that_overlaps_its_image_is_as_if_it_did_not(name, dtype, shift, seed, height):
    """Or it is refused."""
    operation = OPERATIONS[name]
    code = numpy.dtype(dtype)
    values = numpy.random.default_rng(seed).integers(0, 2 if code == bool else 100, (height + 6, 11)).astype(code)
    whole = numpy.zeros((height + 6, 11 * 8), numpy.uint8)
    room = whole[:, : 11 * code.itemsize].view(code)
    room[...] = values
    image = room[3 : 3 + height]
    wanted = operation(image.copy())
    out = whole[:, : 11 * wanted.dtype.itemsize].view(wanted.dtype)[3 + shift : 3 + shift + height]
    try:
        operation(image, out=out)
    except tamis.InputError as error:
        assert "overlap" in str(error)
        return
    numpy.testing.assert_array_equal(out, wanted)


HUGE = [(2**31, 2**31), (2**20, 2**20, 2**20), (3, 2**61), (2**30, 2**32), (2**20, 2**22)]


@pytest.mark.parametrize("shape", HUGE)
@pytest.mark.parametrize("dtype", ["u1", "?"])
@pytest.mark.parametrize("name", ["threshold", "convert", "open", "median", "size_map"])
def test_a_view_that_no_memory_can_hold_is_one_clear_error(shape, dtype, name):
    repeated = numpy.broadcast_to(numpy.zeros((), dtype), shape)
    with pytest.raises((tamis.InputError, tamis.ResourceError)) as caught:
        OPERATIONS[name](repeated)
    assert "\n" not in str(caught.value)


@pytest.mark.whole
def test_more_than_two_to_the_31_samples_are_counted(monkeypatch):
    """Repeated rows take no memory, and the bits of the result do not much: 320 MB."""
    row = (numpy.arange(1 << 16) % 251 == 0)
    sizes = tamis.granulometry(numpy.broadcast_to(row, ((1 << 15) + 9, 1 << 16)), max_size=1)
    assert sizes.curve[0] == int(row.sum()) * ((1 << 15) + 9)


class Described:
    """An object that says of itself what it likes."""

    def __init__(self, key, values, **described):
        self.values = values
        setattr(self, key, dict({"shape": values.shape, "typestr": values.dtype.str, "version": 3,
                                 "data": (values.ctypes.data, False)}, **described))


WRONG = [
    {"typestr": "<u9"}, {"typestr": "<u3"}, {"typestr": "<f0"}, {"typestr": "<i:"}, {"typestr": 5}, {"typestr": ""},
    {"typestr": "|O"}, {"data": 5}, {"data": ()}, {"data": (-1, False)}, {"data": (2**70, False)}, {"shape": 5},
    {"shape": (-9, 11)}, {"shape": (2**62, 2**62)}, {"shape": (2**33, 2**33, 2**33)}, {"shape": (2**70, 1)},
    {"shape": ("a", 1)}, {"shape": (0, 5)}, {"shape": ()}, {"strides": (1,)}, {"strides": 5}, {"strides": ("a", 1)},
]  # fmt: skip


@pytest.mark.parametrize("described", WRONG + [{"strides": (2**62, 2**62)}, {"stream": "x"}, {"stream": -1}])
@pytest.mark.parametrize("call", [lambda a: tamis.threshold(a, 3), lambda a: tamis.erode(a, "square:3")])
def test_an_array_interface_of_a_gpu_that_is_wrong_is_refused(described, call):
    values = numpy.zeros((9, 11), numpy.uint8)
    with pytest.raises((tamis.InputError, tamis.ResourceError), match="image") as caught:
        call(Described("__cuda_array_interface__", values, **described))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("described", WRONG)
def test_an_array_interface_that_is_wrong_is_refused(described):
    if described.get("data", (0,)) in ((-1, False), (2**70, False)):
        pytest.skip("NumPy believes an address")
    values = numpy.zeros((9, 11), numpy.uint8)
    with pytest.raises(tamis.InputError, match="image") as caught:
        tamis.threshold(Described("__array_interface__", values, **described), 3)
    assert "\n" not in str(caught.value)


class Tensor:
    def __init__(self, place, share):
        self.place, self.share = place, share

    def __dlpack_device__(self):
        return self.place

    def __dlpack__(self, **options):
        return self.share()


def failing():
    raise KeyError("one\ntwo")


@pytest.mark.parametrize("place", [(2,), (), 5, ("a", 0), None, (2**40, 0), (13, 0), (1, 0), (2, 0)])
@pytest.mark.parametrize("share", [lambda: 5, failing])
def test_a_tensor_that_is_wrong_is_refused(place, share):
    with pytest.raises((tamis.InputError, tamis.ResourceError)) as caught:
        tamis.threshold(Tensor(place, share), 3)
    assert "\n" not in str(caught.value)


TEXTS = ["µ" * 80, "a" + "µ" * 80, "x" * 100_000, "é\n\nb", "\0", "\x1b[31m", ""]
TAKERS = {
    "element": lambda image, text: tamis.open(image, text),
    "threshold": tamis.threshold,
    "dtype": tamis.convert,
    "window": lambda image, text: tamis.convert(image, "u8", window=text),
    "border": lambda image, text: tamis.median(image, border=text),
    "spacing": lambda image, text: tamis.granulometry(image, 3, spacing=text),
    "memory": lambda image, text: tamis.threshold(image, 3, memory=text),
    "roi": lambda image, text: tamis.threshold(image, 3, roi=text),
    "device": lambda image, text: tamis.threshold(image, 3, device=text),
}


@pytest.mark.parametrize("keyword", TAKERS)
@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_a_strange_text_is_refused_in_one_short_line(keyword, text):
    with pytest.raises(tamis.InputError) as caught:
        TAKERS[keyword](numpy.zeros((9, 11), numpy.uint8), text)
    assert str(caught.value).isprintable() and len(str(caught.value)) < 2500


@pytest.mark.parametrize("keyword", TAKERS)
def test_a_text_that_is_no_utf_8_is_refused(keyword):
    with pytest.raises((tamis.InputError, TypeError)):
        TAKERS[keyword](numpy.zeros((9, 11), numpy.uint8), "disk:\udcff")


@pytest.mark.parametrize("dtype", ["f2", "c8", "M8[s]", "m8[s]", "O", "S3", "U3", "V4", "i1", "u4", "i8", "f8", "g"])
@pytest.mark.parametrize("name", OPERATIONS)
def test_a_type_is_taken_or_refused_with_the_cure(dtype, name):
    image = numpy.zeros((9, 11), dtype)
    try:
        OPERATIONS[name](image)
    except tamis.InputError as error:
        assert "wanted" in str(error) and "\n" not in str(error)
        return
    assert image.dtype.kind in "biuf" and image.dtype.itemsize in (1, 4, 8)


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_output_that_is_read_only_or_of_another_kind_is_refused(name):
    image = numpy.zeros((9, 11), numpy.uint8)
    wanted = OPERATIONS[name](image)
    locked = wanted.copy()
    locked.flags.writeable = False
    repeated = numpy.broadcast_to(wanted[:1], wanted.shape)
    for out in (locked, repeated, wanted[:-1], wanted[None, :-1], wanted.astype(numpy.float64), [[1]], "out", 5,
                wanted.tobytes()):
        with pytest.raises(tamis.InputError, match="out"):
            OPERATIONS[name](image, out=out)


def test_an_output_whose_samples_share_a_place_is_refused():
    shared = numpy.lib.stride_tricks.as_strided(numpy.zeros(11, bool), (9, 11), (0, 1), writeable=True)
    with pytest.raises(tamis.InputError, match="out"):
        tamis.threshold(numpy.zeros((9, 11), numpy.uint8), 3, out=shared)


