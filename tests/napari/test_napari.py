"""The plugin in real windows of napari: what the widgets do is what the functions do."""

import importlib
import importlib.util
import resource
import shutil
import warnings
from pathlib import Path

import numpy as np
import pytest
import tamis

# Not napari: this folder has that name too.
MISSING = [name for name in ("npe2", "magicgui", "pytestqt") if importlib.util.find_spec(name) is None]
MISSING += [] if shutil.which("Xvfb") else ["Xvfb"]
if MISSING:
    pytest.skip(f"not there: {', '.join(MISSING)} (make napari-test)", allow_module_level=True)

import napari  # noqa: E402
import npe2  # noqa: E402
from napari_tamis import describe, manifest, samples, widgets  # noqa: E402

PACKAGE = Path(manifest.__file__).parent
RANDOM = np.random.default_rng(3)
PAGE = RANDOM.integers(0, 255, (40, 50), np.uint8)
VOLUME = RANDOM.integers(0, 255, (9, 24, 26), np.uint8)


@pytest.fixture
def viewer(qtbot):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        opened = napari.Viewer(show=True)
    yield opened
    opened.close()


@pytest.fixture
def widget_of(viewer):
    """widget_of(operation, field=text...): in the window, with these fields filled in."""

    def make(operation, **given):
        widget = getattr(widgets, widgets.class_name(operation))(viewer)
        viewer.window.add_dock_widget(widget, name=operation)
        for name, value in given.items():
            widget[name].value = value
        return widget

    return make


@pytest.fixture
def run(qtbot, widget_of):
    """run(operation, field=text...): presses Run and waits; the widget."""

    def press(operation, **given):
        widget = widget_of(operation, **given)
        widget.run.changed.emit(True)
        qtbot.waitUntil(lambda: widget.run.text == "Run", timeout=20_000)
        return widget

    return press


def last(viewer):
    return np.asarray(viewer.layers[-1].data)


def test_the_manifest_is_that_of_the_operations():
    assert (PACKAGE / "napari.yaml").read_text() == manifest.manifest()


def test_napari_takes_the_manifest_and_finds_all_that_it_names():
    read = npe2.PluginManifest.from_file(PACKAGE / "napari.yaml")
    for command in read.contributions.commands:
        module, name = command.python_name.split(":")
        assert callable(getattr(importlib.import_module(module), name))


def test_fields_have_words_of_help(widget_of):
    for operation in describe.names():
        widget = widget_of(operation)
        for parameter in describe.parameters(operation):
            assert widget[parameter.name].tooltip


def test_nothing_that_an_operation_takes_is_forgotten():
    for operation in describe.names():
        described = {parameter["name"] for parameter in describe._operations()[operation]["parameters"]}
        renamed = {"as": "dtype"}
        known = {parameter.name for parameter in describe.parameters(operation)} | describe._LEFT_OUT
        missing = {renamed.get(name, name) for name in described} - known
        # A threshold is one field; a size map has no grey values.
        assert missing <= {"method", "value", "band", "grey"}, operation


@pytest.mark.parametrize(
    ("operation", "given", "keywords"),
    [
        ("erode", {}, {}),
        ("open", {"element": "disk:3", "border": "constant:7"}, {"element": "disk:3", "border": "constant:7"}),
        ("open", {"by_reconstruction": True}, {"by_reconstruction": True}),
        ("median", {"size": "5x3", "percentile": "30"}, {"size": (3, 5), "percentile": 30}),
        ("smooth", {"size": "3"}, {"size": 3}),
        ("remove_outliers", {"threshold": "20", "which": "both"}, {"threshold": 20, "which": "both"}),
        ("hitmiss", {"hit": "rect:1x2"}, {"hit": "rect:1x2"}),
        ("asf", {"element": "disk:2", "order": "co"}, {"element": "disk:2", "order": "co"}),
        ("gradient", {"kind": "inner"}, {"kind": "inner"}),
        ("rotate", {"degrees": "3.5", "expand": True}, {"degrees": 3.5, "expand": True}),
        ("convert", {"dtype": "f32", "window": "10:200"}, {"dtype": "f32", "window": (10, 200)}),
        ("threshold", {"threshold": "li", "phase": "dark"}, {"threshold": "li", "phase": "dark"}),
        ("size_map", {"threshold": "120", "element": "square"}, {"threshold": 120, "element": "square"}),
        ("thickness", {"threshold": "120", "element": "disk"}, {"threshold": 120, "element": "disk"}),
        ("distance", {"threshold": "120", "squared": True}, {"threshold": 120, "squared": True}),
    ],
)  # fmt: skip
def test_a_widget_does_what_the_function_does(viewer, run, operation, given, keywords):
    viewer.add_image(PAGE, name="page")
    widget = run(operation, **given)
    wanted = getattr(tamis, operation)(PAGE, **keywords)
    assert len(viewer.layers) == 2, widget.said.value
    assert np.array_equal(last(viewer), wanted)
    assert viewer.layers[-1].metadata["tamis"]["operation"] == operation


