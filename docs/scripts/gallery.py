#!/usr/bin/env python3
"""Makes the pictures of gallery.md, or of another page, by running the commands that stand in it.

Needs Pillow. The original images are looked for by name in the folders given, in TAMIS_DATA and in scikit-image."""

import argparse
import importlib.util
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

DOCS = Path(__file__).resolve().parents[1]
GAP = 8  # samples between pictures
SMALL = 32  # edges up to this one are structuring elements, which are enlarged
ENLARGED = 6

PICTURE = re.compile(r"<!-- picture (\w+): (.*?) -->\n(?:```sh\n(.*?)```)?", re.DOTALL)
SOURCES = re.compile(r"<!-- sources -->\n```sh\n(.*?)```", re.DOTALL)


def originals_folders(given):
    folders = list(given)
    if data := os.environ.get("TAMIS_DATA"):
        folders.append(Path(data))
    if skimage := importlib.util.find_spec("skimage"):
        folders.append(Path(skimage.origin).parent / "data")
    return folders


def find_original(name, folders):
    for folder in folders:
        for path in sorted(folder.rglob(name)):
            return path
    sys.exit(f"{name} is nowhere in {', '.join(map(str, folders)) or 'no folder'}; wanted a folder that has it")


def run(tamis, words, folder):
    """One command of the page, with this tamis."""
    if words[0] != "tamis":
        sys.exit(f"{shlex.join(words)}; wanted a command of tamis")
    done = subprocess.run([tamis, *words[1:]], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(words)}: {done.stderr.strip()}")


def commands(block):
    return [shlex.split(line) for line in block.splitlines()]


def panel(path):
    image = Image.open(path)
    image = image.convert("RGB" if image.mode == "RGB" else "L")
    if max(image.size) <= SMALL:
        margin = Image.new("L", (image.width + 2, image.height + 2), 0)
        margin.paste(image, (1, 1))
        return margin.resize((margin.width * ENLARGED, margin.height * ENLARGED), Image.Resampling.NEAREST)
    return image


def side_by_side(paths, out):
    panels = [panel(path) for path in paths]
    width = sum(image.width for image in panels) + GAP * (len(panels) - 1)
    height = max(image.height for image in panels)
    colour = any(image.mode == "RGB" for image in panels)
    whole = Image.new("RGBA" if colour else "LA", (width, height))  # nothing between them, on light pages and dark
    x = 0
    for image in panels:
        whole.paste(image, (x, (height - image.height) // 2))
        x += image.width + GAP
    part = out.with_name(out.name + ".part")
    whole.save(part, format="PNG", optimize=True)
    part.replace(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("originals", type=Path, nargs="*", help="folders with original images")
    parser.add_argument("--page", default="gallery.md", help="a page of this folder (%(default)s)")
    parser.add_argument("--tamis", type=Path, default=DOCS.parent / "build/bin/tamis", help="the program")
    parser.add_argument("--out", type=Path, default=DOCS / "images", help="folder for gallery_*.png, or of another page")
    arguments = parser.parse_args()
    text = (DOCS / arguments.page).read_text()
    folders = originals_folders(arguments.originals)
    arguments.out.mkdir(parents=True, exist_ok=True)
    tamis = arguments.tamis.resolve()
    with tempfile.TemporaryDirectory() as folder:
        for words in commands(SOURCES.search(text).group(1)):
            words[2] = str(find_original(Path(words[2]).name, folders))
            run(tamis, words, folder)
        for name, files, block in PICTURE.findall(text):
            for words in commands(block):
                run(tamis, words, folder)
            made = [Path(folder) / file for file in files.split()]
            out = arguments.out / f"{Path(arguments.page).stem}_{name}{made[0].suffix}"
            if out.suffix == ".svg":
                out.write_bytes(made[0].read_bytes())
            else:
                side_by_side(made, out)
            print(out)


if __name__ == "__main__":
    main()
