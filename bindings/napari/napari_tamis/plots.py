"""Curves in a dock of the window, with their figures and a button that saves the table."""

from __future__ import annotations

from typing import Any

import tamis
from matplotlib.backends.backend_qtagg import FigureCanvasQTAgg, NavigationToolbar2QT
from matplotlib.figure import Figure
from napari.utils.notifications import show_error, show_info
from qtpy.QtGui import QFontDatabase
from qtpy.QtWidgets import QFileDialog, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget


class Plot(QWidget):
    """What a result draws, and what it says."""

    def __init__(self, result: Any) -> None:
        super().__init__()
        self._result = result
        figure = Figure(figsize=(5, 6), layout="constrained")
        canvas = FigureCanvasQTAgg(figure)
        canvas.setMinimumSize(320, 260)
        _draw(figure, result)
        rows = QVBoxLayout(self)
        rows.addWidget(NavigationToolbar2QT(canvas, self))
        rows.addWidget(canvas, stretch=1)
        words = QLabel(str(result))
        words.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        area = QScrollArea()
        area.setWidget(words)
        area.setMaximumHeight(180)
        rows.addWidget(area)
        if hasattr(result, "to_pandas"):
            save = QPushButton("Save the table…")
            save.clicked.connect(self._ask_and_save)
            rows.addWidget(save)

    def _ask_and_save(self) -> None:
        path, _ = QFileDialog.getSaveFileName(self, "Save the table", "sizes.csv", "Tables (*.csv)")
        if path:
            self.save(path)

    def save(self, path: str) -> None:
        try:
            self._result.to_pandas().to_csv(path)
        except OSError as error:
            show_error(f"cannot write {path}: {error.strerror}")
            return
        show_info(f"{path} is written")


def _draw(figure: Figure, result: Any) -> None:
    if isinstance(result, tamis.Orientation):
        result.plot(figure.add_subplot(211))
        result.rose(figure.add_subplot(212, projection="polar"))
        return
    result.plot(figure.add_subplot())
