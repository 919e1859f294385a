"""Angular spectra of textures: where openings remove least, and where a Fourier spectrum has its energy."""

import numpy
import tamis
from scipy import ndimage, signal

TEXTURES = ("brick.png", "grass.png", "quanfima_polymer_slice.tif")
LENGTH = 31
WAVELENGTHS = (4, 40)  # samples: from grain to what segments of this length see
SMOOTHING = 4  # degrees: Fourier spectra of one image are rough


def fourier_spectrum(image):
    """Energy of the lines that run at each whole degree; waves lie across them."""
    edge = min(image.shape)
    square = image[:edge, :edge].astype(float)
    window = numpy.hanning(edge)
    power = abs(numpy.fft.fftshift(numpy.fft.fft2((square - square.mean()) * numpy.outer(window, window)))) ** 2
    y, x = numpy.mgrid[:edge, :edge] - edge // 2
    radius = numpy.hypot(x, y) / edge
    ring = (radius >= 1 / WAVELENGTHS[1]) & (radius <= 1 / WAVELENGTHS[0])
    angle = (numpy.degrees(numpy.arctan2(-y, x)) + 90) % 180
    bins = numpy.rint(angle[ring]).astype(int) % 180
    energy = numpy.bincount(bins, power[ring], 180) / numpy.bincount(bins, minlength=180)
    return ndimage.gaussian_filter1d(energy, SMOOTHING, mode="wrap")


def peaks(values, least=0.25):
    """Angles of the maxima that stand out by `least` of the whole range, the highest first."""
    found, _ = signal.find_peaks(numpy.tile(values, 3), prominence=least * numpy.ptp(values))  # directions go round
    return sorted((int(at) - 180 for at in found if 180 <= at < 360), key=lambda at: -values[at])


def compare(path):
    image = tamis.read(path)
    removed = {}
    for name, dark in (("bright", False), ("dark", True)):
        for lines in ("invariant", "traced"):
            found = tamis.orientation(image, LENGTH, dark=dark, lines=lines)
            removed[f"{name}_{lines}"] = {
                "dominant": found.dominant and round(found.dominant, 2),
                "peaks": peaks(ndimage.gaussian_filter1d(-found.spectrum, SMOOTHING, mode="wrap"))}
    fourier = fourier_spectrum(image)
    return {"fourier_peaks": peaks(fourier), "fourier_highest": int(fourier.argmax()), **removed}
