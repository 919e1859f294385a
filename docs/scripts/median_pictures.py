#!/usr/bin/env python3
"""Makes the pictures of median.md by running what stands beneath them, or prints its table of differences.

Needs Pillow and the Python package. Original images are looked for by name as docs/scripts/gallery.py does."""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy
import tamis
from PIL import Image

import gallery

PAGE = gallery.DOCS / "median.md"
PICTURE = re.compile(r"<!-- picture (\w+): (.*?) -->\n```(sh|python)\n(.*?)```", re.DOTALL)
SPOILT = 0.25  # share of samples that are salt or pepper, as in the paper
SEED = 1
SMALL = 150  # pictures less high are shown twice as large

COMPARED = ["camera.png", "camera.png with noise", "flower_2268x1512.pgm", "FatMRISlice.png", "scroll_ct_u16.tif",
            "zebrafish_spinal_cord_u16.png", "quanfima_polymer_slice.tif", "qim3d_cement_128x128x128.tif"]
SIZES = [3, 15, 55]
LARGEST_CUBE = 15


def salted(image):
    """Some samples black, as many white."""
    chance = numpy.random.default_rng(SEED).random(image.shape)
    spoilt = image.copy()
    spoilt[chance < SPOILT / 2] = 0
    spoilt[chance > 1 - SPOILT / 2] = 255
    return spoilt


def enlarge_if_small(path):
    picture = Image.open(path)
    if picture.height < SMALL:
        picture.resize((2 * picture.width, 2 * picture.height), Image.Resampling.NEAREST).save(path, optimize=True)


def make_pictures(program, folders, out):
    text = PAGE.read_text()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for words in gallery.commands(gallery.SOURCES.search(text).group(1)):
            words[2] = str(gallery.find_original(Path(words[2]).name, folders))
            gallery.run(program, words, folder)
        Image.fromarray(salted(tamis.read(folder / "camera.png"))).save(folder / "noisy.png")
        for title, files, language, block in PICTURE.findall(text):
            if language == "python":
                subprocess.run([sys.executable, "-c", block], cwd=folder, check=True)
            else:
                for words in gallery.commands(block):
                    gallery.run(program, words, folder)
            made = out / f"median_{title}.png"
            gallery.side_by_side([folder / file for file in files.split()], made)
            enlarge_if_small(made)
            print(made)


def grey(path):
    image = tamis.read(path)
    return image[..., 0] if image.ndim == 3 and image.shape[-1] in (3, 4) else image


def difference(image, size):
    """Mean and largest absolute difference, in percent of the range of the image; share of equal samples."""
    exact = tamis.median(image, size).astype(float)
    apart = numpy.abs(tamis.smooth(image, size).astype(float) - exact)
    full = float(image.max()) - float(image.min())
    return f"{100 * apart.mean() / full:.2g}, {100 * apart.max() / full:.2g}, {100 * (apart == 0).mean():.0f}"


def print_differences(folders):
    for name in COMPARED:
        original, _, noise = name.partition(" with ")
        image = grey(gallery.find_original(original, folders))
        if noise:
            image = salted(image)
        cells = [difference(image, size) if image.ndim == 2 or size <= LARGEST_CUBE else "" for size in SIZES]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("originals", type=Path, nargs="*", help="folders with original images")
    parser.add_argument("--tamis", type=Path, default=gallery.DOCS.parent / "build/bin/tamis", help="the program")
    parser.add_argument("--out", type=Path, default=gallery.DOCS / "images", help="folder for median_*.png")
    parser.add_argument("--differences", action="store_true", help="print the rows of the table instead")
    arguments = parser.parse_args()
    folders = gallery.originals_folders(arguments.originals)
    if arguments.differences:
        print_differences(folders)
        return
    arguments.out.mkdir(parents=True, exist_ok=True)
    make_pictures(arguments.tamis.resolve(), folders, arguments.out)


if __name__ == "__main__":
    main()
