#!/usr/bin/env python3
"""Writes fuzz/TARGET/seeds: a small file for every kind of file that a target knows. Wants tests/requirements.txt."""

import bz2
import gzip
import io
import random
import re
import shutil
import struct
import sys
import tempfile
import zlib
from pathlib import Path

import h5py
import nibabel
import numcodecs
import numpy as np
import pydicom
import tifffile
import zarr as library
from PIL import Image
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.uid import DeflatedExplicitVRLittleEndian, ExplicitVRBigEndian, ExplicitVRLittleEndian, ImplicitVRLittleEndian

FUZZ = Path(__file__).resolve().parent
TYPES = ["?", "u1", "u2", "i2", "f4", "i1", "u4", "i4", "u8", "i8", "f8"]  # in the order of tamis::Type


def volume(dtype="u1", shape=(3, 4, 5)):
    return (np.arange(np.prod(shape)) * 7 % 251).reshape(shape).astype(dtype)


def saved(write):
    """The bytes that `write` puts into a file object."""
    stream = io.BytesIO()
    write(stream)
    return stream.getvalue()


def npy():
    for dtype in ["?", "u1", "<u2", ">i2", "<f4", ">f8", "<i8"]:
        yield dtype.strip("<>?") or "bool", saved(lambda s, d=dtype: np.save(s, volume(d)))
    for version in (2, 0), (3, 0):
        yield f"version{version[0]}", saved(lambda s, v=version: np.lib.format.write_array(s, volume("u2", (2, 3)), v))
    yield "fortran", saved(lambda s: np.save(s, np.asfortranarray(volume())))


def raw_head(index, flags, x, y, z):
    return bytes([index, flags, x, y, z])


def raw():
    for index, dtype in enumerate(TYPES):
        yield dtype.replace("?", "bool"), raw_head(index, 2 | index % 2, 5, 4, 3) + volume(dtype).tobytes()
    yield "flat", raw_head(1, 0, 5, 4, 0) + volume("u1", (4, 5)).tobytes()
    yield "huge", bytes([10, 6]) + struct.pack("<qqq", 1 << 40, 1 << 20, 1 << 10) + b"samples"
    yield "negative", bytes([1, 6]) + struct.pack("<qqq", -5, -4, 3) + b"samples"


def raw_gz():
    for index in (0, 1, 2, 10):
        packed = gzip.compress(volume(TYPES[index]).tobytes(), mtime=0)
        yield TYPES[index].replace("?", "bool"), raw_head(index, 2 | index % 2, 5, 4, 3) + packed
    half = [gzip.compress(part, mtime=0) for part in (bytes(30), bytes(30))]
    yield "members", raw_head(1, 2, 5, 4, 3) + half[0] + half[1]
    yield "stored", raw_head(1, 2, 5, 4, 3) + gzip.compress(bytes(60), 0, mtime=0)
    yield "damaged", raw_head(1, 2, 5, 4, 3) + half[0] + half[1][:-6]


def raw_name():
    for name in ["foam_600x600x250_u8.raw", "a-512x512-float32.vol.gz", "scan 3x4x5 16bit 2x2.raw", "x_bool_0x1.raw",
                 "long_bone.raw", "9223372036854775807x9223372036854775807x2_f64.raw", "f.1x2x3x4.u16"]:
        yield name.split("x")[0].replace(" ", "_")[:12] + str(len(name)), name.encode()


def pnm():
    grey = volume("u1", (4, 5)).tobytes()
    yield "P5", b"P5\n# made by hand\n5 4\n255\n" + grey
    yield "P5_16", b"P5 5 4 65535\n" + grey * 2
    yield "P6", b"P6 5 4 255\n" + grey * 3
    yield "P4", b"P4 10 2\n" + bytes([0xAA, 0x80, 0x55, 0x40])
    yield "P1", b"P1\n4 2\n1 0 1 0\n0101\n"
    yield "P2", b"P2\n3 2\n200\n1 2 3\n40 50 200\n"
    yield "P3", b"P3\n1 2\n9\n1 2 3\n4 5 9\n"


