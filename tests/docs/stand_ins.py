"""Small images under the names of files that pages speak of without saying where they come from.

A page whose commands read another file needs a line here, or says how the file is made. The tour and the pages of
docs/howto have no stand-ins: they are followed word for word."""

import functools

import h5py
import numpy
import skimage
import tamis
import tifffile
from scipy import ndimage


@functools.cache
def blobs(shape=(40, 48, 50)):
    """A scan of dark and bright, with grain."""
    random = numpy.random.default_rng(3)
    smooth = ndimage.gaussian_filter(random.normal(size=shape), 3)
    return (128 + 60 * numpy.sign(smooth) + random.normal(0, 8, shape)).clip(0, 255).astype("u1")


def write_scan(path):
    tifffile.imwrite(path, blobs(), imagej=True, resolution=(1, 1), metadata={"spacing": 2.5, "unit": "um", "axes": "ZYX"})


def write_slices(path):
    path.mkdir()
    for z, plane in enumerate(blobs()):
        tamis.write(path / f"{z:03}.png", plane)


def write_hdf5(path):
    with h5py.File(path, "w") as file:
        file["exchange/data"] = blobs()


def write_zarr(path):
    import zarr

    group = zarr.open_group(path, mode="w")
    axes = [{"name": axis, "type": "space", "unit": "micrometer"} for axis in "zyx"]
    datasets = []
    for level, step in (("0", 1), ("1", 2)):
        group.create_array(level, data=blobs()[::step, ::step, ::step].astype("u2") * 170, chunks=(16, 32, 32))
        scale = [{"type": "scale", "scale": [float(step)] * 3}]
        datasets.append({"path": level, "coordinateTransformations": scale})
    group.attrs["multiscales"] = [{"version": "0.4", "axes": axes, "datasets": datasets}]


def write_samples(path):
    path.mkdir()
    for number in range(2):
        tifffile.imwrite(path / f"{number}.tif", blobs()[:20 + number], photometric="minisblack")


def image(name, part=numpy.s_[:], bits=False):
    def write(path):
        picture = getattr(skimage.data, name)()[part]
        picture = tamis.threshold(picture, "otsu") if bits else picture
        if path.suffix == ".jpg":
            from PIL import Image

            Image.fromarray(picture).save(path, quality=95)
        else:
            tamis.write(path, numpy.ascontiguousarray(picture))

    return write


def volume(path):
    tifffile.imwrite(path, blobs(), photometric="minisblack")


def bits(path):
    tifffile.imwrite(path, (blobs() > 128).astype("u1") * 255, photometric="minisblack")


def large(path):
    tifffile.imwrite(path, numpy.tile(blobs(), (4, 3, 3))[:130, :128, :128], photometric="minisblack")


def noisy(path):
    picture = skimage.data.camera()[:240, :220].copy()
    chance = numpy.random.default_rng(1).random(picture.shape)
    picture[chance < 0.125], picture[chance > 0.875] = 0, 255
    tamis.write(path, picture)


def music(path):
    sheet = numpy.full((600, 500), 230, "u1")
    for staff in range(80, 520, 90):
        for line in range(5):
            sheet[staff + 10 * line:staff + 10 * line + 2, 40:460] = 30
    tamis.write(path, tamis.rotate(sheet, 4.2, fill=230))


def book(path):
    page = skimage.data.page()
    tamis.write(path, numpy.stack([page, page[:, ::-1]]))


FILES = {
    "scan_64x48x40_u16.raw": lambda path: blobs((40, 48, 64)).astype("<u2").__mul__(170).tofile(path),
    "foam.tif": volume, "bone.tif": volume, "rock.tif": volume, "volume.tif": volume, "huge.tif": large,
    "pores.tif": bits, "scan.tif": write_scan, "slices/": write_slices, "samples/": write_samples,
    "cement.h5": write_hdf5, "scan.ome.zarr": write_zarr, "fibres.tif": large,
    "photo.png": image("camera", numpy.s_[100:300, 100:300]), "noisy.png": noisy, "page.png": image("page"),
    "scan.png": image("page"), "turned.png": music, "book.tif": book, "music.png": music, "roads.tif": bits,
    "fingerprint.jpg": image("brick", numpy.s_[:200, :200]), "texture.png": image("grass", numpy.s_[:200, :200]),
    "whorl.png": image("grass", numpy.s_[:200, :200]), "brick.png": image("brick", numpy.s_[:240, :240]),
    "wall.png": image("brick"), "coins.png": image("coins", numpy.s_[:300, 40:280]),
    "text.png": image("text"), "sky.png": image("hubble_deep_field", numpy.s_[560:860, 480:720, 1]),
    "retina.png": image("retina", numpy.s_[150:450, 420:660, 1]), "gravel.png": image("gravel", numpy.s_[:256, :240]),
    "finger.png": image("grass", numpy.s_[:180, :160]), "mri.png": image("camera", numpy.s_[:210, :150]),
}
