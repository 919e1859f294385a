"""The peers, each as its users call it, with what is needed to give our answer: neutral borders.

A peer is a function (operation, image, mask, spec) that returns a call to be timed; the call returns the answer."""

import numpy

EXTREMES = {"erode": ("highest",), "dilate": ("lowest",), "open": ("highest", "lowest"), "close": ("lowest", "highest")}


def extreme(dtype, which):
    if dtype == bool:
        return which == "highest"
    if numpy.issubdtype(dtype, numpy.floating):
        return numpy.inf if which == "highest" else -numpy.inf
    info = numpy.iinfo(dtype)
    return info.max if which == "highest" else info.min


def opencv(operation, image, mask, spec):
    import cv2

    kernel = mask.astype(numpy.uint8)
    name = {"erode": cv2.MORPH_ERODE, "dilate": cv2.MORPH_DILATE, "open": cv2.MORPH_OPEN, "close": cv2.MORPH_CLOSE}
    out = numpy.empty_like(image)
    return lambda: cv2.morphologyEx(image, name[operation], kernel, dst=out)


def opencv_stack(operation, image, mask, spec):
    """A stack of images, one call each."""
    calls = [opencv(operation, each, mask, spec) for each in image]

    def call():
        return numpy.stack([each() for each in calls]) if call.check else [each() for each in calls]

    call.check = True
    return call


def scipy(operation, image, mask, spec):
    from scipy import ndimage

    # A whole box is given by its size: SciPy then works axis by axis.
    shape = {"size": mask.shape} if mask.all() else {"footprint": mask}

    def call():
        answer = image
        for which in EXTREMES[operation]:
            function = ndimage.grey_erosion if which == "highest" else ndimage.grey_dilation
            answer = function(answer, mode="constant", cval=extreme(image.dtype, which), **shape)
        return answer

    return call


def scipy_binary(operation, image, mask, spec):
    from scipy import ndimage

    def call():
        answer = image
        for which in EXTREMES[operation]:
            if which == "highest":
                answer = ndimage.binary_erosion(answer, mask, border_value=1)
            else:
                answer = ndimage.binary_dilation(answer, mask)
        return answer

    return call


def skimage(operation, image, mask, spec):
    from skimage import morphology

    function = {"erode": morphology.erosion, "dilate": morphology.dilation, "open": morphology.opening,
                "close": morphology.closing}[operation]
    return lambda: function(image, mask, mode="ignore")


def diplib(operation, image, mask, spec):
    import diplib as dip

    name, size = spec.split(":")
    element = dip.SE(int(size), "rectangular") if name in ("square", "cube") else dip.SE(dip.Image(mask))
    function = {"erode": dip.Erosion, "dilate": dip.Dilation, "open": dip.Opening, "close": dip.Closing}[operation]
    border = {"erode": ["add max"], "dilate": ["add min"]}.get(operation, [])
    source = dip.Image(image)
    return lambda: function(source, element, border)
