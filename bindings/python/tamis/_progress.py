"""The progress bar of `progress=True`."""

from __future__ import annotations

from typing import Any

from ._drawing import needed


class Bar:
    """Draws with tqdm; nothing appears before the work has taken a moment."""

    def __init__(self) -> None:
        words = "progress=True needs tqdm: pip install tqdm, or a function of (stage, done, total)"
        self._tqdm = needed("tqdm.auto", words).tqdm
        self._stage = ""
        self._bar: Any = None

    def __call__(self, stage: str, done: int, total: int) -> None:
        if self._bar is None or stage != self._stage:
            self.close()
            self._stage = stage
            self._bar = self._tqdm(total=total or None, desc=stage, leave=False)
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        self._bar = None
