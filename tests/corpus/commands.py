"""The commands of the corpus: each a line as a user types it, in a folder that holds the inputs."""

BORDERS = ["neutral", "reflect", "mirror", "nearest", "wrap", "constant:3"]
IMAGES = [f"{kind}_{type_name}.npy" for kind in ("image", "volume") for type_name in ("bool", "u8", "u16", "i16", "f32")]
FLAT = ["square:3", "rect:5x2", "disk:4", "cross:3", "line:9@30", "octagon:5", "hexagon:4", "ellipse:5x2", "circle:3",
        "square:3+line:5@60", "shift(square:3,2,-1)", "reflect(rect:4x3)"]
SOLID = ["cube:3", "box:5x2x3", "ball:2.5", "cross:2", "line:7@20,30", "ellipsoid:3x2x1", "ball:1+cube:2"]
FORMATS = ["tif", "npy", "raw", "h5:/a", "ome.zarr", "nii", "nrrd", "mha", "raw.gz", "nii.gz"]
PICTURES = ["png", "pgm", "tif"]


def rank(image: str) -> int:
    return 3 if image.startswith("volume") else 2


def morphology() -> list[str]:
    lines = []
    operations = ["erode", "dilate", "open", "close", "gradient", "tophat", "bothat"]
    for i, image in enumerate(IMAGES):
        elements = SOLID if rank(image) == 3 else FLAT
        for j, operation in enumerate(operations):
            element, border = elements[(i + j) % len(elements)], BORDERS[(2 * i + j) % len(BORDERS)]
            if border == "constant:3" and "bool" in image:
                border = "constant:1"
            lines.append(f"{operation} {image} out.npy --element {element} --border {border}")
    for element in FLAT:
        lines.append(f"open image_u8.npy out.npy --element {element}")
    for element in SOLID:
        lines.append(f"close volume_u8.npy out.npy --element {element}")
    for lines_of in ("invariant", "traced"):
        lines.append(f"open image_u8.npy out.npy --element line:15@37 --lines {lines_of}")
    for image in ("image_u8.npy", "volume_f32.npy"):
        lines += [f"open {image} out.npy --element cross:2 --by-reconstruction", f"erode {image} out.npy --iterations 3",
                  f"asf {image} out.npy --element cross:3", f"reconstruct {image} {image} out.npy",
                  f"gradient {image} out.npy --kind inner", f"gradient {image} out.npy --kind outer"]
    lines += ["hitmiss image_bool.npy out.npy --hit square:3 --miss shift(square:1,3,0)", "asf image_u8.npy out.npy --order co",
              "tophat image_u8.npy out.npy --element line:15@37 --lines traced"]
    return lines


def medians() -> list[str]:
    lines = []
    for i, image in enumerate(IMAGES):
        for j, size in enumerate(("3", "5", "7", "15", "31")):
            border = ["reflect", "mirror", "nearest", "wrap", "shrink", "constant:1"][(i + j) % 6]
            if rank(image) == 3 and int(size) > 7:
                continue
            lines.append(f"median {image} out.npy --size {size} --border {border}")
        lines.append(f"median {image} out.npy --element {'ball:2' if rank(image) == 3 else 'disk:3'} --percentile 20")
        lines.append(f"smooth {image} out.npy --size 5")
    for image in ("image_u8.npy", "image_f32.npy", "volume_u16.npy"):
        lines += [f"remove-outliers {image} out.npy --size 3 --threshold 0.5", f"median {image} out.npy --size 3 --iterations 3",
                  f"remove-outliers {image} out.npy --size 5 --threshold 2 --which bright"]
    return lines


