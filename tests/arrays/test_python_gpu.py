"""Arrays of CuPy and PyTorch on a GPU: what NumPy arrays give, in place, on their stream."""

import contextlib
import importlib
import threading
import time

import numpy
import pytest
import tamis
from test_granulometry import blobs

pytestmark = pytest.mark.gpu


class Cupy:
    """What the tests need of CuPy."""

    def __init__(self, module):
        self.module = module
        self.kind = module.ndarray

    def put(self, array):
        # asarray keeps the order of axes in memory, but neither gaps nor reversed axes: those come from `view`.
        return self.module.asarray(array)

    def get(self, array):
        return self.module.asnumpy(array)

    def address(self, array):
        return array.__cuda_array_interface__["data"][0]

    def stream(self):
        return self.module.cuda.Stream(non_blocking=True)

    def wait(self):
        self.module.cuda.get_current_stream().synchronize()

    def busy(self, seconds):
        """Keeps the current stream busy."""
        kernel = self.module.RawKernel(
            'extern "C" __global__ void wait(long long n) { long long t = clock64(); while (clock64() - t < n); }',
            "wait",
        )
        kernel((1,), (1,), (int(seconds * 1e9),))


class Torch:
    """The same of PyTorch."""

    def __init__(self, module):
        self.module = module
        self.kind = module.Tensor

    def put(self, array):
        return self.module.as_tensor(array, device="cuda")

    def get(self, array):
        return array.cpu().numpy()

    def address(self, array):
        return array.data_ptr()

    def stream(self):
        return self.module.cuda.stream(self.module.cuda.Stream())

    def wait(self):
        self.module.cuda.current_stream().synchronize()

    def busy(self, seconds):
        self.module.cuda._sleep(int(seconds * 1e9))


@pytest.fixture(params=["cupy", "torch"])
def library(request):
    module = pytest.importorskip(request.param)
    return {"cupy": Cupy, "torch": Torch}[request.param](module)


def equal(library, got, wanted):
    assert isinstance(got, library.kind)
    host = library.get(got)
    assert host.dtype == wanted.dtype
    numpy.testing.assert_array_equal(host, wanted)


def grey(shape, dtype, seed=1):
    random = numpy.random.default_rng(seed)
    return (random.random(shape) * 200).astype(dtype)


VIEWS = {
    "whole": lambda a: a,
    "slice": lambda a: a[1:, 2:-1, 3:],
    "steps": lambda a: a[::2, ::3, ::2],
    "flat": lambda a: a[3],
}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "int16", "int32", "int64", "float32", "float64"])
def test_thresholds_are_those_of_numpy_arrays(library, dtype, view):
    host = grey((9, 31, 70), dtype) if dtype != "bool" else blobs((9, 31, 70), 1)
    array = VIEWS[view](library.put(host))
    host = VIEWS[view](host)
    for threshold in (60, (20, 90.5), "otsu"):
        for phase in ("bright", "dark"):
            wanted = tamis.threshold(host, threshold, phase=phase)
            equal(library, tamis.threshold(array, threshold, phase=phase), wanted)
    assert tamis.threshold_value(array, "li") == tamis.threshold_value(host, "li")


def test_transposed_arrays_are_taken_as_they_lie(library):
    host = grey((20, 30, 40), "uint8")
    array = library.put(host)
    turned = array.permute(2, 0, 1) if hasattr(array, "permute") else array.transpose(2, 0, 1)
    wanted = tamis.threshold(host.transpose(2, 0, 1), 77)
    equal(library, tamis.threshold(turned, 77), wanted)
    assert (tamis.granulometry(turned, 77).curve == tamis.granulometry(wanted).curve).all()


def test_reversed_axes_and_repeated_slices_are_taken_as_they_lie():
    cupy = Cupy(pytest.importorskip("cupy"))  # PyTorch has no negative strides
    host = grey((5, 30, 40), "int16")
    array = cupy.put(host)
    equal(cupy, tamis.threshold(array[::-1, :, ::-1], 50), tamis.threshold(host[::-1, :, ::-1], 50))
    repeated = cupy.module.broadcast_to(array[0], (4, 30, 40))
    equal(cupy, tamis.threshold(repeated, 50), tamis.threshold(numpy.broadcast_to(host[0], (4, 30, 40)), 50))


