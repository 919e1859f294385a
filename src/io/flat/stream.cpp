// Samples in a gzip, zlib or bzip2 stream.
#include <utility>

#include "io/checked.hpp"
#include "io/flat/flat.hpp"
#include "io/refuse.hpp"
#include "io/samples.hpp"

namespace tamis::io {
namespace {

class StreamSource final : public Source {
 public:
  StreamSource(MappedFile file, const StreamPlace& place, const Layout& layout, std::string description,
               const std::stop_token& cancel)
      : Source(file.path(), layout, std::move(description)),
        file_(std::move(file)),
        inflater_(file_, place.offset, cancel, place.packing),
        place_(place) {}

  /// Decodes all, and somewhat more, so that the end and its checksum are reached: an error then names both lengths.
  void check() {
    const bool told = place_.trusts_trailer && file_.size() > 4;
    const std::byte* const trailer = file_.data() + file_.size() - 4;
    if (told && number_at<std::uint32_t>(trailer, !native_little) == static_cast<std::uint32_t>(place_.length)) return;
    inflater_.skip((Checked(place_.length) + (1 << 20)).value_or(place_.length));
    if (inflater_.position() != place_.length) {
      refuse("{}: got {} bytes{} after decompression, wanted {} ({} {})", path(), inflater_.position(),
             inflater_.position() > place_.length ? " or more" : "", place_.length, to_string(layout().shape),
             name(layout().type));
    }
    inflater_.restart();
  }

 private:
  void read_slices(std::int64_t z0, std::int64_t count, std::byte* out) override {
    const std::int64_t start = place_.skipped + z0 * slice_bytes();
    if (inflater_.position() > start) inflater_.restart();
    inflater_.skip(start - inflater_.position());
    const std::int64_t bytes = count * slice_bytes();
    if (inflater_.position() != start || inflater_.read(out, bytes) != bytes) {
      refuse("{}: got {} bytes after decompression, wanted {} at least", path(), inflater_.position(), start + bytes);
    }
    if (inflater_.position() == place_.length) require_end();
    const std::int64_t width = sample_bytes(layout().type);
    if (place_.swapped) swap_bytes(out, bytes / width, width);
    if (layout().type == Type::Bool) normalise_bool(out, bytes);
  }

  /// Reads past the last sample, which also verifies the checksum.
  void require_end() {
    std::byte extra{};
    if (inflater_.read(&extra, 1) == 0) return;
    refuse("{}: got more than {} bytes after decompression, wanted as many", path(), place_.length);
  }

  MappedFile file_;
  StreamInflater inflater_;
  StreamPlace place_;
};

}  // namespace

std::unique_ptr<Source> open_stream(MappedFile file, const StreamPlace& place, const Layout& layout,
                                    std::string description, const std::stop_token& cancel) {
  check_expansion(file.path(), layout, file.size(), place.packing == Packing::Bzip2 ? bzip2_ratio : deflate_ratio);
  auto source = std::make_unique<StreamSource>(std::move(file), place, layout, std::move(description), cancel);
  source->check();
  return source;
}

}  // namespace tamis::io
