"""Images in the memory of a GPU through the C interface: worked on where they lie, what the host gives, bit for bit."""

import ctypes

import numpy as np
import pytest

from test_c_interface import GREY, OPERATIONS, VOLUME
from test_c_into import MARK, WAYS
from tamis_c import INPUT, LIBRARY, Context, Refused, View, byref, c_void_p, check, run, run_views, view_of

pytestmark = pytest.mark.gpu
FILTERS = [name for name in OPERATIONS if OPERATIONS[name]["filter"]]
OBJECTS = [("granulometry", {}), ("granulometry", {"map": "size"}), ("granulometry", {"element": "square", "map": "size"}),
           ("granulometry", {"element": "disk", "map": "diameter"}), ("granulometry", {"element": "disk"}), ("size_map", {}),
           ("size_map", {"element": "disk"}), ("thickness", {"element": "disk"}), ("distance", {}),
           ("distance", {"squared": "true"}), ("threshold_value", {})]  # fmt: skip


@pytest.fixture(scope="module")
def cupy():
    return pytest.importorskip("cupy")


def same(cupy, got, wanted):
    got = cupy.asnumpy(got)
    return got.shape == wanted.shape and got.dtype == wanted.dtype and np.array_equal(
        got, wanted, equal_nan=got.dtype.kind == "f"
    )


