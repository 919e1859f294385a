"""A widget for each operation: Granulometry, SizeMap, Open ..."""

from __future__ import annotations

from typing import Any

import tamis
from magicgui.widgets import CheckBox, ComboBox, Container, Label, ProgressBar, PushButton
from napari.layers import Layer
from napari.utils.notifications import show_error
from qtpy.QtCore import QTimer

from . import describe, fields
from .images import Stack, holds_an_image, ways
from .jobs import Job, Outcome, has_preview, is_preview, preview, run
from .work import Work

_EVERYTHING, _CYLINDER = "everything", "cylinder"
_PAUSE = 150  # milliseconds after the last change of a field, until a preview begins


class OperationWidget(Container):
    """Chooses layers and parameters, computes in a thread of its own, adds the results to the viewer."""

    operation = ""

    def __init__(self, napari_viewer: Any) -> None:
        self._viewer = napari_viewer
        self._work: Work | None = None
        self._preview = Preview(self)
        self._parameters = describe.parameters(self.operation)
        self._images = [ComboBox(name=name, label=name, choices=self._layers) for name in describe.images(self.operation)]
        self._axes = ComboBox(name="axes", label="axes", choices=self._ways, tooltip="which axes are one image; the others are worked through")
        self._inside = ComboBox(name="inside", label="inside", choices=self._masks, tooltip="only what lies inside counts")
        self._fields = [fields.field_of(parameter) for parameter in self._parameters]
        self._button = PushButton(name="run", text="Run")
        self._bar = ProgressBar(name="bar", label=" ", min=0, max=1000, visible=False)
        self._said = Label(name="said", label=" ", value=describe.text(self.operation))
        inside = [self._inside] if {"roi", "mask"} & set(describe.keywords(self.operation)) else []
        shows = [self._preview.wanted] if has_preview(self.operation) else []
        super().__init__(
            widgets=[*self._images, self._axes, *inside, *self._fields, *shows, self._button, self._bar, self._said]
        )
        self._said.native.setWordWrap(True)
        self._images[0].changed.connect(lambda _: self._axes.reset_choices())
        self._button.changed.connect(lambda _: self._run_or_cancel())
        for widget in (*self._images, self._axes, *inside, *self._fields, *shows):
            widget.changed.connect(lambda _: self._preview.soon())
        self._viewer.dims.events.current_step.connect(self._follow)
        self.native.destroyed.connect(self._close)

    def _follow(self, _event: Any) -> None:
        self._preview.soon()

    def _close(self) -> None:
        """The window is gone, or this part of it: nobody waits for what is being computed."""
        self._viewer.dims.events.current_step.disconnect(self._follow)
        self._preview.close()
        if self._work is not None:
            self._work.leave()

    @property
    def viewer(self) -> Any:
        return self._viewer

    def say(self, words: str) -> None:
        self._said.value = words

    # What there is to choose.

    def _layers(self, _widget: Any = None) -> list[Layer]:
        return [layer for layer in self._viewer.layers if holds_an_image(layer) and not is_preview(layer)]

    def _ways(self, _widget: Any = None) -> list[tuple[str, tuple[int, ...]]]:
        layer = self._images[0].value
        return [] if layer is None else ways(layer)

    def _masks(self, _widget: Any = None) -> list[Any]:
        by_shape = [_CYLINDER] if "roi" in describe.keywords(self.operation) else []
        return [_EVERYTHING, *by_shape, *self._layers()]

    # What happens.

    def _run_or_cancel(self) -> None:
        if self._work is not None:
            self._work.cancel()
            self._button.enabled = False
            return
        try:
            job = self.job()
        except tamis.InputError as error:
            self._fail(str(error))
            return
        self._preview.wanted.value = False
        self._work = Work(lambda progress: run(job, progress))
        self._work.moved.connect(self._move)
        self._work.done.connect(self._finish)
        self._work.failed.connect(self._fail)
        self._work.cancelled.connect(lambda: self._end("cancelled"))
        self._button.text = "Cancel"
        self._bar.value, self._bar.visible = 0, True
        self._said.value = ""
        self._work.start()

    def job(self) -> Job:
        """What the fields ask for."""
        layers = [choice.value for choice in self._images]
        if any(layer is None for layer in layers):
            raise tamis.InputError("no image; wanted a layer with one")
        axes = self._axes.value
        for layer in layers[1:]:
            if layer.ndim != layers[0].ndim or layer.data.shape != layers[0].data.shape:
                raise tamis.InputError(f"{layer.name}: another shape than {layers[0].name}; wanted the same")
        inside = self._inside.value
        return Job(
            self.operation,
            [Stack(layer, axes) for layer in layers],
            fields.values(self._parameters, {widget.name: widget.value for widget in self._fields}),
            None if inside in (None, _EVERYTHING) else inside,
            tuple(self._viewer.dims.current_step),
        )

    def _move(self, stage: str, per_mille: int) -> None:
        self._said.value = stage
        self._bar.value = per_mille

    def _finish(self, outcome: Outcome) -> None:
        self._end(outcome.said or "done")
        for samples, shown, kind in outcome.layers:
            getattr(self._viewer, f"add_{kind}")(samples, **shown)
        for result in outcome.drawn:
            self._show(result)

    def _show(self, result: Any) -> None:
        if not hasattr(result, "plot"):
            return
        from .plots import Plot

        name = f"{describe.title(self.operation)} of {self._images[0].current_choice}"
        self._viewer.window.add_dock_widget(Plot(result), name=name, area="right", tabify=True)

    def _fail(self, words: str) -> None:
        self._end(words)
        show_error(words)

    def _end(self, words: str) -> None:
        self._work = None
        self._button.text, self._button.enabled = "Run", True
        self._bar.visible = False
        self._said.value = words


