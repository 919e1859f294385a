#!/usr/bin/env python3
"""The tables of docs/thickness.md and its picture: what each program says of a slab, a cylinder and a sphere of known size, and
what Fiji's rim changes of two scans.

docs/scripts/thickness_pictures.py [FOLDER] prints the tables and writes docs/images/thickness.svg; the folder is that into which
docs/howto/index.md fetches qim3d, without it there is no second table. Needs the Python package, SciPy, PoreSpy and DIPlib, which
are run. Fiji (BoneJ) and pi2 are not: what they do is written here from their sources."""

import sys
import types
from pathlib import Path

import diplib
import numpy
import speed_plot
import tamis
from scipy import ndimage

sys.modules.setdefault("pyvista", types.ModuleType("pyvista"))  # PoreSpy draws with it
import porespy  # noqa: E402

OUT = Path(__file__).resolve().parents[1] / "images" / "thickness.svg"
KNOWN = 21  # width and diameters, in voxels
EDGE = 63  # of the volumes
SCALES = numpy.arange(15, 27, 0.5)  # diameters that DIPlib sieves by
DRAWN = (19, 22.5)  # what the picture shows: differences of half a voxel are what it is about


def shapes():
    """Voxels whose middles are closer than half the size; slab and cylinder go through."""
    z, y, x = (axis - EDGE // 2 for axis in numpy.ogrid[:EDGE, :EDGE, :EDGE])
    everywhere = numpy.ones((EDGE,) * 3, bool)
    return {"slab": everywhere & (abs(z) < KNOWN / 2), "cylinder": everywhere & (y**2 + x**2 < KNOWN**2 / 4),
            "sphere": z**2 + y**2 + x**2 < KNOWN**2 / 4}


def clean_rim(thickness):
    """Fiji's Clean_Up_Local_Thickness: what borders on 0 gets the mean of its neighbours that do not."""
    cube = numpy.ones((3, 3, 3))
    thick = thickness > 0
    inner = thick & ndimage.binary_erosion(thick, cube, border_value=1)
    neighbours = ndimage.convolve(inner.astype(int), cube.astype(int), mode="constant")
    sums = ndimage.convolve(numpy.where(inner, thickness, 0), cube, mode="constant")
    return numpy.where(thick & ~inner & (neighbours > 0), sums / numpy.maximum(neighbours, 1), thickness)


def fiji(shape):
    """sc.fiji.localThickness: balls that reach the nearest background, the rim, and what lies over the object cut off."""
    squares = numpy.rint(ndimage.distance_transform_edt(shape) ** 2).astype(int)
    largest = numpy.zeros(shape.shape)
    for square in numpy.unique(squares[squares > 0]):
        away = ndimage.distance_transform_edt(squares != square) ** 2
        largest[numpy.rint(away) <= square] = square
    diameters = 2 * numpy.sqrt(largest)
    return numpy.where(shape, clean_rim(diameters), 0), numpy.where(shape, diameters, 0)


def diplib_says(shape):
    """Mean and largest diameter by its openings by balls of any diameter, where its border does not reach."""
    image = diplib.Image(shape.astype("u1"))
    middle = slice(EDGE // 2 - 2, EDGE // 2 + 3)
    ends = (shape[0], shape[:, 0], shape[:, :, 0])
    inner = tuple(middle if end.any() else slice(None) for end in ends)
    left = [float(numpy.asarray(diplib.Opening(image, diplib.SE([scale] * 3, "elliptic")))[inner][shape[inner]].mean())
            for scale in SCALES]
    gone = -numpy.diff([1, *left, 0])
    return float(gone @ [SCALES[0], *SCALES]), float(max(scale for scale, share in zip(SCALES, left) if share > 0))


def says():
    """For each program and shape the mean and the largest number of a voxel of the object."""
    rows = {}

    def add(name, shape_name, values):
        rows.setdefault(name, {})[shape_name] = (float(numpy.mean(values)), float(numpy.max(values)))

    for name, shape in shapes().items():
        diameters = tamis.thickness(shape, border="neutral")[shape]
        add("tamis, 2R", name, diameters)
        add("tamis, 2R - 1", name, diameters - 1)
        cleaned, raw = fiji(shape)
        add("Fiji, BoneJ", name, cleaned[shape])
        add("without the rim's step", name, raw[shape])
        assert numpy.allclose(raw[shape], tamis.thickness(shape, border="neutral", convention="fiji")[shape])
        add("PoreSpy, 2R", name, 2 * porespy.filters.local_thickness(shape, method="dt")[shape])
        add("pi2", name, diameters)
        rows.setdefault("DIPlib", {})[name] = diplib_says(shape)
    return rows


def rims(folder):
    """For each scan the mean of 2R in its middle 80^3 voxels by tamis' balls, by Fiji's, by Fiji's with its rim, and the share
    of voxels that the rim changes."""
    rows = {}
    for name, phase in (("bone", "bright"), ("cement", "dark")):
        scan = tamis.read(Path(folder) / "qim3d/examples" / f"{name}_128x128x128.tif")[24:104, 24:104, 24:104]
        shape = numpy.asarray(tamis.threshold(scan, "otsu", phase=phase))
        cleaned, raw = fiji(shape)
        assert numpy.allclose(raw[shape], tamis.thickness(shape, border="neutral", convention="fiji")[shape])
        means = (tamis.thickness(shape, border="neutral"), raw, cleaned)
        rows[name] = [float(each[shape].mean()) for each in means] + [float((abs(cleaned - raw) > 1e-4)[shape].mean())]
    return rows


def plot(rows):
    left, width, line = 150, 640, 20
    first, last = DRAWN
    place = lambda size: left + (size - first) * (width - left - 20) / (last - first)  # noqa: E731
    body, y = [], 14
    for shape in ("slab", "cylinder", "sphere"):
        y += line
        top = y - 12
        body.append(speed_plot.text(8, y, f"{shape}, {KNOWN} voxels", weight="bold"))
        for name, values in rows.items():
            if name.startswith("without"):
                continue
            y += line
            mean, most = values[shape]
            colour = speed_plot.OURS if name.startswith("tamis") else speed_plot.INK
            body.append(speed_plot.text(left - 10, y + 4.5, name, "end", colour))
            body.append(f'<g fill="{colour}"><title>{shape}: {name} mean {mean:.2f}, largest {most:.2f}</title>'
                        f'<path d="M{place(mean):.1f} {y - 1}H{place(most):.1f}v2H{place(mean):.1f}z"/>'
                        f'<circle cx="{place(mean):.1f}" cy="{y}" r="5"/>'
                        f'<path d="M{place(most) - 1:.1f} {y - 6}h2v12h-2z"/></g>')
        body.append(f'<path d="M{place(KNOWN):.1f} {top}V{y + 8}" stroke="{speed_plot.INK}" stroke-dasharray="3 3"/>')
        y += 10
    for size in range(first, int(last) + 1):
        body.append(speed_plot.text(place(size), y + 16, f"{size}", "middle", size=12))
    body.append(speed_plot.text((left + width) / 2, y + 34, "size in voxels: mean (dot) and largest (bar); known (dashed)", "middle",
                                size=12))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {y + 44}" font-family="sans-serif">'
            + "".join(body) + "</svg>\n")


def main():
    rows = says()
    print("| | slab | cylinder | sphere |\n|---|---|---|---|")
    for name, values in rows.items():
        print(f"| {name} | " + " | ".join(f"{mean:.2f}, {most:.2f}" for mean, most in values.values()) + " |")
    OUT.write_text(plot(rows))
    for name, (exact, raw, cleaned, share) in (rims(sys.argv[1]) if sys.argv[1:] else {}).items():
        print(f"| {name} | {exact:.2f} | {raw:.2f} | {cleaned:.2f} | {share:.1%} |")


if __name__ == "__main__":
    main()
