#include "cli/output/map_writer.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "cli/plot/palette.hpp"

namespace tamis::cli {
namespace {

template <class Sample>
double largest(const std::byte* samples, std::int64_t count) {
  const auto* const first = reinterpret_cast<const Sample*>(samples);
  // Side by side, so that none waits for the one before, of floats neither.
  constexpr std::int64_t lanes = 32;
  Sample most[lanes] = {};
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (std::int64_t k = 0; k < lanes; ++k) most[k] = most[k] < first[i + k] ? first[i + k] : most[k];
  }
  for (; i < count; ++i) most[0] = std::max(most[0], first[i]);
  return static_cast<double>(*std::max_element(most, most + lanes));
}

double largest(Type type, const std::byte* samples, std::int64_t count) {
  if (type == Type::U8) return largest<std::uint8_t>(samples, count);
  if (type == Type::U16) return largest<std::uint16_t>(samples, count);
  if (type == Type::U32) return largest<std::uint32_t>(samples, count);
  return largest<float>(samples, count);
}

class SizeMapSink final : public SliceSink {
 public:
  SizeMapSink(std::unique_ptr<SliceSink> sink, const Layout& layout) : sink_(std::move(sink)), layout_(layout) {}

  void write(const std::byte* slices, std::int64_t count) override {
    display_.high = std::max(display_.high, largest(layout_.type, slices, count * layout_.shape.y * layout_.shape.x));
    sink_->write(slices, count);
  }
  void show(const Display& display) override { sink_->show(display); }
  void finish() override {
    const std::size_t last = display_.colours.size() - 1;
    for (std::size_t i = 1; i <= last; ++i) {
      display_.colours[i] = viridis(static_cast<double>(i) / static_cast<double>(last));
    }
    sink_->show(display_);
    sink_->finish();
  }

 private:
  std::unique_ptr<SliceSink> sink_;
  Layout layout_;
  Display display_{0, 0, {}};
};

}  // namespace

std::unique_ptr<SliceSink> shown_as_sizes(std::unique_ptr<SliceSink> sink, const Layout& layout) {
  return std::make_unique<SizeMapSink>(std::move(sink), layout);
}

}  // namespace tamis::cli
