#include "line/segment/gpu/run.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/gpu/launch.hpp"
#include "line/segment/gpu/tile.cuh"

namespace tamis::line_detail::gpu {
namespace {

using segment::Step;
using segment::TileTask;
using segment::UnionTask;

constexpr std::int64_t most_slices = 65535;  ///< of one launch

/// Kernels take minima of unsigned samples and of floats; signed samples and maxima are flipped going in and out.
std::uint32_t flip_of(Type type, bool max) {
  if (type == Type::F32) return max ? 0x80000000U : 0U;
  return (type == Type::I16 ? 0x80008000U : 0U) ^ (max ? ~0U : 0U);
}

template <class T>
std::uint32_t filled(double value) {
  const auto sample = static_cast<T>(value);
  std::uint32_t word = 0;
  std::memcpy(&word, &sample, sizeof(T));
  return sizeof(T) == 1 ? word * 0x01010101U : sizeof(T) == 2 ? word * 0x00010001U : word;
}

/// As the kernels see it.
std::uint32_t outside_of(const SegmentTask& task) {
  if (!task.constant) return task.type == Type::F32 ? 0x7F800000U : ~0U;
  const std::uint32_t word = task.type == Type::U8    ? filled<std::uint8_t>(task.outside)
                             : task.type == Type::U16 ? filled<std::uint16_t>(task.outside)
                             : task.type == Type::I16 ? filled<std::int16_t>(task.outside)
                                                      : filled<float>(task.outside);
  return word ^ flip_of(task.type, task.max);
}

int floor_division(int a, int b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

Step step_of(const Move2& move, int samples, int pitch) {
  const int whole = floor_division(move.x, samples);
  return {move.y * pitch + whole, (move.x - whole * samples) * 32 / samples};
}

struct Reach {
  int low_x = 0, high_x = 0, low_y = 0, high_y = 0;
  void include(const Move2& move) {
    low_x = std::min(low_x, move.x);
    high_x = std::max(high_x, move.x);
    low_y = std::min(low_y, move.y);
    high_y = std::max(high_y, move.y);
  }
};

Reach reach_of(const SegmentPlan& plan) {
  Reach reach;
  for (const SegmentPart& part : plan.parts) {
    for (const Pattern& pattern : part.patterns) {
      for (const Move2& at : pattern.at) {
        for (const Move2& sample : pattern.samples) reach.include({at.x + sample.x, at.y + sample.y});
      }
    }
  }
  return reach;
}

void put_parts(const SegmentPlan& plan, int samples, int pitch, TileTask& work) {
  int patterns = 0;
  int terms = 0;
  const auto add = [&](const std::vector<Move2>& moves) {
    for (const Move2& move : moves) work.term[terms++] = step_of(move, samples, pitch);
  };
  for (const SegmentPart& part : plan.parts) {
    segment::PartTerms& own = work.part[work.parts++];
    own.begin = patterns;
    for (const Pattern& pattern : part.patterns) {
      segment::PatternTerms& made = work.pattern[patterns++];
      made.samples = terms;
      add(pattern.samples);
      made.begin = terms;
      add(pattern.at);
      made.end = terms;
    }
    own.end = patterns;
  }
}

/// Results of parts: from (begin_x, begin_y) on, as many samples.
struct Region {
  int begin_x = 0, begin_y = 0;
  std::int64_t nx = 0, ny = 0;
};

template <class T>
void run_parts(const cuda::Stream& stream, const SegmentPlan& plan, const SegmentTask& task, const Region& region,
               const std::vector<DeviceImage>& to) {
  constexpr int samples = word_samples<T>;
  constexpr int pitch = segment::tile_words<T>;
  TileTask work;
  work.from = task.from.data;
  work.from_pitch = task.from.pitch;
  work.from_slice = task.from.slice;
  work.nx = static_cast<int>(task.shape.x);
  work.ny = static_cast<int>(task.shape.y);
  work.flip = flip_of(task.type, task.max);
  work.outside = outside_of(task);
  work.to_flip = plan.places.empty() ? work.flip : 0;
  work.to_pitch = to.front().pitch;
  work.to_slice = to.front().slice;
  put_parts(plan, samples, pitch, work);
  for (int i = 0; i < work.parts; ++i) work.part[i].to = to[static_cast<std::size_t>(i)].data;
  const Reach reach = reach_of(plan);
  work.low_words = -floor_division(reach.low_x, samples);
  work.own_words = pitch - work.low_words - (floor_division(reach.high_x, samples) + 1);
  work.low_y = reach.low_y;
  work.rows = segment::own_rows<T> + reach.high_y - reach.low_y;
  work.begin_word = region.begin_x / samples;
  work.begin_y = region.begin_y;
  work.end_word = work.begin_word + static_cast<int>((region.nx + samples - 1) / samples);
  work.end_y = region.begin_y + static_cast<int>(region.ny);
  cuda::LaunchShape shape;
  const auto blocks = [](int count, int each) { return static_cast<unsigned>((count + each - 1) / each); };
  shape.blocks = dim3(blocks(work.end_word - work.begin_word, work.own_words),
                      blocks(work.end_y - work.begin_y, segment::own_rows<T>));
  shape.threads = dim3(segment::threads);
  shape.shared_bytes = static_cast<std::size_t>(segment::shared_rows<T>(work.rows)) * pitch * 4;
  for (std::int64_t z = 0; z < task.shape.z; z += most_slices) {
    TileTask part = work;
    part.from += z * work.from_slice;
    for (int i = 0; i < work.parts; ++i) part.part[i].to += z * work.to_slice;
    shape.blocks.z = static_cast<unsigned>(std::min(most_slices, task.shape.z - z));
    cuda::launch(stream, shape, "segment", segment::segment_kernel<T>, part);
  }
}

template <class T>
void run_union(const cuda::Stream& stream, const SegmentPlan& plan, const SegmentTask& task, const Region& region,
               const std::vector<DeviceImage>& parts) {
  constexpr int samples = word_samples<T>;
  UnionTask work;
  for (std::size_t i = 0; i < parts.size(); ++i) work.image[i] = parts[i].data;
  work.pitch = parts.front().pitch;
  work.slice = parts.front().slice;
  work.begin_word = region.begin_x / samples;
  work.begin_y = region.begin_y;
  work.end_word = work.begin_word + static_cast<int>((region.nx + samples - 1) / samples);
  work.end_y = region.begin_y + static_cast<int>(region.ny);
  work.outside = outside_of(task);
  work.flip = flip_of(task.type, task.max);
  work.to = task.to.data;
  work.to_pitch = task.to.pitch;
  work.to_slice = task.to.slice;
  work.words = static_cast<int>((task.shape.x + samples - 1) / samples);
  work.ny = static_cast<int>(task.shape.y);
  for (const SegmentPlan::Place& place : plan.places) {
    const Step step = step_of({place.at.x, 0}, samples, 0);
    work.place[work.places++] = {static_cast<short>(place.part), static_cast<short>(step.words),
                                 static_cast<short>(step.bits), static_cast<short>(place.at.y)};
    work.low_words = std::min(work.low_words, step.words);
    work.high_words = std::max(work.high_words, step.words);
    work.low_y = std::min(work.low_y, place.at.y);
    work.high_y = std::max(work.high_y, place.at.y);
  }
  cuda::LaunchShape shape;
  shape.blocks = dim3(static_cast<unsigned>((work.words + 31) / 32),
                      static_cast<unsigned>((work.ny + segment::union_rows - 1) / segment::union_rows));
  shape.threads = dim3(segment::union_threads);
  for (std::int64_t z = 0; z < task.shape.z; z += most_slices) {
    UnionTask part = work;
    for (std::size_t i = 0; i < parts.size(); ++i) part.image[i] += z * work.slice;
    part.to += z * work.to_slice;
    shape.blocks.z = static_cast<unsigned>(std::min(most_slices, task.shape.z - z));
    cuda::launch(stream, shape, "union of segments", segment::union_kernel<T>, part);
  }
}

template <class T>
void run(const cuda::Stream& stream, const SegmentPlan& plan, const SegmentTask& task) {
  if (plan.places.empty()) {
    return run_parts<T>(stream, plan, task, {0, 0, task.shape.x, task.shape.y}, {task.to});
  }
  // Parts reach into the image from beyond its border.
  constexpr int border = 32;
  static_assert(border >= longest_part / 2);
  const Region region{-border, -border, task.shape.x + 2 * border, task.shape.y + 2 * border};
  DeviceImage layout;
  constexpr std::int64_t alignment = 16;
  layout.pitch = (region.nx * static_cast<std::int64_t>(sizeof(T)) + alignment - 1) / alignment * alignment;
  layout.slice = layout.pitch * region.ny;
  const std::int64_t bytes = layout.slice * task.shape.z;
  cuda::DeviceBuffer<std::byte> memory(stream, bytes * static_cast<std::int64_t>(plan.parts.size()));
  std::vector<DeviceImage> parts;
  for (std::size_t i = 0; i < plan.parts.size(); ++i) {
    parts.push_back(layout);
    parts.back().data = memory.data() + static_cast<std::int64_t>(i) * bytes;
  }
  run_parts<T>(stream, plan, task, region, parts);
  run_union<T>(stream, plan, task, region, parts);
}

}  // namespace

void segment_extremum(const cuda::Stream& stream, const SegmentPlan& plan, const SegmentTask& task) {
  if (task.type == Type::U8) return run<std::uint8_t>(stream, plan, task);
  if (task.type == Type::F32) return run<float>(stream, plan, task);
  run<std::uint16_t>(stream, plan, task);
}

}  // namespace tamis::line_detail::gpu