def pillow(mode, format_name, size=(5, 4), **options):
    bands = {"1": 1, "L": 1, "P": 1, "I;16": 2, "RGB": 3, "RGBA": 4, "LA": 2, "CMYK": 4}[mode]
    if mode == "1":
        image = Image.fromarray(volume("u1", size[::-1])).convert("1")
    elif mode == "P":
        image = Image.fromarray(volume("u1", size[::-1])).convert("RGB").quantize(8)
    else:
        image = Image.frombytes(mode, size, (bytes(range(250)) * 40)[:size[0] * size[1] * bands])
    return saved(lambda s: image.save(s, format_name, **options))


def png():
    for mode in "1", "L", "P", "I;16", "RGB", "RGBA", "LA":
        yield mode.replace(";", ""), pillow(mode, "PNG")
    head = struct.pack(">IIBBBBB", 9, 9, 8, 0, 0, 0, 1)
    rows = b"".join(b"\0" + bytes(width) for width, count in
                    ((2, 2), (1, 2), (3, 1), (2, 3), (5, 2), (4, 5), (9, 4)) for _ in range(count))
    chunks = (b"IHDR", head), (b"tRNS", b"\0\1"), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")
    yield "interlaced", b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks)


def jpeg():
    yield "grey", pillow("L", "JPEG", (17, 9))
    yield "colour", pillow("RGB", "JPEG", (17, 9), subsampling=2)
    yield "progressive", pillow("RGB", "JPEG", (17, 9), progressive=True)
    yield "cmyk", pillow("CMYK", "JPEG", (8, 8))
    yield "restart", pillow("L", "JPEG", (40, 17), restart_marker_blocks=1)


def tiff():
    def made(data, **options):
        return saved(lambda s: tifffile.imwrite(s, data, **options))

    yield "stack", made(volume("u2"), photometric="minisblack")
    yield "imagej", made(volume("u1"), imagej=True, resolution=(2, 2), metadata={"spacing": 3, "unit": "um"})
    yield "ome", made(volume("u1"), ome=True, metadata={"axes": "ZYX", "PhysicalSizeX": 1.5, "PhysicalSizeY": 1.5,
                                                         "PhysicalSizeZ": 2, "PhysicalSizeXUnit": "um"})
    yield "big", made(volume("f4"), bigtiff=True, photometric="minisblack", metadata=None)
    yield "msb", made(volume("i2"), byteorder=">", photometric="minisblack", metadata=None)
    yield "rgb", made(volume("u1", (4, 5, 3)), photometric="rgb", metadata=None)
    yield "planes", made(volume("u1", (3, 4, 5)), photometric="rgb", planarconfig="separate", metadata=None)
    yield "bits", made(volume("u1", (4, 21)) > 100, photometric="minisblack", metadata=None)
    yield "palette", made(volume("u1", (4, 5)), photometric="palette", metadata=None,
                          colormap=(np.arange(768).reshape(3, 256) * 85).astype("u2"))
    yield "tiles", made(volume("u2", (20, 21)), tile=(16, 16), photometric="minisblack", metadata=None)
    yield "bit_tiles", made(volume("u1", (17, 17)) > 100, tile=(16, 16), photometric="minisblack", metadata=None)
    for name in "packbits", "lzw", "zlib", "lzma", "zstd":
        yield name, made(volume("u2", (9, 8)), compression=name, rowsperstrip=4, photometric="minisblack",
                         metadata=None)
    yield "jpeg", made(volume("u1", (16, 16)), compression="jpeg", photometric="minisblack", metadata=None)
    yield "predictor", made(volume("u2", (9, 8)), compression="zlib", predictor=2, photometric="minisblack",
                            metadata=None)
    yield "float_predictor", made(volume("f4", (9, 8)), compression="lzw", predictor=3, photometric="minisblack",
                                  metadata=None)
    yield "white_is_zero", made(volume("u1", (4, 5)), photometric="miniswhite", metadata=None)


def tiff_text():
    yield "imagej", b"ImageJ=1.53t\nimages=3\nslices=3\nunit=micron\nspacing=2.5\nloop=false\n"
    yield "hyperstack", b"ImageJ=1.53t\nimages=6\nchannels=2\nslices=3\nhyperstack=true\nunit=um\n"
    yield "ome", (b'<?xml version="1.0"?><OME><Image ID="Image:0"><Pixels DimensionOrder="XYZCT" SizeX="2" SizeY="2" '
                  b'SizeZ="3" SizeC="1" SizeT="1" Type="uint8" PhysicalSizeX="1.5" PhysicalSizeXUnit="\xc2\xb5m" '
                  b'PhysicalSizeY="1.5" PhysicalSizeZ="2"><TiffData IFD="0" PlaneCount="3"/></Pixels></Image></OME>')
    yield "ome_times", (b'<OME><Image><Pixels DimensionOrder="XYTZC" SizeX="2" SizeY="2" SizeZ="1" SizeC="1" '
                        b'SizeT="3" Type="uint8" PhysicalSizeX="1"><TiffData IFD="1" FirstT="0" PlaneCount="1">'
                        b'<UUID FileName="other.ome.tif">urn:uuid:1</UUID></TiffData></Pixels></Image></OME>')
    yield "words", b"a text that says nothing of pages"


