"""What other libraries call the functions that tamis has under names of its own (docs/coming_from)."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

# Each of ours with the names of SciPy, scikit-image, OpenCV, DIPlib, MATLAB, PoreSpy, CuPy and ImageJ.
_THEIRS = {
    "erode": "erosion binary_erosion grey_erosion isotropic_erosion imerode minimum minimum_filter Erosion",
    "dilate": "dilation binary_dilation grey_dilation isotropic_dilation imdilate maximum maximum_filter Dilation",
    "open": "opening binary_opening grey_opening isotropic_opening imopen Opening",
    "close": "closing binary_closing grey_closing isotropic_closing imclose Closing",
    "tophat": "white_tophat white_top_hat imtophat subtract_background",
    "bothat": "black_tophat black_top_hat imbothat",
    "gradient": "morphological_gradient",
    "hitmiss": "binary_hit_or_miss hit_or_miss bwhitmiss",
    "reconstruct": "reconstruction binary_propagation imreconstruct MorphologicalReconstruction",
    "median": "median_filter percentile_filter rank_filter medianBlur median_blur medfilt medfilt2 medfilt3 ordfilt2 MedianFilter "
    "PercentileFilter",
    "distance": "distance_transform distance_transform_edt distanceTransform edt bwdist EuclideanDistanceTransform",
    "thickness": "local_thickness trabecular_thickness",
    "granulometry": "pore_size_distribution pattern_spectrum Granulometry",
    "threshold": "imbinarize binarize apply_threshold",
    "threshold_value": "threshold_otsu threshold_li threshold_triangle threshold_isodata threshold_mean threshold_minimum otsu graythresh",
    "read": "imread load open_image io",
    "write": "imwrite imsave save",
    "resample": "zoom resize rescale",
    "convert": "astype img_as_ubyte img_as_uint img_as_float32 rescale_intensity",
}  # fmt: skip
OURS = {theirs: ours for ours, names in _THEIRS.items() for theirs in names.split()}


def no_attribute(name: str, known: Iterable[str]) -> AttributeError:
    """With the function that was meant, by its name elsewhere or by its letters."""
    near = difflib.get_close_matches(name, known, 1)
    meant = f"tamis.{OURS[name]}()" if name in OURS else f"tamis.{near[0]}" if near else ""
    advice = f"; tamis calls it {meant}" if name in OURS else f"; did you mean {meant}?" if meant else ""
    return AttributeError(f"tamis has no {name}{advice}")
