#include "granulometry/gpu/balls/painter.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "granulometry/balls/squares.hpp"

namespace tamis::granulometry_detail::gpu::balls {
namespace {

/// Voxels of which one goes into a sample of blocks, at least: enough to tell how long lists will be.
constexpr std::int64_t sampled_voxels = std::int64_t{1} << 22;
/// From this share of voxels on that are middles of balls up to the square 6, painting those all at once is cheaper
/// than lists of them.
constexpr double dense_share = 0.012;
constexpr std::int64_t most_boxes = std::numeric_limits<std::uint32_t>::max();

}  // namespace

void Painter::paint(const PaintTask& task) {
  if (task.largest < 2) return;  // every ball is its own voxel
  set_tables(task);
  tiles_ = Tiles(task.squares).count();
  Selection selection{task.squares, sides_of(task.sides, task.flat), tables_, 2, 1, {}};
  const Sample sample = take_sample(selection);
  tell("sample");
  const std::int64_t words = task.squares.z * task.squares.slice() / 32;
  cuda::DeviceBuffer<std::uint32_t> codes;
  if (sample.dense) {
    codes = cuda::DeviceBuffer<std::uint32_t>(stream_, 3 * words);
    code_dense(stream_, task.squares, codes.data());
    selection.least = dense_most + 1;
    tell("codes");
  }
  const Painting painting{
      task.squares, reinterpret_cast<const std::uint32_t*>(task.object), selection.sides, task.largest, {}};
  make_room(sample.boxes + sample.boxes / 4 + (1 << 16), segment_room_);
  make_lists(selection);
  tell("select");
  if (sample.dense) {
    while (!have_fitted()) make_lists(selection);
    paint_dense(stream_, codes.data(), task.squares);  // now that nobody asks for what was there
    tell("dense");
  }
  paint_lists(painting);
  while (!have_fitted()) {  // then nothing was painted
    make_lists(selection);
    paint_lists(painting);
  }
  tell("paint");
}

void Painter::make_lists(Selection& selection) {
  cursors_.clear();
  counts_.clear();
  selection.lists = lists();
  select(stream_, selection);
}

void Painter::paint_lists(Painting painting) {
  painting.lists = lists();
  balls::paint(stream_, painting);
}

/// Waits, and asks whether there was room for everything. If not there will be: selecting says how much it takes.
bool Painter::have_fitted() {
  read_cursors();
  const std::int64_t wanted = host_[0].boxes;
  const std::int64_t segments = host_[0].most_segments;
  if (wanted <= boxes_.size() && segments <= segment_room_) return true;
  make_room(wanted, std::max(segment_room_, segments + segments / 8));
  return false;
}

Painter::Sample Painter::take_sample(Selection selection) {
  cursors_.clear();
  const std::int64_t voxels = selection.squares.z * selection.squares.slice();
  selection.every = static_cast<int>(std::clamp<std::int64_t>(voxels / sampled_voxels, 2, 256)) | 1;
  selection.lists.cursors = cursors_.data();
  select(stream_, selection);
  read_cursors();
  Sample sample;
  sample.boxes = std::int64_t{host_[0].sampled} * selection.every;
  sample.dense = selection.sides.cubic() &&
                 static_cast<double>(host_[0].small) * selection.every > dense_share * static_cast<double>(voxels);
  return sample;
}

/// Tables of inclusion for every square that they know; they do not change with the image.
void Painter::set_tables(const PaintTask& task) {
  if (table_sides_ == task.sides && table_flat_ == task.flat && table_largest_ >= task.largest) return;
  // Long tables take milliseconds: no longer than this image or, mostly, the next slab needs.
  table_largest_ = std::bit_ceil(task.largest + 1);
  const Inclusion tables = inclusion_tables(task.sides, table_largest_, task.flat);
  const auto known = static_cast<std::int64_t>(tables.known());
  cuda::PinnedBuffer<std::uint32_t> host(stream_, 4 * known);
  inclusion_ = cuda::DeviceBuffer<std::uint32_t>(stream_, 4 * known);
  for (int i = 0; i < 4; ++i) {
    std::copy(tables.least[i].begin(), tables.least[i].end(), host.data() + i * known);
    tables_.least[i] = inclusion_.data() + i * known;
  }
  tables_.known = static_cast<std::uint32_t>(known);
  cuda::check(
      cudaMemcpyAsync(inclusion_.data(), host.data(), inclusion_.bytes(), cudaMemcpyHostToDevice, stream_.get()),
      "copy to the device");
  table_sides_ = task.sides;
  table_flat_ = task.flat;
}

void Painter::make_room(std::int64_t boxes, std::int64_t segments_of_tile) {
  if (boxes > most_boxes) throw cuda::OutOfMemory("lists of balls");
  if (counts_.size() != tiles_ || segments_.size() != tiles_ * segments_of_tile) {
    counts_ = {};
    segments_ = {};
    counts_ = cuda::DeviceBuffer<std::uint32_t>(stream_, tiles_);
    segments_ = cuda::DeviceBuffer<Segment>(stream_, tiles_ * segments_of_tile);
  }
  segment_room_ = segments_of_tile;
  if (boxes <= boxes_.size()) return;
  boxes_ = {};
  squares_ = {};
  order_ = {};
  patches_ = {};
  boxes_ = cuda::DeviceBuffer<Box>(stream_, boxes);
  squares_ = cuda::DeviceBuffer<std::uint16_t>(stream_, boxes);
  order_ = cuda::DeviceBuffer<std::uint32_t>(stream_, boxes);
  patches_ = cuda::DeviceBuffer<std::uint8_t>(stream_, boxes);
}

Lists Painter::lists() const {
  return {boxes_.data(),
          squares_.data(),
          order_.data(),
          patches_.data(),
          static_cast<std::uint32_t>(boxes_.size()),
          segments_.data(),
          counts_.data(),
          static_cast<std::uint32_t>(segment_room_),
          cursors_.data()};
}

void Painter::read_cursors() {
  cuda::check(cudaMemcpyAsync(host_.data(), cursors_.data(), sizeof(Cursors), cudaMemcpyDeviceToHost, stream_.get()),
              "read the length of lists");
  stream_.synchronize();
}

std::int64_t Painter::bytes(const Shape& shape, std::int64_t slices) {
  return 4 * slices * shape.y * distance_detail::gpu::pitch_of(shape.x);
}

}  // namespace tamis::granulometry_detail::gpu::balls
