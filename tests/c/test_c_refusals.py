"""Whatever is given to the C interface: one line that says what was wrong, and nothing else happens."""

import json
import random

import numpy as np
import pytest

import tamis_c
from tamis_c import INPUT, LIBRARY, Context, Refused, View, byref, c_void_p, run, run_views, texts, view_of

IMAGE = np.arange(600, dtype=np.uint8).reshape(20, 30)


def changed(**members):
    view = view_of(IMAGE)
    for name, value in members.items():
        if name in ("size", "stride", "spacing"):
            for axis, number in enumerate(value):
                getattr(view, name)[axis] = number
        else:
            setattr(view, name, value)
    return view


@pytest.mark.parametrize("members, words", [
    ({"data": None}, "image: a null pointer; wanted an address"),
    ({"type": 11}, "image: type 11; wanted one of tamis_type, 0 to 10"),
    ({"type": -1}, "image: type -1"),
    ({"rank": 4}, "image: rank 4; wanted 2, an image, or 3, a volume"),
    ({"size": (1, -20, 30)}, "image: size z 1, y -20, x 30; wanted 1 or more"),
    ({"size": (0, 20, 30)}, "image: size z 0, y 20, x 30"),
    ({"size": (1 << 40, 1 << 40, 1 << 40)}, "no memory holds so many samples"),
    ({"size": (1, 20, 30), "stride": (0, 1 << 62, 1)}, "image: a stride of 4611686018427387904 bytes along y leads out"),
    ({"stride": (0, -(1 << 63), 1)}, "image: a stride of -9223372036854775808 bytes along y"),
    ({"spacing": (1, -1, 1)}, "image: spacing z 1, y -1, x 1; wanted lengths above 0"),
    ({"spacing": (1, float("nan"), 1)}, "image: spacing z 1, y nan"),
    ({"type": 8, "size": (1, 2, 2)}, "u64 samples that f32 cannot hold"),
    ({"memory": 2}, "image: memory 2; wanted one of tamis_memory, 0 or 1"),
    ({"name": b"picture"}, "picture: median takes no image of that name"),
])  # fmt: skip
def test_a_view_that_is_none_is_refused(members, words):
    with pytest.raises(Refused) as refusal:
        run_views(b"median", [changed(**members)], {})
    assert words in str(refusal.value) and refusal.value.status == INPUT


@pytest.mark.parametrize("parameters, words", [
    ({"percentil": 50}, "percentil: median has no such parameter; wanted size, element, percentile, iterations, border "
                        "or nan; did you mean percentile?"),
    ({"percentile": 200}, "percentile=200: wanted a number from 0 to 100"),
    ({"percentile": "many"}, "percentile=many: wanted a number from 0 to 100"),
    ({"iterations": 1.5}, "iterations=1.5: wanted a whole number"),
    ({"border": "refelct"}, "border=refelct: wanted"),
    ({"element": "disc:3"}, "element=disc:3: "),
    ({"element": "file:/none.png"}, "element=file:/none.png: "),
    ({"size": 0}, "size=0: "),
    ({"size": 3, "element": "disk:2"}, "; wanted one of them"),
    ({"": 1}, ": median has no such parameter"),
])  # fmt: skip
def test_a_parameter_that_cannot_be_is_refused(parameters, words):
    with pytest.raises(Refused) as refusal:
        run("median", IMAGE, **parameters)
    assert words in str(refusal.value) and "\n" not in str(refusal.value) and "`" not in str(refusal.value)


def test_a_parameter_given_twice_or_without_a_value_is_refused():
    handle, views = c_void_p(), (View * 1)(view_of(IMAGE))
    for words, message in (
        ([b"size", b"3", b"size", b"5", None], b"size: given twice"),
        ([b"size", None], b"size: a null pointer; wanted its value"),
    ):
        given = (tamis_c.c_char_p * len(words))(*words)
        assert LIBRARY.tamis_run(None, b"median", given, views, 1, byref(handle)) == INPUT
        assert LIBRARY.tamis_message() == message
    assert handle.value is None