def sizes() -> list[str]:
    tables = "--csv t.csv --summary s.csv --json j.json --curves c.csv --plot p.svg --map m.npy"
    lines = []
    for element in ("cross", "cube", "square", "disk", "ball"):
        for border in ("background", "neutral"):
            lines.append(f"granulometry pores.npy --element {element} --border {border} {tables}")
    for element in ("square", "disk", "octagon", "line@30"):
        lines.append(f"granulometry image_u8.npy --grey --element {element} --max-size 9 --csv t.csv")
    for element in ("cube", "ball"):
        lines.append(f"granulometry volume_u16.npy --grey --element {element} --max-size 4 --csv t.csv")
    for convention in ("tamis", "porespy", "fiji"):
        lines.append(f"granulometry pores.npy --element ball --convention {convention} --map-radius r.npy --map-diameter d.npy")
    for method in ("otsu", "li", "kapur", "minimum", "triangle", "isodata", "mean", "60", "40:120"):
        lines.append(f"granulometry volume_u8.npy --threshold {method} --csv t.csv")
        lines.append(f"threshold image_u8.npy out.npy {'--value ' if method.isdigit() else '--band ' if ':' in method else '--method '}{method}")
    lines += ["granulometry pores.npy --spacing 2x3x5um --element ball --csv t.csv --map-width w.npy",
              "granulometry pores.npy --roi cylinder --csv t.csv", "granulometry pores.npy --roi roi.npy --phase dark --csv t.csv",
              "granulometry pores.npy --crop 3:40,5:30,2:20 --phase both --csv t.csv", "granulometry pores.npy --picture p.png",
              "granulometry pores.npy volume_bool.npy --summary s.csv", "granulometry slices --threshold 90 --csv t.csv",
              "porosimetry pores.npy --csv t.csv --map m.npy", "porosimetry pores.npy --inlet z- --sigma 0.48 --theta 140 --spacing 1um --csv t.csv",
              "porosimetry pores.npy --spacing 1x2x2um --phase dark --json j.json",
              "distance pores.npy m.npy", "distance pores.npy m.npy --squared", "distance pores.npy m.npy --by-slices",
              "distance pores.npy m.npy --spacing 1x2x3um --border neutral --phase dark"]
    return lines


def pages() -> list[str]:
    return ["orientation image_u8.npy --json j.json --plot p.svg", "orientation image_u8.npy --length 11,21 --angles 24 --csv t.csv",
            "deskew page.npy out.npy", "deskew page.npy out.npy --method closing --expand", "orientation image_f32.npy --dark --csv t.csv"]


def files() -> list[str]:
    lines = [f"convert volume_{type_name}.npy out.{ending}" for type_name in ("u8", "u16", "f32") for ending in FORMATS]
    lines += [f"convert image_{type_name}.npy out.{ending}" for type_name in ("u8", "u16") for ending in PICTURES]
    lines += [f"convert volume_i16.npy out.tif --compress {kind}" for kind in ("deflate", "zstd")]
    lines += [f"convert {image} out.npy --as {wanted}" for image in ("image_u16.npy", "image_f32.npy") for wanted in ("u8", "u16", "f32")]
    lines += ["convert image_f32.npy out.npy --as u8 --window 0:3", "convert raw_37x22x13_u16.raw out.npy", "convert slices out.npy",
              "convert colour.ppm out.npy --channel luma", "convert colour.ppm out.npy --channel 1", "convert colour.ppm out.png",
              "convert slices out.tif --spacing 1x1x2um", "median colour.ppm out.ppm --size 3", "convert image_f32.npy out.pfm", "convert slices out.npy --crop 2:30,1:20,3:9",
              "info volume_u8.npy", "info slices", "info colour.ppm", "info pores.npy --json j.json", "convert picture.pgm out.h5:/x --spacing 3nm",
              "phantom foam out.npy --size 40x30x20 --max-radius 6 --seed 3", "phantom octahedra out.npy --size 64x64x64 --max-radius 5",
              "element octagon:6", "element ball:3 out.npy", "element line:21@33", "open image_u8.npy", "open missing.npy out.npy",
              "median image_u8.npy out.npy --size 0", "erode image_u8.npy out.npy --element cube:3", "granulometry volume_u8.npy",
              "threshold image_u8.npy out.npy --method nonsense", "convert image_f32.npy out.bmp", "median image_f32.npy out.npy --border fit"]
    return lines


def all_commands() -> list[str]:
    return morphology() + medians() + sizes() + pages() + files()
