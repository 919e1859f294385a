"""Results that the C interface writes into memory of the caller, wherever their samples lie there."""

import json

import numpy as np
import pytest

import tamis_c
from test_c_interface import GREY, OPERATIONS, VOLUME, WANTED
from tamis_c import CANCELLED, INPUT, LIBRARY, Context, Refused, View, byref, c_void_p, run, run_views, texts, view_of

MARK = 0x5A


def dense(field, shape):
    return field[: np.prod(shape)].reshape(shape)


def pitched(field, shape):
    return field[: np.prod(shape[:-1]) * (shape[-1] + 3)].reshape(*shape[:-1], shape[-1] + 3)[..., 3:]


def turned(field, shape):
    return field[: np.prod(shape)].reshape(shape[::-1]).T


def backwards(field, shape):
    wide = (*shape[:-1], 2 * shape[-1])
    return field[: np.prod(wide)].reshape(wide)[::-1, ..., ::-2]


WAYS = [dense, pitched, turned, backwards]


def memory(like, way, dtype=None):
    """An array of this shape and type that lies in a field of marks, and the field."""
    dtype = np.dtype(dtype or like.dtype)
    field = np.full(4 * like.size * dtype.itemsize, MARK, np.uint8).view(dtype)
    return way(field, like.shape), field


def require_marks(array, field):
    """Nothing but the array has been written."""
    if array.dtype == bool:
        array = array.view(np.uint8)
    array[...] = np.frombuffer(bytes([MARK] * array.itemsize), array.dtype)[0]
    assert (field.view(np.uint8) == MARK).all()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", [name for name in OPERATIONS if OPERATIONS[name]["makes"]])
def test_every_image_is_written_where_the_caller_wants_it(name, way):
    operation = OPERATIONS[name]
    parameters = dict(WANTED.get(name, {}))
    if operation["makes"] == ["map"]:
        parameters["map"] = "size"
    images, spacing = [GREY] * len(operation["takes"]), {"spacing": (1, 1, 1), "unit": b"um"}
    wanted = run(name, *images, **spacing, **parameters)
    targets = {image: memory(array, way) for image, array in wanted.images.items()}
    told = run(name, *images, into={image: to for image, (to, _) in targets.items()}, **spacing, **parameters)
    assert told.images == {} and told.figures == wanted.figures
    assert all(np.array_equal(told.columns[key], wanted.columns[key], equal_nan=True) for key in wanted.columns)
    for image, (to, field) in targets.items():
        assert np.array_equal(to, wanted.images[image], equal_nan=to.dtype.kind == "f"), image
        require_marks(to, field)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("image", [VOLUME, VOLUME.astype(np.uint16), VOLUME.astype(np.float32)], ids=lambda i: i.dtype.name)
def test_volumes_of_every_kind_go_there_too(image, way):
    for name, parameters in (("open", {"element": "ball:2"}), ("median", {"size": 3}), ("open", {"by_reconstruction": "true"})):
        to, field = memory(image, way)
        run(name, image, into={"out": to}, **parameters)
        assert (to == run(name, image, **parameters).images["out"]).all()
        require_marks(to, field)


@pytest.mark.parametrize("shift", [0, 1, 7, 50])
@pytest.mark.parametrize("name", ["median", "open", "asf", "reconstruct", "convert", "rotate", "size_map"])
def test_an_output_may_lie_on_the_input(name, shift):
    field = np.zeros(GREY.size + shift, np.uint8)
    image, to = field[: GREY.size].reshape(GREY.shape), field[shift:].reshape(GREY.shape)
    image[...] = GREY
    parameters = {**WANTED.get(name, {}), **({"as": "u8"} if name == "convert" else {})}
    images = [image] * len(OPERATIONS[name]["takes"])
    wanted = run(name, *images, **parameters).images["out"]
    run(name, *images, into={"out": to}, **parameters)
    assert (to == wanted).all()


@pytest.mark.parametrize("dtype", [np.uint16, np.uint32, np.uint64])
@pytest.mark.parametrize("name, parameters", [
    ("size_map", {}), ("size_map", {"element": "disk"}), ("granulometry", {"map": "size"}), ("porosimetry", {"map": "size", "inlet": "y-"}),
    ("distance", {"squared": "true"}),
])  # fmt: skip
def test_maps_go_to_wider_samples(name, parameters, dtype):
    made = OPERATIONS[name]["makes"][0]
    given = {**parameters, "threshold": 100}
    wanted = run(name, GREY, **given).images[made]
    if wanted.dtype.itemsize >= np.dtype(dtype).itemsize:
        pytest.skip("not wider")
    to, field = memory(GREY, pitched, dtype)
    run(name, GREY, into={made: to}, **given)
    assert (to == wanted).all()
    require_marks(to, field)


def test_a_stack_goes_into_a_stack():
    stack = np.stack([GREY, GREY.T[:40, :40].repeat(2, 1)[:, :50]])
    to, field = memory(stack, turned)
    run("median", stack, rank=2, into={"out": to})
    assert (to == run("median", stack, rank=2).images["out"]).all()
    require_marks(to, field)


