// Headerless samples, x fastest.
#include <fmt/format.h>

#include <utility>

#include <tamis/error.hpp>

#include "io/flat/flat.hpp"
#include "io/flat/raw_name.hpp"
#include "io/format.hpp"
#include "io/samples.hpp"

namespace tamis::io {
namespace {

std::unique_ptr<Source> open_raw(const std::string& path, const ReadOptions& options, const SharedDecoder&) {
  MappedFile file(path);
  const Layout layout = raw_layout(path, options);
  const std::int64_t wanted = checked_bytes(path, layout);
  if (file.size() != wanted) {
    throw InputError(fmt::format("{}: got {} bytes, wanted {} ({} {})", path, file.size(), wanted,
                                 to_string(layout.shape), name(layout.type)));
  }
  const bool little = options.byte_order == ByteOrder::Little;
  const bool wide = sample_bytes(layout.type) > 1;
  const char* const order = !wide ? "" : little ? ", little endian" : ", big endian";
  return open_flat(std::move(file), {0, wanted / layout.shape.z, wide && little != native_little}, layout,
                   fmt::format("raw, x fastest{}", order), options.cancel);
}

std::unique_ptr<SliceSink> create_raw(const Target& target, const Layout& layout) {
  const std::string& path = target.path;
  require_grey(path, "raw", layout);
  require_true_name(path, layout);
  return create_flat(target, layout, {});
}

}  // namespace

const Format raw_format{"raw", {".raw", ".vol"}, nullptr, open_raw, create_raw};

}  // namespace tamis::io
