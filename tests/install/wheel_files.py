"""Files of independent programs for wheel.py, in the codings for which a wheel brings libraries: wheel_files.py FOLDER.
Beside each lies what is in it, as NAME.npy."""

import sys
from pathlib import Path

import h5py
import imagecodecs
import nibabel
import numpy
import tifffile
import zarr
from PIL import Image
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.encaps import encapsulate
from pydicom.uid import JPEG2000Lossless, JPEGLosslessSV1, JPEGLSLossless, MRImageStorage, RLELossless, generate_uid
from zarr.codecs import BloscCodec, ZstdCodec

SLICE = (numpy.add.outer(numpy.arange(40) ** 2, numpy.arange(50) * 7) % 4000).astype("uint16")
VOLUME = numpy.stack([SLICE + i for i in range(3)])


def hdf5(path, **options):
    with h5py.File(path, "w") as file:
        file.create_dataset("data", data=VOLUME, chunks=(1, 16, 32), **options)
    return VOLUME


def dicom(path, syntax, encode):
    meta = FileMetaDataset()
    meta.MediaStorageSOPClassUID, meta.MediaStorageSOPInstanceUID = MRImageStorage, generate_uid()
    meta.TransferSyntaxUID = syntax
    data = FileDataset(str(path), {}, file_meta=meta, preamble=bytes(128))
    data.SOPClassUID, data.SOPInstanceUID = meta.MediaStorageSOPClassUID, meta.MediaStorageSOPInstanceUID
    data.Rows, data.Columns = SLICE.shape
    data.SamplesPerPixel, data.PhotometricInterpretation = 1, "MONOCHROME2"
    data.BitsAllocated, data.BitsStored, data.HighBit, data.PixelRepresentation = 16, 16, 15, 0
    data.PixelSpacing = [0.5, 0.5]
    if encode:
        data.PixelData = encapsulate([encode(SLICE)])
        data["PixelData"].is_undefined_length = True
    else:
        data.compress(syntax, SLICE)
    data.save_as(path, enforce_file_format=True)
    return SLICE


def jpeg(path):
    Image.fromarray((SLICE >> 4).astype("uint8")).save(path, quality=90)
    return numpy.asarray(Image.open(path))


def make(folder):
    files = {}
    for kind in ("zlib", "lzw", "zstd", "lzma", "packbits"):
        files[f"{kind}.tif"] = VOLUME
        tifffile.imwrite(folder / f"{kind}.tif", VOLUME, compression=kind, photometric="minisblack")
    files["u16.png"] = SLICE
    Image.fromarray(SLICE).save(folder / "u16.png")
    files["grey.jpg"] = jpeg(folder / "grey.jpg")
    files["deflate.h5"] = hdf5(folder / "deflate.h5", compression="gzip", shuffle=True, fletcher32=True)
    if h5py.h5z.filter_avail(h5py.h5z.FILTER_SZIP):
        files["szip.h5"] = hdf5(folder / "szip.h5", compression="szip")
    codecs = {name: BloscCodec(cname=name) for name in ("blosclz", "lz4", "lz4hc", "zlib", "zstd")} | {"plain_zstd": ZstdCodec()}
    for name, codec in codecs.items():
        files[f"{name}.zarr"] = VOLUME
        zarr.create_array(store=folder / f"{name}.zarr", data=VOLUME, chunks=(1, 16, 32), compressors=codec)
    files["volume.nii.gz"] = VOLUME
    nibabel.save(nibabel.Nifti1Image(VOLUME.T, numpy.eye(4), dtype=VOLUME.dtype), folder / "volume.nii.gz")
    for name, syntax, encode in (
        ("rle", RLELossless, None),
        ("jpeg", JPEGLosslessSV1, imagecodecs.ljpeg_encode),
        ("jpeg_ls", JPEGLSLossless, imagecodecs.jpegls_encode),
        ("jpeg_2000", JPEG2000Lossless, lambda a: imagecodecs.jpeg2k_encode(a, codecformat="j2k", reversible=True, level=0)),
    ):
        files[f"{name}.dcm"] = dicom(folder / f"{name}.dcm", syntax, encode)
    for name, content in files.items():
        numpy.save(folder / f"{name}.npy", content)


if __name__ == "__main__":
    make(Path(sys.argv[1]))
