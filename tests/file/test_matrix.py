"""One meaning of files: what other programs and tamis write is the same image, shape and voxel for the program, Python and C."""

import gzip
import json

import h5py
import nibabel
import numpy
import pydicom
import pytest
import SimpleITK
import tamis as package
import tifffile
import zarr
from PIL import Image

import tamis_c

RANDOM = numpy.random.default_rng(11)
TYPES = ["uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float32", "float64"]
EDGES = (2.5, 0.8, 0.7)  # z, y, x
SHAPE = (5, 9, 11)


def samples(dtype, shape=SHAPE):
    if dtype == "bool":
        return RANDOM.random(shape) > 0.5
    if numpy.dtype(dtype).kind == "f":
        return (RANDOM.random(shape) * 1000 - 300).astype(dtype)
    limits = numpy.iinfo(dtype)
    return RANDOM.integers(max(limits.min, -(2**40)), min(limits.max, 2**40), shape, dtype)


def itk(path, array, compressed=False):
    image = SimpleITK.GetImageFromArray(array)
    image.SetSpacing(EDGES[::-1][: array.ndim])
    SimpleITK.WriteImage(image, str(path), compressed)
    return array, ("mm", EDGES[-array.ndim:])


def nifti(path, array, version=1):
    kind = nibabel.Nifti1Image if version == 1 else nibabel.Nifti2Image
    image = kind(array.T, numpy.diag([*EDGES[::-1], 1]), dtype=array.dtype)
    image.header.set_xyzt_units("mm")
    nibabel.save(image, path)
    return array, ("mm", EDGES)


def numpy_file(path, array):
    numpy.save(path, array)
    return array.astype("f4") if array.dtype == "f2" else array, None


def raw(path, array, order="<"):
    content = array.astype(array.dtype.newbyteorder(order)).tobytes()
    path.write_bytes(gzip.compress(content) if path.name.endswith(".gz") else content)
    return array, None


def hdf5(path, array, **options):
    with h5py.File(path, "w") as file:
        stored = file.create_dataset("data", data=array, **options)
        stored.attrs["element_size_um"] = EDGES
    return array.astype("f4") if array.dtype == "f2" else array, ("um", EDGES[-array.ndim:])


def zarr_array(path, array, **options):
    zarr.create_array(store=path, data=array, **options)
    return array.astype("f4") if array.dtype == "f2" else array, None


def ome_zarr(path, array, version):
    group = zarr.create_group(path, zarr_format=2 if version == "0.4" else 3)
    group.create_array("0", data=array, chunks=(2, 4, 8))
    axes = [{"name": axis, "type": "space", "unit": "micrometer"} for axis in "zyx"]
    steps = [{"type": "scale", "scale": list(EDGES)}]
    image = {"axes": axes, "datasets": [{"path": "0", "coordinateTransformations": steps}]}
    group.attrs.update({"multiscales": [{"version": "0.4", **image}]} if version == "0.4"
                       else {"ome": {"version": "0.5", "multiscales": [image]}})
    return array, ("um", EDGES)


def tiff(path, array, **options):
    options.setdefault("photometric", "minisblack")
    if options.get("imagej"):
        options |= {"metadata": {"axes": "ZYX", "spacing": EDGES[0], "unit": "um"}, "resolution": (1 / EDGES[2], 1 / EDGES[1])}
    tifffile.imwrite(path, array, **options)
    voxel = ("um", EDGES) if options.get("imagej") else None
    return array.astype("f4") if array.dtype == "f2" else array, voxel


def ome_tiff(path, array, one_by_one=False):
    sizes = {f"PhysicalSize{axis}": edge for axis, edge in zip("ZYX", EDGES, strict=True)}
    if one_by_one:
        with tifffile.TiffWriter(path) as file:
            for plane in array:
                file.write(plane, contiguous=False, photometric="minisblack", metadata={"axes": "YX"} | {key: sizes[key] for key in sizes if key[12] != "Z"})
        return array, None
    tifffile.imwrite(path, array, photometric="minisblack", metadata={"axes": "ZYX", **sizes})
    return array, ("um", EDGES)