def test_masks_are_labels(viewer, run):
    viewer.add_image(PAGE)
    run("threshold")
    assert isinstance(viewer.layers[-1], napari.layers.Labels)
    run("open", image=viewer.layers[-1])
    assert isinstance(viewer.layers[-1], napari.layers.Labels)
    assert np.array_equal(last(viewer), tamis.open(tamis.threshold(PAGE)))


def test_a_volume_is_one_image_or_slices(viewer, run):
    viewer.add_image(VOLUME)
    run("open", element="disk:2", axes=(1, 2))
    assert np.array_equal(last(viewer), np.stack([tamis.open(plane, "disk:2") for plane in VOLUME]))
    run("open", element="ball:2", image=viewer.layers[0], axes=(0, 1, 2))
    assert np.array_equal(last(viewer), tamis.open(VOLUME, "ball:2"))


def test_other_axes_are_worked_through_wherever_they_are(viewer, run):
    """As ImageJ has them: z, channel, y, x."""
    hyperstack = RANDOM.integers(0, 255, (7, 2, 20, 22), np.uint8)
    viewer.add_image(hyperstack)
    run("median", axes=(0, 2, 3))
    wanted = np.stack([tamis.median(hyperstack[:, channel]) for channel in range(2)], axis=1)
    assert np.array_equal(last(viewer), wanted)


def test_sizes_are_those_of_the_channel_that_is_shown(viewer, run):
    channels = np.stack([VOLUME, 255 - VOLUME])
    viewer.add_image(channels)
    viewer.dims.set_current_step(0, 1)
    widget = run("granulometry", threshold="120")
    wanted = tamis.granulometry(channels[1], 120)
    assert f"{wanted.curve[0]} voxels" in widget.said.value


def test_colour_is_filtered_by_channel_and_has_no_sizes(viewer, run):
    page = RANDOM.integers(0, 255, (30, 32, 3), np.uint8)
    viewer.add_image(page, rgb=True)
    run("median")
    assert viewer.layers[-1].rgb
    assert np.array_equal(last(viewer), tamis.median(page, channel_axis=-1))
    widget = run("granulometry", threshold="120")
    assert "colours; wanted grey values" in widget.said.value


def test_scale_and_units_are_kept_and_known(viewer, run):
    viewer.add_image(VOLUME, scale=(2, 1, 1), units=("um", "um", "um"), translate=(5, 0, 0), axis_labels=("z", "y", "x"))
    widget = run("thickness", threshold="120")
    layer = viewer.layers[-1]
    assert tuple(layer.scale) == (2, 1, 1) and str(layer.units[0]) == "micrometer" and tuple(layer.translate) == (5, 0, 0)
    assert np.array_equal(last(viewer), tamis.thickness(VOLUME, 120, spacing=(2, 1, 1), unit="um"))
    assert widget.axes.choices[0] == (0, 1, 2)


def test_units_of_other_lengths_become_those_of_tamis(viewer, run):
    viewer.add_image(PAGE, scale=(1, 1), units=("inch", "inch"))
    widget = run("granulometry", threshold="120")
    assert "(25400 µm)" in widget.said.value or "µm" in widget.said.value
    viewer.add_image(PAGE, name="odd", units=("um", "second"))
    widget = run("granulometry", threshold="120", image=viewer.layers["odd"])
    assert "units micrometer, second; wanted lengths" in widget.said.value


