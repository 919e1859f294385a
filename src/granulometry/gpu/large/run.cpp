#include "granulometry/gpu/large/run.hpp"

#include <numeric>
#include <string>

#include <tamis/error.hpp>

namespace tamis::granulometry_detail::gpu {
namespace {

std::int64_t words_of_row(const Windows& w) { return (w.nx + 63) / 64; }
std::int64_t word_count(const Windows& w) { return w.nz * w.ny * words_of_row(w); }
double voxels(const Windows& w) { return static_cast<double>(w.nz) * static_cast<double>(w.ny * w.nx); }

std::int64_t device_bytes(const Windows& w, std::int64_t largest) {
  WindowTask slice;
  slice.windows = Windows(1, w.ny, w.nx);
  return w.nz * WindowRun::bytes_of_slice(slice, planes_for(largest)) + word_count(w) * 8;
}

}  // namespace

LargeSizes::LargeSizes(const cuda::Stream& stream) : stream_(stream), runs_(stream, 1), host_runs_(stream, 1) {}

std::vector<TopRun> LargeSizes::find_runs(const CutOff& cut_off) {
  runs_.clear();  // all of it, for all of it is read
  find_top_runs(stream_, cut_off.windows, cut_off.peaks, static_cast<int>(cut_off.top), runs_.data());
  cuda::check(cudaMemcpyAsync(host_runs_.data(), runs_.data(), sizeof(TopRuns), cudaMemcpyDeviceToHost, stream_.get()),
              "read large sizes");
  stream_.synchronize();
  const TopRuns& found = host_runs_[0];
  if (found.count > TopRuns::most) return {};
  return {found.runs, found.runs + found.count};
}

bool LargeSizes::within(const BoxLimits& limits, const Windows& volume) const {
  const Windows stacked = found_.stacked();
  if (voxels(stacked) > limits.share * voxels(volume)) return false;
  return limits.device_bytes == 0 || device_bytes(stacked, found_.largest) <= limits.device_bytes;
}

bool LargeSizes::find(const CutOff& cut_off, const BoxLimits& limits) {
  const std::vector<TopRun> runs = find_runs(cut_off);
  if (runs.empty()) return false;
  found_ = boxes_around(cut_off.windows, runs, cut_off.top, cut_off.cap);
  if (!within(limits, cut_off.windows)) return false;
  cut(cut_off);
  return true;
}

void LargeSizes::cut(const CutOff& cut_off) {
  const Windows stacked = found_.stacked();
  const bool same = stacked.nz == stacked_.nz && stacked.ny == stacked_.ny && stacked.nx == stacked_.nx;
  if (!run_ || !same) {
    run_.reset();  // all of the old before any of the new
    bits_ = {};
    bits_ = cuda::DeviceBuffer<std::uint64_t>(stream_, word_count(stacked));
    WindowTask task;
    task.windows = stacked;
    run_ = std::make_unique<WindowRun>(stream_, task);
    stacked_ = stacked;
  }
  run_->prepare(found_.largest);
  std::uint64_t* to = bits_.data();
  for (const Box& box : found_.boxes) {
    cut_out(stream_, cut_off.object, cut_off.windows.ny, box, to, stacked.ny, words_of_row(stacked));
    to += (box.length(0) + 1) * stacked.ny * words_of_row(stacked);
  }
}

void LargeSizes::open() {
  WindowQuery query;
  query.cap = found_.largest;  // which no distance exceeds
  query.end = query.inner_end = stacked_.nz;
  run_->run({bits_.data(), words_of_row(stacked_), stacked_.nz}, nullptr, query);
}

void LargeSizes::complete(std::vector<std::int64_t>& counts) const {
  const std::vector<std::int64_t> own = run_->counts();
  const auto top = static_cast<std::ptrdiff_t>(counts.size()) - 1;
  const std::int64_t told = std::accumulate(own.begin() + top, own.end(), std::int64_t{0});
  if (told != counts.back()) {
    throw Error("GPU: boxes hold " + std::to_string(told) + " voxels of size " + std::to_string(top) +
                " and more; wanted " + std::to_string(counts.back()) + ", those of the whole volume");
  }
  counts.resize(static_cast<std::size_t>(top));
  counts.insert(counts.end(), own.begin() + top, own.end());
}

}  // namespace tamis::granulometry_detail::gpu