def hdf5():
    def made(fill, **options):
        def write(stream):
            with h5py.File(stream, "w", **options) as file:
                fill(file)
        return saved(write)

    def plain(file):
        file["data"] = volume("u2")
        file["data"].attrs["spacing"] = [2.0, 1.0, 1.0]
        file["data"].attrs["unit"] = "um"

    def packed(file):
        file.create_dataset("data", data=volume("u2"), chunks=(2, 4, 4), compression="gzip", shuffle=True,
                            fletcher32=True)

    def group(file):
        file.create_dataset("a/b/data", data=volume("f4", (3, 4)), track_times=False)
        file["a/b/data"].attrs["element_size_um"] = [1.0, 0.5]
        file["a/text"] = "no image"

    def flags(file):
        file["data"] = volume("u1") > 100

    def compact(file):
        space = h5py.h5s.create_simple((3, 4))
        properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        properties.set_layout(h5py.h5d.COMPACT)
        properties.set_obj_track_times(False)
        dataset = h5py.h5d.create(file.id, b"data", h5py.h5t.STD_I16BE, space, properties)
        dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, volume("i2", (3, 4)))

    def tree(file, **options):
        file.create_dataset("data", data=volume("u2", (6, 8, 9)), chunks=(2, 4, 3), **options)

    def growing(file):
        tree(file, maxshape=(None, 8, 9))

    def growing_twice(file):
        tree(file, maxshape=(None, None, 9), compression="gzip")

    def sparse(file):
        file.create_dataset("data", (40, 40), "f8", chunks=(8, 8), maxshape=(None, 40), fillvalue=3)

    yield "plain", made(plain)
    yield "plain_latest", made(plain, libver="latest")
    yield "packed_latest", made(packed, libver="latest")
    yield "group_latest", made(group, libver="latest")
    yield "flags_latest", made(flags, libver="latest")
    yield "compact_latest", made(compact, libver="latest")
    yield "sparse_latest", made(sparse, libver="latest")
    # The indexes of chunks: version 1 and 2 trees, fixed and extensible arrays.
    earliest = "earliest", "v110"
    latest = "v110", "v110"
    yield "tree", made(tree, libver=earliest)
    yield "packed_tree", made(packed, libver=earliest)
    yield "tree_behind_something", made(tree, libver=earliest, userblock_size=512)
    yield "fixed_array", made(tree, libver=latest)
    yield "extensible_array", made(growing, libver=latest)
    yield "tree_2", made(growing_twice, libver=latest)


def answers():
    """What the process says of an HDF5 file, as values lie in memory (src/io/confined)."""
    def text(words):
        return struct.pack("<I", len(words)) + words

    def opened(kind, shape, rank=3, channels=1):
        return (b"\0" + struct.pack("<BqqqiIi", kind, *shape, rank, 0, channels) + struct.pack("<ddd", 1, 1, 1) +
                text(b"um") + text(b"HDF5, /data"))

    def storage(kind, offset=0, chunk=(1, 1, 1), filters=(), width=1, swapped=0):
        return b"\0" + struct.pack("<BB6xqqqqi8s8s4xq", kind, swapped, offset, *chunk, len(filters), bytes(filters),
                                   bytes(8), width)

    def chunks(*places):
        return b"\0" + b"".join(struct.pack("<qqI4x", *place) for place in places)

    yield "contiguous", opened(1, (3, 4, 5)) + storage(1, 100)
    yield "swapped", opened(2, (3, 4, 5)) + storage(1, 100, width=2, swapped=1)
    yield "chunked", opened(1, (2, 4, 4)) + storage(2, chunk=(2, 4, 4)) + chunks((100, 32, 0)) * 2
    yield "deflated", opened(1, (2, 4, 4)) + storage(2, chunk=(2, 4, 4), filters=(1, 0)) + chunks((100, 30, 0))
    yield "library", opened(1, (3, 4, 5)) + storage(0) + b"\0\0\0"
    yield "refused", b"\1" + text(b"no image")
    yield "another_file", b"\4" + text(b"/etc/passwd") + opened(1, (1, 2, 2))


