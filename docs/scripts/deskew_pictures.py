#!/usr/bin/env python3
"""Makes the pictures of deskew.md by running tamis deskew on pages that were turned by known angles.

Needs OpenCV and Pillow; the book page is looked for in TAMIS_DATA and left out without it."""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy
from PIL import Image, ImageOps

DOCS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(DOCS.parent / "bench" / "deskew"))
import pages  # noqa: E402  (draws and turns pages)

GAP = 10  # between pages, transparent: the site has light and dark pages
RIM = "#808080"  # around each page, so that the edges of white ones are seen


def run(tamis, folder, *words):
    done = subprocess.run([tamis, "deskew", *words], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"tamis deskew {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout.splitlines()[0]


def side_by_side(paths, height, out):
    shown = [Image.open(path).convert("RGB") for path in paths]
    shown = [ImageOps.expand(image.resize((round(image.width * height / image.height), height), Image.Resampling.LANCZOS),
                             1, RIM) for image in shown]
    whole = Image.new("RGBA", (sum(image.width + GAP for image in shown) - GAP, height + 2))
    x = 0
    for image in shown:
        whole.paste(image, (x, 0))
        x += image.width + GAP
    part = out.with_name(out.name + ".part")
    whole.quantize(96, Image.Quantize.FASTOCTREE).save(part, format="PNG", optimize=True)
    part.replace(out)
    print(out)


def music(tamis, folder, out):
    page = pages.Drawn(lambda: pages.staves(11))
    page.load()
    Image.fromarray(page.at(4.2)).save(folder / "music.png")
    print("music, 4.2:", run(tamis, folder, "music.png", "straight.png", "--method", "closing", "--plot", "closing.svg"),
          run(tamis, folder, "music.png", "--method", "projection", "--plot", "projection.svg"))
    side_by_side([folder / "music.png", folder / "straight.png"], 620, out / "deskew_music.png")
    for method in ("closing", "projection"):
        (out / f"deskew_music_{method}.svg").write_text((folder / f"{method}.svg").read_text())


def spoilt(tamis, folder, out):
    page = pages.Drawn(lambda: pages.text_page(2, 12), spoil=True)
    page.load()
    Image.fromarray(page.at(-7.7)).save(folder / "spoilt.png")
    print("text, -7.7:", run(tamis, folder, "spoilt.png", "straight.png", "--plot", "scores.svg"))
    side_by_side([folder / "spoilt.png", folder / "straight.png"], 620, out / "deskew_spoilt.png")
    (out / "deskew_spoilt.svg").write_text((folder / "scores.svg").read_text())


def book(tamis, folder, out, data):
    path = data / "scans" / "lept_pedante.079.jpg"
    colours = numpy.asarray(Image.open(path).convert("RGB"))
    turned = numpy.stack([pages.turned(numpy.ascontiguousarray(colours[..., c]), 9.0) for c in range(3)], -1)
    Image.fromarray(turned).save(folder / "book.png")
    print("book, 9.0 and its own:", run(tamis, folder, "book.png", "straight.png"))
    side_by_side([folder / "book.png", folder / "straight.png"], 560, out / "deskew_book.png")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tamis", type=Path, default=DOCS.parent / "build/bin/tamis", help="the program")
    parser.add_argument("--out", type=Path, default=DOCS / "images", help="folder for deskew_*.png and .svg")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    tamis = arguments.tamis.resolve()
    with tempfile.TemporaryDirectory() as folder:
        music(tamis, Path(folder), arguments.out)
        spoilt(tamis, Path(folder), arguments.out)
        if data := os.environ.get("TAMIS_DATA"):
            book(tamis, Path(folder), arguments.out, Path(data))


if __name__ == "__main__":
    main()
