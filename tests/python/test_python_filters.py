"""What arrays filters take in Python, what they refuse, and how they behave in a process."""

import re
import signal
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor

import numpy
import pytest
import tamis
from hypothesis import given, settings
from hypothesis import strategies as st

import morphology_oracle as oracle
from scale_of_tests import examples
from test_morphology import TYPES, noise
from test_python_arrays import Tensor
from test_python_morphology import BY_ELEMENT, FILTERS


@st.composite
def views(draw):
    """Steps, transpositions, flips, the other byte order, read-only."""
    shape = draw(st.one_of(st.tuples(st.integers(1, 30), st.integers(1, 140)),
                           st.tuples(st.integers(1, 8), st.integers(1, 12), st.integers(1, 70))))
    image = noise(shape, draw(st.sampled_from(TYPES)), draw(st.integers(0, 1000)))
    view = image.transpose(draw(st.permutations(range(image.ndim))))
    view = view[tuple(slice(None, None, draw(st.sampled_from([1, 2, -1, -3]))) for _ in shape)]
    if draw(st.booleans()):
        view = view.astype(view.dtype.newbyteorder(">"))
    view.flags.writeable = draw(st.booleans())
    return view


@settings(max_examples=examples(120), deadline=None)
@given(data=st.data())
def test_any_view_any_mask_any_origin_agree_with_scipy(data):
    image = data.draw(views())
    height, width = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 7))
    bits = data.draw(st.lists(st.booleans(), min_size=height * width, max_size=height * width).filter(any))
    mask = numpy.reshape(bits, (height, width))
    origin = data.draw(st.integers(-1, height)), data.draw(st.integers(-1, width))
    name = data.draw(st.sampled_from(BY_ELEMENT))
    border = data.draw(st.sampled_from(["neutral", "reflect", "mirror", "nearest", "wrap", "constant:0"]))
    found = getattr(tamis, name)(image, tamis.element(mask, origin), border=border)
    points = {(0, int(y) - origin[0], int(x) - origin[1]) for y, x in numpy.argwhere(mask)}
    native = image.astype(image.dtype.newbyteorder("="))
    numpy.testing.assert_array_equal(found, oracle.operation(name, native, points, border))


@settings(max_examples=examples(60), deadline=None)
@given(data=st.data())
def test_out_may_have_any_strides_and_be_the_image(data):
    image = data.draw(views())
    wanted = tamis.open(image, "disk:2")
    backing = numpy.zeros(tuple(2 * edge for edge in reversed(image.shape)), wanted.dtype)
    out = backing[tuple(slice(None, None, data.draw(st.sampled_from([2, -2]))) for _ in image.shape)].transpose()
    assert tamis.open(image, "disk:2", out=out) is out
    numpy.testing.assert_array_equal(out, wanted)
    assert numpy.count_nonzero(backing) == numpy.count_nonzero(out)
    own = image.astype(wanted.dtype)
    assert tamis.open(own, "disk:2", out=own) is own
    numpy.testing.assert_array_equal(own, wanted)


def test_channels_of_volumes_and_stacks_are_filtered_alone():
    image = noise((6, 20, 2, 30), numpy.uint16)
    found = tamis.open(image, "ball:2", channel_axis=2)
    stack = tamis.open(image, "cross:2", channel_axis=2, batch=True)
    for c in range(2):
        numpy.testing.assert_array_equal(found[:, :, c], tamis.open(image[:, :, c], "ball:2"))
        for z in range(6):
            numpy.testing.assert_array_equal(stack[z, :, c], tamis.open(image[z, :, c], "cross:2"))


@pytest.mark.parametrize("dtype", TYPES)
def test_a_batch_is_images_and_not_a_volume(dtype):
    stack = noise((5, 20, 70), dtype)
    for name in FILTERS:
        function = getattr(tamis, name)
        if name == "reconstruct":
            marker = tamis.erode(stack, "square:5", batch=True)
            found = function(marker, stack, batch=True)
            wanted = [function(a, b) for a, b in zip(marker, stack)]
        elif name == "hitmiss":
            found, wanted = function(stack, "cross:1", "circle:2", batch=True), [function(a, "cross:1", "circle:2")
                                                                                for a in stack]
        else:
            found, wanted = function(stack, "cross:2", batch=True), [function(a, "cross:2") for a in stack]
        assert found.shape == stack.shape
        numpy.testing.assert_array_equal(found, wanted, err_msg=name)
    with pytest.raises(tamis.InputError, match="3-D, the image 2-D"):
        tamis.erode(stack, "ball:2", batch=True)
    numpy.testing.assert_array_equal(tamis.erode(stack[0], batch=True), tamis.erode(stack[0]))