def test_a_scale_without_units_is_enough_for_filters_and_too_little_for_lengths(viewer, run):
    viewer.add_image(VOLUME, name="volume", scale=(2, 1, 1))
    run("median")
    assert np.array_equal(last(viewer), tamis.median(VOLUME))
    widget = run("thickness", threshold="120", image=viewer.layers["volume"])
    assert "a scale of 2, 1, 1 without units" in widget.said.value
    viewer.add_image(VOLUME, name="cubes", scale=(2, 2, 2))
    run("thickness", threshold="120", image=viewer.layers["cubes"])
    assert np.array_equal(last(viewer), tamis.thickness(VOLUME, 120))


def test_new_voxels_have_a_scale_of_their_own(viewer, run):
    viewer.add_image(VOLUME, scale=(2, 1, 1), units=("um", "um", "um"))
    run("resample", voxel="2um")
    assert tuple(viewer.layers[-1].scale) == (2, 2, 2)
    assert last(viewer).shape == (9, 12, 13)


@pytest.mark.parametrize("units", ["mm", "inch"])
def test_results_lie_on_their_scan_wherever_that_lies(viewer, run, units):
    turn = np.array([[1, 0, 0, 4], [0, 0.6, -0.8, 5], [0, 0.8, 0.6, 6], [0, 0, 0, 1]])
    scan = viewer.add_image(VOLUME, scale=(2, 1, 1), units=(units,) * 3, translate=(5, -6, 7), rotate=(20, 0, 10), affine=turn)
    for operation, given in (("threshold", {"threshold": "otsu"}), ("median", {}), ("thickness", {"threshold": "120"})):
        run(operation, image=scan, **given)
        for voxel in ((0, 0, 0), (8, 23, 25)):
            np.testing.assert_allclose(viewer.layers[-1].data_to_world(voxel), scan.data_to_world(voxel))
    run("resample", image=scan, voxel="2mm" if units == "mm" else "50.8mm")
    made = viewer.layers[-1]
    for corner in ((0, 0, 0), (9, 24, 26)):
        new = np.multiply(corner, np.divide(made.data.shape, VOLUME.shape))
        np.testing.assert_allclose(made.data_to_world(new - 0.5), scan.data_to_world(np.subtract(corner, 0.5)), atol=1e-9)


def test_the_finest_of_several_levels_is_taken(viewer, run):
    viewer.add_image([PAGE, PAGE[::2, ::2]], multiscale=True)
    run("erode")
    assert np.array_equal(last(viewer), tamis.erode(PAGE))


def test_dask_stays_lazy_where_it_can(viewer, run):
    array = pytest.importorskip("dask.array").from_array(VOLUME, chunks=(4, 10, 26))
    viewer.add_image(array)
    run("open", element="ball:2")
    assert hasattr(viewer.layers[-1].data, "compute")
    assert np.array_equal(last(viewer), tamis.open(VOLUME, "ball:2"))
    run("size_map", threshold="120", image=viewer.layers[0])
    assert isinstance(viewer.layers[-1].data, np.ndarray)
    assert np.array_equal(last(viewer), tamis.size_map(VOLUME, 120))
    widget = run("granulometry", threshold="120", image=viewer.layers[0])
    assert f"{tamis.granulometry(VOLUME, 120).curve[0]} voxels" in widget.said.value
    run("orientation", angles="18", length="7", image=viewer.layers[0])
    assert np.array_equal(last(viewer), tamis.orientation(VOLUME, 7, angles=18).contrast)


def test_only_what_lies_inside_counts(viewer, run):
    inside = np.zeros(PAGE.shape, np.uint8)
    inside[5:30, 5:30] = 3
    viewer.add_image(PAGE, name="page")
    mask = viewer.add_labels(inside, name="mask")
    run("median", image=viewer.layers["page"], inside=mask)
    assert np.array_equal(last(viewer), tamis.median(PAGE, mask=inside != 0))
    widget = run("granulometry", threshold="120", image=viewer.layers["page"], inside="cylinder")
    assert f"{tamis.granulometry(PAGE, 120, roi='cylinder').curve[0]} voxels" in widget.said.value


