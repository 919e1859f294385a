"""The C interface through ctypes: every operation, what it gives, and how two threads and an end before the end go."""

import json
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from scipy import ndimage

import tamis_c
from tamis_c import CANCELLED, Context, LIBRARY, Refused, run

RANDOM = np.random.default_rng(7)
GREY = RANDOM.integers(0, 255, (40, 50), np.uint8)
VOLUME = ndimage.uniform_filter(RANDOM.random((24, 30, 28)), 5) > 0.5
DESCRIPTIONS = json.loads(LIBRARY.tamis_operations())
OPERATIONS = {operation["name"]: operation for operation in DESCRIPTIONS["operations"]}


def test_versions():
    assert LIBRARY.tamis_abi() == 3
    assert LIBRARY.tamis_version() == b"0.1.0"


def test_descriptions_are_those_of_the_program(tamis):
    printed = json.loads(tamis("operations", "--json").stdout)
    assert DESCRIPTIONS["running"] == printed["running"] and DESCRIPTIONS["reading"] == printed["reading"]
    for ours, theirs in zip(DESCRIPTIONS["operations"], printed["operations"], strict=True):
        own = [parameter for parameter in ours["parameters"] if parameter not in theirs["parameters"]]
        assert {parameter["name"] for parameter in own} <= {"map", "voxel"}
        assert {key for key in ours if key not in theirs} == {"by_name", "filter", "makes"}


WANTED = {"threshold": {"method": "otsu"}, "convert": {"as": "f32"}, "resample": {"voxel": "2um"},
          "phantom foam": {"size": 32, "max_radius": 6}, "phantom octahedra": {"size": 64, "max_radius": 6},
          "granulometry": {"threshold": 100}, "size_map": {"threshold": 100}, "porosimetry": {"threshold": 100, "inlet": "y-"},
          "thickness": {"threshold": 100, "element": "disk"}, "distance": {"threshold": 100}}  # fmt: skip


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_runs_and_gives_what_it_says(name):
    operation = OPERATIONS[name]
    images = [GREY] * len(operation["takes"])
    result = run(name, *images, spacing=(1, 1, 1), unit=b"um", **WANTED.get(name, {}))
    named = [
        data["name"] for data in operation["gives"] if data["name"] in ("out", "orientation", "enhanced", "contrast")
    ]
    assert list(result.images) == named
    assert [image for image in operation["makes"] if image != "map"] == named
    assert result.figures["operation"] == name
    assert named or result.columns or "value" in result.figures


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_example_of_a_parameter_is_taken(name):
    for parameter in OPERATIONS[name]["parameters"]:
        if parameter["name"] in ("sizes", "map", "grey"):
            continue  # they want others with them
        text = parameter["example"]
        text = str(text).lower() if isinstance(text, bool) else f"{text:g}" if isinstance(text, float) else str(text)
        given = {} if name == "threshold" else dict(WANTED.get(name, {}))
        try:
            run(name, *[GREY] * len(OPERATIONS[name]["takes"]), **{**given, parameter["name"]: text})
        except Refused as refusal:  # a ball, a fit of lines: not of this image
            assert f"{parameter['name']}=" not in str(refusal) or parameter["name"] in ("element", "border", "inlet")


@pytest.mark.parametrize("image", [GREY, GREY[::-1, ::2], GREY.T, GREY[3:, :-2], np.asfortranarray(GREY),
                                   np.broadcast_to(GREY[:1], GREY.shape), GREY.astype(np.uint16)[:, ::-3],
                                   GREY.astype(np.int16), GREY.astype(np.float32).T])  # fmt: skip
def test_a_view_with_any_strides_is_read_where_it_lies(image):
    out = run("erode", image, element="square:3", border="nearest").images["out"]
    assert out.dtype == image.dtype
    assert (out == ndimage.minimum_filter(image, 3, mode="nearest")).all()


