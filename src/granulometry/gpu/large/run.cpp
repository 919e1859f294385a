#include "granulometry/gpu/large/run.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>

#include <tamis/error.hpp>

namespace tamis::granulometry_detail::gpu {
namespace {

/// Each takes its turns one after the other, half a millisecond and more whatever its size. What boxes save in a slab
/// of 2048 x 2048 x 768 is 6 ms.
constexpr std::size_t most_stacks = 4;

std::int64_t words_of_row(const Windows& w) { return (w.nx + 63) / 64; }
std::int64_t word_count(const Windows& w) { return w.nz * w.ny * words_of_row(w); }
double voxels(const Windows& w) { return static_cast<double>(w.nz) * static_cast<double>(w.ny * w.nx); }
bool same(const Windows& a, const Windows& b) { return a.nz == b.nz && a.ny == b.ny && a.nx == b.nx; }

std::int64_t device_bytes(const Windows& w, std::int64_t largest) {
  WindowTask slice;
  slice.windows = Windows(1, w.ny, w.nx);
  return w.nz * WindowRun::bytes_of_slice(slice, planes_for(largest)) + word_count(w) * 8;
}

bool within(const BoxLimits& limits, const Windows& volume, const std::vector<BoxStack>& stacks, std::int64_t largest) {
  if (stacks.size() > most_stacks) return false;
  double sum = 0;
  std::int64_t bytes = 0;
  for (const BoxStack& stack : stacks) {
    sum += voxels(stack.shape());
    bytes += device_bytes(stack.shape(), largest);
  }
  return sum <= limits.share * voxels(volume) && (limits.device_bytes == 0 || bytes <= limits.device_bytes);
}

}  // namespace

StackRun::StackRun(const cuda::Stream& stream, const BoxStack& stack)
    : stream_(stream), stack_(stack), shape_(stack.shape()) {}

void StackRun::take(const BoxStack& stack) {
  stack_ = stack;
  const Windows shape = stack.shape();
  if (same(shape, shape_)) return;
  shape_ = shape;
  run_.reset();
  bits_ = {};
}

void StackRun::run(const CutOff& cut_off, std::int64_t largest) {
  if (!run_) {
    bits_ = cuda::DeviceBuffer<std::uint64_t>(stream_, word_count(shape_));
    WindowTask task;
    task.windows = shape_;
    run_ = std::make_unique<WindowRun>(stream_, task);
  }
  cut(cut_off);
  WindowQuery query;
  query.cap = largest;
  query.begin = stack_.counted.begin;
  query.end = stack_.counted.end;
  query.inner_end = shape_.nz;
  run_->run({bits_.data(), words_of_row(shape_), shape_.nz}, nullptr, query);
}

void StackRun::cut(const CutOff& cut_off) {
  std::uint64_t* to = bits_.data();
  for (const Box& box : stack_.boxes) {
    cut_out(stream_, cut_off.object, cut_off.windows.ny, box, to, shape_.ny, words_of_row(shape_));
    to += (box.length(0) + 1) * shape_.ny * words_of_row(shape_);
  }
}

LargeSizes::LargeSizes(const cuda::Stream& stream) : stream_(stream), runs_(stream, 1), host_runs_(stream, 1) {}

/// False if they are more than there is room for.
bool LargeSizes::find_runs(const CutOff& cut_off) {
  runs_.clear();  // all of it, for all of it is read
  find_top_runs(stream_, cut_off.windows, cut_off.peaks, static_cast<int>(cut_off.top), runs_.data());
  cuda::check(cudaMemcpyAsync(host_runs_.data(), runs_.data(), sizeof(TopRuns), cudaMemcpyDeviceToHost, stream_.get()),
              "read large sizes");
  stream_.synchronize();
  return host_runs_[0].count <= TopRuns::most;
}

bool LargeSizes::run(const CutOff& cut_off, const BoxLimits& limits) {
  if (!find_runs(cut_off)) return false;
  const TopRuns& runs = host_runs_[0];
  found_ =
      boxes_around(cut_off.windows, {runs.runs, runs.runs + runs.count}, cut_off.top, cut_off.cap, cut_off.counted);
  const std::vector<BoxStack> stacks = stacks_of(found_.boxes, cut_off.counted);
  if (!within(limits, cut_off.windows, stacks, found_.largest)) return false;
  take(stacks);
  for (const auto& stack : stacks_) stack->run(cut_off, found_.largest);
  return true;
}

/// All of the old is given back before any of the new is taken.
void LargeSizes::take(const std::vector<BoxStack>& stacks) {
  if (stacks_.size() > stacks.size()) stacks_.resize(stacks.size());
  for (std::size_t i = 0; i < stacks.size(); ++i) {
    if (i < stacks_.size())
      stacks_[i]->take(stacks[i]);
    else
      stacks_.push_back(std::make_unique<StackRun>(stream_, stacks[i]));
  }
}

std::int64_t LargeSizes::largest() const {
  std::int64_t largest = 0;
  for (const auto& stack : stacks_) largest = std::max(largest, stack->largest());
  return largest;
}

void LargeSizes::complete(std::vector<std::int64_t>& counts) const {
  const std::size_t top = counts.size() - 1;
  std::vector<std::int64_t> sizes(top + 1);  // those below are not asked for
  for (const auto& stack : stacks_) {
    const std::vector<std::int64_t> own = stack->counts();
    sizes.resize(std::max(sizes.size(), own.size()));
    for (std::size_t size = top; size < own.size(); ++size) sizes[size] += own[size];
  }
  const std::int64_t told = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  if (told != counts.back()) {
    throw Error("GPU: boxes hold " + std::to_string(told) + " voxels of size " + std::to_string(top) +
                " and more; wanted " + std::to_string(counts.back()) + ", which the planes have");
  }
  std::copy(counts.begin(), counts.end() - 1, sizes.begin());
  counts = std::move(sizes);
}

}  // namespace tamis::granulometry_detail::gpu