@pytest.mark.parametrize("operation, images, words", [
    (b"opne", 1, "opne: no such operation; did you mean open?"), (b"", 1, ": no such operation"),
    (b"median", 0, "image: not given; median takes it"), (b"median", 2, "median: more images than it takes, which is 1"),
    (b"reconstruct", 1, "mask: not given; reconstruct takes it"), (b"convert", 1, "as: not given; wanted u8"),
    (b"resample", 1, "voxel: not given"), (b"threshold", 1, "wanted one of method, value and band"),
    (b"granulometry", 1, "more than two values"), (b"phantom foam", 1, "more images than it takes, which is 0"),
])  # fmt: skip
def test_an_operation_that_cannot_be_is_refused(operation, images, words):
    with pytest.raises(Refused) as refusal:
        run_views(operation, [view_of(IMAGE)] * images, {})
    assert words in str(refusal.value)


def test_no_null_pointer_is_followed():
    handle, views = c_void_p(), (View * 1)(view_of(IMAGE))
    calls = [LIBRARY.tamis_run(None, None, None, views, 1, byref(handle)),
             LIBRARY.tamis_run(None, b"median", None, None, 1, byref(handle)),
             LIBRARY.tamis_run(None, b"median", None, views, 1, None),
             LIBRARY.tamis_run_into(None, b"median", None, views, 1, None, 1, byref(handle)),
             LIBRARY.tamis_context_on_stream(None, None),
             LIBRARY.tamis_context_new(None), LIBRARY.tamis_context_set(None, b"threads", b"1"),
             LIBRARY.tamis_context_on_progress(None, None, None), LIBRARY.tamis_context_stop(None, 1),
             LIBRARY.tamis_result_image(None, 0, None, byref(View())), LIBRARY.tamis_result_image(None, 0, None, None),
             LIBRARY.tamis_result_copy(None, 0, views), LIBRARY.tamis_result_column(None, 0, None, None),
             LIBRARY.tamis_read(None, None, None, byref(handle)), LIBRARY.tamis_read(None, b"a.tif", None, None),
             LIBRARY.tamis_write(None, None, b"a.tif", None), LIBRARY.tamis_write(None, views, None, None)]  # fmt: skip
    assert calls == [INPUT] * len(calls) and b"null pointer" in LIBRARY.tamis_message()
    with Context() as context:
        assert LIBRARY.tamis_context_set(context, None, b"1") == INPUT
        assert LIBRARY.tamis_context_set(context, b"threads", None) == INPUT
        assert LIBRARY.tamis_message() == b"threads: a null pointer; wanted a text"
    LIBRARY.tamis_context_free(None)
    LIBRARY.tamis_result_free(None)
    assert (
        LIBRARY.tamis_result_images(None)
        == LIBRARY.tamis_result_columns(None)
        == LIBRARY.tamis_result_rows(None)
        == 0
    )
    assert LIBRARY.tamis_result_json(None) == b"{}"


@pytest.mark.parametrize("name, value, words", [
    ("threads", "0", "threads=0: wanted"), ("device", "gpu", "device=gpu: wanted"), ("memory", "lots", "memory=lots: wanted"),
    ("thread", "1", "thread: a context has no such parameter; wanted device"),
])  # fmt: skip
def test_a_context_refuses_what_it_does_not_know(name, value, words):
    with pytest.raises(Refused) as refusal, Context(**{name: value}):
        pass
    assert words in str(refusal.value)