def picture(path, array, **options):
    Image.fromarray(array).save(path, **options)
    return array, None


def dicom(path, array, *, deflated=False, table=None):
    from pydicom.dataset import FileDataset, FileMetaDataset

    meta = FileMetaDataset()
    meta.MediaStorageSOPClassUID, meta.MediaStorageSOPInstanceUID = pydicom.uid.MRImageStorage, pydicom.uid.generate_uid()
    meta.TransferSyntaxUID = pydicom.uid.ExplicitVRLittleEndian
    file = FileDataset(str(path), {}, file_meta=meta, preamble=bytes(128))
    file.SOPClassUID, file.SOPInstanceUID = meta.MediaStorageSOPClassUID, meta.MediaStorageSOPInstanceUID
    file.Rows, file.Columns = array.shape[-2:]
    if array.ndim == 3:
        file.NumberOfFrames, file.SpacingBetweenSlices = len(array), EDGES[0]
    file.SamplesPerPixel, file.PhotometricInterpretation = 1, "MONOCHROME2"
    file.BitsAllocated = file.BitsStored = 8 * array.itemsize
    file.HighBit, file.PixelRepresentation = file.BitsStored - 1, int(array.dtype.kind == "i")
    file.PixelSpacing = [EDGES[1], EDGES[2]]
    file.PixelData = array.tobytes()
    if table is not None:
        file.ModalityLUTSequence = [pydicom.Dataset()]
        file.ModalityLUTSequence[0].add_new(0x00283002, "US", [len(table), 0, 16])
        file.ModalityLUTSequence[0].add_new(0x00283006, "OW", table.tobytes())
        array = table[array]
    if deflated:
        meta.TransferSyntaxUID = pydicom.uid.DeflatedExplicitVRLittleEndian
    pydicom.dcmwrite(path, file, enforce_file_format=True)
    return array, None


FILES = {}
for _type in [*TYPES, "bool", "float16"]:
    FILES[f"{_type}.npy"] = (numpy_file, samples(_type))
    FILES[f"{_type}.h5"] = (hdf5, samples(_type))
    FILES[f"{_type}_3.zarr"] = (zarr_array, samples(_type), {"chunks": (2, 4, 8)})
    FILES[f"{_type}_2.zarr"] = (zarr_array, samples(_type), {"chunks": (2, 4, 8), "zarr_format": 2})
    if _type != "bool":
        FILES[f"{_type}.tif"] = (tiff, samples(_type))
        FILES[f"{_type}_zip.tif"] = (tiff, samples(_type), {"compression": "zlib", "predictor": _type != "float16" and numpy.dtype(_type).itemsize <= 4})
for _type in TYPES:
    FILES[f"little_11x9x5_{_type}.raw"] = (raw, samples(_type))
    FILES[f"packed_11x9x5_{_type}.raw.gz"] = (raw, samples(_type))
    FILES[f"{_type}_itk.nrrd"] = (itk, samples(_type))
    FILES[f"{_type}_itk_packed.nrrd"] = (itk, samples(_type), {"compressed": True})
    FILES[f"{_type}_itk.mha"] = (itk, samples(_type))
    FILES[f"{_type}_itk_packed.mha"] = (itk, samples(_type), {"compressed": True})
    FILES[f"{_type}.nii"] = (nifti, samples(_type))
    FILES[f"{_type}.nii.gz"] = (nifti, samples(_type), {"version": 2})
    FILES[f"{_type}_tiles.tif"] = (tiff, samples(_type, (3, 40, 50)), {"tile": (16, 32), "compression": "zlib"})
    FILES[f"{_type}_big_endian.tif"] = (tiff, samples(_type), {"byteorder": ">"})
