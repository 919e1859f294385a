"""Images whose orientation is known at every sample: fringes and fibres, with noise added."""

import numpy

EDGE = 384


def fringes_of(phase, angle):
    """Bright where the phase is a whole number; the crests are where a user looks."""
    wave = numpy.cos(2 * numpy.pi * phase)
    return 128 + 60 * wave, numpy.degrees(angle) % 180, wave > 0.5


def rings():
    """Circles around the middle, 12 samples apart: every angle alike."""
    y, x = numpy.mgrid[:EDGE, :EDGE] - EDGE / 2 + 0.25
    radius = numpy.hypot(x, y)
    image, angle, crests = fringes_of(radius / 12, numpy.arctan2(-y, x) + numpy.pi / 2)
    return image, angle, crests & (radius > 40)  # inside they are too tight to be lines


def waves():
    """Fringes 10 samples apart that swing around the horizontal."""
    y, x = numpy.mgrid[:EDGE, :EDGE].astype(float)
    height = 30 * numpy.sin(2 * numpy.pi * x / 300)
    slope = 30 * 2 * numpy.pi / 300 * numpy.cos(2 * numpy.pi * x / 300)
    return fringes_of((y - height) / 10, numpy.arctan2(-slope, 1.0))


def fibres(count=70, seed=4):
    """Straight fibres with round flanks, 5 samples wide, on dark ground; at crossings the brighter one counts."""
    random = numpy.random.default_rng(seed)
    y, x = numpy.mgrid[:EDGE, :EDGE].astype(float)
    image = numpy.full((EDGE, EDGE), 40.0)
    angle = numpy.zeros((EDGE, EDGE))
    for _ in range(count):
        a, length = random.uniform(0, numpy.pi), random.uniform(50, 160)
        cx, cy = random.uniform(0, EDGE, 2)
        along = (x - cx) * numpy.cos(a) - (y - cy) * numpy.sin(a)
        across = (x - cx) * numpy.sin(a) + (y - cy) * numpy.cos(a)
        beyond = numpy.maximum(abs(along) - length / 2, 0)
        profile = 40 + random.uniform(100, 150) * numpy.exp(-(across**2 + beyond**2) / (2 * 1.5**2))
        angle = numpy.where(profile > image, numpy.degrees(a), angle)
        image = numpy.maximum(image, profile)
    return image, angle, image > 100


SCENES = {"rings": rings, "waves": waves, "fibres": fibres}


def noisy(image, sigma, seed=1):
    grey = image + sigma * numpy.random.default_rng(seed).standard_normal(image.shape)
    return numpy.clip(numpy.rint(grey), 0, 255).astype(numpy.uint8)


def angular_error(found, wanted):
    """Degrees, 0 to 90."""
    return abs((found - wanted + 90) % 180 - 90)