def test_a_result_is_copied_only_to_where_it_fits():
    handle = c_void_p()
    assert LIBRARY.tamis_run(None, b"erode", None, (View * 1)(view_of(IMAGE)), 1, byref(handle)) == 0
    for target, words in (
        (np.zeros((20, 31), np.uint8), b"to: 31x20 u8 of rank 2; wanted 30x20 u8 of rank 2"),
        (np.zeros((20, 30), np.uint16), b"u16"),
        (np.broadcast_to(np.zeros((1, 30), np.uint8), (20, 30)), b"lay samples on each other"),
    ):
        assert LIBRARY.tamis_result_copy(handle, 0, byref(view_of(target))) == INPUT
        assert words in LIBRARY.tamis_message()
    assert LIBRARY.tamis_result_image(handle, 1, None, byref(View())) == INPUT
    assert LIBRARY.tamis_message() == b"index 1: the result has 1 images"
    assert LIBRARY.tamis_result_column(handle, 0, None, None) == INPUT
    LIBRARY.tamis_result_free(handle)


def test_files_that_are_not_there_are_refused(tmp_path):
    handle = c_void_p()
    assert LIBRARY.tamis_read(None, str(tmp_path / "none.tif").encode(), None, byref(handle)) == INPUT
    assert b"none.tif" in LIBRARY.tamis_message()
    assert LIBRARY.tamis_read(None, b"a.tif", texts({"chanel": 0}), byref(handle)) == INPUT
    assert b"did you mean channel?" in LIBRARY.tamis_message()
    assert LIBRARY.tamis_write(None, byref(view_of(IMAGE)), str(tmp_path / "none" / "a.tif").encode(), None) != 0


WORDS = ["", "0", "-1", "3", "1e400", "nan", "disk:2", "disk:-1", "square:3+line:9@45", "reflect", "constant:", "z-", "both",
         "\xff", "`threads 2`", "%s%n", "a\nb", "9" * 400, "otsu", "LO:HI", "1:2", "2um", "size", "file:", "line@30",
         "shift:1"]  # fmt: skip
EDGES = [1, 2, 30, 0, -1, 1 << 31, -(1 << 63), (1 << 63) - 1]


def test_random_texts_and_views_end_in_an_answer_or_a_line(monkeypatch, tmp_path):
    """Views that a check lets through point into this image: random edges are refused or lie within its strides."""
    monkeypatch.chdir(tmp_path)
    chance = random.Random(1)
    operations = json.loads(LIBRARY.tamis_operations())["operations"]
    statuses = set()
    for _ in range(1500):
        operation = chance.choice(operations)
        names = [parameter["name"] for parameter in operation["parameters"]] + ["x"]
        given = {chance.choice(names): chance.choice(WORDS) for _ in range(chance.randint(0, 3))}
        if operation["name"].startswith("phantom"):
            given["size"] = "16"
        # A volume of repeated samples, so that every size up to 30 lies in memory.
        view = changed(stride=(0, 0, 1), rank=chance.choice([2, 3]), type=chance.choice([0, 1, 1, 1, 11]))
        for axis in range(3):
            view.size[axis] = chance.choice(EDGES[:3] if chance.random() < 0.9 else EDGES)
        view.spacing[chance.randrange(3)] = chance.choice([0, 0, 0, 1, -1, float("inf")])
        if max(view.size) > 30 and min(view.size) > 0 and view.size[0] * view.size[1] * view.size[2] < 1 << 60:
            continue  # no check can know how much memory there is
        handle = c_void_p()
        encoded = [word.encode("latin-1") for pair in given.items() for word in pair]
        status = LIBRARY.tamis_run(
            None,
            operation["name"].encode(),
            (tamis_c.c_char_p * (len(encoded) + 1))(*encoded, None),
            (View * 2)(view, view),
            len(operation["takes"]),
            byref(handle),
        )
        statuses.add(status)
        assert status in (0, 1, 2), (operation["name"], given, list(view.size), LIBRARY.tamis_message())
        if status:
            message = LIBRARY.tamis_message().decode()  # UTF-8, whatever was given
            assert message and "\n" not in message and len(message) < 2100
        LIBRARY.tamis_result_free(handle)
    assert {0, 1} <= statuses
