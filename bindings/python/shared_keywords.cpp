#include "python/operation.hpp"

#include "python/array/result/output.hpp"

namespace tamis::python {
namespace {

const char* const array = any_array;

const std::vector<Keyword>& shared() {
  static const std::vector<Keyword> keywords = {
      {"batch", "bool", "False", "bool", "The first of three axes counts images; otherwise it is the z of a volume."},
      {"channel_axis", "int", "None", "int",
       "The axis of the channels, beside (y, x) or (z, y, x); each channel is worked on alone. -1 for colour images."},
      {"mask", array_like, "None", "array",
       "What counts: where it is not 0, of the image's shape without channels, or one slice for all. What lies outside is "
       "left out as NaN is with nan='ignore'; where nothing of the mask is seen the result is the sample itself. None: "
       "all of the image."},
      {"as_type", "numpy.typing.DTypeLike", "None", "dtype or str",
       "Take the samples as 'u8', 'u16', 'i16' or 'f32', rounded and clamped as by `convert`; the result is of that "
       "type. "
       "None: as they are; float64 rounded to float32, other integers as float32 where that has them all."},
      {"out", array, "None", "array",
       "Where to write, of the result's shape and type (or float64 of float64), any strides; the image is allowed."},
      {"roi", "str | numpy.typing.ArrayLike", "None", "str or array",
       "'cylinder', the disk inscribed in each slice, or an array that is not 0 inside, of the image's shape or one "
       "slice "
       "for all. Only what is inside counts, also for the choice of a threshold."},
      {"crop", "str | slice | tuple[slice, ...]", "None", "str or tuple of slice",
       "'x0:x1,y0:y1,z0:z1', half open, x first; or slices in the order of the axes, as numpy.s_[z0:z1, y0:y1, x0:x1]. "
       "Slicing the image does the same, but the cylinder stays that of the whole slice."},
      {"spacing", "str | float | collections.abc.Sequence[float]", "None", "str, float or sequence",
       "Edges of a voxel: '2.5um', '1x1x2um' (x first); or numbers along the axes (z, y, x), with `unit` or as a ratio."},
      {"unit", "str", "''", "str", "'nm', 'um', 'mm', 'cm' or 'm', where `spacing` is a number."},
  };
  return keywords;
}

}  // namespace

std::vector<Keyword> running_keywords(bool filter) {
  const char* const where =
      filter
          ? "'auto' and 'cpu'; 'cuda' or 'cuda:N' for a GPU, 'cuda:0,2' or 'cuda:all' for several that share the work, with a copy there and back. CuPy arrays and PyTorch "
            "tensors "
            "on a GPU are filtered there."
          : "'auto' (a GPU where there is one and the work is large enough to pay for it), 'cpu', 'cuda' or 'cuda:N', "
            "'cuda:0,2' or 'cuda:all' for several that share the work.";
  const char* const limits =
      filter ? "What is kept at a time of an array that is read chunk by chunk, and limit on the GPU; bytes or '4G'. "
               "0: as "
               "much as is there. The image and the result are in memory as a whole."
             : "Limits for working memory in bytes or as '4G'; the work is cut into slabs that fit. 0: what is there.";
  return {{"device", "str", "'auto'", "str", where},
          {"threads", "int", "0", "int", "Threads to use; 0: all cores."},
          {"memory", "int | str", "0", "", ""},
          {"device_memory", "int | str", "0", "int or str", limits},
          {"simd", "typing.Literal['best', 'avx512', 'avx2', 'portable']", "'best'",
           "{'best', 'avx512', 'avx2', 'portable'}", "Results do not depend on it."},
          {"progress", "bool | collections.abc.Callable[[str, int, int], object]", "None", "bool or callable",
           "True draws a bar with tqdm; a function is called with (stage, done, total), total 0 where not known."}};
}

const Keyword* shared_keyword(std::string_view name) {
  for (const Keyword& keyword : shared()) {
    if (keyword.name == name) return &keyword;
  }
  return nullptr;
}

Keyword array_keyword(const Data& data) {
  std::string types = data.types.empty() ? "Any real type" : "Of";
  for (std::size_t i = 0; i < data.types.size(); ++i) {
    types += (i == 0 ? " " : i + 1 == data.types.size() ? " or " : ", ") + std::string(numpy_name(data.types[i]));
  }
  if (!data.types.empty()) types += "; others go as float32";
  return {data.name, array_like, "", "array, shape (y, x) or (z, y, x)",
          sentence(data.text) + " " + types +
              ". Any view, read-only too; Dask, Zarr and HDF5 arrays are read chunk by chunk."};
}

}  // namespace tamis::python
