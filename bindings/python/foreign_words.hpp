// What SciPy, scikit-image, OpenCV and other libraries call the arguments that tamis has under names of its own.
#pragma once

#include <string_view>

namespace tamis::python {

/// What tamis calls an argument; empty where nothing is known of it.
struct KnownWord {
  std::string_view keyword;
  std::string_view hint;  ///< how it is given, where that is not plain
};

struct ForeignWord {
  std::string_view word;
  KnownWord known;
};

inline constexpr ForeignWord foreign_words[] = {
    {"footprint", {"element", ""}},
    {"selem", {"element", ""}},
    {"strel", {"element", ""}},
    {"structure", {"element", ""}},
    {"structuring_element", {"element", ""}},
    {"kernel", {"element", ""}},
    {"footprint", {"size", ""}},
    {"selem", {"size", ""}},
    {"kernel", {"size", ""}},
    {"kernel_size", {"size", ""}},
    {"ksize", {"size", ""}},
    {"window_size", {"size", ""}},
    {"radius", {"size", "2 * radius + 1"}},
    {"kernel_size", {"element", "as in element='square:3'"}},
    {"ksize", {"element", "as in element='square:3'"}},
    {"size", {"element", "as in element='square:3'"}},
    {"radius", {"element", "as in element='disk:3'"}},
    {"origin", {"element", "with an origin of its own: tamis.element(mask, origin=...)"}},
    {"axes", {"batch", "as in numpy.moveaxis(image, axis, 0) with batch=True; 2-D elements act slice by slice"}},
    {"structure1", {"hit", ""}},
    {"structure2", {"miss", ""}},
    {"mode", {"border", ""}},
    {"boundary", {"border", ""}},
    {"padding", {"border", ""}},
    {"black_border", {"border", "'background' for True, 'neutral' for False: tamis.distance(image, border='neutral')"}},
    {"borderType", {"border", ""}},
    {"border_mode", {"border", ""}},
    {"border_value", {"border", "as in border='constant:0'"}},
    {"borderValue", {"border", "as in border='constant:0'"}},
    {"cval", {"border", "as in border='constant:0'"}},
    {"cval", {"fill", ""}},
    {"borderValue", {"fill", ""}},
    {"output", {"out", ""}},
    {"dst", {"out", ""}},
    {"input", {"image", ""}},
    {"src", {"image", ""}},
    {"img", {"image", ""}},
    {"im", {"image", ""}},
    {"array", {"image", ""}},
    {"data", {"image", ""}},
    {"volume", {"image", ""}},
    {"input", {"page", ""}},
    {"image", {"mask", ""}},
    {"seed", {"marker", ""}},
    {"method", {"by", "'dilation' or 'erosion'"}},
    {"method", {"threshold", "as in threshold='otsu'"}},
    {"multichannel", {"channel_axis", "-1"}},
    {"sampling", {"spacing", ""}},
    {"anisotropy", {"spacing", "as in tamis.distance(image, spacing=(2, 1, 1))"}},
    {"voxel_size", {"spacing", ""}},
    {"voxelsize", {"spacing", ""}},
    {"pixel_size", {"spacing", ""}},
    {"resolution", {"spacing", ""}},
    {"thresh", {"threshold", ""}},
    {"level", {"threshold", ""}},
    {"mask", {"roi", ""}},
    {"rank", {"percentile", "in percent"}},
    {"q", {"percentile", ""}},
    {"angle", {"degrees", ""}},
    {"reshape", {"expand", ""}},
    {"resize", {"expand", ""}},
    {"type", {"dtype", ""}},
    {"in_range", {"window", ""}},
    {"shape", {"size", ""}},
    {"porosity", {"fraction", ""}},
    {"rng", {"seed", ""}},
    {"random_state", {"seed", ""}},
    {"inlets", {"inlet", ""}},
    {"n_jobs", {"threads", ""}},
    {"workers", {"threads", ""}},
    {"num_workers", {"threads", ""}},
    {"max_memory", {"memory", ""}},
    {"gpu", {"device", "as in device='cuda'"}},
    {"verbose", {"progress", ""}},
};

/// Of the words for it that a function has: has(keyword) says which. Nothing where it has none.
template <class Has>
KnownWord known_word(std::string_view word, Has has) {
  for (const ForeignWord& foreign : foreign_words) {
    if (foreign.word == word && has(foreign.known.keyword)) return foreign.known;
  }
  return {};
}

}  // namespace tamis::python
