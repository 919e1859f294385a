#include "io/itk/inflate.hpp"

#include <fmt/format.h>

#include <utility>

#include <tamis/error.hpp>

#include "io/checked.hpp"
#include "io/inflater.hpp"
#include "io/samples.hpp"

namespace tamis::io {
namespace {

class StreamSource final : public Source {
 public:
  StreamSource(MappedFile file, const ItkPlace& place)
      : Source(place.path, place.layout, place.description),
        file_(std::move(file)),
        inflater_(file_, place.offset, place.options.cancel),
        skipped_(place.skipped),
        swapped_(place.swapped) {}

 private:
  void read_slices(std::int64_t z0, std::int64_t count, std::byte* out) override {
    const std::int64_t start = skipped_ + z0 * slice_bytes();
    if (inflater_.position() > start) inflater_.restart();
    inflater_.skip(start - inflater_.position());
    // The whole stream has been decoded once, so a short one means that the file was changed in between.
    if (inflater_.position() != start || inflater_.read(out, count * slice_bytes()) != count * slice_bytes()) {
      throw InputError(fmt::format("{}: got {} bytes after decompression, wanted {} at least", path(),
                                   inflater_.position(), start + count * slice_bytes()));
    }
    const std::int64_t width = sample_bytes(layout().type);
    if (swapped_) swap_bytes(out, count * slice_bytes() / width, width);
  }

  MappedFile file_;
  StreamInflater inflater_;
  std::int64_t skipped_;
  bool swapped_;
};

}  // namespace

void check_stream(const MappedFile& file, const ItkPlace& place) {
  check_expansion(place.data, place.layout, file.size(), deflate_ratio);
  const Checked samples = checked_bytes(place.path, place.layout);
  const std::int64_t wanted = (samples + place.skipped).value(place.path, "the length of its samples");
  StreamInflater inflater(file, place.offset, place.options.cancel);
  inflater.skip(wanted + 1);  // one more, so that the end and its checksum are reached
  if (inflater.position() == wanted) return;
  throw InputError(fmt::format("{}: got {}{} bytes after decompression, wanted {} ({} {})", place.data,
                               inflater.position() > wanted ? "at least " : "", inflater.position(), wanted,
                               to_string(place.layout.shape), name(place.layout.type)));
}

std::unique_ptr<Source> open_stream(MappedFile file, const ItkPlace& place) {
  return std::make_unique<StreamSource>(std::move(file), place);
}

}  // namespace tamis::io