@pytest.mark.parametrize("dtype", [numpy.uint8, bool])
def test_chunks_give_what_the_whole_gives(dtype, tmp_path):
    dask_array, zarr, h5py = (pytest.importorskip(name) for name in ("dask.array", "zarr", "h5py"))
    image = noise((20, 30, 40), dtype)
    stored = zarr.create_array(tmp_path / "a.zarr", shape=image.shape, dtype=image.dtype, chunks=(7, 30, 16))
    stored[:] = image
    with h5py.File(tmp_path / "a.h5", "w") as file:
        for chunked in (dask_array.from_array(image, chunks=(8, 11, 40)), stored, file.create_dataset("a", data=image)):
            numpy.testing.assert_array_equal(tamis.open(chunked, "cross:2"), tamis.open(image, "cross:2"))
            numpy.testing.assert_array_equal(tamis.open(chunked, "cross:2", channel_axis=1),
                                             tamis.open(image, "cross:2", channel_axis=1))


def test_a_tensor_gives_a_tensor_and_a_picture_is_an_image():
    image = noise((40, 50, 3), numpy.uint8)
    grey = tamis.open(Tensor(image[..., 0]))
    assert isinstance(grey, Tensor)
    numpy.testing.assert_array_equal(grey.samples, tamis.open(image[..., 0]))
    picture = pytest.importorskip("PIL.Image").fromarray(image)
    numpy.testing.assert_array_equal(tamis.open(picture, channel_axis=-1), tamis.open(image, channel_axis=-1))