def test_a_reconstruction_takes_two_layers(viewer, run):
    marker = viewer.add_image(tamis.erode(PAGE, "square:5"), name="marker")
    mask = viewer.add_image(PAGE, name="mask")
    run("reconstruct", marker=marker, mask=mask)
    assert np.array_equal(last(viewer), tamis.reconstruct(marker.data, PAGE))


def test_curves_come_in_a_dock_whose_table_can_be_saved(viewer, run, tmp_path):
    from napari_tamis.plots import Plot

    viewer.add_image(PAGE)
    run("granulometry", threshold="120", phase="both")
    plots = viewer.window._qt_window.findChildren(Plot)
    assert len(plots) == 2
    plots[0].save(str(tmp_path / "sizes.csv"))
    table = np.genfromtxt(tmp_path / "sizes.csv", delimiter=",", names=True)
    assert np.array_equal(table["volume"], tamis.granulometry(PAGE, 120).curve)
    plots[0].save(str(tmp_path / "no" / "sizes.csv"))  # said, not raised


def test_orientation_makes_maps_and_a_rose(viewer, run):
    viewer.add_image(PAGE, name="page")
    run("orientation", length="7,11", angles="36", range="0:180")
    found = tamis.orientation(PAGE, (7, 11), angles=36)
    names = ["Angles of page", "Lines of page", "Contrast of page"]
    assert [layer.name for layer in viewer.layers[1:]] == names
    assert np.array_equal(viewer.layers[1].data, found.orientation, equal_nan=True)


def test_maps_of_one_slice_lie_where_it_is(viewer, run):
    viewer.add_image(VOLUME, scale=(3, 1, 1))
    viewer.dims.set_current_step(0, 4)
    run("orientation", length="7", angles="18", axes=(1, 2))
    assert np.array_equal(last(viewer)[0], tamis.orientation(VOLUME[4], 7, angles=18).contrast)
    assert viewer.layers[-1].translate[0] == 12


@pytest.mark.parametrize(
    ("operation", "given", "words"),
    [
        ("open", {"element": "starfish"}, "element starfish; wanted a shape and its size"),
        ("median", {"iterations": "many"}, "iterations many: wanted a whole number"),
        ("orientation", {"length": "7,x"}, "length 7,x: wanted numbers"),
        ("resample", {}, "voxel"),
        ("median", {"element": "ball:2"}, "ball"),
    ],
)
def test_what_is_refused_is_said_in_the_words_of_the_library(viewer, run, operation, given, words):
    viewer.add_image(PAGE)
    widget = run(operation, **given)
    assert words in widget.said.value
    assert len(viewer.layers) == 1


def test_without_a_layer_it_says_so(run):
    assert run("median").said.value == "no image; wanted a layer with one"


def test_cancel_ends_it_and_leaves_nothing(viewer, run, widget_of, qtbot):
    viewer.add_image(RANDOM.integers(0, 255, (96, 96, 96), np.uint8))
    widget = widget_of("median", size="9", iterations="400")
    widget.run.changed.emit(True)
    assert widget.run.text == "Cancel"
    qtbot.waitUntil(lambda: widget.bar.value > 0, timeout=20_000)
    widget.run.changed.emit(True)
    qtbot.waitUntil(lambda: widget.run.text == "Run", timeout=20_000)
    assert widget.said.value == "cancelled" and len(viewer.layers) == 1
    widget["iterations"].value = "1"
    widget.run.changed.emit(True)
    qtbot.waitUntil(lambda: widget.run.text == "Run", timeout=20_000)
    assert len(viewer.layers) == 2


def preview_of(viewer, qtbot, widget, wanted):
    """Waits for a preview that is this."""

    def shown():
        layers = [layer for layer in viewer.layers if layer.name.startswith("Preview")]
        return len(layers) == 1 and np.array_equal(np.squeeze(layers[0].data), wanted)

    qtbot.waitUntil(shown, timeout=20_000)
    return next(layer for layer in viewer.layers if layer.name.startswith("Preview"))


