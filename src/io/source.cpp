

#include <algorithm>
#include <cstring>

#include "io/format.hpp"
#include "io/refuse.hpp"

namespace tamis::io {
namespace {

class ReadSource final : public Source {
 public:
  ReadSource(std::string path, const Layout& layout, std::string description, ReadSlices read)
      : Source(std::move(path), layout, std::move(description)), read_(std::move(read)) {}

 private:
  void read_slices(std::int64_t z0, std::int64_t count, std::byte* out) override { read_(z0, count, out); }

  ReadSlices read_;
};

/// What is kept of a layer.
constexpr std::int64_t most_kept = std::int64_t{1} << 30;

}  // namespace

std::unique_ptr<Source> read_by(std::string path, const Layout& layout, std::string description, ReadSlices read) {
  return std::make_unique<ReadSource>(std::move(path), layout, std::move(description), std::move(read));
}

std::unique_ptr<Source> remade(std::unique_ptr<Source> source, const Layout& layout, Remake remake) {
  const std::shared_ptr<Source> from = std::move(source);
  const std::int64_t bytes = layout.shape.y * layout.shape.x * layout.channels * sample_bytes(layout.type);
  auto slices =
      read_by(from->path(), layout, from->description(),
              [=, slice = std::vector<std::byte>()](std::int64_t z0, std::int64_t count, std::byte* out) mutable {
                slice.resize(static_cast<std::size_t>(from->slice_bytes()));
                for (std::int64_t z = z0; z < z0 + count; ++z, out += bytes) {
                  from->read(z, 1, slice.data());
                  remake(slice.data(), out);
                }
              });
  slices->notes = from->notes;
  return slices;
}

void Source::read(std::int64_t z0, std::int64_t count, std::byte* out) {
  if (z0 < 0 || count < 0 || count > layout_.shape.z - z0) {
    refuse("{}: got a request for slices {}..{}, wanted slices within 0..{}", path_, z0, z0 + count - 1,
           layout_.shape.z - 1);
  }
  if (count > 0) read_slices(z0, count, out);
}

std::string choices(std::int64_t count) { return count == 1 ? "0" : fmt::format("0..{}", count - 1); }

std::optional<AxesOrder> axis_of_slices(const std::string& path, std::string_view what, AxesOrder order,
                                        std::int64_t slices, std::int64_t channels, std::int64_t times) {
  if (order == AxesOrder::ZYX && slices > 1) return std::nullopt;
  const bool time = order == AxesOrder::TYX || (order == AxesOrder::ZYX && times > 1);
  if (slices > 1 || (!time && times > 1)) {
    refuse("{}: has {} slices, {} channels and {} times; wanted `axes` for {} with several of one of them", path,
           slices, channels, times, what);
  }
  return time ? AxesOrder::TYX : AxesOrder::CYX;
}

std::int64_t choose_time(const std::string& path, std::int64_t times, std::optional<std::int64_t> wanted) {
  if (!wanted && times > 1)
    refuse("{} has {} times; wanted one: choose it with `time {}`", path, times, choices(times));
  const std::int64_t time = wanted.value_or(0);
  if (time >= 0 && time < times) return time;
  refuse("{}: time {}; wanted {}", path, time, choices(times));
}

void LayeredSource::read_slices(std::int64_t z0, std::int64_t count, std::byte* out) {
  const std::int64_t end = z0 + count;
  for (std::int64_t z = z0; z < end;) {
    const SliceRange layer = layer_at(z);
    if (z == layer.z0 && layer.z1 <= end) {  // wholly wanted
      decode(layer, out + (z - z0) * slice_bytes());
      z = layer.z1;
      continue;
    }
    if (!kept_range_.holds(z)) keep(z, layer);
    const std::int64_t last = std::min(end, kept_range_.z1);
    std::memcpy(out + (z - z0) * slice_bytes(), kept_.data() + (z - kept_range_.z0) * slice_bytes(),
                static_cast<std::size_t>((last - z) * slice_bytes()));
    z = last;
  }
}

SliceRange LayeredSource::layer_at(std::int64_t z) const {
  const std::int64_t first = z / depth_ * depth_;
  return {first, first + std::min(depth_, layout().shape.z - first)};
}

void LayeredSource::keep(std::int64_t z, const SliceRange& layer) {
  const std::int64_t slices = std::max<std::int64_t>(1, most_kept / slice_bytes());
  kept_range_ = {};
  const SliceRange range = layer.z1 - layer.z0 <= slices ? layer : SliceRange{z, z + std::min(layer.z1 - z, slices)};
  kept_.resize(static_cast<std::size_t>((range.z1 - range.z0) * slice_bytes()));
  decode(range, kept_.data());
  kept_range_ = range;
}

}  // namespace tamis::io
