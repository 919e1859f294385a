// Version 2: .zarray. https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html
#include <numeric>

#include "io/refuse.hpp"
#include "io/samples.hpp"
#include "io/zarr/zarr.hpp"

namespace tamis::io {
namespace {

/// "<u2": the order of bytes, the kind, the width.
void read_type(const std::string& path, const Json& dtype, ZarrArray& array) {
  const std::string text = dtype.is_string() ? dtype.get<std::string>() : std::string();
  const std::optional<FileType> found = text.empty() ? std::nullopt : numpy_type(std::string_view(text).substr(1));
  const bool single = found && sample_bytes(found->type) == 1;
  if (!found || (text[0] != '<' && text[0] != '>' && !(single && text[0] == '|'))) {
    refuse("{}: samples of {}; wanted integers of up to 64 bits, floats of 16, 32 or 64, or bools", path,
           json_text(dtype));
  }
  array.type = found->type;
  array.halves = found->halves;
  array.swapped = !single && (text[0] == '<') != native_little;
}

char separator_of(const std::string& path, const Json& json) {
  const Json& separator = member(json, "dimension_separator");
  if (separator.is_null() || separator == ".") return '.';
  if (separator == "/") return '/';
  refuse("{}: dimension_separator is {}; wanted . or /", path, json_text(separator));
}

}  // namespace

ZarrArray array_v2(const std::string& path, const Json& json) {
  if (member(json, "zarr_format") != 2) {
    refuse("{}: Zarr of version {}; wanted 2", path, json_text(member(json, "zarr_format")));
  }
  ZarrArray array;
  array.version = 2;
  array.shape = edges(path, json, "shape");
  array.chunk = edges(path, json, "chunks");
  read_type(path, member(json, "dtype"), array);
  const Json& filters = member(json, "filters");
  if (!filters.is_null() && !(filters.is_array() && filters.empty())) {
    refuse("{}: filters {}; wanted none", path, json_text(filters));
  }
  array.codecs = codecs_v2(path, member(json, "compressor"));
  array.separator = separator_of(path, json);
  const Json& order = member(json, "order");
  if (order != "C" && order != "F") refuse("{}: order is {}; wanted C or F", path, json_text(order));
  array.order.resize(array.rank());
  std::iota(array.order.begin(), array.order.end(), std::size_t{0});
  if (order == "F") std::reverse(array.order.begin(), array.order.end());
  complete(path, array, member(json, "fill_value"));
  return array;
}

}  // namespace tamis::io
