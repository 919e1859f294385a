// Cuts a slice into strips of neighbouring lines, which threads share.
#include "line/traced_cpu.hpp"

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/cpu/parallel.hpp"
#include "line/traced_cpu_bits.hpp"
#include "line/traced_cpu_filter.hpp"

namespace tamis::line_detail {
namespace {

template <class Lane>
class WorkplacePool {
 public:
  std::unique_ptr<Workplace<Lane>> take() {
    const std::lock_guard lock(guard_);
    if (free_.empty()) return std::make_unique<Workplace<Lane>>();
    std::unique_ptr<Workplace<Lane>> place = std::move(free_.back());
    free_.pop_back();
    return place;
  }
  void give_back(std::unique_ptr<Workplace<Lane>> place) {
    const std::lock_guard lock(guard_);
    free_.push_back(std::move(place));
  }

 private:
  std::mutex guard_;
  std::vector<std::unique_ptr<Workplace<Lane>>> free_;
};

template <class Sample>
void filter(const Context& context, Along what, const TracedSegment& segment, const Image& in, Image& out,
            Stage& stage) {
  const TracedFilter<Sample> filter(context.simd, thread_count(context), what, segment, in.shape());
  const std::int64_t strips = filter.strips();
  WorkplacePool<LaneOf<Sample>> pool;
  parallel_for(context, strips * in.shape().z, [&](std::int64_t task) {
    std::unique_ptr<Workplace<LaneOf<Sample>>> place = pool.take();
    stage.advance(filter.run_strip(in, out, task / strips, task % strips, *place));
    pool.give_back(std::move(place));
  });
}

}  // namespace

void traced_cpu(const Context& context, Along what, const TracedSegment& segment, const Image& in, Image& out,
                Stage& stage) {
  if (in.type() == Type::Bool) {
    const Image bytes = unpacked_bits(context, in);
    Image result(Type::U8, in.shape());
    filter<std::uint8_t>(context, what, segment, bytes, result, stage);
    return pack_bits(context, result, out);
  }
  if (in.type() == Type::U8) filter<std::uint8_t>(context, what, segment, in, out, stage);
  if (in.type() == Type::U16) filter<std::uint16_t>(context, what, segment, in, out, stage);
  if (in.type() == Type::I16) filter<std::int16_t>(context, what, segment, in, out, stage);
  if (in.type() == Type::F32) filter<float>(context, what, segment, in, out, stage);
}

}  // namespace tamis::line_detail