class Preview:
    """What a filter makes of the slice that is shown, as a layer that follows the fields and the viewer."""

    def __init__(self, widget: OperationWidget) -> None:
        self.wanted = CheckBox(name="preview", label="preview", text="", value=False, tooltip="of the slice that is shown")
        self._widget = widget
        self._layer: Layer | None = None
        self._work: Work | None = None
        self._again = False
        self._timer = QTimer()
        self._timer.setSingleShot(True)
        self._timer.setInterval(_PAUSE)
        self._timer.timeout.connect(self._start)

    def soon(self) -> None:
        if self.wanted.value:
            self._timer.start()
        else:
            self._timer.stop()
            self._remove()

    def close(self) -> None:
        self._timer.stop()
        if self._work is not None:
            self._work.leave()

    def _start(self) -> None:
        if self._work is not None:  # what it computes is out of date
            self._again = True
            self._work.cancel()
            return
        try:
            job = self._widget.job()
        except tamis.InputError as error:
            self._widget.say(str(error))
            return
        self._work = Work(lambda progress: preview(job, progress))
        self._work.done.connect(self._show)
        self._work.failed.connect(self._fail)
        self._work.cancelled.connect(self._end)
        self._work.start()

    def _show(self, outcome: Outcome) -> None:
        if self.wanted.value and not self._again:
            self._remove()
            samples, shown, kind = outcome.layers[0]
            selected = set(self._widget.viewer.layers.selection)
            self._layer = getattr(self._widget.viewer, f"add_{kind}")(samples, **shown)
            self._widget.viewer.layers.selection = selected
            self._widget.say("preview")
        self._end()

    def _fail(self, words: str) -> None:
        self._remove()
        self._widget.say(words)
        self._end()

    def _end(self) -> None:
        self._work = None
        if self._again:
            self._again = False
            self._start()

    def _remove(self) -> None:
        layers = self._widget.viewer.layers
        if self._layer is not None and self._layer in layers:
            layers.remove(self._layer)
        self._layer = None


def class_name(operation: str) -> str:
    return operation.title().replace("_", "")


globals().update(
    {class_name(name): type(class_name(name), (OperationWidget,), {"operation": name, "__doc__": describe.text(name)}) for name in describe.names()}
)