def agree(ours, theirs):
    """Tables are equal, and figures but for the machine and those that take another pass."""
    assert list(ours.columns) == list(theirs.columns)
    assert all(np.array_equal(ours.columns[key], theirs.columns[key], equal_nan=True) for key in ours.columns)
    for key in set(ours.figures) - {"machine"}:
        assert ours.figures[key] == theirs.figures[key], key


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.uint16, np.int16, np.float32])
@pytest.mark.parametrize("name", FILTERS)
def test_filters_of_images_on_a_gpu(cupy, name, dtype):
    image = (GREY > 120) if dtype is bool else GREY.astype(dtype)
    images = [image] * len(OPERATIONS[name]["takes"])
    wanted = run(name, *images)
    got = run(name, *map(cupy.asarray, images))
    assert same(cupy, got.images["out"], wanted.images["out"]) and "GPU" in got.figures["machine"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("dtype", [bool, np.uint8, np.float32])
def test_views_of_any_strides_are_read_and_written(cupy, way, dtype):
    image = VOLUME.astype(dtype)
    wanted = run("open", image, element="cube:3").images["out"]
    fields = [cupy.full(4 * image.nbytes, MARK, cupy.uint8) for _ in range(2)]
    lies, to = (way(field.view(dtype), image.shape) for field in fields)
    lies[...] = cupy.asarray(image)
    assert run("open", lies, into={"out": to}, element="cube:3").images == {}
    assert same(cupy, to, wanted)
    if to.dtype.itemsize == 1:  # nothing beside the samples was written
        to.view(cupy.uint8)[...] = MARK
        assert int((fields[1] != MARK).sum()) == 0
    assert same(cupy, run("open", lies, element="cube:3").images["out"], wanted)
    run("open", lies, into={"out": lies}, element="cube:3")  # onto itself
    assert same(cupy, lies, wanted)


@pytest.mark.parametrize("name, parameters", OBJECTS)
@pytest.mark.parametrize("image", [GREY, GREY > 100], ids=["grey", "bits"])
def test_objects_on_a_gpu_are_measured_there(cupy, name, parameters, image):
    given = {**parameters, **({"threshold": "otsu"} if image.dtype != bool and name != "threshold_value" else {})}
    wanted = run(name, image, spacing=(1, 2, 2), unit=b"um", **given)
    got = run(name, cupy.asarray(image), spacing=(1, 2, 2), unit=b"um", **given)
    agree(got, wanted)
    assert set(got.images) == set(wanted.images)
    for key, made in got.images.items():
        assert same(cupy, made, wanted.images[key])
    to = {key: cupy.empty_like(made) for key, made in got.images.items()}
    run(name, cupy.asarray(image), into=to, spacing=(1, 2, 2), unit=b"um", **given)
    assert all(same(cupy, to[key], wanted.images[key]) for key in to)


def test_a_region_bounds_what_counts(cupy):
    roi = np.zeros(GREY.shape, np.uint8)
    roi[10:20, 10:30] = 255
    wanted = run("granulometry", GREY, named={"roi": roi}, threshold=100)
    got = run("granulometry", cupy.asarray(GREY), named={"roi": cupy.asarray(roi)}, threshold=100)
    agree(got, wanted)


def test_a_threshold_is_bool_there(cupy):
    got = run("threshold", cupy.asarray(GREY), value=100).images["out"]
    assert same(cupy, got, GREY > 100)


def test_balls_of_a_volume(cupy):
    wanted = run("thickness", VOLUME, element="ball")
    got = run("thickness", cupy.asarray(VOLUME), element="ball")
    assert same(cupy, got.images["out"], wanted.images["out"]) and got.figures["thickness"] == wanted.figures["thickness"]


def test_results_are_inputs_of_the_next_call(cupy):
    handle, view = c_void_p(), View()
    check(LIBRARY.tamis_run(None, b"median", None, (View * 1)(view_of(cupy.asarray(GREY))), 1, byref(handle)))
    check(LIBRARY.tamis_result_image(handle, 0, None, byref(view)))
    assert (view.memory, view.gpu) == (1, 0)
    got = run_views(b"erode", [view]).images["out"]
    LIBRARY.tamis_result_free(handle)
    assert same(cupy, got, run("erode", run("median", GREY).images["out"]).images["out"])


def test_work_is_ordered_by_the_stream_of_the_context(cupy):
    wait = cupy.RawKernel(
        'extern "C" __global__ void wait(long long n) { long long t = clock64(); while (clock64() - t < n); }', "wait"
    )
    stream = cupy.cuda.Stream(non_blocking=True)
    with Context() as context:
        check(LIBRARY.tamis_context_on_stream(context, ctypes.c_void_p(stream.ptr)))
        for _ in range(5):
            image, to = cupy.zeros_like(cupy.asarray(GREY)), cupy.zeros(GREY.shape, cupy.uint8)
            ready = cupy.asarray(GREY)
            cupy.cuda.Device().synchronize()
            with stream:
                wait((1,), (1,), (50_000_000,))
                image[...] = ready  # queued behind the waiting
                run("median", image, into={"out": to}, context=context)
                got = to.copy()
            stream.synchronize()
            assert same(cupy, got, run("median", GREY).images["out"])
            handle = c_void_p()
            with stream:
                wait((1,), (1,), (50_000_000,))
                image[...] = ready
                views = (View * 1)(view_of(image))
                check(LIBRARY.tamis_run(context, b"median", None, views, 1, byref(handle)))
                check(LIBRARY.tamis_result_copy(handle, 0, byref(view_of(to))))
            stream.synchronize()
            LIBRARY.tamis_result_free(handle)
            assert same(cupy, to, run("median", GREY).images["out"])


def test_memory_of_results_comes_back(cupy):
    image = cupy.asarray(np.tile(GREY, (50, 40)))

    def one():
        run("median", image, size=3)
        run("granulometry", image, threshold=100, map="size")

    for _ in range(5):
        one()
    before = cupy.cuda.runtime.memGetInfo()[0]
    for _ in range(50):
        one()
    assert before - cupy.cuda.runtime.memGetInfo()[0] < 4 * image.nbytes


@pytest.mark.parametrize("name, there, here, words", [
    ("reconstruct", 1, 1, "mask: in the memory of the host, others in the memory of GPU 0; wanted one place"),
    ("orientation", 1, 0, "image: in the memory of GPU 0, where orientation does not run yet; wanted the memory of the host"),
])  # fmt: skip
def test_what_cannot_be_is_refused(cupy, name, there, here, words):
    with pytest.raises(Refused) as refusal:
        run(name, *[cupy.asarray(GREY)] * there, *[GREY] * here)
    assert words == str(refusal.value) and refusal.value.status == INPUT


def test_outputs_and_masks_elsewhere_are_refused(cupy):
    image = cupy.asarray(GREY)
    for call, words in (
        (lambda: run("median", image, into={"out": GREY}), "out: in the memory of the host; wanted the memory of GPU 0"),
        (lambda: run("median", GREY, into={"out": image}), "out: in the memory of GPU 0; wanted the memory of the host"),
        (lambda: run("median", image, named={"mask": image}), "mask: in the memory of GPU 0; wanted it and the image in"),
        (lambda: run("granulometry", image, grey="true"), "granulometry of grey values does not run yet"),
        (lambda: run("granulometry", image, threshold=1, map="width"), "map=width: of balls and disks on a GPU"),
        (lambda: run("granulometry", image, threshold=1, named={"roi": image.astype("u2")}), "roi: u16 in the memory of GPU 0"),
    ):
        with pytest.raises(Refused) as refusal:
            call()
        assert words in str(refusal.value)
    with pytest.raises(Refused, match="an array on GPU 0 with device cpu"), Context(device="cpu") as context:
        run("median", image, context=context)