GREY = noise((20, 30), numpy.uint8)


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize(("make", "words"), [
    (lambda: numpy.ones(5, numpy.uint8), r"shape \(5,\); wanted axes"),
    (lambda: numpy.ones((2, 3, 4, 5), numpy.uint8), r"shape \(2, 3, 4, 5\)"),
    (lambda: numpy.ones((40, 50, 3), numpy.uint8), "looks like a colour image; wanted channel_axis=-1"),
    (lambda: GREY * 1e300, r"f64 samples that f32 cannot hold, .*; wanted as_type='f32' or tamis\.convert"),
    (lambda: GREY.astype("int64") + 2**53 + 1, "i64 samples that f32 cannot hold, 90071992547"),
    (lambda: GREY.astype(complex), "complex"),
    (lambda: numpy.ma.masked_less(GREY, 3), r"masked array; wanted .*\.filled\(value\).*nan='ignore'"),
    (lambda: [[1, 2], [3]], "a list: .*; wanted numbers in equal rows"),
    (lambda: "scan.tif", r"a path, 'scan\.tif'.*tamis\.read"),
])
def test_what_is_no_image_is_refused_with_the_cure(name, make, words):
    arguments = [make()] * (2 if name == "reconstruct" else 1)
    with pytest.raises(tamis.InputError, match=words) as caught:
        getattr(tamis, name)(*arguments)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("call", "words"), [
    (lambda a: tamis.erode(a, "dsk:5"), "element dsk:5; wanted a shape"),
    (lambda a: tamis.erode(a, "ball:5"), "element ball:5 is 3-D, the image 2-D"),
    (lambda a: tamis.erode(a, 5), "element=5: wanted a text such as 'disk:5'"),
    (lambda a: tamis.erode(a, border="symmetric"), "border='symmetric': wanted neutral, reflect, mirror, nearest, wrap or constant:V"),
    (lambda a: tamis.erode(a, border="constant:x"), "border='constant:x': wanted a"),
    (lambda a: tamis.erode(a, border="constant:256"), "constant:256 of a u8 image"),
    (lambda a: tamis.erode(a, iterations=0), "iterations=0: wanted a whole number from 1 to 1000000"),
    (lambda a: tamis.erode(a, nan="drop"), "nan='drop': wanted refuse or ignore"),
    (lambda a: tamis.erode(a, device="tpu"), "device='tpu'"),
    (lambda a: tamis.erode(a, channel_axis=-1), r"channel_axis=-1 of an array of shape \(20, 30\); wanted"),
    (lambda a: tamis.erode(a[None], channel_axis=3), r"channel_axis=3 of .* shape \(1, 20, 30\); wanted -3 to 2"),
    (lambda a: tamis.erode(a[..., None][..., :0], channel_axis=-1), "at least one channel"),
    (lambda a: tamis.erode(a[None], channel_axis=0, out=a), r"out: got shape \(20, 30\); wanted shape \(1, 20, 30\)"),
    (lambda a: tamis.erode(a, out=numpy.empty((20, 30), "u2")), "out: got shape .* of uint16; wanted .* of uint8"),
    (lambda a: tamis.erode(a[None], channel_axis=0, out=numpy.empty((1, 20, 30), bool)), "of bool; wanted .* of uint8"),
    (lambda a: tamis.open(a, connectivity="8"), "connectivity='8': wanted face or full"),
    (lambda a: tamis.gradient(a, kind="half"), "kind='half': wanted full, inner or outer"),
    (lambda a: tamis.hitmiss(a, "disk"), "hit: element disk; wanted"),
    (lambda a: tamis.hitmiss(a, miss=3), "miss=3: wanted a text"),
    (lambda a: tamis.asf(a, "rect:3x3"), "asf: element rect:3x3; wanted one that grows"),
    (lambda a: tamis.asf(a, numpy.ones((3, 3))), "element=array.*wanted a text"),
    (lambda a: tamis.asf(a, order="open"), "order='open': wanted oc or co"),
    (lambda a: tamis.reconstruct(a, a[:, :9]), "wanted one type and shape"),
    (lambda a: tamis.reconstruct(a, a > 9), "wanted one type and shape"),
    (lambda a: tamis.reconstruct(a[None], a[None, :9], channel_axis=0), "mask: an array of shape .*; wanted one shape"),
    (lambda a: tamis.reconstruct(a, a // 2), "the marker is above the mask at y"),
    (lambda a: tamis.reconstruct(a, a, by="opening"), "by='opening': wanted dilation or erosion"),
])
def test_what_cannot_be_is_said(call, words):
    with pytest.raises(tamis.InputError, match=words) as caught:
        call(GREY)
    assert "\n" not in str(caught.value)


def test_an_out_is_left_alone_when_something_is_wrong():
    image = noise((20, 30, 2), numpy.float32)
    image[3, 4, 1] = numpy.nan
    out = numpy.full(image.shape, 7, numpy.float32)
    with pytest.raises(tamis.InputError, match="NaN"):
        tamis.erode(image, channel_axis=-1, out=out)
    assert (out == 7).all()


@pytest.mark.parametrize("name", FILTERS)
def test_an_array_on_a_gpu_is_refused_and_not_copied_silently(name):
    if tamis.devices()[0]["cuda_build"] is not None:
        pytest.skip("this tamis has CUDA: see the tests on a GPU")
    arguments = [Tensor(GREY, device=2)] * (2 if name == "reconstruct" else 1)
    with pytest.raises(tamis.ResourceError, match=r"on a GPU.*array\.get\(\)"):
        getattr(tamis, name)(*arguments)


@pytest.mark.parametrize("name", FILTERS)
def test_a_docstring_has_every_keyword_and_all_parts(name):
    signature, _, rest = getattr(tamis, name).__doc__.partition("\n")
    for keyword in re.findall(r"[(,] (\w+):", signature) + re.findall(r"\((\w+):", signature):
        assert re.search(rf"^{keyword}\b|^[\w, ]*\b{keyword}\b", rest, re.MULTILINE), keyword
    for part in ("Parameters", "Returns", "Raises", "Examples"):
        assert f"\n{part}\n" in rest


def test_calls_from_many_threads_give_the_same():
    images = [noise((200, 300 + i), dtype, i) for i, dtype in enumerate(TYPES)]
    expected = [tamis.close(image, "octagon:4") for image in images]

    def work(i):
        numpy.testing.assert_array_equal(tamis.close(images[i % 5], "octagon:4", threads=i % 3), expected[i % 5])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(100)))


