#include "io/medical/stream.hpp"

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
  StreamSource(MappedFile file, const SamplePlace& place)
      : Source(place.path, place.layout, place.description),
        file_(std::move(file)),
        inflater_(file_, place.offset, place.options.cancel, place.packing),
        skipped_(place.skipped + place.time * layout().shape.z * slice_bytes()),
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

void check_stream(const MappedFile& file, const SamplePlace& place) {
  check_expansion(place.data, place.layout, file.size(), place.packing == Packing::Bzip2 ? bzip2_ratio : deflate_ratio);
  const Checked samples = Checked(checked_bytes(place.path, place.layout)) * place.times;
  const std::int64_t wanted = (samples + place.skipped).value(place.path, "the length of its samples");
  StreamInflater inflater(file, place.offset, place.options.cancel, place.packing);
  inflater.skip((Checked(wanted) + 1).value_or(wanted));  // one more, so that the end and its checksum are reached
  if (inflater.position() == wanted) return;
  const char* const more = inflater.position() > wanted ? "at least " : "";
  wrong_length(place, fmt::format("{}{} bytes after decompression", more, inflater.position()), wanted);
}

}  // namespace

std::unique_ptr<Source> open_stream(MappedFile file, const SamplePlace& place) {
  check_stream(file, place);
  return std::make_unique<StreamSource>(std::move(file), place);
}

}  // namespace tamis::io