def hdf5_chunk():
    def head(filters, width):
        kinds = sum(kind << 2 * i for i, kind in enumerate(filters))
        return struct.pack("<BHBBBBB", len(filters), kinds, 0, [1, 2, 4, 8].index(width), 2, 3, 4)

    samples = volume("<u2").tobytes()
    shuffled = volume("<u2").view("u1").reshape(-1, 2).T.tobytes()
    yield "stored", head([], 2) + samples
    yield "deflate", head([0], 2) + zlib.compress(samples)
    yield "shuffle", head([1], 2) + shuffled
    yield "shuffle_deflate", head([1, 0], 2) + zlib.compress(shuffled)
    yield "short", head([0], 2) + zlib.compress(samples[:-1])
    yield "long", head([0], 2) + zlib.compress(samples + b"x")
    yield "fletcher", head([0, 2], 1) + zlib.compress(samples[:60]) + bytes(4)


def nrrd():
    head = b"NRRD0004\n# by hand\ntype: %s\ndimension: 3\nsizes: 5 4 3\nencoding: %s\nendian: %s\n"
    place = b"space: left-posterior-superior\nspace directions: (1,0,0) (0,1,0) (0,0,2)\nspace origin: (0,0,0)\n"
    yield "raw", head % (b"uint8", b"raw", b"little") + b"spacings: 1 1 2\n\n" + volume().tobytes()
    yield "big", head % (b"short", b"raw", b"big") + place + b"\n" + volume(">i2").tobytes()
    yield "gzip", head % (b"float", b"gzip", b"little") + b'units: "mm" "mm" "mm"\n\n' + gzip.compress(
        volume("f4").tobytes(), mtime=0)
    yield "bzip2", head % (b"short", b"bzip2", b"little") + b"\n" + bz2.compress(volume("i2").tobytes())
    yield "skip", head % (b"uchar", b"raw", b"little") + b"line skip: 1\nbyte skip: 2\n\na line\n..." + volume().tobytes()
    yield "end", head % (b"uchar", b"raw", b"little") + b"byte skip: -1\n\nanything" + volume().tobytes()


def nhdr():
    head = b"NRRD0004\ntype: uint8\ndimension: 2\nsizes: 8 8\nencoding: raw\n"
    yield "beside", head + b"data file: samples.raw\n"
    yield "folder", head + b"data file: ./samples.raw\nspacings: 1 2\n"
    yield "elsewhere", head + b"data file: ../samples.raw\n"
    yield "absolute", head + b"data file: /etc/passwd\n"
    yield "skip", head.replace(b"8 8", b"8 4") + b"byte skip: -1\ndata file: samples.raw\n"
    yield "list", head + b"data file: LIST\nsamples.raw\n"


def meta():
    head = (b"ObjectType = Image\nNDims = 3\nBinaryData = True\nBinaryDataByteOrderMSB = %s\nCompressedData = %s\n"
            b"DimSize = 5 4 3\nElementSpacing = 1 1 2\nElementType = %s\n%sElementDataFile = LOCAL\n")
    yield "raw", head % (b"False", b"False", b"MET_UCHAR", b"") + volume().tobytes()
    yield "big", head % (b"True", b"False", b"MET_SHORT", b"DistanceUnits = um\n") + volume(">i2").tobytes()
    packed = zlib.compress(volume("f4").tobytes())
    yield "zlib", head % (b"False", b"True", b"MET_FLOAT", b"CompressedDataSize = %d\n" % len(packed)) + packed


def nifti_bytes(dtype, slope=None, big=False):
    header = nibabel.Nifti1Header(endianness=">" if big else "<")
    image = nibabel.Nifti1Image(volume(dtype), np.diag([1, 1, 2, 1]), header)
    image.header.set_xyzt_units("mm")
    if slope:
        image.header.set_slope_inter(slope, 1)
    return image.to_bytes()


