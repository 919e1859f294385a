#!/usr/bin/env python3
"""Makes the pictures of python.md by running the code that stands above them.

Without a ground, and with letters in a grey that is read on light and on dark pages: the code is as in the page, only
matplotlib's settings are others. Needs the Python package with `plot`, scikit-image, and qim3d on PYTHONPATH."""

import re
import shutil
import tempfile
from contextlib import chdir
from pathlib import Path

import matplotlib

DOCS = Path(__file__).resolve().parents[1]
INK = "#737981"
BLOCK = re.compile(r"<!-- run(?:: \w+|-morphology) -->\n```python\n(.*?)```.*?!\[[^]]*\]\((.*?)\)", re.DOTALL)


def main():
    matplotlib.use("agg")
    matplotlib.rcParams.update(dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor"), "none"))
    matplotlib.rcParams.update(dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), INK))
    names = {}
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for code, picture in BLOCK.findall((DOCS / "python.md").read_text()):
            exec(code, names)  # noqa: S102
            (saved,) = re.findall(r'savefig\("(.*?)"', code)
            shutil.copy(saved, DOCS / picture)
            print(DOCS / picture)


if __name__ == "__main__":
    main()
