// Cuts a slice into strips of neighbouring lines, which threads share.
#include "line/traced/cpu/run.hpp"

#include <memory>

#include "core/bits/bits.hpp"
#include "core/cpu/parallel.hpp"
#include "core/cpu/workspace_pool.hpp"
#include "line/traced/cpu/filter.hpp"

namespace tamis::line_detail::cpu {
namespace {

template <class Sample>
void filter(const Context& context, Along what, const TracedSegment& segment, const Image& in, Image& out,
            Stage& stage) {
  const TracedFilter<Sample> filter(context.simd, thread_count(context), what, segment, in.shape());
  const std::int64_t strips = filter.strips();
  using Workspace = StripMemory<LaneOf<Sample>>;
  WorkspacePool<Workspace> pool(std::make_unique<Workspace>);
  parallel_for(context, strips * in.shape().z, [&](std::int64_t task) {
    pool.with([&](Workspace& workspace) {
      stage.advance(filter.run_strip(in, out, task / strips, task % strips, workspace));
    });
  });
}

}  // namespace

void traced(const Context& context, Along what, const TracedSegment& segment, const Image& in, Image& out,
            Stage& stage) {
  if (in.type() == Type::Bool) {
    const Image bytes = unpacked_bits(context, in, 255);  // along slanted lines bits do not come in words
    Image result(Type::U8, in.shape());
    filter<std::uint8_t>(context, what, segment, bytes, result, stage);
    return pack_bits(context, result, out);
  }
  if (in.type() == Type::U8) filter<std::uint8_t>(context, what, segment, in, out, stage);
  if (in.type() == Type::U16) filter<std::uint16_t>(context, what, segment, in, out, stage);
  if (in.type() == Type::I16) filter<std::int16_t>(context, what, segment, in, out, stage);
  if (in.type() == Type::F32) filter<float>(context, what, segment, in, out, stage);
}

}  // namespace tamis::line_detail::cpu
