"""The compiled part of tamis."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar, overload

import matplotlib.axes
import numpy
import numpy.typing
import pandas

import tamis._orientation
import tamis._porosimetry
import tamis._thickness


_Sample = TypeVar("_Sample", numpy.bool_, numpy.uint8, numpy.uint16, numpy.int16, numpy.float32)
_Type = TypeVar("_Type", bound=numpy.generic)

class InputError(ValueError):
    """
    A parameter, an array or a file that cannot be used; one line: what, got, wanted.
    """

class ResourceError(RuntimeError):
    """
    The machine cannot do it: too little memory, no GPU, a package that is missing.
    """

def threshold(image: numpy.typing.ArrayLike, threshold: float | str | tuple[float, float] | None = 'otsu', *, phase: Literal['bright', 'dark'] = 'bright', roi: str | numpy.typing.ArrayLike | None = None, crop: str | slice | tuple[slice, ...] | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[numpy.bool_]:
    """
    Grey values to True and False.

    Parameters
    ----------
    image : array, shape (y, x) or (z, y, x)
        The image or volume. Any real type. Any view, read-only too; Dask, Zarr and HDF5 arrays are read chunk by chunk.
    threshold : float, str or (float, float)
        Bright is above V, or above LO and not above HI, or above the value that a method chooses: otsu, li, kapur,
        minimum, triangle, isodata, mean; an image of two values needs none. None: the larger of the image's two values.
    phase : {'bright', 'dark'}
        The object is what lies above the threshold, or the rest (pores of a scan are mostly dark).
    roi : str or array, optional
        'cylinder', the disk inscribed in each slice, or an array that is not 0 inside, of the image's shape or one
        slice for all. Only what is inside counts, also for the choice of a threshold.
    crop : str or tuple of slice, optional
        'x0:x1,y0:y1,z0:z1', half open, x first; or slices in the order of the axes, as numpy.s_[z0:z1, y0:y1, x0:x1].
        Slicing the image does the same, but the cylinder stays that of the whole slice.
    out : array, optional
        Where to write, of the result's shape and type (or float64 of float64), any strides; the image is allowed.
    device : str
        'auto' (a GPU where there is one and the work is large enough to pay for it), 'cpu', 'cuda' or 'cuda:N',
        'cuda:0,2' or 'cuda:all' for several that share the work.
    threads : int
        Threads to use; 0: all cores.
    memory, device_memory : int or str
        Limits for working memory in bytes or as '4G'; the work is cut into slabs that fit. 0: what is there.
    simd : {'best', 'avx512', 'avx2', 'portable'}
        Results do not depend on it.
    progress : bool or callable, optional
        True draws a bar with tqdm; a function is called with (stage, done, total), total 0 where not known.

    Returns
    -------
    array of bool, shape of the image

    Raises
    ------
    InputError
        For NaN, colour, masked arrays, a constant image with a method, an `out` of another shape.

    See Also
    --------
    threshold_value : the value that a method chooses: bright is above it

    Examples
    --------
    >>> import numpy, tamis
    >>> image = numpy.array([[10, 20, 200], [15, 210, 220]], numpy.uint8)
    >>> tamis.threshold(image, "otsu").astype(int)
    array([[0, 0, 1],
           [0, 1, 1]])
    >>> int(tamis.threshold(image, (12, 200), phase="dark").sum())
    3
    """

def threshold_value(image: numpy.typing.ArrayLike, method: Literal['otsu', 'li', 'kapur', 'minimum', 'triangle', 'isodata', 'mean'] = 'otsu', *, roi: str | numpy.typing.ArrayLike | None = None, crop: str | slice | tuple[slice, ...] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> float:
    """
    The value that a method chooses: bright is above it.

    Whole numbers of any type that span at most 65,536 values are counted by value. Of others, otsu, li and isodata are
    those of the samples themselves, and the histogram of kapur, minimum and triangle has bins that outliers do not
    change.

    Parameters
    ----------
    image : array, shape (y, x) or (z, y, x)
        The image or volume. Any real type. Any view, read-only too; Dask, Zarr and HDF5 arrays are read chunk by chunk.
    method : {'otsu', 'li', 'kapur', 'minimum', 'triangle', 'isodata', 'mean'}
        Choose the value: otsu, li, kapur, minimum, triangle, isodata, mean.
    roi : str or array, optional
        'cylinder', the disk inscribed in each slice, or an array that is not 0 inside, of the image's shape or one
        slice for all. Only what is inside counts, also for the choice of a threshold.
    crop : str or tuple of slice, optional
        'x0:x1,y0:y1,z0:z1', half open, x first; or slices in the order of the axes, as numpy.s_[z0:z1, y0:y1, x0:x1].
        Slicing the image does the same, but the cylinder stays that of the whole slice.
    device : str
        'auto' (a GPU where there is one and the work is large enough to pay for it), 'cpu', 'cuda' or 'cuda:N',
        'cuda:0,2' or 'cuda:all' for several that share the work.
    threads : int
        Threads to use; 0: all cores.
    memory, device_memory : int or str
        Limits for working memory in bytes or as '4G'; the work is cut into slabs that fit. 0: what is there.
    simd : {'best', 'avx512', 'avx2', 'portable'}
        Results do not depend on it.
    progress : bool or callable, optional
        True draws a bar with tqdm; a function is called with (stage, done, total), total 0 where not known.

    Returns
    -------
    float

    Raises
    ------
    InputError
        For NaN, a constant image, and where a method has no answer.

    See Also
    --------
    threshold : make a grey image black and white, and say at which value

    References
    ----------
    N. Otsu 1979; C. H. Li, C. K. Lee 1993; J. N. Kapur, P. K. Sahoo, A. K. C. Wong 1985; J. M. S. Prewitt, M. L.
    Mendelsohn 1966 (minimum); G. W. Zack, W. E. Rogers, S. A. Latt 1977 (triangle); T. W. Ridler, S. Calvard 1978
    (isodata).

    Examples
    --------
    >>> import numpy, tamis
    >>> tamis.threshold_value(numpy.array([[10, 20, 200], [15, 210, 220]], numpy.uint8), "mean")
    112.5
    """

@overload
def convert(image: numpy.typing.ArrayLike, dtype: type[_Type] | numpy.dtype[_Type], window: str | tuple[float, float] | None = None, *, crop: str | slice | tuple[slice, ...] | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[_Type]: ...

@overload
def convert(image: numpy.typing.ArrayLike, dtype: Literal['u8', 'uint8'], window: str | tuple[float, float] | None = None, *, crop: str | slice | tuple[slice, ...] | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[numpy.uint8]: ...

@overload
def convert(image: numpy.typing.ArrayLike, dtype: Literal['u16', 'uint16'], window: str | tuple[float, float] | None = None, *, crop: str | slice | tuple[slice, ...] | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[numpy.uint16]: ...

@overload
def convert(image: numpy.typing.ArrayLike, dtype: Literal['i16', 'int16'], window: str | tuple[float, float] | None = None, *, crop: str | slice | tuple[slice, ...] | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[numpy.int16]: ...

@overload
def convert(image: numpy.typing.ArrayLike, dtype: Literal['f32', 'float32'], window: str | tuple[float, float] | None = None, *, crop: str | slice | tuple[slice, ...] | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[numpy.float32]: ...

@overload
def convert(image: numpy.typing.ArrayLike, dtype: numpy.typing.DTypeLike, window: str | tuple[float, float] | None = None, *, crop: str | slice | tuple[slice, ...] | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[Any]:
    """
    Another sample type.

    Without a window values are kept: rounded half away from zero and clamped to the range of the type. With one, LO to
    HI becomes the whole range of an integer type, or 0 to 1 for f32, linearly, clamped.

    Parameters
    ----------
    image : array, shape (y, x) or (z, y, x)
        The image or volume. Any real type. Any view, read-only too; Dask, Zarr and HDF5 arrays are read chunk by chunk.
    dtype : dtype or str
        'u8', 'u16', 'i16' or 'f32', or their NumPy types.
    window : (float, float) or str, optional
        Map these values onto the whole range of the type (0 to 1 for f32).
    crop : str or tuple of slice, optional
        'x0:x1,y0:y1,z0:z1', half open, x first; or slices in the order of the axes, as numpy.s_[z0:z1, y0:y1, x0:x1].
        Slicing the image does the same, but the cylinder stays that of the whole slice.
    out : array, optional
        Where to write, of the result's shape and type (or float64 of float64), any strides; the image is allowed.
    device : str
        'auto' (a GPU where there is one and the work is large enough to pay for it), 'cpu', 'cuda' or 'cuda:N',
        'cuda:0,2' or 'cuda:all' for several that share the work.
    threads : int
        Threads to use; 0: all cores.
    memory, device_memory : int or str
        Limits for working memory in bytes or as '4G'; the work is cut into slabs that fit. 0: what is there.
    simd : {'best', 'avx512', 'avx2', 'portable'}
        Results do not depend on it.
    progress : bool or callable, optional
        True draws a bar with tqdm; a function is called with (stage, done, total), total 0 where not known.

    Returns
    -------
    array of `dtype`, shape of the image

    Raises
    ------
    InputError
        For NaN that would become an integer without a window (with one it becomes 0), and for other types.

    Examples
    --------
    >>> import numpy, tamis
    >>> tamis.convert(numpy.array([[-0.2, 0.5, 1.4]]), "u8", (0, 1))
    array([[  0, 128, 255]], dtype=uint8)
    """

@overload
def resample(image: numpy.typing.NDArray[_Type], voxel: str | float | Sequence[float], *, interpolation: Literal['nearest', 'linear', 'cubic'] | None = None, spacing: str | float | Sequence[float] | None = None, unit: str = '', crop: str | slice | tuple[slice, ...] | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[_Type]: ...

@overload
def resample(image: numpy.typing.ArrayLike, voxel: str | float | Sequence[float], *, interpolation: Literal['nearest', 'linear', 'cubic'] | None = None, spacing: str | float | Sequence[float] | None = None, unit: str = '', crop: str | slice | tuple[slice, ...] | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[Any]:
    """
    Make voxels of other sides; the image keeps its length.

    Samples of the result lie in the middles of the new voxels, the outer edges at the low ends stay where they are.
    Where voxels become larger, what is smaller than they are is left to chance.

    Parameters
    ----------
    image : array, shape (y, x) or (z, y, x)
        The image or volume. Any real type. Any view, read-only too; Dask, Zarr and HDF5 arrays are read chunk by chunk.
    voxel : str, float or sequence
        Edges of the new voxels: '2um', '1x1x2um' (x first); or numbers in the order of the axes, in the unit of those
        of the image.
    interpolation : {'nearest', 'linear', 'cubic'}, optional
        What lies between samples: nearest, for masks and labels; linear; cubic convolution of Keys (a = -1/2,
        Catmull-Rom). Nothing is smoothed before. Without it linear, of bits nearest.
    spacing : str, float or sequence, optional
        Edges of a voxel: '2.5um', '1x1x2um' (x first); or numbers along the axes (z, y, x), with `unit` or as a ratio.
    unit : str
        'nm', 'um', 'mm', 'cm' or 'm', where `spacing` is a number.
    crop : str or tuple of slice, optional
        'x0:x1,y0:y1,z0:z1', half open, x first; or slices in the order of the axes, as numpy.s_[z0:z1, y0:y1, x0:x1].
        Slicing the image does the same, but the cylinder stays that of the whole slice.
    out : array, optional
        Where to write, of the result's shape and type (or float64 of float64), any strides; the image is allowed.
    device : str
        'auto' (a GPU where there is one and the work is large enough to pay for it), 'cpu', 'cuda' or 'cuda:N',
        'cuda:0,2' or 'cuda:all' for several that share the work.
    threads : int
        Threads to use; 0: all cores.
    memory, device_memory : int or str
        Limits for working memory in bytes or as '4G'; the work is cut into slabs that fit. 0: what is there.
    simd : {'best', 'avx512', 'avx2', 'portable'}
        Results do not depend on it.
    progress : bool or callable, optional
        True draws a bar with tqdm; a function is called with (stage, done, total), total 0 where not known.

    Returns
    -------
    CalibratedArray of the type of the image, which knows its new voxels; of a tensor a tensor

    Raises
    ------
    InputError
        For voxels whose sides are not known, and where there is something between bits or 64-bit whole numbers.

    Examples
    --------
    >>> import numpy, tamis
    >>> wide = tamis.resample(numpy.array([[0, 10, 20]], numpy.uint8), "1um", spacing=(1, 2), unit="um")
    >>> wide.tolist(), wide.spacing, wide.unit
    ([[0, 3, 8, 13, 18, 20]], (1.0, 1.0), 'um')
    """

@overload
def distance(image: numpy.typing.ArrayLike, threshold: float | str | tuple[float, float] | None = None, *, border: Literal['background', 'neutral'] = 'background', phase: Literal['bright', 'dark'] = 'bright', roi: str | numpy.typing.ArrayLike | None = None, crop: str | slice | tuple[slice, ...] | None = None, by_slices: bool = False, squared: Literal[False] = False, spacing: str | float | Sequence[float] | None = None, unit: str = '', out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[numpy.float32]: ...

@overload
def distance(image: numpy.typing.ArrayLike, threshold: float | str | tuple[float, float] | None = None, *, border: Literal['background', 'neutral'] = 'background', phase: Literal['bright', 'dark'] = 'bright', roi: str | numpy.typing.ArrayLike | None = None, crop: str | slice | tuple[slice, ...] | None = None, by_slices: bool = False, squared: Literal[True], spacing: str | float | Sequence[float] | None = None, unit: str = '', out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[numpy.unsignedinteger[Any]]: ...

@overload
def distance(image: numpy.typing.ArrayLike, threshold: float | str | tuple[float, float] | None = None, *, border: Literal['background', 'neutral'] = 'background', phase: Literal['bright', 'dark'] = 'bright', roi: str | numpy.typing.ArrayLike | None = None, crop: str | slice | tuple[slice, ...] | None = None, by_slices: bool = False, squared: bool = False, spacing: str | float | Sequence[float] | None = None, unit: str = '', out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[Any]:
    """
    At every voxel of the object the distance to the background.

    The exact Euclidean distance from the middle of a voxel to the middle of the nearest voxel of the background, 0 on
    the background itself, in voxels or in the unit of their size. Squares are whole numbers, so the result is the same
    on every machine. Voxels may be longer one way than another: their sides are told as whole numbers whose ratios are
    within a millionth of those that are given, 103, 103 and 250 for 0.206x0.206x0.5.

    Parameters
    ----------
    image : array, shape (y, x) or (z, y, x)
        The image or volume. Any real type. Any view, read-only too; Dask, Zarr and HDF5 arrays are read chunk by chunk.
    threshold : float, str or (float, float), optional
        Bright is above V, or above LO and not above HI, or above the value that a method chooses: otsu, li, kapur,
        minimum, triangle, isodata, mean; an image of two values needs none.
    border : {'background', 'neutral'}
        What lies outside: background, or nothing that has a distance.
    phase : {'bright', 'dark'}
        The object is what lies above the threshold, or the rest (pores of a scan are mostly dark).
    roi : str or array, optional
        'cylinder', the disk inscribed in each slice, or an array that is not 0 inside, of the image's shape or one
        slice for all. Only what is inside counts, also for the choice of a threshold.
    crop : str or tuple of slice, optional
        'x0:x1,y0:y1,z0:z1', half open, x first; or slices in the order of the axes, as numpy.s_[z0:z1, y0:y1, x0:x1].
        Slicing the image does the same, but the cylinder stays that of the whole slice.
    by_slices : bool
        Each slice of a volume for itself.
    squared : bool
        Squares instead, whole numbers in sides of a voxel: u16, or u32 and u64 where they are larger.
    spacing : str, float or sequence, optional
        Edges of a voxel: '2.5um', '1x1x2um' (x first); or numbers along the axes (z, y, x), with `unit` or as a ratio.
    unit : str
        'nm', 'um', 'mm', 'cm' or 'm', where `spacing` is a number.
    out : array, optional
        Where to write, of the result's shape and type (or float64 of float64), any strides; the image is allowed.
    device : str
        'auto' (a GPU where there is one and the work is large enough to pay for it), 'cpu', 'cuda' or 'cuda:N',
        'cuda:0,2' or 'cuda:all' for several that share the work.
    threads : int
        Threads to use; 0: all cores.
    memory, device_memory : int or str
        Limits for working memory in bytes or as '4G'; the work is cut into slabs that fit. 0: what is there.
    simd : {'best', 'avx512', 'avx2', 'portable'}
        Results do not depend on it.
    progress : bool or callable, optional
        True draws a bar with tqdm; a function is called with (stage, done, total), total 0 where not known.

    Returns
    -------
    array of float32, shape of the image; with `squared` of uint16, or uint32 and uint64 where needed

    Raises
    ------
    InputError
        For a threshold that the image has not, sides that are not above 0, an `out` of another type.

    See Also
    --------
    granulometry : the size distribution of pores or grains

    References
    ----------
    A. Meijster, J. B. T. M. Roerdink, W. H. Hesselink, "A general algorithm for computing distance transforms in linear
    time", 2000.

    Examples
    --------
    >>> import numpy, tamis
    >>> image = numpy.array([[0, 1, 1, 1, 1, 0]], bool)
    >>> tamis.distance(image, border="neutral")
    array([[0., 1., 2., 2., 1., 0.]], dtype=float32)
    """

class Sizes:
    """
    The size distribution of an object, as `granulometry` gives it.

    Arrays have an entry for each size n = 0, 1, ... (of balls with `sizes` for 0 and these). Opening n is by n unit elements; a size is that of an element, which is
    2n+1 voxels wide. Pictures: `plot()`, and in a notebook the object itself. Tables: `to_pandas()`.
    """

    @property
    def size(self) -> numpy.typing.NDArray[numpy.int64]:
        """
        The size n of each entry: 0, 1, 2 ...; with `sizes` 0 and these. Array of int64.
        """

    @property
    def curve(self) -> numpy.typing.NDArray[Any]:
        """
        Voxels left after opening n; curve[0] is the object. Array of int64. Of grey=True the sum of grey values; float64 where the image is float32.
        """

    @property
    def spectrum(self) -> numpy.typing.NDArray[Any]:
        """
        curve[n] - curve[n+1]: voxels of size n; in the last entry what is left. Sums to curve[0]. Array of the type of curve (Maragos 1989).
        """

    @property
    def fraction(self) -> numpy.typing.NDArray[numpy.float64]:
        """curve / curve[0]; 0 for an empty object. Array of float64."""

    @property
    def width(self) -> numpy.typing.NDArray[numpy.float64] | None:
        """
        Extent of the element, 2n+1 voxels, in `unit`. Array of float64; None where voxels are anisotropic.
        """

    @property
    def predominant(self) -> int | None:
        """
        The size of the largest spectrum, the smallest such size; None where nothing was sieved.
        """

    @property
    def unsieved_share(self) -> float:
        """
        Share of the object that has no size, for max_size ended before it or because it never erodes. It is in the last entry; the figures are those of the rest.
        """

    @property
    def mean(self) -> float | None:
        """Mean size, weighted by the spectrum, or None."""

    @property
    def std(self) -> float | None:
        """Standard deviation of the size, weighted by the spectrum, or None."""

    def percentile(self, percent: float) -> int | None:
        """
        The smallest size n such that at least `percent` % of what was sieved has a size of at most n, or None.
        """

    @property
    def d10(self) -> int | None:
        """percentile(10)"""

    @property
    def d50(self) -> int | None:
        """percentile(50)"""

    @property
    def d90(self) -> int | None:
        """percentile(90)"""

    @property
    def border_share(self) -> float:
        """
        Share of the object's voxels in the outermost layer of the domain, where sizes may be cut short.
        """

    @property
    def limited(self) -> bool:
        """Whether max_size ended the sizes; the last entry is all that is left."""

    @property
    def never_empties(self) -> bool:
        """
        Neutral border: whether a part of the object never erodes. It is in the last entry, not in the figures.
        """

    @property
    def thickness(self) -> tamis._thickness.Thickness | None:
        """
        Of element='ball' and 'disk': mean, standard deviation and maximum of the radius, the diameter (2R, as BoneJ) and the width (2R - 1) over all voxels of the object. None of other elements, and where no radius is finite.
        """

    @property
    def spacing(self) -> tuple[float, float, float]:
        """Edges of a voxel (z, y, x) in `unit`."""

    @property
    def unit(self) -> str:
        """
        'um', 'mm' ...; 'units' of a spacing without a unit; '' where the voxel size is not known and widths are in voxels.
        """

    @property
    def element(self) -> str:
        """The unit element."""

    @property
    def border(self) -> str:
        """What lay outside."""

    @property
    def grey_base(self) -> float | None:
        """
        Of grey=True the grey value that sums count from, the lowest (phase dark: the highest); otherwise None.
        """

    @property
    def device(self) -> str:
        """What computed it: 'cpu', 'cuda:0'."""

    def to_pandas(self) -> pandas.DataFrame:
        """The table: index size; columns width, volume, fraction, spectrum."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def plot(self, ax: matplotlib.axes.Axes | None = None) -> matplotlib.axes.Axes:
        """
        Draws the spectrum as bars and what is left as a line. Returns the axes; without `ax` of a new figure.
        """

    def __len__(self) -> int: ...

    def __eq__(self, arg: object, /) -> bool: ...

    def __getstate__(self) -> tuple[list[int], int, bool, bool, tuple[float, float, float], str, int, str, str, str, tuple[float, float, bool] | None, tuple[float, float, float, float] | None, list[int]]: ...

    def __setstate__(self, arg: tuple[Sequence[int], int, bool, bool, tuple[float, float, float], str, int, str, str, str, tuple[float, float, bool] | None, tuple[float, float, float, float] | None, Sequence[int]], /) -> None: ...