def test_progress_is_told():
    told = []
    tamis.open(noise((3000, 3000), numpy.uint8), "disk:40", progress=lambda *stage: told.append(stage))
    assert "open" in {stage for stage, _, _ in told}
    assert all(0 <= done and (total == 0 or done <= total) for _, done, total in told)


INTERRUPTED = """
    import numpy, tamis
    image = numpy.random.default_rng(1).integers(0, 255, (300, 1000, 1000), numpy.uint8)
    print("begin", flush=True)
    try:
        {call}
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    assert tamis.erode(image[:9]).shape == (9, 1000, 1000)  # all is well afterwards
"""


@pytest.mark.whole
@pytest.mark.parametrize("call", ["tamis.open(image, 'disk:200.5', threads=1)",
                                  "tamis.erode(image, iterations=100000, border='reflect')"])
def test_ctrl_c_ends_long_work(call):
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(INTERRUPTED.format(call=call))],
                               stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "begin\n"
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        start = time.monotonic()
        assert process.stdout.readline() == "interrupted\n"
        assert time.monotonic() - start < 5
        assert process.wait(20) == 0
    finally:
        process.kill()
        process.stdout.close()
        process.wait()


LEAKS = """
    import pickle, resource, numpy, tamis
    image = numpy.random.default_rng(1).integers(0, 255, (64, 64, 3), numpy.uint8)
    def calls():
        element = tamis.disk(3) + numpy.ones((2, 2)) + "cross:1"
        pickle.loads(pickle.dumps(element)).reflected().mask()
        tamis.open(image, element, channel_axis=-1)
        tamis.tophat(image[::2, ::-1, 0] > 9, "square:5", out=numpy.empty((32, 64), bool))
        for wrong in ({"element": "otto"}, {"progress": 3}, {"channel_axis": 5}, {}):
            try:
                tamis.erode(image, **wrong)
            except tamis.InputError:
                pass
    def resident():
        return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
    for _ in range(50):
        calls()
    before = resident()
    for _ in range(1000):
        calls()
    print(resident() - before)
"""


def test_no_call_leaks_and_nothing_is_left_at_the_end():
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(LEAKS)], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")  # nanobind would tell of leaks there
    assert int(done.stdout) < 4 << 20  # an image in each of 1000 rounds would be 12 MiB


WIDE = {
    "median": lambda image, **more: tamis.median(image, 3, **more),
    "open": lambda image, **more: tamis.open(image, "square:3", **more),
    "gradient": lambda image, **more: tamis.gradient(image, **more),
    "reconstruct": lambda image, **more: tamis.reconstruct(image, image, **more),
    "remove_outliers": lambda image, **more: tamis.remove_outliers(image, 3, **more),
}
EXACT = noise((20, 30), numpy.float32).astype(numpy.float64)
INEXACT = EXACT + 1e-12


@pytest.mark.parametrize("call", WIDE.values(), ids=WIDE)
@pytest.mark.parametrize("view", [lambda a: a, lambda a: a[::2, ::-3], lambda a: a.T, lambda a: a.astype(">f8")])
@pytest.mark.parametrize("image", [EXACT, INEXACT])
def test_float64_is_taken_rounded(call, view, image):
    wanted = call(numpy.ascontiguousarray(view(image), numpy.float32))
    result = call(view(image))
    assert result.dtype == numpy.float32
    numpy.testing.assert_array_equal(result, wanted)


@pytest.mark.parametrize("call", WIDE.values(), ids=WIDE)
def test_float64_saturates_only_for_who_says_so(call):
    image = EXACT.copy()
    image[3, 4] = 1e39
    words = r"f64 samples that f32 cannot hold, 1e\+39 at y 3, x 4; wanted as_type='f32' or tamis\.convert"
    out = numpy.full(image.shape, 7, numpy.float32)
    with pytest.raises(tamis.InputError, match=words):
        call(image, out=out)
    assert (out == 7).all()
    for word in ("f32", numpy.float32, numpy.dtype("float32")):
        most = numpy.where(image > 1e38, numpy.finfo("f4").max, image).astype(numpy.float32)
        numpy.testing.assert_array_equal(call(image, as_type=word), call(most))
    with pytest.raises(tamis.InputError, match="1e\\+300 at z 1, y 2, x 3"):
        tamis.median(numpy.where(numpy.arange(2 * 3 * 4).reshape(2, 3, 4) == 23, 1e300, 0.0), 3)
    holes = numpy.where(EXACT > 0.5, numpy.nan, EXACT)
    numpy.testing.assert_array_equal(tamis.median(holes, 3, nan="ignore"),
                                     tamis.median(holes.astype(numpy.float32), 3, nan="ignore"))