def nifti():
    yield "u1", nifti_bytes("u1")
    yield "i2", nifti_bytes("i2")
    yield "f4", nifti_bytes("f4")
    yield "big", nifti_bytes("i2", big=True)
    data = bytearray(nifti_bytes("i2"))
    data[112:120] = struct.pack("<ff", 2.5, -3)
    yield "slope", bytes(data)
    header = nibabel.Nifti2Header(endianness=">")
    yield "version2", nibabel.Nifti2Image(volume("i2"), np.diag([1, 1, 2, 1]), header).to_bytes()
    yield "times", nibabel.Nifti1Image(np.stack([volume("i2")] * 3, axis=-1), np.eye(4)).to_bytes()


def nifti_pair():
    for name, data in nifti():
        data = bytearray(data[:540 if name == "version2" else 348])
        at = 4 if name == "version2" else 344
        data[at : at + 2] = b"ni"
        yield name, bytes(data)


def nifti_gz():
    for name, data in nifti():
        yield name, gzip.compress(data, mtime=0)


def dicom_bytes(syntax, dtype="u2", frames=1, table=None):
    meta = FileMetaDataset()
    meta.MediaStorageSOPClassUID = "1.2.840.10008.5.1.4.1.1.2"
    meta.MediaStorageSOPInstanceUID = "1.2.3.4"
    meta.TransferSyntaxUID = syntax
    data = FileDataset(None, {}, file_meta=meta, preamble=bytes(128))
    data.SOPClassUID, data.SOPInstanceUID, data.SeriesInstanceUID = meta.MediaStorageSOPClassUID, "1.2.3.4", "1.2.3"
    data.Modality = "CT"
    data.Rows, data.Columns, data.SamplesPerPixel, data.PhotometricInterpretation = 4, 5, 1, "MONOCHROME2"
    bits = np.dtype(dtype).itemsize * 8
    data.BitsAllocated, data.BitsStored, data.HighBit, data.PixelRepresentation = bits, bits, bits - 1, 0
    data.PixelSpacing, data.ImagePositionPatient = [1.5, 1.5], [0, 0, 3]
    data.ImageOrientationPatient = [1, 0, 0, 0, 1, 0]
    if frames > 1:
        data.NumberOfFrames = frames
    if table is not None:
        data.ModalityLUTSequence = [pydicom.Dataset()]
        data.ModalityLUTSequence[0].add_new(0x00283002, "US", [len(table), 1, 16])
        data.ModalityLUTSequence[0].add_new(0x00283006, "US", table)
    inner = pydicom.Dataset()
    inner.CodeValue = "1"
    data.ConceptNameCodeSequence = [inner]
    data["ConceptNameCodeSequence"].is_undefined_length = True
    data.PixelData = volume(dtype, (frames, 4, 5)).tobytes()
    data["PixelData"].VR = "OW"
    return saved(lambda s: pydicom.dcmwrite(s, data, enforce_file_format=True, little_endian=syntax.is_little_endian,
                                            implicit_vr=syntax.is_implicit_VR))


def dicom():
    yield "explicit", dicom_bytes(ExplicitVRLittleEndian)
    yield "implicit", dicom_bytes(ImplicitVRLittleEndian)
    yield "big", dicom_bytes(ExplicitVRBigEndian)
    yield "frames", dicom_bytes(ExplicitVRLittleEndian, "u1", 3)
    padding = bytes.fromhex("fcfffcff") + b"OB\0\0\4\0\0\0" + bytes(10)
    yield "behind", dicom_bytes(ExplicitVRLittleEndian) + padding
    yield "deflated", dicom_bytes(DeflatedExplicitVRLittleEndian)
    yield "table", dicom_bytes(ExplicitVRLittleEndian, "u1", 1, [7, 5, 300, 9])


ZARR_NAMES = re.findall(r'"([^"]+)"', re.search(r"names\{(.*?)\}", (FUZZ / "zarr/zarr_fuzz.cpp").read_text(), re.S)[1])


def zarr_store(write):
    """The files of a store that `write` makes, as the target takes them."""
    with tempfile.TemporaryDirectory() as folder:
        write(folder)
        files = {str(path.relative_to(folder)): path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}
    return b"".join(struct.pack("<BH", ZARR_NAMES.index(name), len(files[name])) + files[name] for name in sorted(files) if name in ZARR_NAMES)