def granulometry(image: numpy.typing.ArrayLike, threshold: float | str | tuple[float, float] | None = None, *, element: str | numpy.typing.ArrayLike = 'cross', border: Literal['background', 'neutral'] = 'background', phase: Literal['bright', 'dark'] = 'bright', roi: str | numpy.typing.ArrayLike | None = None, crop: str | slice | tuple[slice, ...] | None = None, max_size: int | None = None, algorithm: Literal['recursion', 'paper'] = 'recursion', spacing: str | float | Sequence[float] | None = None, unit: str = '', convention: Literal['tamis', 'porespy', 'fiji'] = 'tamis', sizes: float | Sequence[float] | None = None, grey: bool = False, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> Sizes:
    """
    The size distribution of pores or grains.

    The object is what is true, of two values the larger; of anything else a threshold makes it. Opening n is n unit
    erosions, then n unit dilations, inside the region. Exact; the same with any number of threads, on any device.

    Parameters
    ----------
    image : array, shape (y, x) or (z, y, x)
        The image or volume. Any real type. Any view, read-only too; Dask, Zarr and HDF5 arrays are read chunk by chunk.
    threshold : float, str or (float, float), optional
        Bright is above V, or above LO and not above HI, or above the value that a method chooses: otsu, li, kapur,
        minimum, triangle, isodata, mean; an image of two values needs none.
    element : str or array
        The structuring element that grows: octahedron (diamond in 2-D), cube, ball, or square and disk slice by slice;
        with `grey` also octagon; line@A: segments of n pixels along traced lines at A degrees. `cross(1)`, `cube(3)`,
        `square(3)`, or an array that equals one of them.
    border : {'background', 'neutral'}
        What lies outside: background, which cuts sizes short, or something that never erodes.
    phase : {'bright', 'dark'}
        The object is what lies above the threshold, or the rest (pores of a scan are mostly dark).
    roi : str or array, optional
        'cylinder', the disk inscribed in each slice, or an array that is not 0 inside, of the image's shape or one
        slice for all. Only what is inside counts, also for the choice of a threshold.
    crop : str or tuple of slice, optional
        'x0:x1,y0:y1,z0:z1', half open, x first; or slices in the order of the axes, as numpy.s_[z0:z1, y0:y1, x0:x1].
        Slicing the image does the same, but the cylinder stays that of the whole slice.
    max_size : int, optional
        Last size; otherwise until nothing is left. Range: 0 to 65534.
    algorithm : {'recursion', 'paper'}
        Recursion is the fast one, paper that of Boulos et al. 2012; the result is the same.
    spacing : str, float or sequence, optional
        Edges of a voxel: '2.5um', '1x1x2um' (x first); or numbers along the axes (z, y, x), with `unit` or as a ratio.
    unit : str
        'nm', 'um', 'mm', 'cm' or 'm', where `spacing` is a number.
    convention : {'tamis', 'porespy', 'fiji'}
        What counts as a ball or disk of an object: tamis, all that is nearer to its middle than the background;
        porespy, integer radii; fiji, the background itself too.
    sizes : float or sequence of float, optional
        Only balls or disks of these radii, in shortest sides of a voxel; rows are 0 and these. None: None, or
        `max_size`.
    grey : bool
        No object: sums of grey values above the lowest, after grey openings; of the dark phase below the highest, after
        closings. Of u8, u16, i16 and f32 without NaN, on the whole image or a crop.
    device : str
        'auto' (a GPU where there is one and the work is large enough to pay for it), 'cpu', 'cuda' or 'cuda:N',
        'cuda:0,2' or 'cuda:all' for several that share the work.
    threads : int
        Threads to use; 0: all cores.
    memory, device_memory : int or str
        Limits for working memory in bytes or as '4G'; the work is cut into slabs that fit. 0: what is there.
    simd : {'best', 'avx512', 'avx2', 'portable'}
        Results do not depend on it.
    progress : bool or callable, optional
        True draws a bar with tqdm; a function is called with (stage, done, total), total 0 where not known.

    Returns
    -------
    Sizes

    Raises
    ------
    InputError
        For arrays, types and parameters that cannot be used.

    See Also
    --------
    size_map : at every voxel the size of what it belongs to

    References
    ----------
    V. Boulos, V. Fristot, D. Houzet, L. Salvo, P. Lhuissier, "Investigating performance variations of an optimized
    GPU-ported granulometry algorithm", DASIP 2012. P. Maragos, "Pattern spectrum and multiscale shape representation",
    IEEE Trans. PAMI 11, 1989. T. Hildebrand, P. Ruegsegger, "A new method for the model-independent assessment of
    thickness in three-dimensional images", Journal of Microscopy 185, 1997 (balls).

    Examples
    --------
    >>> import numpy, tamis
    >>> image = numpy.zeros((9, 9), bool)
    >>> image[1:4, 1:4] = True
    >>> image[5, 5] = True
    >>> sizes = tamis.granulometry(image, element="square", spacing="2um")
    >>> sizes.curve
    array([10,  9,  0])
    >>> sizes.spectrum
    array([1, 9, 0])
    >>> sizes.predominant, sizes.width[sizes.predominant]
    (1, np.float64(6.0))

    Grey values, as they are:

    >>> photo = numpy.full((9, 9), 20, numpy.uint8)
    >>> photo[1:4, 1:4] = 120
    >>> photo[5, 5] = 220
    >>> tamis.granulometry(photo, grey=True, element="square").curve
    array([1100,  900,    0])
    """

@overload
def size_map(image: numpy.typing.ArrayLike, threshold: float | str | tuple[float, float] | None = None, *, element: str | numpy.typing.ArrayLike = 'cross', border: Literal['background', 'neutral'] = 'background', phase: Literal['bright', 'dark'] = 'bright', roi: str | numpy.typing.ArrayLike | None = None, crop: str | slice | tuple[slice, ...] | None = None, max_size: int | None = None, algorithm: Literal['recursion', 'paper'] = 'recursion', spacing: str | float | Sequence[float] | None = None, unit: str = '', convention: Literal['tamis', 'porespy', 'fiji'] = 'tamis', sizes: float | Sequence[float] | None = None, widths: Literal[False] = False, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[numpy.unsignedinteger[Any]]: ...

@overload
def size_map(image: numpy.typing.ArrayLike, threshold: float | str | tuple[float, float] | None = None, *, element: str | numpy.typing.ArrayLike = 'cross', border: Literal['background', 'neutral'] = 'background', phase: Literal['bright', 'dark'] = 'bright', roi: str | numpy.typing.ArrayLike | None = None, crop: str | slice | tuple[slice, ...] | None = None, max_size: int | None = None, algorithm: Literal['recursion', 'paper'] = 'recursion', spacing: str | float | Sequence[float] | None = None, unit: str = '', convention: Literal['tamis', 'porespy', 'fiji'] = 'tamis', sizes: float | Sequence[float] | None = None, widths: Literal[True], out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[numpy.float32]: ...

@overload
def size_map(image: numpy.typing.ArrayLike, threshold: float | str | tuple[float, float] | None = None, *, element: str | numpy.typing.ArrayLike = 'cross', border: Literal['background', 'neutral'] = 'background', phase: Literal['bright', 'dark'] = 'bright', roi: str | numpy.typing.ArrayLike | None = None, crop: str | slice | tuple[slice, ...] | None = None, max_size: int | None = None, algorithm: Literal['recursion', 'paper'] = 'recursion', spacing: str | float | Sequence[float] | None = None, unit: str = '', convention: Literal['tamis', 'porespy', 'fiji'] = 'tamis', sizes: float | Sequence[float] | None = None, widths: bool = False, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[Any]:
    """
    At every voxel the size of what it belongs to.

    The value is the number of the opening that removes the voxel, so n+1 for a voxel of size n, 0 on the background,
    and max_size + 1 for what is left then. Opening n is `size_map > n`.

    Parameters
    ----------
    image : array, shape (y, x) or (z, y, x)
        The image or volume. Any real type. Any view, read-only too; Dask, Zarr and HDF5 arrays are read chunk by chunk.
    threshold : float, str or (float, float), optional
        Bright is above V, or above LO and not above HI, or above the value that a method chooses: otsu, li, kapur,
        minimum, triangle, isodata, mean; an image of two values needs none.
    element : str or array
        The structuring element that grows: octahedron (diamond in 2-D), cube, ball, or square and disk slice by slice;
        with `grey` also octagon; line@A: segments of n pixels along traced lines at A degrees. `cross(1)`, `cube(3)`,
        `square(3)`, or an array that equals one of them.
    border : {'background', 'neutral'}
        What lies outside: background, which cuts sizes short, or something that never erodes.
    phase : {'bright', 'dark'}
        The object is what lies above the threshold, or the rest (pores of a scan are mostly dark).
    roi : str or array, optional
        'cylinder', the disk inscribed in each slice, or an array that is not 0 inside, of the image's shape or one
        slice for all. Only what is inside counts, also for the choice of a threshold.
    crop : str or tuple of slice, optional
        'x0:x1,y0:y1,z0:z1', half open, x first; or slices in the order of the axes, as numpy.s_[z0:z1, y0:y1, x0:x1].
        Slicing the image does the same, but the cylinder stays that of the whole slice.
    max_size : int, optional
        Last size; otherwise until nothing is left. Range: 0 to 65534.
    algorithm : {'recursion', 'paper'}
        Recursion is the fast one, paper that of Boulos et al. 2012; the result is the same.
    spacing : str, float or sequence, optional
        Edges of a voxel: '2.5um', '1x1x2um' (x first); or numbers along the axes (z, y, x), with `unit` or as a ratio.
    unit : str
        'nm', 'um', 'mm', 'cm' or 'm', where `spacing` is a number.
    convention : {'tamis', 'porespy', 'fiji'}
        What counts as a ball or disk of an object: tamis, all that is nearer to its middle than the background;
        porespy, integer radii; fiji, the background itself too.
    sizes : float or sequence of float, optional
        Only balls or disks of these radii, in shortest sides of a voxel; rows are 0 and these. None: None, or
        `max_size`.
    widths : bool
        The width of the largest element that holds the voxel, float32, in `unit` or voxels, instead.
    out : array, optional
        Where to write, any strides: of an unsigned type wide enough for the sizes, or float32 with `widths`.
    device : str
        'auto' (a GPU where there is one and the work is large enough to pay for it), 'cpu', 'cuda' or 'cuda:N',
        'cuda:0,2' or 'cuda:all' for several that share the work.
    threads : int
        Threads to use; 0: all cores.
    memory, device_memory : int or str
        Limits for working memory in bytes or as '4G'; the work is cut into slabs that fit. 0: what is there.
    simd : {'best', 'avx512', 'avx2', 'portable'}
        Results do not depend on it.
    progress : bool or callable, optional
        True draws a bar with tqdm; a function is called with (stage, done, total), total 0 where not known.

    Returns
    -------
    array, shape of the image
        Of uint8; uint16 or uint32 where there are more sizes.

    Raises
    ------
    InputError
        For what granulometry refuses, anisotropic voxels that have no one width, an `out` that cannot hold the sizes.

    See Also
    --------
    granulometry : the size distribution of pores or grains

    Examples
    --------
    >>> import numpy, tamis
    >>> image = numpy.zeros((5, 6), bool)
    >>> image[1:4, 1:4] = True
    >>> image[2, 5] = True
    >>> tamis.size_map(image, element="square")
    array([[0, 0, 0, 0, 0, 0],
           [0, 2, 2, 2, 0, 0],
           [0, 2, 2, 2, 0, 1],
           [0, 2, 2, 2, 0, 0],
           [0, 0, 0, 0, 0, 0]], dtype=uint8)
    """

@overload
def thickness(image: numpy.typing.ArrayLike, threshold: float | str | tuple[float, float] | None = None, *, measure: Literal['diameter', 'radius', 'width'] = 'diameter', element: Literal['ball', 'disk'] = 'ball', border: Literal['background', 'neutral'] = 'background', phase: Literal['bright', 'dark'] = 'bright', roi: str | numpy.typing.ArrayLike | None = None, crop: str | slice | tuple[slice, ...] | None = None, spacing: str | float | Sequence[float] | None = None, unit: str = '', convention: Literal['tamis', 'porespy', 'fiji'] = 'tamis', sizes: float | Sequence[float] | None = None, return_figures: Literal[False] = False, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[numpy.float32]: ...

@overload
def thickness(image: numpy.typing.ArrayLike, threshold: float | str | tuple[float, float] | None = None, *, measure: Literal['diameter', 'radius', 'width'] = 'diameter', element: Literal['ball', 'disk'] = 'ball', border: Literal['background', 'neutral'] = 'background', phase: Literal['bright', 'dark'] = 'bright', roi: str | numpy.typing.ArrayLike | None = None, crop: str | slice | tuple[slice, ...] | None = None, spacing: str | float | Sequence[float] | None = None, unit: str = '', convention: Literal['tamis', 'porespy', 'fiji'] = 'tamis', sizes: float | Sequence[float] | None = None, return_figures: Literal[True], out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> tuple[numpy.typing.NDArray[numpy.float32], tamis._thickness.Thickness | None]: ...

@overload
def thickness(image: numpy.typing.ArrayLike, threshold: float | str | tuple[float, float] | None = None, *, measure: Literal['diameter', 'radius', 'width'] = 'diameter', element: Literal['ball', 'disk'] = 'ball', border: Literal['background', 'neutral'] = 'background', phase: Literal['bright', 'dark'] = 'bright', roi: str | numpy.typing.ArrayLike | None = None, crop: str | slice | tuple[slice, ...] | None = None, spacing: str | float | Sequence[float] | None = None, unit: str = '', convention: Literal['tamis', 'porespy', 'fiji'] = 'tamis', sizes: float | Sequence[float] | None = None, return_figures: bool = False, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[numpy.float32] | tuple[numpy.typing.NDArray[numpy.float32], tamis._thickness.Thickness | None]:
    """
    At every voxel how thick what it belongs to is: the largest ball inside the object that covers it.

    Exact, for all radii at once (local thickness; Hildebrand, Ruegsegger). 0 on the background, infinite where there is
    no background.

    Parameters
    ----------
    image : array, shape (y, x) or (z, y, x)
        The image or volume. Any real type. Any view, read-only too; Dask, Zarr and HDF5 arrays are read chunk by chunk.
    threshold : float, str or (float, float), optional
        Bright is above V, or above LO and not above HI, or above the value that a method chooses: otsu, li, kapur,
        minimum, triangle, isodata, mean; an image of two values needs none.
    measure : {'diameter', 'radius', 'width'}
        With R the radius of the ball: 2R, as Fiji and BoneJ; R, as PoreSpy; or 2R - 1 shortest sides of a voxel, exact
        for slabs of odd width.
    element : {'ball', 'disk'}
        Balls in a volume; disks on an image, and in each slice of a volume.
    border : {'background', 'neutral'}
        What lies outside: background, which cuts sizes short, or something that never erodes.
    phase : {'bright', 'dark'}
        The object is what lies above the threshold, or the rest (pores of a scan are mostly dark).
    roi : str or array, optional
        'cylinder', the disk inscribed in each slice, or an array that is not 0 inside, of the image's shape or one
        slice for all. Only what is inside counts, also for the choice of a threshold.
    crop : str or tuple of slice, optional
        'x0:x1,y0:y1,z0:z1', half open, x first; or slices in the order of the axes, as numpy.s_[z0:z1, y0:y1, x0:x1].
        Slicing the image does the same, but the cylinder stays that of the whole slice.
    spacing : str, float or sequence, optional
        Edges of a voxel: '2.5um', '1x1x2um' (x first); or numbers along the axes (z, y, x), with `unit` or as a ratio.
    unit : str
        'nm', 'um', 'mm', 'cm' or 'm', where `spacing` is a number.
    convention : {'tamis', 'porespy', 'fiji'}
        What counts as a ball or disk of an object: tamis, all that is nearer to its middle than the background;
        porespy, integer radii; fiji, the background itself too.
    sizes : float or sequence of float, optional
        Only balls or disks of these radii, in shortest sides of a voxel; rows are 0 and these.
    return_figures : bool
        Also the mean, the standard deviation and the maximum over the object, a `Thickness`; None where no radius is
        finite.
    out : array, optional
        Where to write, float32, any strides.
    device : str
        'auto' (a GPU where there is one and the work is large enough to pay for it), 'cpu', 'cuda' or 'cuda:N',
        'cuda:0,2' or 'cuda:all' for several that share the work.
    threads : int
        Threads to use; 0: all cores.
    memory, device_memory : int or str
        Limits for working memory in bytes or as '4G'; the work is cut into slabs that fit. 0: what is there.
    simd : {'best', 'avx512', 'avx2', 'portable'}
        Results do not depend on it.
    progress : bool or callable, optional
        True draws a bar with tqdm; a function is called with (stage, done, total), total 0 where not known.

    Returns
    -------
    array of float32, shape of the image
        With `return_figures` a tuple: (map, Thickness).

    Raises
    ------
    InputError
        For arrays, types and parameters that cannot be used, sides of voxels that are not above 0.

    See Also
    --------
    granulometry : the size distribution of pores or grains
    distance : at every voxel of the object the distance to the background

    References
    ----------
    T. Hildebrand, P. Ruegsegger, "A new method for the model-independent assessment of thickness in three-dimensional
    images", Journal of Microscopy 185, 1997.

    Examples
    --------
    >>> import numpy, tamis
    >>> image = numpy.zeros((5, 7), bool)
    >>> image[1:4] = True
    >>> tamis.thickness(image, element="disk", measure="width", border="neutral")[:, 3]
    array([0., 3., 3., 3., 0.], dtype=float32)
    >>> _, found = tamis.thickness(image, element="disk", border="neutral", return_figures=True)
    >>> found.mean_diameter, found.largest_width
    (4.0, 3.0)
    """

def porosimetry(image: numpy.typing.ArrayLike, threshold: float | str | tuple[float, float] | None = None, *, inlet: str | numpy.typing.ArrayLike = 'first', border: Literal['background', 'neutral'] = 'background', phase: Literal['bright', 'dark'] = 'bright', roi: str | numpy.typing.ArrayLike | None = None, crop: str | slice | tuple[slice, ...] | None = None, convention: Literal['tamis', 'porespy'] = 'tamis', sigma: float = 0.48, theta: float = 140.0, spacing: str | float | Sequence[float] | None = None, unit: str = '', map: Literal['size', 'radius', 'width', 'diameter'] | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> tamis._porosimetry.Porosimetry:
    """
    How far a fluid that does not wet gets into the pores, by radius and pressure.

    At every voxel the radius of the largest ball that covers it and gets there from the inlet: drainage, as in mercury
    porosimetry. Wide pores behind narrow throats count with the radius of the throat.

    Parameters
    ----------
    image : array, shape (y, x) or (z, y, x)
        The image or volume. Any real type. Any view, read-only too; Dask, Zarr and HDF5 arrays are read chunk by chunk.
    threshold : float, str or (float, float), optional
        Bright is above V, or above LO and not above HI, or above the value that a method chooses: otsu, li, kapur,
        minimum, triangle, isodata, mean; a file of two values needs none.
    inlet : str or array
        Where the fluid comes from: faces, which are open, 'z-', 'z+', 'y-', 'y+', 'x-', 'x+', several of them as
        'x-,x+', 'all', or 'first', z- of a volume and y- of an image; or an array that is not 0 there, of the shape of
        the image after `crop`, or one slice for all.
    border : {'background', 'neutral'}
        What lies beyond the other faces: background, or nothing.
    phase : {'bright', 'dark'}
        The pores are what lies above the threshold, or the rest.
    roi : str or array, optional
        'cylinder', the disk inscribed in each slice, or an array that is not 0 inside, of the image's shape or one
        slice for all. Only what is inside counts, also for the choice of a threshold.
    crop : str or tuple of slice, optional
        'x0:x1,y0:y1,z0:z1', half open, x first; or slices in the order of the axes, as numpy.s_[z0:z1, y0:y1, x0:x1].
        Slicing the image does the same, but the cylinder stays that of the whole slice.
    convention : {'tamis', 'porespy'}
        What counts as a ball: tamis, all that is nearer to its middle than the background; porespy, integer radii.
    sigma : float
        Surface tension. Range: above 0.
    theta : float
        Contact angle. Range: 90 to 180.
    spacing : str, float or sequence, optional
        Edges of a voxel: '2.5um', '1x1x2um' (x first); or numbers along the axes (z, y, x), with `unit` or as a ratio.
    unit : str
        'nm', 'um', 'mm', 'cm' or 'm', where `spacing` is a number.
    map : {'size', 'radius', 'width', 'diameter'}, optional
        What `map` of the result holds at every voxel that is invaded, 0 elsewhere: the radius of the largest ball that
        gets there and covers it, its diameter 2R or width 2R - 1, float32, in `unit` or voxels; or the least whole
        number of shortest sides that is no less than the radius. None: no map.
    out : array, optional
        Where the map goes, any strides: float32; for 'size' an unsigned type that is wide enough.
    device : str
        'auto' (a GPU where there is one and the work is large enough to pay for it), 'cpu', 'cuda' or 'cuda:N',
        'cuda:0,2' or 'cuda:all' for several that share the work.
    threads : int
        Threads to use; 0: all cores.
    memory, device_memory : int or str
        Limits for working memory in bytes or as '4G'; the work is cut into slabs that fit. 0: what is there.
    simd : {'best', 'avx512', 'avx2', 'portable'}
        Results do not depend on it.
    progress : bool or callable, optional
        True draws a bar with tqdm; a function is called with (stage, done, total), total 0 where not known.

    Returns
    -------
    Porosimetry
        With `radius`, `pressure`, `saturation`, `invaded`, `breakthrough`, `never_reached` and `map`;
        `plot()` and `to_pandas()`.

    Raises
    ------
    InputError
        For arrays, types and parameters that cannot be used.

    See Also
    --------
    granulometry : the size distribution of pores or grains
    distance : at every voxel of the object the distance to the background

    References
    ----------
    E. W. Washburn, "The dynamics of capillary flow", Physical Review 17, 1921. M. Hilpert, C. T. Miller,
    "Pore-morphology-based simulation of drainage in totally wetting porous media", Advances in Water Resources 24,
    2001.

    Examples
    --------
    >>> import numpy, tamis
    >>> rock = numpy.zeros((11, 9, 9), bool)
    >>> rock[:3, 3:6, 3:6] = True
    >>> rock[3:, 1:8, 1:8] = True
    >>> found = tamis.porosimetry(rock, inlet="z-", border="neutral", spacing="2um")
    >>> found.saturation, found.breakthrough
    (array([1., 1., 0.]), 4.0)

    Without the narrow inlet it is wider:

    >>> tamis.granulometry(rock, element="ball", border="neutral").curve
    array([419, 419, 386, 341,   0])
    """

class Element:
    """
    A structuring element: a set of offsets, or a sum of such sets. It does not change.

    Everything that takes an element takes its text ('disk:5'), an Element, or an array that is not 0 inside. `a + b` is
    first a, then b. NumPy, SciPy and scikit-image take an Element as a footprint: as an array it is its `mask()`.

    Parameters
    ----------
    spec : str, Element or array
        A text as in docs/elements.md; masks of 'file:mask.png' are read by `read`. An array of two or three axes: what is
        not 0 is in.
    origin : tuple of int, optional
        Of an array: the index of its origin in the order of the axes, (y, x) or (z, y, x); it may lie outside. Otherwise
        n // 2 along each axis.

    Raises
    ------
    InputError
        For a text that cannot be read, which names the part and lists what there is; for an array without a True.

    Examples
    --------
    >>> import tamis
    >>> element = tamis.Element("line:5@0") + tamis.Element([[1, 1]], origin=(0, 0))
    >>> element.offsets().tolist()
    [[0, -2], [0, -1], [0, 0], [0, 1], [0, 2], [0, 3]]
    """

    def __init__(self, spec: str | Element | numpy.typing.ArrayLike, origin: Sequence[int] | None = None) -> None: ...

    @property
    def spec(self) -> str:
        """The text it was made from or an equivalent one; of masks a name."""

    @property
    def rank(self) -> int | None:
        """
        2: for images, and volumes slice by slice. 3: for volumes. None: as the image (cross).
        """

    def offsets(self, rank: int | None = None) -> numpy.typing.NDArray[numpy.int64]:
        """
        The offsets, (y, x) or (z, y, x), in order: array of int64, shape (count, rank). A cross takes the rank of its image; here it is 2 unless `rank` says 3.
        """

    def mask(self, rank: int | None = None) -> numpy.typing.NDArray[numpy.bool_]:
        """The offsets as an array of bool, the smallest that holds them."""

    def origin(self, rank: int | None = None) -> tuple[int, ...]:
        """
        Where the origin is in `mask`, (y, x) or (z, y, x); it may lie outside.
        """

    def reflected(self) -> Element:
        """Mirrored at the origin."""

    def shifted(self, by: Sequence[int]) -> Element:
        """Displaced by (y, x) or (z, y, x)."""

    def __array__(self, dtype: numpy.typing.DTypeLike | None = None, copy: bool | None = None) -> numpy.typing.NDArray[Any]: ...

    def __add__(self, arg: str | Element | numpy.typing.ArrayLike, /) -> Element: ...

    def __radd__(self, arg: str | Element | numpy.typing.ArrayLike, /) -> Element: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def __getstate__(self) -> object: ...

    def __setstate__(self, state: object, /) -> None: ...

    __array_ufunc__: None = None

def element_shapes() -> list[dict[str, Any]]:
    """
    The shapes that a text can name: name, text, example, rank (0: as the image) and sizes, each with name, letter, before (what stands before it in the text), whole, lowest, highest and required.
    """

@overload
def erode(image: numpy.typing.NDArray[_Sample], element: str | Element | numpy.typing.ArrayLike | Sequence[tuple[numpy.typing.ArrayLike, int]] = 'square:3', *, border: str = 'neutral', lines: Literal['invariant', 'traced'] = 'invariant', iterations: int = 1, nan: Literal['refuse', 'ignore'] = 'refuse', mask: numpy.typing.ArrayLike | None = None, as_type: None = None, batch: bool = False, channel_axis: int | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[_Sample]: ...

@overload
def erode(image: numpy.typing.NDArray[numpy.float64], element: str | Element | numpy.typing.ArrayLike | Sequence[tuple[numpy.typing.ArrayLike, int]] = 'square:3', *, border: str = 'neutral', lines: Literal['invariant', 'traced'] = 'invariant', iterations: int = 1, nan: Literal['refuse', 'ignore'] = 'refuse', mask: numpy.typing.ArrayLike | None = None, as_type: None = None, batch: bool = False, channel_axis: int | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[numpy.float32]: ...

@overload
def erode(image: numpy.typing.ArrayLike, element: str | Element | numpy.typing.ArrayLike | Sequence[tuple[numpy.typing.ArrayLike, int]] = 'square:3', *, border: str = 'neutral', lines: Literal['invariant', 'traced'] = 'invariant', iterations: int = 1, nan: Literal['refuse', 'ignore'] = 'refuse', mask: numpy.typing.ArrayLike | None = None, as_type: numpy.typing.DTypeLike | None = None, batch: bool = False, channel_axis: int | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[Any]:
    """
    The minimum under an element, everywhere.

    min f(x+b) over the element's offsets b.

    Parameters
    ----------
    image : array, shape (y, x) or (z, y, x)
        The image or volume; colour is worked on channel by channel. Of bool, uint8, uint16, int16 or float32; others go
        as float32. Any view, read-only too; Dask, Zarr and HDF5 arrays are read chunk by chunk.
    element : str, Element or array
        The structuring element. A text such as 'disk:5', `disk(5)`, a mask with its origin at index n // 2, or a
        sequence of (mask, n). 2-D elements act on volumes slice by slice.
    border : {'neutral', 'reflect', 'mirror', 'nearest', 'wrap', 'constant:V', 'fit'}
        What lies outside of the image: nothing that counts, its reflection, its edge, the image again, a value; fit,
        along traced lines: only segments inside count. At each elementary step. As in SciPy, reflect repeats the edge
        sample and mirror does not; wrap goes on at the other end. A value has to be one of the image's type.
    lines : {'invariant', 'traced'}
        What line:L@A is: one digital segment, the same everywhere, or L samples of Bresenham lines that tile the image,
        as fast at any length. Traced lines (Soille 1996) have the borders neutral and fit (Karas 2015).
    iterations : int
        So many erosions, or dilations, in a row. Range: 1 to 1000000.
    nan : {'refuse', 'ignore'}
        f32 samples that are no numbers: an error, or left out. Where there is nothing else the result is NaN.
    mask : array, optional
        What counts: where it is not 0, of the image's shape without channels, or one slice for all. What lies outside
        is left out as NaN is with nan='ignore'; where nothing of the mask is seen the result is the sample itself.
        None: all of the image.
    as_type : dtype or str, optional
        Take the samples as 'u8', 'u16', 'i16' or 'f32', rounded and clamped as by `convert`; the result is of that
        type. None: as they are; float64 rounded to float32, other integers as float32 where that has them all.
    batch : bool
        The first of three axes counts images; otherwise it is the z of a volume.
    channel_axis : int, optional
        The axis of the channels, beside (y, x) or (z, y, x); each channel is worked on alone. -1 for colour images.
    out : array, optional
        Where to write, of the result's shape and type (or float64 of float64), any strides; the image is allowed.
    device : str
        'auto' and 'cpu'; 'cuda' or 'cuda:N' for a GPU, 'cuda:0,2' or 'cuda:all' for several that share the work, with a
        copy there and back. CuPy arrays and PyTorch tensors on a GPU are filtered there.
    threads : int
        Threads to use; 0: all cores.
    memory, device_memory : int or str
        What is kept at a time of an array that is read chunk by chunk, and limit on the GPU; bytes or '4G'. 0: as much
        as is there. The image and the result are in memory as a whole.
    simd : {'best', 'avx512', 'avx2', 'portable'}
        Results do not depend on it.
    progress : bool or callable, optional
        True draws a bar with tqdm; a function is called with (stage, done, total), total 0 where not known.

    Returns
    -------
    array, type and shape of the image; float32 of float64

    Raises
    ------
    InputError
        For samples that f32 cannot hold, NaN that is not ignored, colour without `channel_axis`, 3-D elements on
        images, a border that is no value of the type.

    Examples
    --------
    >>> import numpy, tamis
    >>> image = numpy.array([[5, 9, 9, 9, 2, 9]], numpy.uint8)
    >>> tamis.erode(image, "rect:3x1")
    array([[5, 5, 9, 2, 2, 2]], dtype=uint8)
    >>> tamis.erode(image, "rect:3x1", border="constant:0")
    array([[0, 5, 9, 2, 2, 0]], dtype=uint8)
    """

@overload
def dilate(image: numpy.typing.NDArray[_Sample], element: str | Element | numpy.typing.ArrayLike | Sequence[tuple[numpy.typing.ArrayLike, int]] = 'square:3', *, border: str = 'neutral', lines: Literal['invariant', 'traced'] = 'invariant', iterations: int = 1, nan: Literal['refuse', 'ignore'] = 'refuse', mask: numpy.typing.ArrayLike | None = None, as_type: None = None, batch: bool = False, channel_axis: int | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[_Sample]: ...

@overload
def dilate(image: numpy.typing.NDArray[numpy.float64], element: str | Element | numpy.typing.ArrayLike | Sequence[tuple[numpy.typing.ArrayLike, int]] = 'square:3', *, border: str = 'neutral', lines: Literal['invariant', 'traced'] = 'invariant', iterations: int = 1, nan: Literal['refuse', 'ignore'] = 'refuse', mask: numpy.typing.ArrayLike | None = None, as_type: None = None, batch: bool = False, channel_axis: int | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[numpy.float32]: ...

@overload
def dilate(image: numpy.typing.ArrayLike, element: str | Element | numpy.typing.ArrayLike | Sequence[tuple[numpy.typing.ArrayLike, int]] = 'square:3', *, border: str = 'neutral', lines: Literal['invariant', 'traced'] = 'invariant', iterations: int = 1, nan: Literal['refuse', 'ignore'] = 'refuse', mask: numpy.typing.ArrayLike | None = None, as_type: numpy.typing.DTypeLike | None = None, batch: bool = False, channel_axis: int | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[Any]:
    """
    The maximum under an element, everywhere.

    The element is mirrored: max f(x-b) over its offsets b.

    Parameters
    ----------
    image : array, shape (y, x) or (z, y, x)
        The image or volume; colour is worked on channel by channel. Of bool, uint8, uint16, int16 or float32; others go
        as float32. Any view, read-only too; Dask, Zarr and HDF5 arrays are read chunk by chunk.
    element : str, Element or array
        The structuring element. A text such as 'disk:5', `disk(5)`, a mask with its origin at index n // 2, or a
        sequence of (mask, n). 2-D elements act on volumes slice by slice.
    border : {'neutral', 'reflect', 'mirror', 'nearest', 'wrap', 'constant:V', 'fit'}
        What lies outside of the image: nothing that counts, its reflection, its edge, the image again, a value; fit,
        along traced lines: only segments inside count. At each elementary step. As in SciPy, reflect repeats the edge
        sample and mirror does not; wrap goes on at the other end. A value has to be one of the image's type.
    lines : {'invariant', 'traced'}
        What line:L@A is: one digital segment, the same everywhere, or L samples of Bresenham lines that tile the image,
        as fast at any length. Traced lines (Soille 1996) have the borders neutral and fit (Karas 2015).
    iterations : int
        So many erosions, or dilations, in a row. Range: 1 to 1000000.
    nan : {'refuse', 'ignore'}
        f32 samples that are no numbers: an error, or left out. Where there is nothing else the result is NaN.
    mask : array, optional
        What counts: where it is not 0, of the image's shape without channels, or one slice for all. What lies outside
        is left out as NaN is with nan='ignore'; where nothing of the mask is seen the result is the sample itself.
        None: all of the image.
    as_type : dtype or str, optional
        Take the samples as 'u8', 'u16', 'i16' or 'f32', rounded and clamped as by `convert`; the result is of that
        type. None: as they are; float64 rounded to float32, other integers as float32 where that has them all.
    batch : bool
        The first of three axes counts images; otherwise it is the z of a volume.
    channel_axis : int, optional
        The axis of the channels, beside (y, x) or (z, y, x); each channel is worked on alone. -1 for colour images.
    out : array, optional
        Where to write, of the result's shape and type (or float64 of float64), any strides; the image is allowed.
    device : str
        'auto' and 'cpu'; 'cuda' or 'cuda:N' for a GPU, 'cuda:0,2' or 'cuda:all' for several that share the work, with a
        copy there and back. CuPy arrays and PyTorch tensors on a GPU are filtered there.
    threads : int
        Threads to use; 0: all cores.
    memory, device_memory : int or str
        What is kept at a time of an array that is read chunk by chunk, and limit on the GPU; bytes or '4G'. 0: as much
        as is there. The image and the result are in memory as a whole.
    simd : {'best', 'avx512', 'avx2', 'portable'}
        Results do not depend on it.
    progress : bool or callable, optional
        True draws a bar with tqdm; a function is called with (stage, done, total), total 0 where not known.

    Returns
    -------
    array, type and shape of the image; float32 of float64

    Raises
    ------
    InputError
        For samples that f32 cannot hold, NaN that is not ignored, colour without `channel_axis`, 3-D elements on
        images, a border that is no value of the type.

    See Also
    --------
    erode : the minimum under an element, everywhere

    Notes
    -----
    The adjoint of `erode`: dilate(f, B) <= g exactly where f <= erode(g, B). OpenCV and scikit-image take f(x+b): for
    asymmetric elements reflect theirs.

    Examples
    --------
    >>> import numpy, tamis
    >>> point = numpy.zeros((3, 5), bool)
    >>> point[1, 1] = True
    >>> tamis.dilate(point, tamis.element([[1, 1, 1]], origin=(0, 0))).astype(int)
    array([[0, 0, 0, 0, 0],
           [0, 1, 1, 1, 0],
           [0, 0, 0, 0, 0]])
    """

@overload
def open(image: numpy.typing.NDArray[_Sample], element: str | Element | numpy.typing.ArrayLike | Sequence[tuple[numpy.typing.ArrayLike, int]] = 'square:3', *, by_reconstruction: bool = False, connectivity: Literal['face', 'full'] = 'full', border: str = 'neutral', lines: Literal['invariant', 'traced'] = 'invariant', iterations: int = 1, nan: Literal['refuse', 'ignore'] = 'refuse', mask: numpy.typing.ArrayLike | None = None, as_type: None = None, batch: bool = False, channel_axis: int | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[_Sample]: ...

@overload
def open(image: numpy.typing.NDArray[numpy.float64], element: str | Element | numpy.typing.ArrayLike | Sequence[tuple[numpy.typing.ArrayLike, int]] = 'square:3', *, by_reconstruction: bool = False, connectivity: Literal['face', 'full'] = 'full', border: str = 'neutral', lines: Literal['invariant', 'traced'] = 'invariant', iterations: int = 1, nan: Literal['refuse', 'ignore'] = 'refuse', mask: numpy.typing.ArrayLike | None = None, as_type: None = None, batch: bool = False, channel_axis: int | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[numpy.float32]: ...

@overload
def open(image: numpy.typing.ArrayLike, element: str | Element | numpy.typing.ArrayLike | Sequence[tuple[numpy.typing.ArrayLike, int]] = 'square:3', *, by_reconstruction: bool = False, connectivity: Literal['face', 'full'] = 'full', border: str = 'neutral', lines: Literal['invariant', 'traced'] = 'invariant', iterations: int = 1, nan: Literal['refuse', 'ignore'] = 'refuse', mask: numpy.typing.ArrayLike | None = None, as_type: numpy.typing.DTypeLike | None = None, batch: bool = False, channel_axis: int | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[Any]:
    """
    Remove what is bright and smaller than an element.

    An erosion, then a dilation, by the same element.

    Parameters
    ----------
    image : array, shape (y, x) or (z, y, x)
        The image or volume; colour is worked on channel by channel. Of bool, uint8, uint16, int16 or float32; others go
        as float32. Any view, read-only too; Dask, Zarr and HDF5 arrays are read chunk by chunk.
    element : str, Element or array
        The structuring element. A text such as 'disk:5', `disk(5)`, a mask with its origin at index n // 2, or a
        sequence of (mask, n). 2-D elements act on volumes slice by slice.
    by_reconstruction : bool
        Rebuild what survives, so that it keeps its shape.
    connectivity : {'face', 'full'}
        Which samples are neighbours: across faces, or corners and edges too. 4 in an image and 6 in a volume, or 8 and
        26.
    border : {'neutral', 'reflect', 'mirror', 'nearest', 'wrap', 'constant:V', 'fit'}
        What lies outside of the image: nothing that counts, its reflection, its edge, the image again, a value; fit,
        along traced lines: only segments inside count. At each elementary step. As in SciPy, reflect repeats the edge
        sample and mirror does not; wrap goes on at the other end. A value has to be one of the image's type.
    lines : {'invariant', 'traced'}
        What line:L@A is: one digital segment, the same everywhere, or L samples of Bresenham lines that tile the image,
        as fast at any length. Traced lines (Soille 1996) have the borders neutral and fit (Karas 2015).
    iterations : int
        So many erosions, or dilations, in a row. Range: 1 to 1000000.
    nan : {'refuse', 'ignore'}
        f32 samples that are no numbers: an error, or left out. Where there is nothing else the result is NaN.
    mask : array, optional
        What counts: where it is not 0, of the image's shape without channels, or one slice for all. What lies outside
        is left out as NaN is with nan='ignore'; where nothing of the mask is seen the result is the sample itself.
        None: all of the image.
    as_type : dtype or str, optional
        Take the samples as 'u8', 'u16', 'i16' or 'f32', rounded and clamped as by `convert`; the result is of that
        type. None: as they are; float64 rounded to float32, other integers as float32 where that has them all.
    batch : bool
        The first of three axes counts images; otherwise it is the z of a volume.
    channel_axis : int, optional
        The axis of the channels, beside (y, x) or (z, y, x); each channel is worked on alone. -1 for colour images.
    out : array, optional
        Where to write, of the result's shape and type (or float64 of float64), any strides; the image is allowed.
    device : str
        'auto' and 'cpu'; 'cuda' or 'cuda:N' for a GPU, 'cuda:0,2' or 'cuda:all' for several that share the work, with a
        copy there and back. CuPy arrays and PyTorch tensors on a GPU are filtered there.
    threads : int
        Threads to use; 0: all cores.
    memory, device_memory : int or str
        What is kept at a time of an array that is read chunk by chunk, and limit on the GPU; bytes or '4G'. 0: as much
        as is there. The image and the result are in memory as a whole.
    simd : {'best', 'avx512', 'avx2', 'portable'}
        Results do not depend on it.
    progress : bool or callable, optional
        True draws a bar with tqdm; a function is called with (stage, done, total), total 0 where not known.

    Returns
    -------
    array, type and shape of the image; float32 of float64

    Raises
    ------
    InputError
        For samples that f32 cannot hold, NaN that is not ignored, colour without `channel_axis`, 3-D elements on
        images, a border that is no value of the type.

    Notes
    -----
    Never above the image, whatever the element; under a neutral border a second opening changes nothing.

    References
    ----------
    J. Serra, "Image Analysis and Mathematical Morphology", 1982. By reconstruction: L. Vincent, "Morphological
    grayscale reconstruction in image analysis", IEEE Trans. Image Processing 2, 1993.

    Examples
    --------
    >>> import numpy, tamis
    >>> image = numpy.array([[1, 7, 1, 4, 5, 6, 1]], numpy.uint8)
    >>> tamis.open(image, "rect:2x1")
    array([[1, 1, 1, 4, 5, 5, 1]], dtype=uint8)
    >>> tamis.open(image, "rect:2x1", by_reconstruction=True)
    array([[1, 1, 1, 4, 5, 5, 1]], dtype=uint8)
    """

@overload
def close(image: numpy.typing.NDArray[_Sample], element: str | Element | numpy.typing.ArrayLike | Sequence[tuple[numpy.typing.ArrayLike, int]] = 'square:3', *, by_reconstruction: bool = False, connectivity: Literal['face', 'full'] = 'full', border: str = 'neutral', lines: Literal['invariant', 'traced'] = 'invariant', iterations: int = 1, nan: Literal['refuse', 'ignore'] = 'refuse', mask: numpy.typing.ArrayLike | None = None, as_type: None = None, batch: bool = False, channel_axis: int | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[_Sample]: ...

@overload
def close(image: numpy.typing.NDArray[numpy.float64], element: str | Element | numpy.typing.ArrayLike | Sequence[tuple[numpy.typing.ArrayLike, int]] = 'square:3', *, by_reconstruction: bool = False, connectivity: Literal['face', 'full'] = 'full', border: str = 'neutral', lines: Literal['invariant', 'traced'] = 'invariant', iterations: int = 1, nan: Literal['refuse', 'ignore'] = 'refuse', mask: numpy.typing.ArrayLike | None = None, as_type: None = None, batch: bool = False, channel_axis: int | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[numpy.float32]: ...

@overload
def close(image: numpy.typing.ArrayLike, element: str | Element | numpy.typing.ArrayLike | Sequence[tuple[numpy.typing.ArrayLike, int]] = 'square:3', *, by_reconstruction: bool = False, connectivity: Literal['face', 'full'] = 'full', border: str = 'neutral', lines: Literal['invariant', 'traced'] = 'invariant', iterations: int = 1, nan: Literal['refuse', 'ignore'] = 'refuse', mask: numpy.typing.ArrayLike | None = None, as_type: numpy.typing.DTypeLike | None = None, batch: bool = False, channel_axis: int | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[Any]:
    """
    Remove what is dark and smaller than an element.

    A dilation, then an erosion, by the same element.

    Parameters
    ----------
    image : array, shape (y, x) or (z, y, x)
        The image or volume; colour is worked on channel by channel. Of bool, uint8, uint16, int16 or float32; others go
        as float32. Any view, read-only too; Dask, Zarr and HDF5 arrays are read chunk by chunk.
    element : str, Element or array
        The structuring element. A text such as 'disk:5', `disk(5)`, a mask with its origin at index n // 2, or a
        sequence of (mask, n). 2-D elements act on volumes slice by slice.
    by_reconstruction : bool
        Rebuild what survives, so that it keeps its shape.
    connectivity : {'face', 'full'}
        Which samples are neighbours: across faces, or corners and edges too. 4 in an image and 6 in a volume, or 8 and
        26.
    border : {'neutral', 'reflect', 'mirror', 'nearest', 'wrap', 'constant:V', 'fit'}
        What lies outside of the image: nothing that counts, its reflection, its edge, the image again, a value; fit,
        along traced lines: only segments inside count. At each elementary step. As in SciPy, reflect repeats the edge
        sample and mirror does not; wrap goes on at the other end. A value has to be one of the image's type.
    lines : {'invariant', 'traced'}
        What line:L@A is: one digital segment, the same everywhere, or L samples of Bresenham lines that tile the image,
        as fast at any length. Traced lines (Soille 1996) have the borders neutral and fit (Karas 2015).
    iterations : int
        So many erosions, or dilations, in a row. Range: 1 to 1000000.
    nan : {'refuse', 'ignore'}
        f32 samples that are no numbers: an error, or left out. Where there is nothing else the result is NaN.
    mask : array, optional
        What counts: where it is not 0, of the image's shape without channels, or one slice for all. What lies outside
        is left out as NaN is with nan='ignore'; where nothing of the mask is seen the result is the sample itself.
        None: all of the image.
    as_type : dtype or str, optional
        Take the samples as 'u8', 'u16', 'i16' or 'f32', rounded and clamped as by `convert`; the result is of that
        type. None: as they are; float64 rounded to float32, other integers as float32 where that has them all.
    batch : bool
        The first of three axes counts images; otherwise it is the z of a volume.
    channel_axis : int, optional
        The axis of the channels, beside (y, x) or (z, y, x); each channel is worked on alone. -1 for colour images.
    out : array, optional
        Where to write, of the result's shape and type (or float64 of float64), any strides; the image is allowed.
    device : str
        'auto' and 'cpu'; 'cuda' or 'cuda:N' for a GPU, 'cuda:0,2' or 'cuda:all' for several that share the work, with a
        copy there and back. CuPy arrays and PyTorch tensors on a GPU are filtered there.
    threads : int
        Threads to use; 0: all cores.
    memory, device_memory : int or str
        What is kept at a time of an array that is read chunk by chunk, and limit on the GPU; bytes or '4G'. 0: as much
        as is there. The image and the result are in memory as a whole.
    simd : {'best', 'avx512', 'avx2', 'portable'}
        Results do not depend on it.
    progress : bool or callable, optional
        True draws a bar with tqdm; a function is called with (stage, done, total), total 0 where not known.

    Returns
    -------
    array, type and shape of the image; float32 of float64

    Raises
    ------
    InputError
        For samples that f32 cannot hold, NaN that is not ignored, colour without `channel_axis`, 3-D elements on
        images, a border that is no value of the type.

    Notes
    -----
    Never below the image, whatever the element; under a neutral border a second closing changes nothing.

    Examples
    --------
    >>> import numpy, tamis
    >>> tamis.close(numpy.array([[9, 1, 9, 2, 3, 9]], numpy.uint8), "rect:2x1")
    array([[9, 9, 9, 3, 3, 9]], dtype=uint8)
    """

@overload
def gradient(image: numpy.typing.NDArray[_Sample], element: str | Element | numpy.typing.ArrayLike | Sequence[tuple[numpy.typing.ArrayLike, int]] = 'square:3', *, kind: Literal['full', 'inner', 'outer'] = 'full', border: str = 'neutral', lines: Literal['invariant', 'traced'] = 'invariant', iterations: int = 1, nan: Literal['refuse', 'ignore'] = 'refuse', mask: numpy.typing.ArrayLike | None = None, as_type: None = None, batch: bool = False, channel_axis: int | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[_Sample]: ...

@overload
def gradient(image: numpy.typing.NDArray[numpy.float64], element: str | Element | numpy.typing.ArrayLike | Sequence[tuple[numpy.typing.ArrayLike, int]] = 'square:3', *, kind: Literal['full', 'inner', 'outer'] = 'full', border: str = 'neutral', lines: Literal['invariant', 'traced'] = 'invariant', iterations: int = 1, nan: Literal['refuse', 'ignore'] = 'refuse', mask: numpy.typing.ArrayLike | None = None, as_type: None = None, batch: bool = False, channel_axis: int | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[numpy.float32]: ...

@overload
def gradient(image: numpy.typing.ArrayLike, element: str | Element | numpy.typing.ArrayLike | Sequence[tuple[numpy.typing.ArrayLike, int]] = 'square:3', *, kind: Literal['full', 'inner', 'outer'] = 'full', border: str = 'neutral', lines: Literal['invariant', 'traced'] = 'invariant', iterations: int = 1, nan: Literal['refuse', 'ignore'] = 'refuse', mask: numpy.typing.ArrayLike | None = None, as_type: numpy.typing.DTypeLike | None = None, batch: bool = False, channel_axis: int | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[Any]:
    """
    How much the image changes under an element.

    Dilation - erosion.

    Parameters
    ----------
    image : array, shape (y, x) or (z, y, x)
        The image or volume; colour is worked on channel by channel. Of bool, uint8, uint16, int16 or float32; others go
        as float32. Any view, read-only too; Dask, Zarr and HDF5 arrays are read chunk by chunk.
    element : str, Element or array
        The structuring element. A text such as 'disk:5', `disk(5)`, a mask with its origin at index n // 2, or a
        sequence of (mask, n). 2-D elements act on volumes slice by slice.
    kind : {'full', 'inner', 'outer'}
        Dilation - erosion, image - erosion, or dilation - image.
    border : {'neutral', 'reflect', 'mirror', 'nearest', 'wrap', 'constant:V', 'fit'}
        What lies outside of the image: nothing that counts, its reflection, its edge, the image again, a value; fit,
        along traced lines: only segments inside count. At each elementary step. As in SciPy, reflect repeats the edge
        sample and mirror does not; wrap goes on at the other end. A value has to be one of the image's type.
    lines : {'invariant', 'traced'}
        What line:L@A is: one digital segment, the same everywhere, or L samples of Bresenham lines that tile the image,
        as fast at any length. Traced lines (Soille 1996) have the borders neutral and fit (Karas 2015).
    iterations : int
        So many erosions, or dilations, in a row. Range: 1 to 1000000.
    nan : {'refuse', 'ignore'}
        f32 samples that are no numbers: an error, or left out. Where there is nothing else the result is NaN.
    mask : array, optional
        What counts: where it is not 0, of the image's shape without channels, or one slice for all. What lies outside
        is left out as NaN is with nan='ignore'; where nothing of the mask is seen the result is the sample itself.
        None: all of the image.
    as_type : dtype or str, optional
        Take the samples as 'u8', 'u16', 'i16' or 'f32', rounded and clamped as by `convert`; the result is of that
        type. None: as they are; float64 rounded to float32, other integers as float32 where that has them all.
    batch : bool
        The first of three axes counts images; otherwise it is the z of a volume.
    channel_axis : int, optional
        The axis of the channels, beside (y, x) or (z, y, x); each channel is worked on alone. -1 for colour images.
    out : array, optional
        Where to write, of the result's shape and type (or float64 of float64), any strides; the image is allowed.
    device : str
        'auto' and 'cpu'; 'cuda' or 'cuda:N' for a GPU, 'cuda:0,2' or 'cuda:all' for several that share the work, with a
        copy there and back. CuPy arrays and PyTorch tensors on a GPU are filtered there.
    threads : int
        Threads to use; 0: all cores.
    memory, device_memory : int or str
        What is kept at a time of an array that is read chunk by chunk, and limit on the GPU; bytes or '4G'. 0: as much
        as is there. The image and the result are in memory as a whole.
    simd : {'best', 'avx512', 'avx2', 'portable'}
        Results do not depend on it.
    progress : bool or callable, optional
        True draws a bar with tqdm; a function is called with (stage, done, total), total 0 where not known.

    Returns
    -------
    array, type and shape of the image; float32 of what goes as float32

    Raises
    ------
    InputError
        For samples that f32 cannot hold, NaN that is not ignored, colour without `channel_axis`, 3-D elements on
        images, a border that is no value of the type.

    Notes
    -----
    Of int16 differences saturate; of bool a - b is a and not b.

    Examples
    --------
    >>> import numpy, tamis
    >>> step = numpy.array([[1, 1, 1, 8, 8, 8]], numpy.uint8)
    >>> tamis.gradient(step, "rect:3x1")
    array([[0, 0, 7, 7, 0, 0]], dtype=uint8)
    >>> tamis.gradient(step, "rect:3x1", kind="inner")
    array([[0, 0, 0, 7, 0, 0]], dtype=uint8)
    """

@overload
def tophat(image: numpy.typing.NDArray[_Sample], element: str | Element | numpy.typing.ArrayLike | Sequence[tuple[numpy.typing.ArrayLike, int]] = 'square:3', *, border: str = 'neutral', lines: Literal['invariant', 'traced'] = 'invariant', iterations: int = 1, nan: Literal['refuse', 'ignore'] = 'refuse', mask: numpy.typing.ArrayLike | None = None, as_type: None = None, batch: bool = False, channel_axis: int | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[_Sample]: ...

@overload
def tophat(image: numpy.typing.NDArray[numpy.float64], element: str | Element | numpy.typing.ArrayLike | Sequence[tuple[numpy.typing.ArrayLike, int]] = 'square:3', *, border: str = 'neutral', lines: Literal['invariant', 'traced'] = 'invariant', iterations: int = 1, nan: Literal['refuse', 'ignore'] = 'refuse', mask: numpy.typing.ArrayLike | None = None, as_type: None = None, batch: bool = False, channel_axis: int | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[numpy.float32]: ...

@overload
def tophat(image: numpy.typing.ArrayLike, element: str | Element | numpy.typing.ArrayLike | Sequence[tuple[numpy.typing.ArrayLike, int]] = 'square:3', *, border: str = 'neutral', lines: Literal['invariant', 'traced'] = 'invariant', iterations: int = 1, nan: Literal['refuse', 'ignore'] = 'refuse', mask: numpy.typing.ArrayLike | None = None, as_type: numpy.typing.DTypeLike | None = None, batch: bool = False, channel_axis: int | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[Any]:
    """
    What an opening removes: small bright things.

    Image - opening: bright things smaller than the element.

    Parameters
    ----------
    image : array, shape (y, x) or (z, y, x)
        The image or volume; colour is worked on channel by channel. Of bool, uint8, uint16, int16 or float32; others go
        as float32. Any view, read-only too; Dask, Zarr and HDF5 arrays are read chunk by chunk.
    element : str, Element or array
        The structuring element. A text such as 'disk:5', `disk(5)`, a mask with its origin at index n // 2, or a
        sequence of (mask, n). 2-D elements act on volumes slice by slice.
    border : {'neutral', 'reflect', 'mirror', 'nearest', 'wrap', 'constant:V', 'fit'}
        What lies outside of the image: nothing that counts, its reflection, its edge, the image again, a value; fit,
        along traced lines: only segments inside count. At each elementary step. As in SciPy, reflect repeats the edge
        sample and mirror does not; wrap goes on at the other end. A value has to be one of the image's type.
    lines : {'invariant', 'traced'}
        What line:L@A is: one digital segment, the same everywhere, or L samples of Bresenham lines that tile the image,
        as fast at any length. Traced lines (Soille 1996) have the borders neutral and fit (Karas 2015).
    iterations : int
        So many erosions, or dilations, in a row. Range: 1 to 1000000.
    nan : {'refuse', 'ignore'}
        f32 samples that are no numbers: an error, or left out. Where there is nothing else the result is NaN.
    mask : array, optional
        What counts: where it is not 0, of the image's shape without channels, or one slice for all. What lies outside
        is left out as NaN is with nan='ignore'; where nothing of the mask is seen the result is the sample itself.
        None: all of the image.
    as_type : dtype or str, optional
        Take the samples as 'u8', 'u16', 'i16' or 'f32', rounded and clamped as by `convert`; the result is of that
        type. None: as they are; float64 rounded to float32, other integers as float32 where that has them all.
    batch : bool
        The first of three axes counts images; otherwise it is the z of a volume.
    channel_axis : int, optional
        The axis of the channels, beside (y, x) or (z, y, x); each channel is worked on alone. -1 for colour images.
    out : array, optional
        Where to write, of the result's shape and type (or float64 of float64), any strides; the image is allowed.
    device : str
        'auto' and 'cpu'; 'cuda' or 'cuda:N' for a GPU, 'cuda:0,2' or 'cuda:all' for several that share the work, with a
        copy there and back. CuPy arrays and PyTorch tensors on a GPU are filtered there.
    threads : int
        Threads to use; 0: all cores.
    memory, device_memory : int or str
        What is kept at a time of an array that is read chunk by chunk, and limit on the GPU; bytes or '4G'. 0: as much
        as is there. The image and the result are in memory as a whole.
    simd : {'best', 'avx512', 'avx2', 'portable'}
        Results do not depend on it.
    progress : bool or callable, optional
        True draws a bar with tqdm; a function is called with (stage, done, total), total 0 where not known.

    Returns
    -------
    array, type and shape of the image; float32 of what goes as float32

    Raises
    ------
    InputError
        For samples that f32 cannot hold, NaN that is not ignored, colour without `channel_axis`, 3-D elements on
        images, a border that is no value of the type.

    Examples
    --------
    >>> import numpy, tamis
    >>> tamis.tophat(numpy.array([[1, 7, 1, 4, 5, 6, 1]], numpy.uint8), "rect:2x1")
    array([[0, 6, 0, 0, 0, 1, 0]], dtype=uint8)
    """

@overload
def bothat(image: numpy.typing.NDArray[_Sample], element: str | Element | numpy.typing.ArrayLike | Sequence[tuple[numpy.typing.ArrayLike, int]] = 'square:3', *, border: str = 'neutral', lines: Literal['invariant', 'traced'] = 'invariant', iterations: int = 1, nan: Literal['refuse', 'ignore'] = 'refuse', mask: numpy.typing.ArrayLike | None = None, as_type: None = None, batch: bool = False, channel_axis: int | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[_Sample]: ...

@overload
def bothat(image: numpy.typing.NDArray[numpy.float64], element: str | Element | numpy.typing.ArrayLike | Sequence[tuple[numpy.typing.ArrayLike, int]] = 'square:3', *, border: str = 'neutral', lines: Literal['invariant', 'traced'] = 'invariant', iterations: int = 1, nan: Literal['refuse', 'ignore'] = 'refuse', mask: numpy.typing.ArrayLike | None = None, as_type: None = None, batch: bool = False, channel_axis: int | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[numpy.float32]: ...

@overload
def bothat(image: numpy.typing.ArrayLike, element: str | Element | numpy.typing.ArrayLike | Sequence[tuple[numpy.typing.ArrayLike, int]] = 'square:3', *, border: str = 'neutral', lines: Literal['invariant', 'traced'] = 'invariant', iterations: int = 1, nan: Literal['refuse', 'ignore'] = 'refuse', mask: numpy.typing.ArrayLike | None = None, as_type: numpy.typing.DTypeLike | None = None, batch: bool = False, channel_axis: int | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[Any]:
    """
    What a closing fills: small dark things.

    Closing - image: dark things smaller than the element.

    Parameters
    ----------
    image : array, shape (y, x) or (z, y, x)
        The image or volume; colour is worked on channel by channel. Of bool, uint8, uint16, int16 or float32; others go
        as float32. Any view, read-only too; Dask, Zarr and HDF5 arrays are read chunk by chunk.
    element : str, Element or array
        The structuring element. A text such as 'disk:5', `disk(5)`, a mask with its origin at index n // 2, or a
        sequence of (mask, n). 2-D elements act on volumes slice by slice.
    border : {'neutral', 'reflect', 'mirror', 'nearest', 'wrap', 'constant:V', 'fit'}
        What lies outside of the image: nothing that counts, its reflection, its edge, the image again, a value; fit,
        along traced lines: only segments inside count. At each elementary step. As in SciPy, reflect repeats the edge
        sample and mirror does not; wrap goes on at the other end. A value has to be one of the image's type.
    lines : {'invariant', 'traced'}
        What line:L@A is: one digital segment, the same everywhere, or L samples of Bresenham lines that tile the image,
        as fast at any length. Traced lines (Soille 1996) have the borders neutral and fit (Karas 2015).
    iterations : int
        So many erosions, or dilations, in a row. Range: 1 to 1000000.
    nan : {'refuse', 'ignore'}
        f32 samples that are no numbers: an error, or left out. Where there is nothing else the result is NaN.
    mask : array, optional
        What counts: where it is not 0, of the image's shape without channels, or one slice for all. What lies outside
        is left out as NaN is with nan='ignore'; where nothing of the mask is seen the result is the sample itself.
        None: all of the image.
    as_type : dtype or str, optional
        Take the samples as 'u8', 'u16', 'i16' or 'f32', rounded and clamped as by `convert`; the result is of that
        type. None: as they are; float64 rounded to float32, other integers as float32 where that has them all.
    batch : bool
        The first of three axes counts images; otherwise it is the z of a volume.
    channel_axis : int, optional
        The axis of the channels, beside (y, x) or (z, y, x); each channel is worked on alone. -1 for colour images.
    out : array, optional
        Where to write, of the result's shape and type (or float64 of float64), any strides; the image is allowed.
    device : str
        'auto' and 'cpu'; 'cuda' or 'cuda:N' for a GPU, 'cuda:0,2' or 'cuda:all' for several that share the work, with a
        copy there and back. CuPy arrays and PyTorch tensors on a GPU are filtered there.
    threads : int
        Threads to use; 0: all cores.
    memory, device_memory : int or str
        What is kept at a time of an array that is read chunk by chunk, and limit on the GPU; bytes or '4G'. 0: as much
        as is there. The image and the result are in memory as a whole.
    simd : {'best', 'avx512', 'avx2', 'portable'}
        Results do not depend on it.
    progress : bool or callable, optional
        True draws a bar with tqdm; a function is called with (stage, done, total), total 0 where not known.

    Returns
    -------
    array, type and shape of the image; float32 of what goes as float32

    Raises
    ------
    InputError
        For samples that f32 cannot hold, NaN that is not ignored, colour without `channel_axis`, 3-D elements on
        images, a border that is no value of the type.

    Examples
    --------
    >>> import numpy, tamis
    >>> tamis.bothat(numpy.array([[9, 1, 9, 2, 3, 9]], numpy.uint8), "rect:2x1")
    array([[0, 8, 0, 1, 0, 0]], dtype=uint8)
    """

@overload
def hitmiss(image: numpy.typing.NDArray[_Sample], hit: str | Element | numpy.typing.ArrayLike | Sequence[tuple[numpy.typing.ArrayLike, int]] = 'square:1', miss: str | Element | numpy.typing.ArrayLike | Sequence[tuple[numpy.typing.ArrayLike, int]] = 'circle:1', *, border: str = 'neutral', nan: Literal['refuse', 'ignore'] = 'refuse', mask: numpy.typing.ArrayLike | None = None, as_type: None = None, batch: bool = False, channel_axis: int | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[_Sample]: ...

@overload
def hitmiss(image: numpy.typing.NDArray[numpy.float64], hit: str | Element | numpy.typing.ArrayLike | Sequence[tuple[numpy.typing.ArrayLike, int]] = 'square:1', miss: str | Element | numpy.typing.ArrayLike | Sequence[tuple[numpy.typing.ArrayLike, int]] = 'circle:1', *, border: str = 'neutral', nan: Literal['refuse', 'ignore'] = 'refuse', mask: numpy.typing.ArrayLike | None = None, as_type: None = None, batch: bool = False, channel_axis: int | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[numpy.float32]: ...

@overload
def hitmiss(image: numpy.typing.ArrayLike, hit: str | Element | numpy.typing.ArrayLike | Sequence[tuple[numpy.typing.ArrayLike, int]] = 'square:1', miss: str | Element | numpy.typing.ArrayLike | Sequence[tuple[numpy.typing.ArrayLike, int]] = 'circle:1', *, border: str = 'neutral', nan: Literal['refuse', 'ignore'] = 'refuse', mask: numpy.typing.ArrayLike | None = None, as_type: numpy.typing.DTypeLike | None = None, batch: bool = False, channel_axis: int | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[Any]:
    """
    Find where one element fits the bright and another the dark.

    The hit-or-miss: max(0, min f(x+h) over h in `hit` - max f(x+m) over m in `miss`); of bool both have to fit.

    Parameters
    ----------
    image : array, shape (y, x) or (z, y, x)
        The image or volume; colour is worked on channel by channel. Of bool, uint8, uint16, int16 or float32; others go
        as float32. Any view, read-only too; Dask, Zarr and HDF5 arrays are read chunk by chunk.
    hit : str, Element or array
        What has to be bright. A text such as 'disk:5', `disk(5)`, a mask with its origin at index n // 2, or a sequence
        of (mask, n). 2-D elements act on volumes slice by slice.
    miss : str, Element or array
        What has to be dark. A text such as 'disk:5', `disk(5)`, a mask with its origin at index n // 2, or a sequence
        of (mask, n). 2-D elements act on volumes slice by slice.
    border : {'neutral', 'reflect', 'mirror', 'nearest', 'wrap', 'constant:V'}
        What lies outside of the image: nothing that counts, its reflection, its edge, the image again, or a value. At
        each elementary step. As in SciPy, reflect repeats the edge sample and mirror does not; wrap goes on at the
        other end. A value has to be one of the image's type.
    nan : {'refuse', 'ignore'}
        f32 samples that are no numbers: an error, or left out. Where there is nothing else the result is NaN.
    mask : array, optional
        What counts: where it is not 0, of the image's shape without channels, or one slice for all. What lies outside
        is left out as NaN is with nan='ignore'; where nothing of the mask is seen the result is the sample itself.
        None: all of the image.
    as_type : dtype or str, optional
        Take the samples as 'u8', 'u16', 'i16' or 'f32', rounded and clamped as by `convert`; the result is of that
        type. None: as they are; float64 rounded to float32, other integers as float32 where that has them all.
    batch : bool
        The first of three axes counts images; otherwise it is the z of a volume.
    channel_axis : int, optional
        The axis of the channels, beside (y, x) or (z, y, x); each channel is worked on alone. -1 for colour images.
    out : array, optional
        Where to write, of the result's shape and type (or float64 of float64), any strides; the image is allowed.
    device : str
        'auto' and 'cpu'; 'cuda' or 'cuda:N' for a GPU, 'cuda:0,2' or 'cuda:all' for several that share the work, with a
        copy there and back. CuPy arrays and PyTorch tensors on a GPU are filtered there.
    threads : int
        Threads to use; 0: all cores.
    memory, device_memory : int or str
        What is kept at a time of an array that is read chunk by chunk, and limit on the GPU; bytes or '4G'. 0: as much
        as is there. The image and the result are in memory as a whole.
    simd : {'best', 'avx512', 'avx2', 'portable'}
        Results do not depend on it.
    progress : bool or callable, optional
        True draws a bar with tqdm; a function is called with (stage, done, total), total 0 where not known.

    Returns
    -------
    array, type and shape of the image; float32 of what goes as float32

    Raises
    ------
    InputError
        For samples that f32 cannot hold, NaN that is not ignored, colour without `channel_axis`, 3-D elements on
        images, a border that is no value of the type.

    References
    ----------
    P. Soille, "Morphological Image Analysis", 2nd ed. 2004, section 5.1 (unconstrained hit-or-miss).

    Examples
    --------
    >>> import numpy, tamis
    >>> line = numpy.array([[0, 1, 1, 1, 0, 1, 0]], bool)
    >>> tamis.hitmiss(line, "rect:1x1", tamis.element([[1]], origin=(0, -1))).astype(int)  # right ends
    array([[0, 0, 0, 1, 0, 1, 0]])
    """

@overload
def asf(image: numpy.typing.NDArray[_Sample], element: str | Element = 'square:3', *, order: Literal['oc', 'co'] = 'oc', border: str = 'neutral', nan: Literal['refuse', 'ignore'] = 'refuse', mask: numpy.typing.ArrayLike | None = None, as_type: None = None, batch: bool = False, channel_axis: int | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[_Sample]: ...

@overload
def asf(image: numpy.typing.NDArray[numpy.float64], element: str | Element = 'square:3', *, order: Literal['oc', 'co'] = 'oc', border: str = 'neutral', nan: Literal['refuse', 'ignore'] = 'refuse', mask: numpy.typing.ArrayLike | None = None, as_type: None = None, batch: bool = False, channel_axis: int | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[numpy.float32]: ...

@overload
def asf(image: numpy.typing.ArrayLike, element: str | Element = 'square:3', *, order: Literal['oc', 'co'] = 'oc', border: str = 'neutral', nan: Literal['refuse', 'ignore'] = 'refuse', mask: numpy.typing.ArrayLike | None = None, as_type: numpy.typing.DTypeLike | None = None, batch: bool = False, channel_axis: int | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[Any]:
    """
    Alternating sequential filter: openings and closings that grow.

    Parameters
    ----------
    image : array, shape (y, x) or (z, y, x)
        The image or volume; colour is worked on channel by channel. Of bool, uint8, uint16, int16 or float32; others go
        as float32. Any view, read-only too; Dask, Zarr and HDF5 arrays are read chunk by chunk.
    element : str or Element
        The last element of a family: disk:5 for radii 1 to 5, square:7 for edges 3, 5, 7; square, cube, cross, disk,
        ball, octagon or hexagon. A text, or `disk(5)`.
    order : {'oc', 'co'}
        Open, then close, or the other way round. At each size.
    border : {'neutral', 'reflect', 'mirror', 'nearest', 'wrap', 'constant:V'}
        What lies outside of the image: nothing that counts, its reflection, its edge, the image again, or a value. At
        each elementary step. As in SciPy, reflect repeats the edge sample and mirror does not; wrap goes on at the
        other end. A value has to be one of the image's type.
    nan : {'refuse', 'ignore'}
        f32 samples that are no numbers: an error, or left out. Where there is nothing else the result is NaN.
    mask : array, optional
        What counts: where it is not 0, of the image's shape without channels, or one slice for all. What lies outside
        is left out as NaN is with nan='ignore'; where nothing of the mask is seen the result is the sample itself.
        None: all of the image.
    as_type : dtype or str, optional
        Take the samples as 'u8', 'u16', 'i16' or 'f32', rounded and clamped as by `convert`; the result is of that
        type. None: as they are; float64 rounded to float32, other integers as float32 where that has them all.
    batch : bool
        The first of three axes counts images; otherwise it is the z of a volume.
    channel_axis : int, optional
        The axis of the channels, beside (y, x) or (z, y, x); each channel is worked on alone. -1 for colour images.
    out : array, optional
        Where to write, of the result's shape and type (or float64 of float64), any strides; the image is allowed.
    device : str
        'auto' and 'cpu'; 'cuda' or 'cuda:N' for a GPU, 'cuda:0,2' or 'cuda:all' for several that share the work, with a
        copy there and back. CuPy arrays and PyTorch tensors on a GPU are filtered there.
    threads : int
        Threads to use; 0: all cores.
    memory, device_memory : int or str
        What is kept at a time of an array that is read chunk by chunk, and limit on the GPU; bytes or '4G'. 0: as much
        as is there. The image and the result are in memory as a whole.
    simd : {'best', 'avx512', 'avx2', 'portable'}
        Results do not depend on it.
    progress : bool or callable, optional
        True draws a bar with tqdm; a function is called with (stage, done, total), total 0 where not known.

    Returns
    -------
    array, type and shape of the image; float32 of float64

    Raises
    ------
    InputError
        For samples that f32 cannot hold, NaN that is not ignored, colour without `channel_axis`, 3-D elements on
        images, a border that is no value of the type, an element that is none of a family.

    References
    ----------
    S. R. Sternberg, "Grayscale morphology", Computer Vision, Graphics, and Image Processing 35, 1986.

    Examples
    --------
    >>> import numpy, tamis
    >>> noisy = numpy.array([[2, 9, 2, 2, 2, 8, 8, 8, 0, 8, 8, 8]], numpy.uint8)
    >>> tamis.asf(noisy, "disk:1")
    array([[2, 2, 2, 2, 2, 8, 8, 8, 8, 8, 8, 8]], dtype=uint8)
    """

@overload
def reconstruct(marker: numpy.typing.NDArray[_Sample], mask: numpy.typing.NDArray[_Sample], *, by: Literal['dilation', 'erosion'] = 'dilation', connectivity: Literal['face', 'full'] = 'full', as_type: None = None, batch: bool = False, channel_axis: int | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[_Sample]: ...

@overload
def reconstruct(marker: numpy.typing.NDArray[numpy.float64], mask: numpy.typing.NDArray[numpy.float64], *, by: Literal['dilation', 'erosion'] = 'dilation', connectivity: Literal['face', 'full'] = 'full', as_type: None = None, batch: bool = False, channel_axis: int | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[numpy.float32]: ...

@overload
def reconstruct(marker: numpy.typing.ArrayLike, mask: numpy.typing.ArrayLike, *, by: Literal['dilation', 'erosion'] = 'dilation', connectivity: Literal['face', 'full'] = 'full', as_type: numpy.typing.DTypeLike | None = None, batch: bool = False, channel_axis: int | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[Any]:
    """
    Grow a marker inside a mask until it fills what it touches.

    Unit dilations of the marker, each held below the mask, until nothing changes.

    Parameters
    ----------
    marker : array, shape (y, x) or (z, y, x)
        Where to start: below the mask everywhere, above it by erosion. Of bool, uint8, uint16, int16 or float32; others
        go as float32. Any view, read-only too; Dask, Zarr and HDF5 arrays are read chunk by chunk.
    mask : array, shape (y, x) or (z, y, x)
        What is not passed, an image of the same type and size. Of bool, uint8, uint16, int16 or float32; others go as
        float32. Any view, read-only too; Dask, Zarr and HDF5 arrays are read chunk by chunk.
    by : {'dilation', 'erosion'}
        Dilations of the marker below the mask, or erosions above it.
    connectivity : {'face', 'full'}
        Which samples are neighbours: across faces, or corners and edges too. 4 in an image and 6 in a volume, or 8 and
        26.
    as_type : dtype or str, optional
        Take the samples as 'u8', 'u16', 'i16' or 'f32', rounded and clamped as by `convert`; the result is of that
        type. None: as they are; float64 rounded to float32, other integers as float32 where that has them all.
    batch : bool
        The first of three axes counts images; otherwise it is the z of a volume.
    channel_axis : int, optional
        The axis of the channels, beside (y, x) or (z, y, x); each channel is worked on alone. -1 for colour images.
    out : array, optional
        Where to write, of the result's shape and type (or float64 of float64), any strides; the image is allowed.
    device : str
        'auto' and 'cpu'; 'cuda' or 'cuda:N' for a GPU, 'cuda:0,2' or 'cuda:all' for several that share the work, with a
        copy there and back. CuPy arrays and PyTorch tensors on a GPU are filtered there.
    threads : int
        Threads to use; 0: all cores.
    memory, device_memory : int or str
        What is kept at a time of an array that is read chunk by chunk, and limit on the GPU; bytes or '4G'. 0: as much
        as is there. The image and the result are in memory as a whole.
    simd : {'best', 'avx512', 'avx2', 'portable'}
        Results do not depend on it.
    progress : bool or callable, optional
        True draws a bar with tqdm; a function is called with (stage, done, total), total 0 where not known.

    Returns
    -------
    array, type and shape of the mask; float32 of float64

    Raises
    ------
    InputError
        For samples that f32 cannot hold, NaN, different shapes, a marker that is above the mask, which says where.

    Notes
    -----
    On arrays of a GPU the call waits until it is done.

    References
    ----------
    L. Vincent, "Morphological grayscale reconstruction in image analysis", IEEE Trans. Image Processing 2, 1993.

    Examples
    --------
    >>> import numpy, tamis
    >>> mask = numpy.array([[3, 5, 5, 0, 7, 7]], numpy.uint8)
    >>> marker = numpy.array([[0, 4, 0, 0, 0, 0]], numpy.uint8)
    >>> tamis.reconstruct(marker, mask)
    array([[3, 4, 4, 0, 0, 0]], dtype=uint8)
    """

@overload
def median(image: numpy.typing.NDArray[_Sample], size: int | str | tuple[int, ...] | None = None, *, element: str | Element | numpy.typing.ArrayLike | Sequence[tuple[numpy.typing.ArrayLike, int]] | None = None, percentile: float = 50.0, iterations: int = 1, border: str = 'reflect', nan: Literal['refuse', 'ignore'] = 'refuse', mask: numpy.typing.ArrayLike | None = None, as_type: None = None, batch: bool = False, channel_axis: int | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[_Sample]: ...

@overload
def median(image: numpy.typing.NDArray[numpy.float64], size: int | str | tuple[int, ...] | None = None, *, element: str | Element | numpy.typing.ArrayLike | Sequence[tuple[numpy.typing.ArrayLike, int]] | None = None, percentile: float = 50.0, iterations: int = 1, border: str = 'reflect', nan: Literal['refuse', 'ignore'] = 'refuse', mask: numpy.typing.ArrayLike | None = None, as_type: None = None, batch: bool = False, channel_axis: int | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[numpy.float32]: ...

@overload
def median(image: numpy.typing.ArrayLike, size: int | str | tuple[int, ...] | None = None, *, element: str | Element | numpy.typing.ArrayLike | Sequence[tuple[numpy.typing.ArrayLike, int]] | None = None, percentile: float = 50.0, iterations: int = 1, border: str = 'reflect', nan: Literal['refuse', 'ignore'] = 'refuse', mask: numpy.typing.ArrayLike | None = None, as_type: numpy.typing.DTypeLike | None = None, batch: bool = False, channel_axis: int | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[Any]:
    """
    The median, or another percentile, of a window, everywhere.

    Of n samples sorted, the one with index min(n - 1, floor(n * percentile / 100)). Exact for every window and type.

    Parameters
    ----------
    image : array, shape (y, x) or (z, y, x)
        The image or volume; colour is worked on channel by channel. Of bool, uint8, uint16, int16 or float32; others go
        as float32. Any view, read-only too; Dask, Zarr and HDF5 arrays are read chunk by chunk.
    size : int, str or tuple of int, optional
        Edges of the window in samples, x first: 5 is a square, of volumes a cube; 7x3 is 7 wide and 3 high; 5x5x3. A
        tuple is in the order of the axes, (z, y, x) or (y, x); a text such as '7x3' has x first. Two edges act on
        volumes slice by slice. The origin of an even edge n is at index n // 2, as in SciPy. None: 3, or `element`.
    element : str, Element or array, optional
        The window, instead of a size. A text such as 'disk:5', `disk(5)`, a mask with its origin at index n // 2, or a
        sequence of (mask, n).
    percentile : float
        0 is the minimum, 100 the maximum, 50 of an even number of samples the upper of the two in the middle. Range: 0
        to 100.
    iterations : int
        So many times, each on the result before. Range: 1 to 1000000.
    border : {'reflect', 'mirror', 'nearest', 'wrap', 'constant:V', 'shrink', 'neutral'}
        What lies outside of the image: its reflection, its edge, the image again, a value; shrink, or neutral: the
        window has only the samples inside. As in SciPy, reflect repeats the edge sample and mirror does not; wrap goes
        on at the other end. A value has to be one of the image's type.
    nan : {'refuse', 'ignore'}
        f32 samples that are no numbers: an error, or left out. Where there is nothing else the result is NaN.
    mask : array, optional
        What counts: where it is not 0, of the image's shape without channels, or one slice for all. What lies outside
        is left out as NaN is with nan='ignore'; where nothing of the mask is seen the result is the sample itself.
        None: all of the image.
    as_type : dtype or str, optional
        Take the samples as 'u8', 'u16', 'i16' or 'f32', rounded and clamped as by `convert`; the result is of that
        type. None: as they are; float64 rounded to float32, other integers as float32 where that has them all.
    batch : bool
        The first of three axes counts images; otherwise it is the z of a volume.
    channel_axis : int, optional
        The axis of the channels, beside (y, x) or (z, y, x); each channel is worked on alone. -1 for colour images.
    out : array, optional
        Where to write, of the result's shape and type (or float64 of float64), any strides; the image is allowed.
    device : str
        'auto' and 'cpu'; 'cuda' or 'cuda:N' for a GPU, 'cuda:0,2' or 'cuda:all' for several that share the work, with a
        copy there and back. CuPy arrays and PyTorch tensors on a GPU are filtered there.
    threads : int
        Threads to use; 0: all cores.
    memory, device_memory : int or str
        What is kept at a time of an array that is read chunk by chunk, and limit on the GPU; bytes or '4G'. 0: as much
        as is there. The image and the result are in memory as a whole.
    simd : {'best', 'avx512', 'avx2', 'portable'}
        Results do not depend on it.
    progress : bool or callable, optional
        True draws a bar with tqdm; a function is called with (stage, done, total), total 0 where not known.

    Returns
    -------
    array, type and shape of the image; float32 of float64

    Raises
    ------
    InputError
        For samples that f32 cannot hold, NaN that is not ignored, colour without `channel_axis`, 3-D windows on images,
        a border that is no value of the type.

    See Also
    --------
    smooth : medians along one axis after the other, nearly those of a box

    Notes
    -----
    Where a window sees no sample at all the result is the sample itself.

    References
    ----------
    G. Perrot, "Implementing a fast median filter", in R. Couturier (ed.), "Designing Scientific Applications on GPUs",
    CRC Press, 2013.

    Examples
    --------
    >>> import numpy, tamis
    >>> noisy = numpy.array([[2, 2, 9, 2, 3, 8, 8, 0, 8]], numpy.uint8)
    >>> tamis.median(noisy, (1, 3))
    array([[2, 2, 2, 3, 3, 8, 8, 8, 8]], dtype=uint8)
    >>> tamis.median(noisy, element="disk:1", percentile=0, border="nearest")
    array([[2, 2, 2, 2, 2, 3, 0, 0, 0]], dtype=uint8)
    """

@overload
def smooth(image: numpy.typing.NDArray[_Sample], size: int | str | tuple[int, ...] = 55, *, iterations: int = 1, border: str = 'reflect', nan: Literal['refuse', 'ignore'] = 'refuse', mask: numpy.typing.ArrayLike | None = None, as_type: None = None, batch: bool = False, channel_axis: int | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[_Sample]: ...

@overload
def smooth(image: numpy.typing.NDArray[numpy.float64], size: int | str | tuple[int, ...] = 55, *, iterations: int = 1, border: str = 'reflect', nan: Literal['refuse', 'ignore'] = 'refuse', mask: numpy.typing.ArrayLike | None = None, as_type: None = None, batch: bool = False, channel_axis: int | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[numpy.float32]: ...

@overload
def smooth(image: numpy.typing.ArrayLike, size: int | str | tuple[int, ...] = 55, *, iterations: int = 1, border: str = 'reflect', nan: Literal['refuse', 'ignore'] = 'refuse', mask: numpy.typing.ArrayLike | None = None, as_type: numpy.typing.DTypeLike | None = None, batch: bool = False, channel_axis: int | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[Any]:
    """
    Medians along one axis after the other, nearly those of a box.

    Perrot's smoother: medians along y, of these along x, of these along z. No median of the box, but near it where the
    window is large, and cheaper.

    Parameters
    ----------
    image : array, shape (y, x) or (z, y, x)
        The image or volume; colour is worked on channel by channel. Of bool, uint8, uint16, int16 or float32; others go
        as float32. Any view, read-only too; Dask, Zarr and HDF5 arrays are read chunk by chunk.
    size : int, str or tuple of int
        Samples along each axis, x first: 55 along all, 31x55 not along z. Perrot's separable pseudo-median approximates
        the median of the box: at 55 with a mean difference of 0.2 to 1.6 % of the range of photographs and scans, at
        single samples up to 67 %. A tuple is in the order of the axes, (z, y, x) or (y, x); a text such as '7x3' has x
        first.
    iterations : int
        So many times, each on the result before. Range: 1 to 1000000.
    border : {'reflect', 'mirror', 'nearest', 'wrap', 'constant:V', 'shrink', 'neutral'}
        What lies outside of the image: its reflection, its edge, the image again, a value; shrink, or neutral: the
        window has only the samples inside. As in SciPy, reflect repeats the edge sample and mirror does not; wrap goes
        on at the other end. A value has to be one of the image's type.
    nan : {'refuse', 'ignore'}
        f32 samples that are no numbers: an error, or left out. Where there is nothing else the result is NaN.
    mask : array, optional
        What counts: where it is not 0, of the image's shape without channels, or one slice for all. What lies outside
        is left out as NaN is with nan='ignore'; where nothing of the mask is seen the result is the sample itself.
        None: all of the image.
    as_type : dtype or str, optional
        Take the samples as 'u8', 'u16', 'i16' or 'f32', rounded and clamped as by `convert`; the result is of that
        type. None: as they are; float64 rounded to float32, other integers as float32 where that has them all.
    batch : bool
        The first of three axes counts images; otherwise it is the z of a volume.
    channel_axis : int, optional
        The axis of the channels, beside (y, x) or (z, y, x); each channel is worked on alone. -1 for colour images.
    out : array, optional
        Where to write, of the result's shape and type (or float64 of float64), any strides; the image is allowed.
    device : str
        'auto' and 'cpu'; 'cuda' or 'cuda:N' for a GPU, 'cuda:0,2' or 'cuda:all' for several that share the work, with a
        copy there and back. CuPy arrays and PyTorch tensors on a GPU are filtered there.
    threads : int
        Threads to use; 0: all cores.
    memory, device_memory : int or str
        What is kept at a time of an array that is read chunk by chunk, and limit on the GPU; bytes or '4G'. 0: as much
        as is there. The image and the result are in memory as a whole.
    simd : {'best', 'avx512', 'avx2', 'portable'}
        Results do not depend on it.
    progress : bool or callable, optional
        True draws a bar with tqdm; a function is called with (stage, done, total), total 0 where not known.

    Returns
    -------
    array, type and shape of the image; float32 of float64

    Raises
    ------
    InputError
        For samples that f32 cannot hold, NaN that is not ignored, colour without `channel_axis`, 3-D windows on images,
        a border that is no value of the type.

    See Also
    --------
    median : the median, or another percentile, of a window, everywhere

    References
    ----------
    G. Perrot, "Implementing a fast median filter", in R. Couturier (ed.), "Designing Scientific Applications on GPUs",
    CRC Press, 2013.

    Examples
    --------
    >>> import numpy, tamis
    >>> image = numpy.array([[1, 9, 3], [8, 2, 7], [4, 6, 5]], numpy.uint8)
    >>> tamis.smooth(image, 3, border="shrink")[1, 1], tamis.median(image, 3)[1, 1]
    (np.uint8(5), np.uint8(5))
    """

@overload
def remove_outliers(image: numpy.typing.NDArray[_Sample], size: int | str | tuple[int, ...] | None = None, *, element: str | Element | numpy.typing.ArrayLike | Sequence[tuple[numpy.typing.ArrayLike, int]] | None = None, threshold: float = 50.0, which: Literal['bright', 'dark', 'both'] = 'bright', border: str = 'reflect', nan: Literal['refuse', 'ignore'] = 'refuse', mask: numpy.typing.ArrayLike | None = None, as_type: None = None, batch: bool = False, channel_axis: int | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[_Sample]: ...

@overload
def remove_outliers(image: numpy.typing.NDArray[numpy.float64], size: int | str | tuple[int, ...] | None = None, *, element: str | Element | numpy.typing.ArrayLike | Sequence[tuple[numpy.typing.ArrayLike, int]] | None = None, threshold: float = 50.0, which: Literal['bright', 'dark', 'both'] = 'bright', border: str = 'reflect', nan: Literal['refuse', 'ignore'] = 'refuse', mask: numpy.typing.ArrayLike | None = None, as_type: None = None, batch: bool = False, channel_axis: int | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[numpy.float32]: ...

@overload
def remove_outliers(image: numpy.typing.ArrayLike, size: int | str | tuple[int, ...] | None = None, *, element: str | Element | numpy.typing.ArrayLike | Sequence[tuple[numpy.typing.ArrayLike, int]] | None = None, threshold: float = 50.0, which: Literal['bright', 'dark', 'both'] = 'bright', border: str = 'reflect', nan: Literal['refuse', 'ignore'] = 'refuse', mask: numpy.typing.ArrayLike | None = None, as_type: numpy.typing.DTypeLike | None = None, batch: bool = False, channel_axis: int | None = None, out: numpy.typing.NDArray[Any] | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[Any]:
    """
    The median of a window where a sample is too far from it.

    "Remove Outliers" of ImageJ: hot and dead pixels, dust; all other samples stay as they are.

    Parameters
    ----------
    image : array, shape (y, x) or (z, y, x)
        The image or volume; colour is worked on channel by channel. Of bool, uint8, uint16, int16 or float32; others go
        as float32. Any view, read-only too; Dask, Zarr and HDF5 arrays are read chunk by chunk.
    size : int, str or tuple of int, optional
        Edges of the window in samples, x first: 5 is a square, of volumes a cube; 7x3 is 7 wide and 3 high; 5x5x3. A
        tuple is in the order of the axes, (z, y, x) or (y, x); a text such as '7x3' has x first. Two edges act on
        volumes slice by slice. The origin of an even edge n is at index n // 2, as in SciPy. None: 3, or `element`.
    element : str, Element or array, optional
        The window, instead of a size. A text such as 'disk:5', `disk(5)`, a mask with its origin at index n // 2, or a
        sequence of (mask, n).
    threshold : float
        How far from the median a sample may be, in its own values. Range: 0 or more.
    which : {'bright', 'dark', 'both'}
        Samples above their median, below it, or either.
    border : {'reflect', 'mirror', 'nearest', 'wrap', 'constant:V', 'shrink', 'neutral'}
        What lies outside of the image: its reflection, its edge, the image again, a value; shrink, or neutral: the
        window has only the samples inside. As in SciPy, reflect repeats the edge sample and mirror does not; wrap goes
        on at the other end. A value has to be one of the image's type.
    nan : {'refuse', 'ignore'}
        f32 samples that are no numbers: an error, or left out. Where there is nothing else the result is NaN.
    mask : array, optional
        What counts: where it is not 0, of the image's shape without channels, or one slice for all. What lies outside
        is left out as NaN is with nan='ignore'; where nothing of the mask is seen the result is the sample itself.
        None: all of the image.
    as_type : dtype or str, optional
        Take the samples as 'u8', 'u16', 'i16' or 'f32', rounded and clamped as by `convert`; the result is of that
        type. None: as they are; float64 rounded to float32, other integers as float32 where that has them all.
    batch : bool
        The first of three axes counts images; otherwise it is the z of a volume.
    channel_axis : int, optional
        The axis of the channels, beside (y, x) or (z, y, x); each channel is worked on alone. -1 for colour images.
    out : array, optional
        Where to write, of the result's shape and type (or float64 of float64), any strides; the image is allowed.
    device : str
        'auto' and 'cpu'; 'cuda' or 'cuda:N' for a GPU, 'cuda:0,2' or 'cuda:all' for several that share the work, with a
        copy there and back. CuPy arrays and PyTorch tensors on a GPU are filtered there.
    threads : int
        Threads to use; 0: all cores.
    memory, device_memory : int or str
        What is kept at a time of an array that is read chunk by chunk, and limit on the GPU; bytes or '4G'. 0: as much
        as is there. The image and the result are in memory as a whole.
    simd : {'best', 'avx512', 'avx2', 'portable'}
        Results do not depend on it.
    progress : bool or callable, optional
        True draws a bar with tqdm; a function is called with (stage, done, total), total 0 where not known.

    Returns
    -------
    array, type and shape of the image; float32 of float64

    Raises
    ------
    InputError
        For samples that f32 cannot hold, NaN that is not ignored, colour without `channel_axis`, 3-D windows on images,
        a border that is no value of the type.

    See Also
    --------
    median : the median, or another percentile, of a window, everywhere

    Notes
    -----
    Differences do not wrap around. A NaN that is not refused stays.

    Examples
    --------
    >>> import numpy, tamis
    >>> dots = numpy.array([[2, 3, 90, 2, 3, 1, 60, 61, 2]], numpy.uint8)
    >>> tamis.remove_outliers(dots, (1, 3))
    array([[ 2,  3,  3,  2,  3,  1, 60, 61,  2]], dtype=uint8)
    """

def orientation(image: numpy.typing.ArrayLike, length: float | Sequence[float] = 41, *, angles: int = 180, range: str | tuple[float, float] = (0, 180), dark: bool = False, lines: Literal['invariant', 'traced'] = 'invariant', border: Literal['neutral', 'fit'] = 'neutral', device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> tamis._orientation.Orientation:
    """
    Where lines run: openings by segments at many angles.

    At each sample the angle whose opening is the highest, and how much it differs from the others; over the image how
    much the openings remove at each angle. Volumes slice by slice.

    Parameters
    ----------
    image : array, shape (y, x) or (z, y, x)
        The image or volume, which is worked on slice by slice. Of bool, uint8, uint16, int16 or float32; others go as
        float32. Any view, read-only too; Dask, Zarr and HDF5 arrays are read chunk by chunk.
    length : float or sequence of float
        Length of the segments; of several the longest makes the maps, and all have a spectrum. Range: 1 or more.
    angles : int
        So many directions, evenly spaced over the range. Range: 1 to 32767.
    range : (float, float) or str
        Degrees, counter-clockwise as the picture is seen, 0 to the right; B itself is left out.
    dark : bool
        Dark lines on bright ground: closings instead of openings.
    lines : {'invariant', 'traced'}
        One digital segment, the same everywhere, or L samples of Bresenham lines that tile the image.
    border : {'neutral', 'fit'}
        What lies outside: nothing that counts; or, along traced lines, only segments inside count.
    device : str
        'auto' (a GPU where there is one and the work is large enough to pay for it), 'cpu', 'cuda' or 'cuda:N',
        'cuda:0,2' or 'cuda:all' for several that share the work.
    threads : int
        Threads to use; 0: all cores.
    memory, device_memory : int or str
        Limits for working memory in bytes or as '4G'; the work is cut into slabs that fit. 0: what is there.
    simd : {'best', 'avx512', 'avx2', 'portable'}
        Results do not depend on it.
    progress : bool or callable, optional
        True draws a bar with tqdm; a function is called with (stage, done, total), total 0 where not known.

    Returns
    -------
    Orientation
        With `orientation`, `enhanced`, `contrast`, `angles`, `spectrum`, `sum`, `histogram`, `dominant`;
        `plot()`, `rose()` and `picture(image)`.

    Raises
    ------
    InputError
        For samples that f32 cannot hold, NaN and infinities, colour, borders that traced lines do not have.

    References
    ----------
    P. Karas, V. Morard, J. Bartovsky, T. Grandpierre, E. Dokladalova, P. Matula, P. Dokladal, "GPU implementation of
    linear morphological openings with arbitrary angle", Journal of Real-Time Image Processing 10, 2015.

    Examples
    --------
    >>> import numpy, tamis
    >>> image = numpy.zeros((40, 40), numpy.uint8)
    >>> image[numpy.arange(40), 39 - numpy.arange(40)] = 200  # rises to the right
    >>> found = tamis.orientation(image, 15, angles=36)
    >>> found.dominant
    45.0
    >>> found.orientation[20, 19], found.enhanced[20, 19], found.contrast[20, 19]
    (np.float32(45.0), np.uint8(200), np.uint8(200))
    """

class Skew:
    """
    How far a page is turned, as `skew` gives it.

    Angles are degrees, counter-clockwise as the page is seen: positive where the text rises to the right.
    """

    @property
    def angle(self) -> float | None:
        """Degrees, or None where neither lines nor text say."""

    @property
    def angles(self) -> numpy.typing.NDArray[numpy.float64]:
        """The angles tried first, rising. Array of float64."""

    @property
    def scores(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        Of each angle, as a multiple of what an angle has along which nothing lies. Array of float64.
        """

    @property
    def confidence(self) -> float:
        """Score of the answer; below 4 (sideways 8) it is none."""

    @property
    def method(self) -> str:
        """What knew the answer: 'projection' or 'closing'."""

    @property
    def sideways(self) -> bool:
        """Whether the lines of text run up or down the page."""

    def __repr__(self) -> str: ...

    def __eq__(self, arg: object, /) -> bool: ...

    def __getstate__(self) -> tuple[float | None, list[float], list[float], float, str, bool]: ...

    def __setstate__(self, arg: tuple[float | None, Sequence[float], Sequence[float], float, str, bool], /) -> None: ...

def skew(image: numpy.typing.ArrayLike, max_angle: float = 15.0, step: float = 0.25, *, method: Literal['fused', 'projection', 'closing'] = 'fused', length: int | None = None, channel_axis: int | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> Skew:
    """
    How far a scanned page is turned.

    Parameters
    ----------
    image : array, shape (y, x) or (z, y, x)
        The page; the pages of a file are turned each on its own. Of bool, uint8, uint16, int16 or float32; others go as
        float32. Any view, read-only too; Dask, Zarr and HDF5 arrays are read chunk by chunk.
    max_angle : float
        How far to either side to look, at most 45. Range: above 0 and at most 45.
    step : float
        Between the angles that are tried first, at most 1, and so that they are at most 100,000; the answer is finer.
        Range: above 0 and at most 1.
    method : {'fused', 'projection', 'closing'}
        Sums of the ink along parallel lines, for text, tables and staves; closings by long segments, for pages with
        long lines; or the first, and the second where that knows nothing.
    length : int, optional
        Closing: samples of a segment; otherwise half of the page's shorter edge. Range: 2 to 1000000.
    channel_axis : int, optional
        The axis of the channels, beside (y, x); -1 for colour images, of which the luma is looked at.
    device : str
        'auto' (a GPU where there is one and the work is large enough to pay for it), 'cpu', 'cuda' or 'cuda:N',
        'cuda:0,2' or 'cuda:all' for several that share the work.
    threads : int
        Threads to use; 0: all cores.
    memory, device_memory : int or str
        Limits for working memory in bytes or as '4G'; the work is cut into slabs that fit. 0: what is there.
    simd : {'best', 'avx512', 'avx2', 'portable'}
        Results do not depend on it.
    progress : bool or callable, optional
        True draws a bar with tqdm; a function is called with (stage, done, total), total 0 where not known.

    Returns
    -------
    Skew
        Its `angle` is None where neither lines nor text say.

    Raises
    ------
    InputError
        For samples that f32 cannot hold, volumes, NaN.

    See Also
    --------
    deskew : find how far a scanned page is turned, and turn it back

    References
    ----------
    W. Postl, "Detection of linear oblique structures and skew scan in digitized documents", ICPR 1986. P. Karas, V.
    Morard, J. Bartovsky, T. Grandpierre, E. Dokladalova, P. Matula, P. Dokladal, "GPU implementation of linear
    morphological openings with arbitrary angle", Journal of Real-Time Image Processing 10, 2015.

    Examples
    --------
    >>> import numpy, tamis
    >>> y, x = numpy.mgrid[:400, :600]
    >>> page = numpy.where((y + numpy.tan(numpy.radians(3)) * x) % 24 < 8, 0, 255).astype(numpy.uint8)
    >>> round(tamis.skew(page).angle, 1)
    3.0
    """

@overload
def deskew(image: numpy.typing.NDArray[_Sample], max_angle: float = 15.0, step: float = 0.25, *, method: Literal['fused', 'projection', 'closing'] = 'fused', length: int | None = None, expand: bool = False, fill: float | None = None, channel_axis: int | None = None, return_skew: Literal[False] = False, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[_Sample]: ...

@overload
def deskew(image: numpy.typing.NDArray[_Sample], max_angle: float = 15.0, step: float = 0.25, *, method: Literal['fused', 'projection', 'closing'] = 'fused', length: int | None = None, expand: bool = False, fill: float | None = None, channel_axis: int | None = None, return_skew: Literal[True], device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> tuple[numpy.typing.NDArray[_Sample], Skew]: ...

@overload
def deskew(image: numpy.typing.ArrayLike, max_angle: float = 15.0, step: float = 0.25, *, method: Literal['fused', 'projection', 'closing'] = 'fused', length: int | None = None, expand: bool = False, fill: float | None = None, channel_axis: int | None = None, return_skew: Literal[False] = False, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[Any]: ...

@overload
def deskew(image: numpy.typing.ArrayLike, max_angle: float = 15.0, step: float = 0.25, *, method: Literal['fused', 'projection', 'closing'] = 'fused', length: int | None = None, expand: bool = False, fill: float | None = None, channel_axis: int | None = None, return_skew: Literal[True], device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> tuple[numpy.typing.NDArray[Any], Skew]: ...

@overload
def deskew(image: numpy.typing.ArrayLike, max_angle: float = 15.0, step: float = 0.25, *, method: Literal['fused', 'projection', 'closing'] = 'fused', length: int | None = None, expand: bool = False, fill: float | None = None, channel_axis: int | None = None, return_skew: bool = False, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[Any] | tuple[numpy.typing.NDArray[Any], Skew]:
    """
    Find how far a scanned page is turned, and turn it back.

    By cubic convolution. A page that lies on its side stays so.

    Parameters
    ----------
    image : array, shape (y, x) or (z, y, x)
        The page; the pages of a file are turned each on its own. Of bool, uint8, uint16, int16 or float32; others go as
        float32. Any view, read-only too; Dask, Zarr and HDF5 arrays are read chunk by chunk.
    max_angle : float
        How far to either side to look, at most 45. Range: above 0 and at most 45.
    step : float
        Between the angles that are tried first, at most 1, and so that they are at most 100,000; the answer is finer.
        Range: above 0 and at most 1.
    method : {'fused', 'projection', 'closing'}
        Sums of the ink along parallel lines, for text, tables and staves; closings by long segments, for pages with
        long lines; or the first, and the second where that knows nothing.
    length : int, optional
        Closing: samples of a segment; otherwise half of the page's shorter edge. Range: 2 to 1000000.
    expand : bool
        Make room for the corners; otherwise the page keeps its size.
    fill : float, optional
        What comes into the corners, in every channel; otherwise the background, the median of the page's brighter side
        or of its darker, whichever is more.
    channel_axis : int, optional
        The axis of the channels, beside (y, x); -1 for colour images, of which the luma is looked at.
    return_skew : bool
        Returns the Skew too.
    device : str
        'auto' (a GPU where there is one and the work is large enough to pay for it), 'cpu', 'cuda' or 'cuda:N',
        'cuda:0,2' or 'cuda:all' for several that share the work.
    threads : int
        Threads to use; 0: all cores.
    memory, device_memory : int or str
        Limits for working memory in bytes or as '4G'; the work is cut into slabs that fit. 0: what is there.
    simd : {'best', 'avx512', 'avx2', 'portable'}
        Results do not depend on it.
    progress : bool or callable, optional
        True draws a bar with tqdm; a function is called with (stage, done, total), total 0 where not known.

    Returns
    -------
    array of the type of the image, or (array, Skew)

    Raises
    ------
    InputError
        For what skew refuses, and where neither lines nor text say how far the page is turned: skew asks first.

    See Also
    --------
    skew : how far a scanned page is turned
    rotate : an image turned about its centre, by cubic convolution

    References
    ----------
    W. Postl, "Detection of linear oblique structures and skew scan in digitized documents", ICPR 1986. P. Karas, V.
    Morard, J. Bartovsky, T. Grandpierre, E. Dokladalova, P. Matula, P. Dokladal, "GPU implementation of linear
    morphological openings with arbitrary angle", Journal of Real-Time Image Processing 10, 2015.

    Examples
    --------
    >>> import numpy, tamis
    >>> y, x = numpy.mgrid[:400, :600]
    >>> page = numpy.where((y + numpy.tan(numpy.radians(3)) * x) % 24 < 8, 0, 255).astype(numpy.uint8)
    >>> abs(tamis.skew(tamis.deskew(page)).angle) < 0.1
    True
    """

@overload
def rotate(image: numpy.typing.NDArray[_Sample], degrees: float, *, expand: bool = False, fill: float = 0.0, channel_axis: int | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[_Sample]: ...

@overload
def rotate(image: numpy.typing.ArrayLike, degrees: float, *, expand: bool = False, fill: float = 0.0, channel_axis: int | None = None, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[Any]:
    """
    An image turned about its centre, by cubic convolution.

    By cubic convolution (Keys 1981, a = -1/2); of bool where the interpolated value is at least 1/2.

    Parameters
    ----------
    image : array, shape (y, x) or (z, y, x)
        The image or volume, which is worked on slice by slice. Of bool, uint8, uint16, int16 or float32; others go as
        float32. Any view, read-only too; Dask, Zarr and HDF5 arrays are read chunk by chunk.
    degrees : float
        How far, counter-clockwise as the picture is seen.
    expand : bool
        Make room for the corners; otherwise the image keeps its size.
    fill : float
        What comes into the corners.
    channel_axis : int, optional
        The axis of the channels, beside (y, x) or (z, y, x); each channel is worked on alone. -1 for colour images.
    device : str
        'auto' (a GPU where there is one and the work is large enough to pay for it), 'cpu', 'cuda' or 'cuda:N',
        'cuda:0,2' or 'cuda:all' for several that share the work.
    threads : int
        Threads to use; 0: all cores.
    memory, device_memory : int or str
        Limits for working memory in bytes or as '4G'; the work is cut into slabs that fit. 0: what is there.
    simd : {'best', 'avx512', 'avx2', 'portable'}
        Results do not depend on it.
    progress : bool or callable, optional
        True draws a bar with tqdm; a function is called with (stage, done, total), total 0 where not known.

    Returns
    -------
    array of the type of the image

    Raises
    ------
    InputError
        For samples that f32 cannot hold, a fill that is no value of the type.

    See Also
    --------
    deskew : find how far a scanned page is turned, and turn it back

    References
    ----------
    R. Keys, "Cubic convolution interpolation for digital image processing", IEEE Trans. ASSP 29, 1981.

    Examples
    --------
    >>> import numpy, tamis
    >>> tamis.rotate(numpy.array([[1, 2], [3, 4]], numpy.uint8), 90)
    array([[2, 4],
           [1, 3]], dtype=uint8)
    """

@overload
def phantom(kind: Literal['foam', 'octahedra'], size: int | str | tuple[int, ...] = 256, *, max_radius: int | None = None, min_radius: int = 4, fraction: float = 0.6, seed: int = 7, return_spectrum: Literal[False] = False, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[numpy.bool_]: ...

@overload
def phantom(kind: Literal['foam', 'octahedra'], size: int | str | tuple[int, ...] = 256, *, max_radius: int | None = None, min_radius: int = 4, fraction: float = 0.6, seed: int = 7, return_spectrum: Literal[True], device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> tuple[numpy.typing.NDArray[numpy.bool_], numpy.typing.NDArray[numpy.int64]]: ...

@overload
def phantom(kind: Literal['foam', 'octahedra'], size: int | str | tuple[int, ...] = 256, *, max_radius: int | None = None, min_radius: int = 4, fraction: float = 0.6, seed: int = 7, return_spectrum: bool = False, device: str = 'auto', threads: int = 0, memory: int | str = 0, device_memory: int | str = 0, simd: Literal['best', 'avx512', 'avx2', 'portable'] = 'best', progress: bool | Callable[[str, int, int], object] | None = None) -> numpy.typing.NDArray[numpy.bool_] | tuple[numpy.typing.NDArray[numpy.bool_], numpy.typing.NDArray[numpy.int64]]:
    """
    A synthetic volume with a known answer, the same on every machine.

    Parameters
    ----------
    kind : {'foam', 'octahedra'}
        'foam': overlapping spheres (disks in 2-D), the pores of a foam. 'octahedra': disjoint octahedra (diamonds)
        whose cross granulometry is known in closed form.
    size : int, str or tuple of int
        Edge of a cube, or extent in voxels, x first. A tuple is in the order of the axes, (z, y, x) or (y, x); a text
        such as '7x3' has x first.
    max_radius : int, optional
        Largest radius in voxels. Range: 0 to 1048576. None: 40 of foam, 20 of octahedra.
    min_radius : int
        Smallest radius in voxels. Range: 0 to 1048576.
    fraction : float
        Share of the volume that is pore. Range: above 0 and below 1.
    seed : int
        Start of the random numbers; the same seed gives the same image everywhere. Range: 0 or more.
    return_spectrum : bool
        Of octahedra: return (image, spectrum), the spectrum that `granulometry` has to find.
    device : str
        'auto' (a GPU where there is one and the work is large enough to pay for it), 'cpu', 'cuda' or 'cuda:N',
        'cuda:0,2' or 'cuda:all' for several that share the work.
    threads : int
        Threads to use; 0: all cores.
    memory, device_memory : int or str
        Limits for working memory in bytes or as '4G'; the work is cut into slabs that fit. 0: what is there.
    simd : {'best', 'avx512', 'avx2', 'portable'}
        Results do not depend on it.
    progress : bool or callable, optional
        True draws a bar with tqdm; a function is called with (stage, done, total), total 0 where not known.

    Returns
    -------
    array of bool
        True in the pores, or in the octahedra.

    Raises
    ------
    InputError
        For a volume that cannot hold what is asked for.

    Examples
    --------
    >>> import tamis
    >>> image, spectrum = tamis.phantom("octahedra", (40, 60, 70), max_radius=5, seed=3, return_spectrum=True)
    >>> found = tamis.granulometry(image).spectrum
    >>> bool((found[:6] == spectrum[:6]).all())
    True
    """

def devices() -> list[dict[str, Any]]:
    """
    What tamis can compute on here: the CPU, then the GPUs that CUDA sees.

    Returns
    -------
    list of dict
        `device` is what the keyword of that name takes ('cpu', 'cuda:0'); `name`; `usable`, and if not, `problem`. GPUs
        also have `compute_capability`, `memory_bytes` and `free_bytes`; the CPU has `cuda_build`, what the GPU part was
        built for, and `why_no_gpu`. Starts CUDA, where there is a GPU.

    Examples
    --------
    >>> import tamis
    >>> tamis.devices()[0]["device"]
    'cpu'
    """

def operations() -> dict[str, list[dict[str, Any]]]:
    """
    What every operation says of itself, for programs that make dialogs or widgets of it.

    Returns
    -------
    dict
        `operations` is a list of dict, each with `name`, `text`, `details`, `parameters`, what it `takes` and `gives`, and
        more; a parameter has `name`, `type`, `default`, `range`, `choices`, `unit`, `text` and `example`. `running` are the
        parameters that say where and how all of them run. It is what `tamis operations --json` prints, without how the
        program reads files, and each call gives a new one.

    Examples
    --------
    >>> import tamis
    >>> [operation["text"] for operation in tamis.operations()["operations"] if operation["name"] == "median"]
    ['the median, or another percentile, of a window, everywhere']
    """

__all__: list[str] = ['Element', 'InputError', 'ResourceError', 'Sizes', 'Skew', 'asf', 'bothat', 'close', 'convert', 'deskew', 'devices', 'dilate', 'distance', 'erode', 'gradient', 'granulometry', 'hitmiss', 'median', 'open', 'operations', 'orientation', 'phantom', 'porosimetry', 'reconstruct', 'remove_outliers', 'resample', 'rotate', 'size_map', 'skew', 'smooth', 'thickness', 'threshold', 'threshold_value', 'tophat']

_filters: dict[str, tuple[str, ...]]
def _counts_of(image: numpy.typing.NDArray[Any], threads: int, /) -> tuple[int, numpy.typing.NDArray[numpy.int64]]: ...
def _know_calibrated(type: type, /) -> None: ...
def _reach_of(name: str, dtype: object, shape: Sequence[int], batch: bool, keywords: dict[str, Any]) -> tuple[int | None, ...]: ...
def _removed_in(packed: numpy.typing.NDArray[numpy.uint8], shape: Sequence[int], first: Sequence[int], end: Sequence[int], element: str, max_size: int | None, threads: int) -> numpy.typing.NDArray[numpy.int64]: ...
def _sides_of(z: float, y: float, x: float, rank: int, /) -> tuple[int, int, int, float]: ...
def _threshold_bits(image: numpy.typing.NDArray[Any], value: float, phase: str, threads: int) -> numpy.typing.NDArray[numpy.uint8]: ...
def _size_map_in(packed: numpy.typing.NDArray[numpy.uint8], shape: Sequence[int], first: Sequence[int], end: Sequence[int], element: str, max_size: int | None, threads: int) -> numpy.typing.NDArray[Any]: ...
def _value_of_counts(counts: Sequence[int], lowest: float, method: str, /) -> float: ...
def _spacing_of(spacing: object, unit: str, rank: int) -> tuple[tuple[float, ...], str]: ...
def _squares_in(packed: numpy.typing.NDArray[numpy.uint8], shape: Sequence[int], first: Sequence[int], end: Sequence[int], by_slices: bool, neutral: bool, convention: int, sizes: Sequence[int] | None, edges: Sequence[float], threads: int) -> numpy.typing.NDArray[Any]: ...
__version__: str
