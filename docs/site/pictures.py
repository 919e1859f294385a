#!/usr/bin/env python3
"""Makes the pictures of pages (docs/howto, tour, granulometry, porosimetry) by running the code that stands in them.

docs/site/pictures.py PAGE... [--program TAMIS]; needs Pillow, the Python package and what docs/howto/index.md fetches."""

import argparse
import importlib.util
import shutil
import tempfile
from pathlib import Path

import pages
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
GAP = 10  # between pictures, transparent: pages are light or dark
LEAST = 300  # pictures less high are enlarged by whole numbers


def side_by_side(paths, out):
    panels = [Image.open(path).convert("RGBA") for path in paths]
    panels = [panel.resize([edge * max(1, -(-LEAST // panel.height)) for edge in panel.size], Image.Resampling.NEAREST)
              for panel in panels]
    whole = Image.new("RGBA", (sum(panel.width + GAP for panel in panels) - GAP, max(panel.height for panel in panels)))
    x = 0
    for panel in panels:
        whole.paste(panel, (x, 0))
        x += panel.width + GAP
    if whole.getextrema()[3] == (255, 255):
        whole = whole.convert("RGB")
    whole.save(out, optimize=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", type=Path, nargs="+")
    parser.add_argument("--program", type=Path, default=ROOT / "build/bin/tamis", help="the program (%(default)s)")
    parser.add_argument("--packages", type=Path, nargs="*", default=[], help="folders that hold qim3d")
    arguments = parser.parse_args()
    for page in arguments.pages:
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            for name in ("qim3d", "skimage"):
                near = [path / name for path in arguments.packages if (path / name).is_dir()]
                if not near and (found := importlib.util.find_spec(name)):
                    near = [Path(found.origin).parent]
                if near:
                    (folder / name).symlink_to(near[0].resolve())
            text = page.read_text()
            pages.run(list(pages.blocks(text)), folder, arguments.program)
            for name, files in pages.pictures(text):
                made = [folder / file for file in files]
                out = page.resolve().parent / "images" / f"{page.stem}_{name}{made[0].suffix}"
                if out.suffix == ".svg":
                    shutil.copy(made[0], out)
                else:
                    side_by_side(made, out)
                print(out)


if __name__ == "__main__":
    main()
