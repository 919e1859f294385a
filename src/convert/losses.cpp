// What a conversion would lose, looked at sample by sample.
#include <cmath>

#include <tamis/convert.hpp>
#include <tamis/error.hpp>

#include "core/door.hpp"
#include "core/memory.hpp"

namespace tamis {
namespace {

/// A slice's samples of floats, aligned.
template <class Float>
class Slices {
 public:
  explicit Slices(SliceSource& source)
      : source_(source),
        count_(source.layout().shape.y * source.layout().shape.x * source.layout().channels),
        samples_(count_ * static_cast<std::int64_t>(sizeof(Float))) {}
  [[nodiscard]] const Float* read(std::int64_t z) {
    source_.read(z, 1, samples_.data());
    return reinterpret_cast<const Float*>(samples_.data());
  }
  [[nodiscard]] std::int64_t count() const { return count_; }

 private:
  SliceSource& source_;
  std::int64_t count_;
  Buffer<std::byte> samples_;
};

template <class Float>
bool becomes_zeros_and_ones(const Context& context, SliceSource& source) {
  Slices<Float> slices(source);
  bool between = false;
  for (std::int64_t z = 0; z < source.layout().shape.z; ++z) {
    if (context.cancel.stop_requested()) throw Cancelled();
    const Float* const samples = slices.read(z);
    for (std::int64_t i = 0; i < slices.count(); ++i) {
      const Float v = samples[i];
      if (v <= Float(-0.5) || v >= Float(1.5)) return false;
      between = between || (v == v && v != std::trunc(v));
    }
  }
  return between;
}

}  // namespace

bool becomes_zeros_and_ones(const Context& context, SliceSource& source) {
  return door::enter(context, "convert", [&]() -> bool {
    require_layout(source.layout(), "convert");
    if (source.layout().type == Type::F32) return becomes_zeros_and_ones<float>(context, source);
    if (source.layout().type == Type::F64) return becomes_zeros_and_ones<double>(context, source);
    return false;
  });
}

}  // namespace tamis
