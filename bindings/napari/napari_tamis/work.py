"""Calls in a thread of their own, which say how far they are and can be cancelled."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from napari.qt.threading import create_worker
from qtpy.QtCore import QObject, Signal

Progress = Callable[[str, int, int], None]


class Cancelled(Exception):
    """Somebody has pressed Cancel."""


class Work(QObject):
    """One call, and what becomes of it. All signals come in the thread of the window."""

    moved = Signal(str, int)  # the stage, and how many per mille of it are done
    done = Signal(object)
    failed = Signal(str)
    cancelled = Signal()

    def __init__(self, call: Callable[[Progress], Any]) -> None:
        super().__init__()
        self._call = call
        self._stop = threading.Event()
        self._worker = create_worker(self._run, _start_thread=False, _ignore_errors=True)
        self._worker.returned.connect(self.done.emit)
        self._worker.errored.connect(self._report)

    def start(self) -> None:
        self._worker.start()

    def cancel(self) -> None:
        """The next word of progress ends the call."""
        self._stop.set()

    def leave(self) -> None:
        """The same, and whatever becomes of it is nobody's business any more."""
        self.cancel()
        self.blockSignals(True)

    def _run(self) -> Any:
        found = self._call(self._progress)
        self._look()
        return found

    def _progress(self, stage: str, done: int, total: int) -> None:
        self._look()
        self.moved.emit(stage, 1000 * done // max(total, 1))

    def _look(self) -> None:
        if self._stop.is_set():
            raise Cancelled

    def _report(self, error: Exception) -> None:
        if isinstance(error, Cancelled):
            self.cancelled.emit()
        else:
            self.failed.emit(" ".join(str(error).split()) or type(error).__name__)
