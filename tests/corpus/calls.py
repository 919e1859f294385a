"""The calls from Python: the operations of `commands.py` on arrays, by the parameters that they say they have."""
from collections.abc import Callable, Iterator

import numpy

import tamis
from inputs import page, samples

FILTERS = ["erode", "dilate", "open", "close", "gradient", "tophat", "bothat", "asf", "hitmiss", "median", "smooth", "remove_outliers"]
IMAGES = [(kind, type_name) for kind in ("image", "volume") for type_name in ("bool", "u8", "u16", "i16", "f32")]
Call = tuple[str, Callable[[], object]]


def filters() -> Iterator[Call]:
    borders = ["reflect", "mirror", "nearest", "wrap", None]
    for name in FILTERS:
        for i, (kind, type_name) in enumerate(IMAGES):
            image = samples(kind, type_name)
            options: dict[str, object] = {} if name not in ("remove_outliers",) else {"threshold": 1}
            if borders[i % 5]:
                options["border"] = borders[i % 5]
            function = getattr(tamis, name)
            yield f"{name} {kind} {type_name} {options}", lambda f=function, a=image, o=options: f(a, **o)
            if name in ("erode", "open", "median"):
                yield f"{name} {kind} {type_name} strided", lambda f=function, a=image: f(a[..., ::-2])
                yield f"{name} {kind} {type_name} transposed", lambda f=function, a=image: f(a.T)


def others() -> Iterator[Call]:
    pores = samples("volume", "bool")
    for kind, type_name in IMAGES:
        image = samples(kind, type_name)
        yield f"reconstruct {kind} {type_name}", lambda a=image: tamis.reconstruct(numpy.minimum(a, a[..., ::-1]), a)
        yield f"resample {kind} {type_name}", lambda a=image: tamis.resample(a, "2um", spacing=tuple(range(1, a.ndim + 1)), unit="um")
        if type_name != "bool":
            for method in ("otsu", "li", "kapur", "minimum", "triangle", "isodata", "mean"):
                yield f"threshold_value {kind} {type_name} {method}", lambda a=image, m=method: tamis.threshold_value(a, method=m)
    for element in ("cross", "cube", "square", "disk", "ball"):
        yield f"granulometry {element}", lambda e=element: tamis.granulometry(pores, element=e)
        yield f"size_map {element}", lambda e=element: tamis.size_map(pores, element=e)
        yield f"granulometry of a phase {element}", lambda e=element: tamis.granulometry(pores, element=e, phase="dark", border="neutral")
    for element in ("ball", "disk"):
        for measure in ("radius", "diameter"):
            yield f"thickness {element} {measure}", lambda e=element, m=measure: tamis.thickness(pores, element=e, measure=m)
    yield "porosimetry", lambda: tamis.porosimetry(pores)
    yield "distance", lambda: tamis.distance(pores)
    yield "distance in units", lambda: tamis.distance(pores, spacing=(3, 2, 1))
    yield "orientation", lambda: tamis.orientation(samples("image", "u8"))
    yield "skew", lambda: tamis.skew(page())
    yield "deskew", lambda: tamis.deskew(page())
    yield "rotate", lambda: tamis.rotate(samples("image", "u8"), 10)


def all_calls() -> list[Call]:
    return [*filters(), *others()]