@pytest.mark.parametrize("roi", [None, "cylinder", "slice", "volume"])
@pytest.mark.parametrize("border", ["background", "neutral"])
@pytest.mark.parametrize("element", ["cross", "cube", "square"])
def test_granulometry_is_that_of_numpy_arrays(library, element, border, roi):
    host = blobs((27, 40, 71), 3)
    masks = {"slice": grey((40, 71), "uint8", 5) > 9, "volume": grey(host.shape, "uint8", 6) > 4}
    options = {"element": element, "border": border}
    for max_size in (None, 2, 300):
        own = tamis.granulometry(host, roi=masks.get(roi, roi), max_size=max_size, **options)
        mask = library.put(masks[roi]) if roi in masks else roi
        sizes = tamis.granulometry(library.put(host), roi=mask, max_size=max_size, spacing="2um", **options)
        numpy.testing.assert_array_equal(sizes.curve, own.curve)
        assert sizes.border_share == own.border_share
        assert sizes.device.startswith("cuda:")
        wanted = tamis.size_map(host, roi=masks.get(roi, roi), max_size=max_size, **options)
        equal(library, tamis.size_map(library.put(host), roi=mask, max_size=max_size, **options), wanted)


def test_keywords_mean_what_they_mean_for_numpy_arrays(library):
    host = grey((20, 40, 60), "uint16")
    array = library.put(host.astype("int16"))  # PyTorch has few operations for uint16
    calls = [
        {"threshold": 120},
        {"threshold": "otsu", "phase": "dark"},
        {"threshold": 90, "crop": "5:55,3:30,2:18"},
        {"threshold": 90, "crop": "5:55,3:30", "roi": "cylinder"},
        {"threshold": (50, 150), "max_size": 3},
    ]
    for keywords in calls:
        own = tamis.granulometry(host.astype("int16"), **keywords)
        numpy.testing.assert_array_equal(tamis.granulometry(array, **keywords).curve, own.curve)
        for more in ({}, {"widths": True, "spacing": "0.7um"}):
            wanted = tamis.size_map(host.astype("int16"), **keywords, **more)
            equal(library, tamis.size_map(array, **keywords, **more), wanted)


@pytest.mark.parametrize("values", [(0, 1), (3, 7), (0, 0), (1, 1)])
def test_two_values_need_no_threshold(library, values):
    host = numpy.where(blobs((9, 20, 30), 2), numpy.uint8(values[1]), numpy.uint8(values[0]))
    own = tamis.granulometry(host)
    numpy.testing.assert_array_equal(tamis.granulometry(library.put(host)).curve, own.curve)


def test_results_go_to_out_and_nowhere_else(library):
    host = blobs((12, 30, 40), 4)
    array = library.put(host)
    whole = library.put(numpy.full((12, 30, 50), 99, numpy.uint8))
    part = whole[:, :, 5:45]
    assert tamis.size_map(array, out=part) is part
    numpy.testing.assert_array_equal(library.get(part), tamis.size_map(host))
    assert (library.get(whole)[:, :, :5] == 99).all() and (library.get(whole)[:, :, 45:] == 99).all()
    bits = library.put(numpy.zeros(host.shape, bool))
    assert tamis.threshold(array, 0, phase="dark", out=bits) is bits
    numpy.testing.assert_array_equal(library.get(bits), ~host)
    widths = library.put(numpy.zeros(host.shape, numpy.float32))
    tamis.size_map(array, widths=True, out=widths)
    numpy.testing.assert_array_equal(library.get(widths), tamis.size_map(host, widths=True))


def test_nothing_is_copied_and_nothing_waits(library):
    host = grey((40, 200, 300), "uint8")
    array = library.put(host)
    bits = tamis.threshold(array, 100)  # kernels are loaded by their first call
    tamis.size_map(bits, max_size=20)
    library.busy(0.001)
    with library.stream():
        before = library.address(array)
        library.busy(1)
        start = time.perf_counter()
        bits = tamis.threshold(array, 100)
        sizes = tamis.size_map(bits, max_size=20)
        assert time.perf_counter() - start < 0.3
        assert library.address(array) == before
        library.wait()
    wanted = tamis.threshold(host, 100)
    equal(library, bits, wanted)
    equal(library, sizes, tamis.size_map(wanted, max_size=20))


def test_inputs_may_go_while_their_work_is_queued(library):
    host = grey((30, 100, 120), "uint8")
    wanted = tamis.size_map(host, 100, max_size=9)
    with library.stream():
        for _ in range(20):
            sizes = tamis.size_map(library.put(host), 100, max_size=9)
            noise = [library.put(numpy.full(host.shape, 255, numpy.uint8)) for _ in range(3)]
            equal(library, sizes, wanted)
            del noise


