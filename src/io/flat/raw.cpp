// Headerless samples, x fastest.
#include <utility>

#include "io/checked.hpp"
#include "io/flat/flat.hpp"
#include "io/format.hpp"
#include "io/refuse.hpp"
#include "io/samples.hpp"

namespace tamis::io {
namespace {

/// A header is what most files have that are too long.
std::string skip_hint(const ReadOptions& options, std::int64_t got, std::int64_t samples) {
  if (options.skip > 0 || got <= samples) return {};
  return fmt::format("; `skip {}` leaves out what may be a header", got - samples);
}

std::unique_ptr<Source> open_raw(const std::string& path, const ReadOptions& options, const SharedDecoder&) {
  MappedFile file(path);
  const Layout layout = raw_layout(path, options);
  const std::int64_t samples = checked_bytes(path, layout);
  const std::int64_t wanted = (Checked(options.skip) + samples).value(path, "the end of its samples");
  if (file.size() != wanted) {
    refuse("{}: got {} bytes, wanted {}{} ({} {}){}", path, file.size(), wanted,
           options.skip > 0 ? fmt::format(", {} of them before the samples", options.skip) : "",
           to_string(layout.shape), name(layout.type), skip_hint(options, file.size(), samples));
  }
  const bool little = options.byte_order == ByteOrder::Little;
  const bool wide = sample_bytes(layout.type) > 1;
  const char* const order = !wide ? "" : little ? ", little endian" : ", big endian";
  return open_flat(std::move(file), {options.skip, samples / layout.shape.z, wide && little != native_little}, layout,
                   fmt::format("raw, x fastest{}{}", order, skip_words(options)), options.cancel);
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