FILES |= {
    "flat.npy": (numpy_file, samples("uint16", (9, 11))),
    "fortran.npy": (numpy_file, numpy.asfortranarray(samples("int16"))),
    "swapped.npy": (numpy_file, samples("float32").astype(">f4")),
    "flat.tif": (tiff, samples("uint16", (9, 11))),
    "flat.h5": (hdf5, samples("uint16", (9, 11))),
    "chunks.h5": (hdf5, samples("uint16"), {"chunks": (2, 4, 8), "compression": "gzip", "shuffle": True}),
    "checked.h5": (hdf5, samples("float32"), {"chunks": (2, 4, 8), "fletcher32": True}),
    "lzf.h5": (hdf5, samples("uint16", (40, 50, 60)) // 5000, {"chunks": (16, 32, 32), "compression": "lzf"}),
    "shuffled_lzf.h5": (hdf5, samples("float32"), {"chunks": (2, 4, 8), "compression": "lzf", "shuffle": True, "fletcher32": True}),
    "swapped_lzf.h5": (hdf5, samples("uint16").astype(">u2") // 5000, {"chunks": (2, 4, 8), "compression": "lzf"}),
    "swapped.h5": (hdf5, samples("float64").astype(">f8")),
    "shards.zarr": (zarr_array, samples("uint16", (8, 16, 16)), {"chunks": (2, 4, 8), "shards": (4, 16, 16)}),
    "blosc.zarr": (zarr_array, samples("uint16"), {"chunks": (2, 4, 8), "compressors": zarr.codecs.BloscCodec()}),
    "old.ome.zarr": (ome_zarr, samples("uint16"), {"version": "0.4"}),
    "new.ome.zarr": (ome_zarr, samples("uint16"), {"version": "0.5"}),
    "bits.tif": (tiff, samples("bool"), {"photometric": "minisblack"}),
    "imagej.tif": (tiff, samples("uint16"), {"imagej": True}),
    "imagej_f32.tif": (tiff, samples("float32"), {"imagej": True}),
    "big.tif": (tiff, samples("uint16"), {"bigtiff": True}),
    "lzw.tif": (tiff, samples("uint16"), {"compression": "lzw", "predictor": True}),
    "zstd.tif": (tiff, samples("uint16"), {"compression": "zstd"}),
    "packbits.tif": (tiff, samples("uint8"), {"compression": "packbits"}),
    "volume.ome.tif": (ome_tiff, samples("uint16")),
    "one_by_one.ome.tif": (ome_tiff, samples("uint16"), {"one_by_one": True}),
    "u8.png": (picture, samples("uint8", (9, 11))), "u16.png": (picture, samples("uint16", (9, 11))),
    "bits.png": (picture, samples("bool", (9, 11))), "u8.pgm": (picture, samples("uint8", (9, 11))),
    "u16.dcm": (dicom, samples("uint16")), "i16.dcm": (dicom, samples("int16")), "u8.dcm": (dicom, samples("uint8")),
    "deflated.dcm": (dicom, samples("int16"), {"deflated": True}),
    "table.dcm": (dicom, samples("uint8"), {"table": numpy.arange(256, dtype="uint16") ** 2 // 3}),
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("files")


def made(folder, name):
    maker, array, *options = FILES[name]
    return maker(folder / name, array, **(options[0] if options else {}))


def by_program(tamis, path, target, *flags):
    tamis("convert", path, target, "--quiet", *flags)
    told = json.loads(tamis("info", path, "--quiet", "--json", "/dev/stdout", *flags).stdout)
    edges = told["spacing"] and tuple(told["spacing"][axis] for axis in "zyx")
    array = numpy.load(target)
    assert told["shape"] == "x".join(map(str, array.shape[::-1])), told
    return array, edges and (told["spacing"]["unit"], edges[-array.ndim:])


def by_c(path, **parameters):
    with tamis_c.Context() as context:
        handle = tamis_c.c_void_p()
        tamis_c.check(tamis_c.LIBRARY.tamis_read(context, str(path).encode(), tamis_c.texts(parameters), tamis_c.byref(handle)))
        try:
            view = tamis_c.View()
            tamis_c.check(tamis_c.LIBRARY.tamis_result_image(handle, 0, None, tamis_c.byref(view)))
            edges = tuple(view.spacing)[-view.rank:]
            unit = view.unit.decode() if view.unit else ""
            return tamis_c.Result(handle).images["out"], (unit, edges) if unit else None
        finally:
            tamis_c.LIBRARY.tamis_result_free(handle)


def by_python(path, **options):
    array, told = package.read(path, **options), package.info(path, **options)
    assert (told["shape"], told["dtype"], told["spacing"]) == (array.shape, array.dtype.name, array.spacing)
    return numpy.asarray(array), array.spacing and (array.unit, array.spacing)


def same_voxel(got, wanted):
    if wanted is None or got is None:
        return got == wanted
    return got[0] == wanted[0] and got[1] == pytest.approx(wanted[1], rel=1e-6)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", FILES)
def test_all_front_ends_read_the_same(name, folder, tamis):
    array, voxel = made(folder, name)
    array = array.astype(array.dtype.newbyteorder("="))
    path = folder / name
    seen = {"program": by_program(tamis, path, folder / "out.npy"), "Python": by_python(path), "C": by_c(path)}
    for who, (got, its_voxel) in seen.items():
        assert got.dtype == array.dtype and got.shape == array.shape, (who, got.dtype, got.shape)
        numpy.testing.assert_array_equal(got, array, err_msg=who)
        if name.endswith(".dcm"):
            assert its_voxel[0] == "mm" and its_voxel[1][1:] == pytest.approx(EDGES[1:]), (who, its_voxel)
        else:
            assert same_voxel(its_voxel, voxel), (who, its_voxel, voxel)


WRITTEN = ["w.npy", "w_11x9x5.raw", "w_11x9x5.raw.gz", "w.tif", "w.h5", "w.zarr", "w.nrrd", "w.mha", "w.nii", "w.nii.gz"]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.parametrize("dtype", [*TYPES, "bool"])
def test_what_python_writes_all_read_with_its_voxel(name, dtype, tmp_path, tamis):
    short = {"uint8": "u8", "int8": "i8", "uint16": "u16", "int16": "i16", "uint32": "u32", "int32": "i32", "uint64": "u64",
             "int64": "i64", "float32": "f32", "float64": "f64", "bool": "u8"}[dtype]
    path = tmp_path / name.replace("x5.raw", f"x5_{short}.raw")
    image = package.CalibratedArray(samples(dtype), EDGES, "um")
    package.write(path, image)
    keeps = not name.endswith((".npy", ".raw", ".raw.gz"))
    wanted = numpy.asarray(image)
    if dtype == "bool" and not name.endswith((".npy", ".zarr")):
        wanted = wanted * numpy.uint8(255)
    for got, voxel in (by_program(tamis, path, tmp_path / "out.npy"), by_python(path), by_c(path)):
        assert got.dtype == wanted.dtype
        numpy.testing.assert_array_equal(got, wanted)
        factor = {"um": 1, "mm": 1e3}[voxel[0]] if keeps else 1
        assert tuple(edge * factor for edge in voxel[1]) == pytest.approx(EDGES, rel=1e-6) if keeps else voxel is None


@pytest.mark.parametrize(("name", "options"), [("rgb.png", {}), ("rgb.tif", {}), ("rgb_zip.tif", {"compression": "tiff_deflate"})])
def test_colours_are_the_same_for_all(name, options, tmp_path, tamis):
    colours = RANDOM.integers(0, 255, (20, 30, 3), "u1")
    Image.fromarray(colours).save(tmp_path / name, **options)
    numpy.testing.assert_array_equal(package.read(tmp_path / name), colours)
    for channel in ("0", "2", "luma"):
        results = [by_program(tamis, tmp_path / name, tmp_path / "out.npy", "--channel", channel)[0],
                   by_python(tmp_path / name, channel=channel)[0], by_c(tmp_path / name, channel=channel)[0]]
        for one in results[1:]:
            numpy.testing.assert_array_equal(one, results[0])
        if channel != "luma":
            numpy.testing.assert_array_equal(results[0], colours[..., int(channel)])
