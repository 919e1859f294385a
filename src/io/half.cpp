#include "io/half.hpp"

#include <cstring>
#include <utility>
#include <vector>

namespace tamis::io {
namespace {

class HalfSource final : public Source {
 public:
  explicit HalfSource(std::unique_ptr<Source> halves)
      : Source(halves->path(), as_floats(halves->layout()), halves->description()), halves_(std::move(halves)) {
    take_over(*halves_);
  }

 private:
  static Layout as_floats(Layout layout) {
    layout.type = Type::F32;
    return layout;
  }

  void read_slices(std::int64_t z0, std::int64_t count, std::byte* out) override {
    slice_.resize(static_cast<std::size_t>(slice_bytes() / static_cast<std::int64_t>(sizeof(float))));
    for (std::int64_t z = z0; z < z0 + count; ++z, out += slice_bytes()) {
      halves_->read(z, 1, reinterpret_cast<std::byte*>(slice_.data()));
      for (std::size_t i = 0; i < slice_.size(); ++i) {
        const float value = float_of_half(slice_[i]);
        std::memcpy(out + i * sizeof value, &value, sizeof value);
      }
    }
  }

  std::unique_ptr<Source> halves_;
  std::vector<std::uint16_t> slice_;
};

}  // namespace

std::unique_ptr<Source> floats_of_halves(std::unique_ptr<Source> halves) {
  return std::make_unique<HalfSource>(std::move(halves));
}

}  // namespace tamis::io