@pytest.mark.parametrize("dtype", ["i1", "u4", "i4", "u8", "i8", "f8"])
def test_every_type_is_filtered_and_what_is_chosen_keeps_it(dtype):
    image = (GREY // 2).astype(dtype)
    kept = np.dtype("f4" if dtype == "f8" else dtype)
    for parameters in ({"element": "square:3"}, {"element": "disk:2", "border": "constant:7"}):
        for name, result in (("open", kept), ("tophat", np.dtype("f4"))):
            told = run(name, image, **parameters)
            assert told.images["out"].dtype == result and "taken as f32" in told.figures["conversion"] or dtype == "f8"
            assert (told.images["out"] == run(name, (GREY // 2).astype("f4"), **parameters).images["out"]).all()
    mask = GREY > 90
    masked = run("median", image, named={"mask": mask}).images["out"]
    assert masked.dtype == kept and (masked == run("median", GREY // 2, named={"mask": mask}).images["out"]).all()
    found = run("orientation", image, length=9, angles=12).images
    assert (found["enhanced"].dtype, found["contrast"].dtype) == (kept, np.dtype("f4"))
    assert run("rotate", image, degrees=30).images["out"].dtype == np.dtype("f4")
    if dtype == "f8":
        out = np.empty(image.shape)
        run("median", image, into={"out": out})
        assert (out == run("median", image).images["out"]).all()
        run("median", image, named={"mask": mask}, into={"out": out})
        assert (out == masked).all()


def test_lengths_of_a_spacing_without_a_unit_are_in_its_own():
    figures = run("distance", GREY, threshold=100, spacing=(0, 2, 1)).figures
    assert figures["unit"] == "units"
    assert run("distance", GREY, threshold=100).figures["unit"] == "voxels"


def test_a_stride_along_an_axis_of_one_sample_leads_nowhere():
    view = tamis_c.view_of(GREY)
    view.stride[0] = -(1 << 62)
    out = tamis_c.run_views(b"erode", [view]).images["out"]
    assert (out == run("erode", GREY).images["out"]).all()


@pytest.mark.parametrize("image", [VOLUME, VOLUME.transpose(2, 0, 1), VOLUME[::-2, 1:, ::3]])
def test_bits_of_volumes_come_as_bytes(image):
    out = run("dilate", image, element="cube:3").images["out"]
    assert out.dtype == bool
    assert (out == ndimage.binary_dilation(image, np.ones((3, 3, 3)))).all()


def test_a_byte_of_a_bool_may_be_anything_but_0():
    flags = (VOLUME * 7).astype(np.uint8).view(bool)
    assert (
        run("dilate", flags, element="cube:3").images["out"] == run("dilate", VOLUME, element="cube:3").images["out"]
    ).all()


def test_a_stack_is_filtered_image_by_image():
    stack = RANDOM.integers(0, 255, (5, 20, 30), np.uint8)
    out = run("median", stack, rank=2, size=3, border="nearest").images["out"]
    assert (out == [ndimage.median_filter(image, 3, mode="nearest") for image in stack]).all()
    with pytest.raises(Refused, match="a stack of 5 images; granulometry wants one image, or a volume, of rank 3"):
        run("granulometry", stack, rank=2, threshold=100)


def test_a_result_is_copied_to_any_strides_of_the_callers():
    handle = tamis_c.c_void_p()
    views = (tamis_c.View * 1)(tamis_c.view_of(GREY))
    assert LIBRARY.tamis_run(None, b"median", None, views, 1, tamis_c.byref(handle)) == 0
    field = np.zeros((80, 150), np.uint8)
    target = field[::-2, 100::-2][:, :50]
    assert LIBRARY.tamis_result_copy(handle, 0, tamis_c.byref(tamis_c.view_of(target))) == 0
    LIBRARY.tamis_result_free(handle)
    assert (target == run("median", GREY).images["out"]).all()
    assert field[::2].max() == 0


def test_reconstruction_takes_two_images_in_order_or_by_name():
    marker, mask = (VOLUME & (RANDOM.random(VOLUME.shape) < 0.01)), VOLUME
    wanted = ndimage.binary_propagation(marker, np.ones((3, 3, 3)), mask)
    assert (run("reconstruct", marker, mask).images["out"] == wanted).all()
    assert (run("reconstruct", named={"mask": mask, "marker": marker}).images["out"] == wanted).all()


def test_a_mask_is_what_a_filter_sees():
    mask = np.zeros(GREY.shape, np.uint8)
    mask[:, :25] = 1
    out = run("dilate", GREY, named={"mask": mask}).images["out"]
    hidden = np.where(mask > 0, GREY, 0)
    assert (out[:, :24] == ndimage.maximum_filter(hidden, 3)[:, :24]).all()


@pytest.mark.parametrize("arguments", [["--element", "cross"], ["--element", "cube"], ["--element", "square"],
                                       ["--element", "ball"], ["--element", "disk"], ["--element", "line@30"],
                                       ["--element", "cross", "--max-size", "1"],
                                       ["--element", "ball", "--sizes", "2,3"]], ids="_".join)  # fmt: skip
def test_a_granulometry_is_that_of_the_program(tamis, tmp_path, arguments):
    np.save(tmp_path / "a.npy", VOLUME)
    tamis("granulometry", "a.npy", "--spacing", "2um", "--json", "a.json", *arguments, cwd=tmp_path)
    told = json.loads((tmp_path / "a.json").read_text())
    given = dict(zip((word[2:].replace("-", "_") for word in arguments[::2]), arguments[1::2]))
    result = run("granulometry", VOLUME, spacing=(2, 2, 2), unit=b"um", **given)
    for key, value in result.figures.items():
        if key not in ("operation", "machine"):
            assert value == told[key], key
    for column, values in result.columns.items():
        assert np.allclose(values, told["rows" if "rows" in told else column.split(" ")[0]]), column


@pytest.mark.parametrize("element, option, measure", [("cross", "--map", "size"), ("cube", "--map-width", "width"),
                                                      ("ball", "--map", "size"), ("ball", "--map-width", "width"),
                                                      ("ball", "--map-radius", "radius"),
                                                      ("disk", "--map-diameter", "diameter")])  # fmt: skip
def test_a_map_is_that_of_the_program(tamis, tmp_path, element, option, measure):
    np.save(tmp_path / "a.npy", VOLUME)
    tamis("granulometry", "a.npy", "--spacing", "2um", "--element", element, option, "b.npy", cwd=tmp_path)
    made = run("granulometry", VOLUME, spacing=(2, 2, 2), unit=b"um", element=element, map=measure).images["map"]
    wanted = np.load(tmp_path / "b.npy")
    assert made.dtype == wanted.dtype and (made == wanted).all()


def test_a_porosimetry_is_that_of_the_program(tamis, tmp_path):
    np.save(tmp_path / "a.npy", VOLUME)
    tamis("porosimetry", "a.npy", "--spacing", "2um", "--json", "a.json", "--map-radius", "b.npy", cwd=tmp_path)
    told = json.loads((tmp_path / "a.json").read_text())
    result = run("porosimetry", VOLUME, spacing=(2, 2, 2), unit=b"um", map="radius")
    for key in set(result.figures) - {"operation", "machine"}:
        assert result.figures[key] == told[key], key
    for column in ("radius [um]", "invaded", "saturation", "pressure [Pa]"):
        wanted = np.array(told[column.split(" ")[0]], float)
        assert np.array_equal(result.columns[column], wanted, equal_nan=True)
    assert (result.images["map"] == np.load(tmp_path / "b.npy")).all()


def test_a_region_bounds_what_counts():
    roi = np.zeros(GREY.shape, np.uint8)
    roi[10:20, 10:30] = 255
    figures = run("granulometry", GREY, named={"roi": roi}, threshold=100).figures
    assert figures["domain_volume"] == 200 and figures["object_volume"] == (GREY[10:20, 10:30] > 100).sum()


def test_an_inlet_is_an_image_too():
    inlet = np.zeros(VOLUME.shape, bool)
    inlet[0] = True
    named = run("porosimetry", VOLUME, named={"inlet": inlet}).figures
    assert named["invaded_volume"] > 0


def test_files_are_read_and_written(tmp_path):
    target = str(tmp_path / "a.tif").encode()
    assert LIBRARY.tamis_write(None, tamis_c.byref(tamis_c.view_of(VOLUME.astype(np.uint8)[:, ::-1])), target, None) == 0
    handle = tamis_c.c_void_p()
    assert LIBRARY.tamis_read(None, target, None, tamis_c.byref(handle)) == 0
    assert (tamis_c.Result(handle).images["out"] == VOLUME[:, ::-1]).all()
    LIBRARY.tamis_result_free(handle)


def test_two_threads_at_once_give_right_answers():
    large = RANDOM.integers(0, 255, (600, 600), np.uint8)
    wanted = {element: run("open", large, element=element).images["out"] for element in ("disk:3", "square:9")}
    wrong, messages = [], set()

    def work(element):
        with Context(threads=2) as context:
            for _ in range(20):
                if (run("open", large, element=element, context=context).images["out"] != wanted[element]).any():
                    wrong.append(element)
                with pytest.raises(Refused) as refusal:
                    run("open", large, element=element + "x")
                if f"element={element}x" not in str(refusal.value):
                    messages.add(str(refusal.value))

    threads = [threading.Thread(target=work, args=(element,)) for element in wanted]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and not messages


BIG_BALL = np.pad(np.ones((180, 180, 180), bool), 5)
BIG = RANDOM.integers(0, 2, (120, 300, 300), np.uint8).astype(bool)


def test_progress_tells_stages_and_ends_a_call():
    stages = []
    with Context(lambda _, stage, done, total: stages.append((stage, done, total)) or 0) as context:
        run("granulometry", BIG, context=context)
    assert stages and all(0 <= done <= total or total == 0 for _, done, total in stages)
    told = []
    with (
        Context(lambda *_: told.append(1) or len(told) > 1) as context,
        pytest.raises(Refused, match="interrupted") as end,
    ):
        run("granulometry", BIG, context=context)
    assert end.value.status == CANCELLED and len(told) < len(stages)


def test_a_context_is_stopped_by_another_thread_and_goes_on_later():
    working = threading.Event()

    def told(*_):
        working.set()
        return 0

    with Context(told) as context:
        stopper = threading.Thread(target=lambda: working.wait(10) and LIBRARY.tamis_context_stop(context, 1))
        stopper.start()
        start = time.monotonic()
        try:
            with pytest.raises(Refused) as end:
                run("thickness", BIG_BALL, context=context)
        finally:
            stopper.join()  # before the context goes
        assert end.value.status == CANCELLED and time.monotonic() - start < 10
        with pytest.raises(Refused):  # stopped for all that follows
            run("erode", GREY, context=context)
        assert LIBRARY.tamis_context_stop(context, 0) == 0
        run("erode", GREY, context=context)


LEAKS = """
import numpy as np, tamis_c
image = np.random.default_rng(1).integers(0, 255, (1000, 1000), np.uint8)
def resident():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmRSS"))
def one(i):
    tamis_c.run("median", image, size=3)
    tamis_c.run("granulometry", image, threshold=100, map="size")
    with tamis_c.Context(lambda *_: 1) as context:
        try:
            tamis_c.run("granulometry", image > 100, context=context)
        except tamis_c.Refused:
            pass
    try:
        tamis_c.run("median", image, size="wide")
    except tamis_c.Refused:
        pass
for i in range(20):
    one(i)
before = resident()
for i in range(100):
    one(i)
print(resident() - before)
"""


def test_a_hundred_calls_leave_no_memory_behind():
    done = subprocess.run(
        [sys.executable, "-c", LEAKS],
        capture_output=True,
        text=True,
        check=True,
        cwd=tamis_c.Path(tamis_c.__file__).parent,
    )
    assert int(done.stdout) < 8 * 1024  # kilobytes; one image lost a call would be 100 times 1000


def test_a_place_is_read_kept_and_written(tmp_path):
    import nibabel

    turned = np.array([[0, -2, 0, 10], [3, 0, 0, -20], [0, 0, 1.5, 30], [0, 0, 0, 1.0]])
    nibabel.save(nibabel.Nifti1Image(VOLUME.astype(np.uint8).T, turned), tmp_path / "in.nii")
    read, made, view = tamis_c.c_void_p(), tamis_c.c_void_p(), tamis_c.View()
    try:
        tamis_c.check(LIBRARY.tamis_read(None, str(tmp_path / "in.nii").encode(), None, tamis_c.byref(read)))
        tamis_c.check(LIBRARY.tamis_result_image(read, 0, None, tamis_c.byref(view)))
        place = view.placement.contents
        assert (list(place.origin), place.world) == ([-10.0, 20.0, 30.0], 2)  # left and back, where NIfTI has right and front
        assert [list(axis) for axis in place.axes] == [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
        parameters = tamis_c.texts({"method": "otsu"})
        tamis_c.check(LIBRARY.tamis_run(None, b"threshold", parameters, tamis_c.byref(view), 1, tamis_c.byref(made)))
        tamis_c.check(LIBRARY.tamis_result_image(made, 0, None, tamis_c.byref(view)))
        tamis_c.check(LIBRARY.tamis_write(None, tamis_c.byref(view), str(tmp_path / "out.nii").encode(), None))
        np.testing.assert_allclose(nibabel.load(tmp_path / "out.nii").affine, turned)
        kept = tamis_c.Placement.from_buffer_copy(view.placement.contents)
        for change, word in ((lambda p: p.origin.__setitem__(0, np.nan), "not finite"), (lambda p: setattr(p, "world", 5), "world 5; wanted 0 to 4")):
            wrong = tamis_c.Placement.from_buffer_copy(kept)
            change(wrong)
            view.placement = tamis_c.ctypes.pointer(wrong)
            with pytest.raises(tamis_c.Refused, match=word):
                tamis_c.check(LIBRARY.tamis_write(None, tamis_c.byref(view), str(tmp_path / "no.nii").encode(), None))
    finally:
        LIBRARY.tamis_result_free(read)
        LIBRARY.tamis_result_free(made)