def test_nobody_need_want_the_figures():
    to = np.zeros_like(GREY)
    views, outputs = (View * 1)(view_of(GREY)), (View * 1)(view_of(to))
    assert LIBRARY.tamis_run_into(None, b"median", None, views, 1, outputs, 1, None) == 0
    assert (to == run("median", GREY).images["out"]).all()
    assert LIBRARY.tamis_run_into(None, b"median", None, views, 1, None, 0, None) == 0


@pytest.mark.parametrize("name, into, parameters, words", [
    ("median", {"out": GREY[:, 1:]}, {}, "out: 49x40 of rank 2; wanted 50x40 of rank 2"),
    ("median", {"out": GREY.astype(np.int16)}, {}, "out: i16; wanted u8"),
    ("median", {"out": GREY.astype(np.uint16)}, {}, "out: u16; wanted u8"),
    ("median", {"result": GREY}, {}, "result: median makes no image of that name"),
    ("median", {"out": np.broadcast_to(GREY[:1], GREY.shape)}, {}, "out: strides z 0, y 0, x 1 lay samples on each other"),
    ("skew", {"out": GREY}, {}, "out: skew makes no image of that name"),
    ("granulometry", {"map": GREY}, {"threshold": 100}, "map: memory for one, and none is asked for; wanted map=size"),
    ("porosimetry", {"map": GREY}, {"threshold": 100}, "map: memory for one, and none is asked for"),
    ("granulometry", {"map": GREY[1:]}, {"threshold": 100, "map": "size"}, "map: 50x39 of rank 2; wanted 50x40"),
    ("size_map", {"out": GREY.astype(np.int8)}, {"threshold": 100}, "out: i8; wanted u8"),
    ("thickness", {"out": GREY}, {"threshold": 100, "element": "disk"}, "out: u8; wanted f32"),
    ("threshold", {"out": GREY.astype(bool)}, {"value": 3}, "out: bool; wanted u8"),
])  # fmt: skip
def test_an_output_that_cannot_be_is_refused(name, into, parameters, words):
    with pytest.raises(Refused) as refusal:
        run(name, GREY, into=into, **parameters)
    assert words in str(refusal.value) and refusal.value.status == INPUT


def test_more_outputs_than_images_and_one_twice_are_refused():
    view = view_of(np.zeros_like(GREY))
    with pytest.raises(Refused, match="outputs: more than the images that median makes, which is 1"):
        run_views(b"median", [view_of(GREY)], outputs=[view, view])
    named = view_of(np.zeros_like(GREY), name=b"out")
    with pytest.raises(Refused, match="out: given twice"):
        run_views(b"median", [view_of(GREY)], outputs=[view, named])


def test_a_call_that_ends_early_gives_no_result():
    big = np.random.default_rng(3).integers(0, 255, (1500, 1500), np.uint8)
    handle = c_void_p()
    with Context(lambda *_: 1) as context:
        status = LIBRARY.tamis_run_into(context, b"open", texts({"element": "disk:9"}), (View * 1)(view_of(big)), 1,
                                        (View * 1)(view_of(np.zeros_like(big))), 1, byref(handle))  # fmt: skip
    assert status == CANCELLED and handle.value is None


@pytest.mark.parametrize("name", ["erode", "median", "asf", "reconstruct", "gradient"])
def test_an_image_that_is_refused_stays_as_it_was(name):
    image = np.random.default_rng(7).random((200, 300), np.float32)
    image[150, 200] = np.nan
    before = image.copy()
    with pytest.raises(Refused) as refusal:
        run(name, *[image] * len(OPERATIONS[name]["takes"]), into={"out": image})
    assert refusal.value.status == INPUT and "NaN" in str(refusal.value)
    assert image.tobytes() == before.tobytes()


def test_memory_that_is_no_gpus_is_refused():
    """With a GPU and without one, in one line."""
    for images, outputs in (([CUDA_VIEW], None), ([view_of(GREY)], [CUDA_VIEW])):
        with pytest.raises(Refused) as refusal:
            run_views(b"median", images, outputs=outputs)
        words = str(refusal.value)
        if refusal.value.status == INPUT:  # with a GPU
            assert words.endswith(": in the memory of the host, and said to be in the memory of GPU 0")
        else:
            assert refusal.value.status == tamis_c.ENVIRONMENT
            assert ": in the memory of GPU 0: " in words and words.endswith("; wanted memory of the host")
        assert "\n" not in words
    assert LIBRARY.tamis_write(None, byref(CUDA_VIEW), b"a.tif", None) == refusal.value.status


CUDA_VIEW = view_of(GREY)
CUDA_VIEW.memory = tamis_c.CUDA


def test_descriptions_say_which_images_are_made():
    told = {one["name"]: one["makes"] for one in json.loads(LIBRARY.tamis_operations())["operations"]}
    assert told["granulometry"] == ["map"] and told["skew"] == [] and told["resample"] == ["out"]
    assert told["orientation"] == ["orientation", "enhanced", "contrast"]
