"""Small images under the names of files that pages of pictures speak of, where these cannot be fetched by their commands.

All other pages make their files, or fetch them, and are followed word for word."""

import functools

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


def image(name, part=numpy.s_[:]):
    return lambda path: tamis.write(path, numpy.ascontiguousarray(getattr(skimage.data, name)()[part]))


def large(path):
    tifffile.imwrite(path, numpy.tile(blobs(), (4, 3, 3))[:130, :128, :128], photometric="minisblack")


def turned(path):
    tamis.write(path, tamis.rotate(skimage.data.page(), 7, fill=200))


FILES = {
    "brick.png": image("brick", numpy.s_[:240, :240]), "camera.png": image("camera", numpy.s_[:240, :220]),
    "coins.png": image("coins", numpy.s_[:300, 40:280]), "fibres.tif": large,
    "finger.png": image("grass", numpy.s_[:180, :160]), "gravel.png": image("gravel", numpy.s_[:256, :240]),
    "mri.png": image("camera", numpy.s_[:210, :150]), "page.png": image("page"),
    "retina.png": image("retina", numpy.s_[150:450, 420:660, 1]), "sky.png": image("hubble_deep_field", numpy.s_[560:860, 480:720, 1]),
    "text.png": image("text"), "turned.png": turned, "wall.png": image("brick"),
    "whorl.png": image("grass", numpy.s_[:200, :200]),
}
