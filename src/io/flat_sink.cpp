#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include <tamis/error.hpp>

#include "io/flat.hpp"
#include "io/samples.hpp"
#include "io/temporary_file.hpp"

namespace tamis::io {
namespace {

class FlatSink final : public SliceSink {
 public:
  FlatSink(const std::string& path, const Layout& layout, FlatRecipe recipe)
      : layout_(layout), recipe_(std::move(recipe)), count_(path, layout.shape.z), file_(path) {
    file_.write(recipe_.head);
  }

  void write(const std::byte* slices, std::int64_t count) override {
    count_.add(count);
    const std::int64_t row = layout_.shape.x * layout_.channels * sample_bytes(layout_.type);
    const std::int64_t rows = layout_.shape.y * count;
    if (!converts()) {
      file_.write(slices, rows * row);
      return;
    }
    const std::int64_t batch = std::max<std::int64_t>(1, (std::int64_t{1} << 20) / row);
    for (std::int64_t y = 0; y < rows; y += batch) convert_rows(slices + y * row, std::min(batch, rows - y));
  }

  void finish() override {
    count_.require_all();
    file_.write(recipe_.tail);
    file_.commit();
  }

 private:
  [[nodiscard]] bool swaps() const { return recipe_.big_endian == native_little && sample_bytes(layout_.type) > 1; }
  [[nodiscard]] bool converts() const {
    return swaps() || (layout_.type == Type::Bool && recipe_.bool_as != FlatRecipe::Bool::ZeroOne);
  }

  void convert_rows(const std::byte* rows, std::int64_t count) {
    const std::int64_t samples = layout_.shape.x * layout_.channels;
    const std::int64_t width = sample_bytes(layout_.type);
    buffer_.assign(rows, rows + count * samples * width);
    if (swaps()) swap_bytes(buffer_.data(), count * samples, width);
    if (layout_.type == Type::Bool && recipe_.bool_as == FlatRecipe::Bool::Zero255) {
      for (std::byte& sample : buffer_) sample = sample == std::byte{0} ? std::byte{0} : std::byte{255};
    }
    if (layout_.type == Type::Bool && recipe_.bool_as == FlatRecipe::Bool::PackedBlackIsOne) {
      for (std::byte& sample : buffer_) sample = static_cast<std::byte>(sample == std::byte{0});
      const std::int64_t packed = (samples + 7) / 8;
      // Row by row to the left, in place: packed rows never reach the samples still to be read.
      for (std::int64_t y = 0; y < count; ++y) {
        row_.resize(static_cast<std::size_t>(packed));
        pack_bits(buffer_.data() + y * samples, samples, row_.data());
        std::memcpy(buffer_.data() + y * packed, row_.data(), row_.size());
      }
      buffer_.resize(static_cast<std::size_t>(packed * count));
    }
    file_.write(buffer_.data(), static_cast<std::int64_t>(buffer_.size()));
  }

  Layout layout_;
  FlatRecipe recipe_;
  SliceCount count_;
  TemporaryFile file_;
  std::vector<std::byte> buffer_;
  std::vector<std::byte> row_;
};

}  // namespace

void SliceCount::add(std::int64_t count) {
  got_ += count;
  if (got_ > wanted_) throw InputError(fmt::format("{}: got {} slices, wanted {}", path_, got_, wanted_));
}

void SliceCount::require_all() const {
  if (got_ != wanted_) throw InputError(fmt::format("{}: got {} slices, wanted {}", path_, got_, wanted_));
}

std::unique_ptr<SliceSink> create_flat(const std::string& path, const Layout& layout, FlatRecipe recipe) {
  return std::make_unique<FlatSink>(path, layout, std::move(recipe));
}

}  // namespace tamis::io