def zarr():
    codecs = library.codecs
    for name, compressor in (("stored", None), ("gzip", numcodecs.GZip()), ("zlib", numcodecs.Zlib()), ("zstd", numcodecs.Zstd()),
                             ("blosc", numcodecs.Blosc("lz4")), ("bitshuffle", numcodecs.Blosc("zstd", shuffle=2))):
        yield f"v2_{name}", zarr_store(lambda folder, c=compressor: library.create_array(
            folder, data=volume("u2"), chunks=(3, 4, 5), zarr_format=2, compressors=c, order="F" if c is None else "C"))
    for name, compressors in (("stored", None), ("gzip", codecs.GzipCodec()), ("zstd", [codecs.ZstdCodec(), codecs.Crc32cCodec()]),
                              ("blosc", codecs.BloscCodec(cname="zlib"))):
        yield f"v3_{name}", zarr_store(lambda folder, c=compressors: library.create_array(
            folder, data=volume("f4", (4, 5)), chunks=(4, 5), compressors=c))
    yield "shards", zarr_store(lambda folder: library.create_array(
        folder, data=volume("u1", (4, 4)), chunks=(2, 2), shards=(4, 4), filters=codecs.TransposeCodec(order=(1, 0))))
    for version in (2, 3):
        def image(folder, version=version):
            group = library.create_group(folder, zarr_format=version)
            group.create_array("0", data=volume("?", (1, 4, 5)), chunks=(1, 4, 5), compressors=None)
            axes = [{"name": "c"}, *({"name": axis, "unit": "micrometer"} for axis in "yx")]
            scale = [{"type": "scale", "scale": [1, 2, 0.5]}]
            images = {"multiscales": [{"axes": axes, "datasets": [{"path": "0", "coordinateTransformations": scale}]}]}
            group.attrs.update(images if version == 2 else {"ome": {"version": "0.5", **images}})

        yield f"image_{version}", zarr_store(image)


def element():
    for text in ["square:5", "rect:7x3", "cube:5", "box:5x5x3", "cross:2", "disk:4.5", "ball:4", "circle:6",
                 "octagon:6", "hexagon:6.5", "line:11@30", "line:11@30,45", "file:mask.png@0,2", "file:mask.3@1,1,0",
                 "reflect(disk:3)", "shift(line:5@30,1,-2)", "shift(shift(cube:3,1,2,3),0,1)",
                 "square:3+line:9@45+(cross:1+disk:2)", "reflect(file:a+b.png)+disk:1.5",
                 "shift(square:3,1073741824,-1073741824,5)", "((((square:3))))", "file:m.png@9223372036854775807,0"]:
        yield re.sub(r"[^a-z0-9]+", "_", text)[:40], text.encode()


OPTIONS = ["2.5", "12", "600x600x250", "256", "1x1x2um", "10:200", "11,21,41", "line@30", "1.5G", "10:20", "otsu",
           "float32", "constant:7", "shrink", "7x3", "50", "traced", "cuda:1", "0:10,5:20,0:3"]


def option():
    for index, text in enumerate(OPTIONS):
        yield text.translate(str.maketrans(":,@.", "____")), bytes([ord("a") + index]) + text.encode()


# Operations in the order of tamis_operations(), each with parameters.
CALLS = [("granulometry", "threshold=otsu map=size"), ("size_map", "threshold=99 element=square"),
         ("thickness", "threshold=99 element=disk border=neutral"), ("porosimetry", "threshold=99 inlet=y- map=radius"),
         ("distance", "threshold=99 squared=true"), ("threshold", "band=10:90"), ("threshold_value", "method=li"),
         ("convert", "as=i16 window=0:50"), ("resample", "voxel=2um interpolation=linear"),
         ("erode", "element=disk:3 border=reflect"), ("dilate", "element=line:9@30 border=wrap"),
         ("open", "element=square:3 by_reconstruction=true"), ("close", "element=cross:2 border=constant:7"),
         ("gradient", "element=cross:1"), ("tophat", "element=octagon:6"), ("bothat", "element=rect:7x3"),
         ("hitmiss", ""), ("asf", ""), ("reconstruct", "by=dilation connectivity=face"), ("median", "size=5x3 percentile=25"),
         ("smooth", ""), ("remove_outliers", "size=3 border=mirror"), ("orientation", "length=11,21 angles=12"),
         ("deskew", "expand=true"), ("skew", ""), ("rotate", "degrees=30 expand=true"),
         ("phantom foam", "size=32 max_radius=6"), ("phantom octahedra", "size=64 max_radius=6")]  # fmt: skip