def test_a_preview_is_the_slice_of_the_result_and_follows(viewer, widget_of, qtbot):
    viewer.add_image(VOLUME, name="volume", scale=(2, 1, 1))
    viewer.dims.set_current_step(0, 4)
    widget = widget_of("open", element="ball:2", preview=True)
    whole = tamis.open(VOLUME, "ball:2")
    layer = preview_of(viewer, qtbot, widget, whole[4])
    assert layer.translate[0] == 8
    viewer.dims.set_current_step(0, 0)
    preview_of(viewer, qtbot, widget, whole[0])
    widget["element"].value = "ball:3"
    preview_of(viewer, qtbot, widget, tamis.open(VOLUME, "ball:3")[0])
    widget.axes.value = (1, 2)
    widget["element"].value = "disk:2"
    preview_of(viewer, qtbot, widget, tamis.open(VOLUME[0], "disk:2"))
    widget["by_reconstruction"].value = True
    preview_of(viewer, qtbot, widget, tamis.open(VOLUME[0], "disk:2", by_reconstruction=True))
    widget.axes.value = (0, 1, 2)
    qtbot.waitUntil(lambda: "looks at the whole volume" in widget.said.value, timeout=20_000)
    widget.preview.value = False
    assert [layer.name for layer in viewer.layers] == ["volume"]


def test_run_takes_the_preview_away(viewer, widget_of, qtbot):
    page = RANDOM.integers(0, 255, (30, 32, 3), np.uint8)
    viewer.add_image(page, rgb=True, name="page")
    widget = widget_of("median", preview=True)
    preview_of(viewer, qtbot, widget, tamis.median(page, channel_axis=-1))
    widget.run.changed.emit(True)
    qtbot.waitUntil(lambda: len(viewer.layers) == 2 and widget.run.text == "Run", timeout=20_000)
    assert viewer.layers[-1].name == "Median of page"


def test_two_at_once_give_right_answers(viewer, widget_of, qtbot):
    volume = RANDOM.integers(0, 255, (64, 64, 64), np.uint8)
    layer = viewer.add_image(volume, name="volume")
    both = [widget_of("median", size="7"), widget_of("open", element="ball:4")]
    for widget in both:
        widget.image.value = layer
        widget.run.changed.emit(True)
    qtbot.waitUntil(lambda: len(viewer.layers) == 3, timeout=20_000)
    assert np.array_equal(viewer.layers["Median of volume"].data, tamis.median(volume, 7))
    assert np.array_equal(viewer.layers["Open of volume"].data, tamis.open(volume, "ball:4"))


def test_a_hundred_calls_leave_no_memory_behind():
    """What a widget calls, without the window, whose own memory grows with layers and docks."""
    from napari.layers import Image
    from napari_tamis.images import Stack
    from napari_tamis.jobs import Job
    from napari_tamis.jobs import run as work

    volume = RANDOM.integers(0, 255, (64, 256, 256), np.uint8)  # 4 MiB
    job = Job("granulometry", [Stack(Image(volume), (0, 1, 2))], {"threshold": 120})
    opening = Job("open", [Stack(Image(volume), (0, 1, 2))], {"element": "ball:2"})

    def once():
        work(job, lambda *_: None)
        work(opening, lambda *_: None)

    for _ in range(5):
        once()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(100):
        once()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 40 * 1024  # KiB


@pytest.mark.parametrize("name", ["foam", "octahedra"])
def test_samples_are_layers(viewer, name):
    samples_, shown, kind = getattr(samples, name)()[0]
    getattr(viewer, f"add_{kind}")(samples_, **shown)
    assert viewer.layers[0].data.shape == (128, 128, 128)


def test_the_window_shows_a_result(viewer, run):
    data, shown, _ = samples.foam()[0]
    viewer.add_image(data, **shown)
    run("thickness", threshold="otsu")
    picture = viewer.screenshot(canvas_only=True, flash=False)
    assert len(np.unique(picture.reshape(-1, 4), axis=0)) > 50