@pytest.mark.parametrize(("dtype", "word"), [(numpy.int8, "i16"), (numpy.uint32, "u16"), (numpy.int64, "f32"), (numpy.uint64, "u8"),
                                             (numpy.int32, "i16"), (numpy.uint8, "f32"), (bool, "u8")])
def test_other_types_are_taken_as_the_caller_says(dtype, word):
    image = noise((20, 30), numpy.uint8).astype(numpy.int16) % 100
    image = (image > 50) if dtype is bool else image.astype(dtype)
    target = tamis.convert(image, word)
    result = tamis.median(image, 3, as_type=word)
    assert result.dtype == target.dtype
    numpy.testing.assert_array_equal(result, tamis.median(target, 3))
    colours = numpy.stack([image, image], -1)
    numpy.testing.assert_array_equal(tamis.median(colours, 3, channel_axis=-1, as_type=word)[..., 1], result)
    stack = numpy.stack([image, image])
    numpy.testing.assert_array_equal(tamis.median(stack, 3, batch=True, as_type=word)[1], result)


def test_as_type_rounds_and_clamps_as_convert_does():
    image = numpy.array([[-3.7, 0.5, 1.5], [300.2, 2.49, numpy.inf]])
    numpy.testing.assert_array_equal(tamis.erode(image, "square:1", as_type="u8"), [[0, 1, 2], [255, 2, 255]])
    for as_type, words in ((numpy.int32, "as_type=.*: wanted 'u8', 'u16', 'i16' or 'f32'"), ("bool", "as_type='bool'"),
                           ("blob", "as_type=blob")):
        with pytest.raises(tamis.InputError, match=words):
            tamis.erode(image, as_type=as_type)
    with pytest.raises(tamis.InputError, match="NaN"):
        tamis.erode(numpy.full((3, 3), numpy.nan), as_type="u8")
    with pytest.raises(tamis.InputError, match=r"u32 samples that f32 .*; wanted tamis\.convert\(image, 'f32'\), which round$"):
        tamis.rotate(numpy.full((9, 9), 2**32 - 1, numpy.uint32), 3)
    assert tamis.rotate(numpy.ones((9, 9)), 3).dtype == numpy.float32


def test_lists_are_images():
    assert tamis.dilate([[0, 0, 0], [0, 9, 0], [0, 0, 0]], [[1, 1, 1]]).tolist() == [[0, 0, 0], [9, 9, 9], [0, 0, 0]]
    for lists, dtype in (([[0, 255]], "uint8"), ([[0, 256]], "uint16"), ([[-1, 5]], "int16"), ([[True, False]], "bool"),
                         ([[0.5, 2.0]], "float32"), (((1, 2), (3, 4)), "uint8")):
        assert tamis.erode(lists, "square:1").dtype == dtype
    assert tamis.erode([[-1, 70000]]).dtype == "int64"  # as NumPy has them
    with pytest.raises(tamis.InputError, match="i64 samples"):
        tamis.erode([[-1, 2**24 + 1]])


@pytest.mark.parametrize("dtype", [numpy.uint8, numpy.uint16, numpy.float32, bool])
@pytest.mark.parametrize("name", ["median", "erode", "open", "tophat", "smooth", "remove_outliers"])
def test_a_part_of_a_larger_array_has_the_answer_of_its_copy(name, dtype):
    """Its rows are read where they lie, and what lies between them is not."""
    rng = numpy.random.default_rng(5)
    whole = rng.integers(0, 2 if dtype is bool else 200, (9, 90, 120)).astype(dtype)
    filter_ = getattr(tamis, name)
    for part in (whole[2, 3:80, 5:110], whole[1:8, 4:50, 9:99]):
        assert numpy.array_equal(filter_(part), filter_(part.copy()))