def c_call():
    for index, (name, parameters) in enumerate(CALLS):
        lines = [word for pair in parameters.split() for word in pair.split("=", 1)]
        for kind in range(3):
            head = bytearray(32)
            head[0:3] = index, (1, 2, 4)[kind], kind % 2  # u8 images, u16 volumes, f32 images
            head[3:6] = (1, 20, 22) if kind != 1 else (9, 12, 14)
            head[6:9] = head[12:15] = (0, 66, 0) if kind == 0 else (32, 0, 160)  # pitches; backwards and every other one
            head[10] = 2 if kind < 2 else 14  # to memory of the caller; to that of the image
            head[19:22] = (204,) * 3 if kind != 2 else (0,) * 3  # voxels are 1 um long
            head[22], head[23] = index, 254 * (kind == 1)
            yield f"{name.replace(' ', '_')}_{kind}", bytes(head) + "\n".join(lines).encode()


def cpp_call():
    """What a call is given is drawn from bytes, so that any will do."""
    for index in range(64):
        yield f"any_{index}", random.Random(index).randbytes(120)


def unfinished():
    sound = zlib.crc32(b"a" * 12)  # of what the target finds in its part
    whole = b"tamis ledger 2\npart 0\njob {\"command\":\"open\"}\nslices 1\nbytes 12\nchecksum %d\n" % sound
    yield "whole", whole
    yield "another_version", whole.replace(b"ledger 2", b"ledger 1")
    yield "two_slabs", whole + b"slices 2\nbytes 24\nchecksum 7\n"
    yield "negative", whole.replace(b"slices 1", b"slices -1")
    yield "huge", whole.replace(b"bytes 12", b"bytes 9223372036854775807")
    yield "cut", whole[:30]
    yield "further_line", whole + b"slices 3\n"


def part():
    whole = b'{"job":"foam.tif","begin":0,"end":64,"tally":"74616d69732074616c6c7920310a02056e6576657201000a72656d6f7665642062790300090400","never_value":0,"type":"u8","checksum":5}'
    yield "whole", whole
    yield "negative", whole.replace(b"64", b"-4")
    yield "fraction", whole.replace(b"5}", b"5.5}")
    yield "huge", whole.replace(b"64,", b"18446744073709551615,")
    yield "cut", whole.replace(b"00090400", b"0009")
    yield "text", whole.replace(b"7461", b"zz61")


def bmp():
    for mode in "1", "L", "P", "RGB", "RGBA":
        yield mode, pillow(mode, "BMP")


def mrc():
    """A header of 1024 bytes, which mrcfile would write with the time of the day."""
    for name, mode, dtype in (("i8", 0, "i1"), ("i16", 1, "<i2"), ("f32", 2, "<f4"), ("u16", 6, "<u2"), ("f16", 12, "<f2"), ("big", 1, ">i2")):
        order = ">" if name == "big" else "<"
        head = struct.pack(order + "10i6f3i", 5, 4, 3, mode, 0, 0, 0, 5, 4, 3, 10, 8, 6, 90, 90, 90, 1, 2, 3)
        head = head.ljust(208, b"\0") + b"MAP " + (b"\x11\x11\0\0" if order == ">" else b"DA\0\0")
        yield name, head.ljust(1024, b"\0") + volume(dtype).tobytes()
    yield "extended", head[:92] + struct.pack(">i", 16) + head[96:].ljust(928, b"\0") + bytes(16) + volume(">i2").tobytes()


def plot_text():
    yield "name", b"foam 'of' glass.tif"
    yield "letters", "naïve µ…🦴.tif".encode() + b"\xff\n"


TARGETS = [npy, raw, raw_gz, raw_name, pnm, png, jpeg, bmp, mrc, tiff, tiff_text, hdf5, answers, hdf5_chunk, nrrd, nhdr, meta, nifti, nifti_gz, nifti_pair, dicom,
           zarr, element, option, plot_text, unfinished, part, c_call, cpp_call]


def main():
    total = 0
    for target in TARGETS:
        folder = FUZZ / target.__name__ / "seeds"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name, data in target():
            assert not (folder / name).exists(), (target.__name__, name)
            (folder / name).write_bytes(data)
            total += len(data)
    print(f"{total} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