def test_several_threads_at_once_each_on_its_stream(library):
    volumes = [blobs((20, 50, 60), seed) for seed in range(4)]
    wrong = []

    def work(host):
        array = library.put(host)
        library.wait()
        wanted, wanted_map = tamis.granulometry(host).curve, tamis.size_map(host)
        with library.stream():
            for _ in range(10):
                right = (tamis.granulometry(array).curve == wanted).all()
                if not (right and (library.get(tamis.size_map(array)) == wanted_map).all()):
                    wrong.append(host)

    threads = [threading.Thread(target=work, args=(host,)) for host in volumes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize(
    "keywords, words",
    [
        ({"device": "cpu"}, "device cpu"),
        ({"roi": numpy.ones((30, 40), bool)}, "roi: an array in host memory"),
        ({"out": numpy.ones((20, 30, 40), bool)}, "out: an array in host memory"),
        ({"crop": "0:99,0:5,0:5"}, "not inside the image"),
    ],
)
def test_errors_name_the_cure(library, keywords, words):
    array = library.put(blobs((20, 30, 40), 1))
    with pytest.raises(tamis.InputError, match=words):
        tamis.threshold(array, 0, **keywords)


def test_arrays_that_are_no_images_are_refused(library):
    for host in (grey(70, "uint8"), grey((2, 3, 4, 5), "uint8"), grey((0, 5), "uint8"), grey((5, 5), "float16")):
        with pytest.raises(tamis.InputError):
            tamis.threshold(library.put(host), 5)
    with pytest.raises(tamis.InputError, match="NaN"):
        tamis.threshold(library.put(numpy.array([[1, numpy.nan]])), 0.5)
    with pytest.raises(tamis.InputError, match="wanted 40x30x20 of bool"):
        tamis.threshold(library.put(grey((20, 30, 40), "uint8")), 5, out=library.put(grey((20, 30, 40), "uint8")))


def test_tensors_with_gradients_are_refused():
    torch = pytest.importorskip("torch")
    with pytest.raises(tamis.InputError, match="detach"):
        tamis.threshold(torch.ones((5, 5), device="cuda", requires_grad=True), 0.5)


class Foreign:
    """An array of some library that only says where its samples are, and who is writing them."""

    def __init__(self, array, stream=None):
        self._keep = array
        self.__cuda_array_interface__ = {**array.__cuda_array_interface__, "version": 3, "stream": stream}


class Lent:
    """One that has DLPack only."""

    def __init__(self, array):
        self._keep = array

    def __dlpack__(self, **keywords):
        return self._keep.__dlpack__()

    def __dlpack_device__(self):
        return self._keep.__dlpack_device__()


def test_arrays_of_other_libraries_are_taken(library):
    host = grey((9, 30, 40), "uint8")
    for wrap in (Foreign, Lent):
        array = wrap(library.put(host))
        library.wait()
        assert (tamis.granulometry(array, 100).curve == tamis.granulometry(host, 100).curve).all()
        numpy.testing.assert_array_equal(library.get(library.put(tamis.threshold(array, 100))), host > 100)


def test_the_stream_that_writes_an_array_is_waited_for():
    cupy = Cupy(pytest.importorskip("cupy"))
    host = grey((30, 100, 120), "uint8")
    full = cupy.put(host)
    written = cupy.module.zeros_like(full)
    cupy.wait()
    writer = cupy.stream()
    with writer:
        cupy.busy(0.2)
        written[...] = full
    bits = tamis.threshold(Foreign(written, writer.ptr), 100)
    cupy.module.cuda.Device().synchronize()
    equal(cupy, bits, host > 100)


def test_arrays_of_a_second_gpu_are_worked_on_there(library):
    with contextlib.suppress(ImportError):
        if importlib.import_module("torch").cuda.device_count() < 2:
            pytest.skip("one GPU")
    host = blobs((9, 20, 30), 2)
    if isinstance(library, Cupy):
        if library.module.cuda.runtime.getDeviceCount() < 2:
            pytest.skip("one GPU")
        with library.module.cuda.Device(1):
            array = library.put(host)
        assert tamis.size_map(array).device.id == 1
    else:
        array = library.module.as_tensor(host, device="cuda:1")
        assert tamis.size_map(array).device.index == 1
    assert tamis.granulometry(array).device == "cuda:1"
    equal(library, tamis.size_map(array), tamis.size_map(host))


def test_a_device_where_the_array_is_not_is_an_error(library):
    with pytest.raises(tamis.InputError, match="device cuda:99"):
        tamis.granulometry(library.put(blobs((9, 20, 30), 2)), device="cuda:99")
