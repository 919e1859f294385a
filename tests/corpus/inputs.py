"""The inputs of the corpus: small images and volumes of every type, made of whole numbers alone, so that each machine makes
the same bytes. Nothing here uses tamis: what it reads must not depend on what it writes."""
import pathlib

import numpy

TYPES = {"bool": numpy.bool_, "u8": numpy.uint8, "u16": numpy.uint16, "i16": numpy.int16, "f32": numpy.float32}
SHAPES = {"image": (61, 83), "volume": (13, 22, 37)}


def noise(shape: tuple[int, ...], seed: int) -> numpy.ndarray:
    """Numbers from 0 to 2^16 - 1 that look like noise: a linear congruential generator, its upper half."""
    state = numpy.uint64(seed * 7919 + 1)
    out = numpy.empty(int(numpy.prod(shape)), numpy.uint16)
    with numpy.errstate(over="ignore"):
        for i in range(out.size):
            state = state * numpy.uint64(6364136223846793005) + numpy.uint64(1442695040888963407)
            out[i] = state >> numpy.uint64(48)
    return out.reshape(shape)


def blobs(shape: tuple[int, ...], seed: int) -> numpy.ndarray:
    """Round bright things of several sizes on a dark ground, 0 to 200."""
    places = numpy.stack(numpy.indices(shape), -1).astype(numpy.int64)
    out = numpy.zeros(shape, numpy.int64)
    for i, number in enumerate(noise((12,), seed)):
        middle = [(int(number) >> 3 * axis) * 5 % n for axis, n in enumerate(shape)]
        radius = 2 + i % 6
        near = ((places - middle) ** 2).sum(-1) <= radius * radius
        out[near] = numpy.maximum(out[near], 80 + 10 * i)
    return out


def samples(kind: str, type_name: str) -> numpy.ndarray:
    shape = SHAPES[kind]
    seed = 1 + list(TYPES).index(type_name) + 10 * len(shape)
    grey = blobs(shape, seed) // 2 + noise(shape, seed + 100).astype(numpy.int64) % 64 + numpy.indices(shape)[-1] // 2
    if type_name == "bool":
        return grey > 75
    if type_name == "u16":
        return (grey * 257).astype(numpy.uint16)
    if type_name == "i16":
        return (grey * 100 - 9000).astype(numpy.int16)
    if type_name == "f32":
        return (grey.astype(numpy.float32) - 64) / 32
    return grey.astype(numpy.uint8)


def page() -> numpy.ndarray:
    """Broken dark lines on a light page that is turned a little."""
    paper = numpy.full((160, 200), 230, numpy.uint8)
    for line in range(8):
        for x in range(20, 180):
            y = 20 + 15 * line + (x * 3) // 80
            paper[y:y + 5, x] = 20 if (x * 7 + line * 5) % 11 else 230
    return paper


def make(folder: pathlib.Path) -> None:
    """Writes `KIND_TYPE.npy` for all, a binary volume `pores.npy`, a page `page.npy`, and a picture and a mask as PNM."""
    for kind in SHAPES:
        for type_name in TYPES:
            numpy.save(folder / f"{kind}_{type_name}.npy", samples(kind, type_name))
    pores = blobs((24, 40, 52), 5) > 0
    numpy.save(folder / "pores.npy", pores.astype(numpy.uint8) * 255)
    numpy.save(folder / "roi.npy", (noise((24, 40, 52), 9) > 9000).astype(numpy.uint8))
    numpy.save(folder / "page.npy", page())
    picture = samples("image", "u8")
    (folder / "picture.pgm").write_bytes(b"P5\n%d %d\n255\n" % picture.shape[::-1] + picture.tobytes())
    colour = numpy.stack([picture, picture[::-1], picture[:, ::-1]], -1)
    (folder / "colour.ppm").write_bytes(b"P6\n%d %d\n255\n" % picture.shape[::-1] + colour.tobytes())
    (folder / "raw_37x22x13_u16.raw").write_bytes(samples("volume", "u16").tobytes())
    slices = folder / "slices"
    slices.mkdir()
    for z, one in enumerate(samples("volume", "u8")):
        (slices / f"s{z:03}.pgm").write_bytes(b"P5\n%d %d\n255\n" % one.shape[::-1] + numpy.ascontiguousarray(one).tobytes())
