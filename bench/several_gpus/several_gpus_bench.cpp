// One GPU against several of a host: granulometries of volumes as large as its memory, and stacks of images. Prints a
// line of JSON for each row; answers are compared before anything is timed.
#include <algorithm>
#include <atomic>
#include <barrier>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/granulometry.hpp>
#include <tamis/operations.hpp>
#include <tamis/phantom.hpp>
#include <tamis/threshold.hpp>

#include "bench/gpu_timer.hpp"
#include "bench/pinned_volume.hpp"
#include "core/cpu/parallel.hpp"
#include "core/gpu/stream.hpp"
#include "core/shared/pieces.hpp"
#include "granulometry/gpu/window_run.hpp"

namespace tamis {
namespace {

using bench::Json;
using bench::PinnedVolume;
using bench::seconds_of;
using Clock = std::chrono::steady_clock;
using Curve = std::vector<std::int64_t>;

Json figures(const std::vector<double>& seconds) {
  const bench::Times times = bench::times_of(seconds);
  return {{"median_s", times.median}, {"min_s", times.least}, {"times", seconds.size()}};
}

/// The first call warms up and is what check() sees.
Json timed(int times, const std::function<void()>& work, const std::function<void()>& check) {
  work();
  check();
  std::vector<double> seconds;
  for (int i = 0; i < times; ++i) seconds.push_back(seconds_of(work));
  return figures(seconds);
}

void require_same(const std::string& what, bool same) {
  if (!same) throw Error(what + ": another answer than that of one GPU");
}

Context on_gpus(int count) {
  Context context;
  context.device = Device::Cuda;
  for (int gpu = 1; gpu < count; ++gpu) context.more_gpus.push_back(gpu);
  return context;
}

std::string text_of(const Shape& shape) { return fmt::format("{}x{}x{}", shape.x, shape.y, shape.z); }

Image foam(std::int64_t edge) {
  FoamOptions options;
  options.shape = {edge, edge, edge, 3};
  return phantom_foam({}, options);
}

/// A block of whole words a row again and again, along x, y and z.
Image repeated(const Image& block, std::int64_t times, std::int64_t slices) {
  const Shape& part = block.shape();
  Image volume(Type::Bool, {slices, times * part.y, times * part.x, 3});
  const std::size_t row = static_cast<std::size_t>(part.x / 8);
  parallel_for({}, slices, [&](std::int64_t z) {
    for (std::int64_t y = 0; y < volume.shape().y; ++y) {
      auto* const to = reinterpret_cast<std::byte*>(volume.row<std::uint64_t>(z, y));
      const auto* const from = block.row<std::uint64_t>(z % part.z, y % part.y);
      for (std::int64_t i = 0; i < times; ++i) std::memcpy(to + static_cast<std::size_t>(i) * row, from, row);
    }
  });
  return volume;
}

// ---- device part ----------------------------------------------------------------------------------------------------

/// A slab of a volume whose bits lie on a GPU, with its halo.
struct Slab {
  std::int64_t from = 0, begin = 0, end = 0, to = 0;
};

/// As the library shares a volume out.
std::vector<Slab> slabs_of(std::int64_t depth, int count, std::int64_t halo) {
  std::vector<Slab> slabs;
  const auto workers = static_cast<std::size_t>(count);
  const shared::PieceSizes sizes = shared::fair_pieces(depth, workers, halo);
  shared::Length length(depth, workers);
  shared::Hand hand(length, 0);
  while (const auto piece = hand.take(sizes)) {
    slabs.push_back({std::max<std::int64_t>(piece->begin - halo, 0), piece->begin, piece->end,
                     std::min(piece->end + halo, depth)});
  }
  return slabs;
}

/// What one GPU does with its slab, again and again.
class DevicePart {
 public:
  DevicePart(int gpu, const Image& volume, const Slab& slab)
      : scope_(gpu), stream_(gpu), slab_(slab), words_(volume.row_bytes() / 8) {
    const Shape& shape = volume.shape();
    const std::int64_t slices = slab.to - slab.from;
    bits_ = cuda::DeviceBuffer<std::uint64_t>(stream_, slices * shape.y * words_);
    cuda::check(cudaMemcpyAsync(bits_.data(), volume.row<std::uint64_t>(slab.from, 0), bits_.bytes(),
                                cudaMemcpyHostToDevice, stream_.get()),
                "copy bits");
    granulometry_detail::gpu::WindowTask task;
    task.windows = granulometry_detail::gpu::Windows(slices, shape.y, shape.x);
    run_ = std::make_unique<granulometry_detail::gpu::WindowRun>(stream_, task);
    query_.open_below = slab.from > 0;
    query_.open_above = slab.to < shape.z;
    query_.begin = query_.inner_begin = slab.begin - slab.from;
    query_.end = query_.inner_end = slab.end - slab.from;
    if (slab.from > 0 || slab.to < shape.z) query_.cap = halo_cap;
    stream_.synchronize();
  }

  void run() {
    static_cast<void>(run_->measure({bits_.data(), words_, slab_.to - slab_.from}, nullptr, query_));
    run_->open(query_);
    stream_.synchronize();
  }
  [[nodiscard]] Curve counts() const { return run_->counts(); }
  [[nodiscard]] std::int64_t largest() const { return run_->largest(); }

  static constexpr std::int64_t halo = 128, halo_cap = halo / 2 + 1;

 private:
  cuda::DeviceScope scope_;
  cuda::Stream stream_;
  Slab slab_;
  std::int64_t words_;
  cuda::DeviceBuffer<std::uint64_t> bits_;
  std::unique_ptr<granulometry_detail::gpu::WindowRun> run_;
  granulometry_detail::gpu::WindowQuery query_;
};

void add(Curve& sum, const Curve& part) {
  if (sum.size() < part.size()) sum.resize(part.size());
  for (std::size_t i = 1; i < part.size(); ++i) sum[i] += part[i];
}

/// All GPUs at once on bits that they have: seconds until the last one is done.
Json device_part(const Image& volume, int gpus, int times, Curve& wanted) {
  const std::vector<Slab> slabs = slabs_of(volume.shape().z, gpus, DevicePart::halo);
  std::vector<double> seconds;
  std::vector<std::string> errors(slabs.size());
  Curve counts;
  std::int64_t largest = 0, slices = 0;
  for (const Slab& slab : slabs) slices += slab.to - slab.from;
  std::barrier together(gpus);
  std::mutex mutex;
  Clock::time_point start;
  const auto work = [&](int gpu) {
    try {
      DevicePart part(gpu, volume, slabs[static_cast<std::size_t>(gpu)]);
      part.run();
      {
        const std::lock_guard lock(mutex);
        add(counts, part.counts());
        largest = std::max(largest, part.largest());
      }
      for (int i = 0; i < times; ++i) {
        together.arrive_and_wait();
        if (gpu == 0) start = Clock::now();
        part.run();
        together.arrive_and_wait();
        if (gpu == 0) seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
      }
    } catch (const std::exception& error) {
      errors[static_cast<std::size_t>(gpu)] = error.what();
      together.arrive_and_drop();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int gpu = 0; gpu < gpus; ++gpu) threads.emplace_back(work, gpu);
  }
  for (const std::string& error : errors) {
    if (!error.empty()) throw Error(error);
  }
  if (largest > DevicePart::halo / 2) throw Error("the halo is too short for this volume");
  while (counts.back() == 0) counts.pop_back();
  if (wanted.empty()) wanted = counts;
  require_same("device part", counts == wanted);
  Json row = {{"what", "device part"}, {"volume", text_of(volume.shape())}, {"gpus", gpus}, {"sizes", wanted.size() - 1},
              {"computed_twice", static_cast<double>(slices) / static_cast<double>(volume.shape().z) - 1}};
  row.update(figures(seconds));
  return row;
}

// ---- from host memory to the curve ------------------------------------------------------------------------------------

Json curve_of_bits(const Image& volume, int gpus, int times, Curve& wanted) {
  const Context context = on_gpus(gpus);
  Curve curve;
  Json row = {{"what", "bits to curve"}, {"volume", text_of(volume.shape())}, {"gpus", gpus}};
  row.update(timed(times, [&] { curve = granulometry(context, volume).volume; },
                   [&] {
                     if (wanted.empty()) wanted = curve;
                     require_same("bits to curve", curve == wanted);
                   }));
  return row;
}

/// What a command reads.
void write(const bench::PinnedVolume& volume, const std::string& path) {
  const int file = ::open(path.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0644);
  const Shape& shape = volume.layout().shape;
  const std::int64_t slice = shape.y * shape.x;
  std::atomic<bool> whole = file >= 0;
  parallel_for({}, shape.z, [&](std::int64_t z) {
    if (whole && ::pwrite(file, volume.slice(z), static_cast<std::size_t>(slice), z * slice) != slice) whole = false;
  });
  if (file >= 0) ::close(file);
  if (!whole) throw Error(path + ": cannot be written");
}

/// As the program does it: the context says who makes bits of the samples.
Json curve_of_samples(PinnedVolume& volume, const char* packer, const Context& packing, int gpus, int times,
                      const Curve& wanted) {
  const Context context = on_gpus(gpus);
  ThresholdOptions options;
  options.method = ThresholdMethod::Value;
  options.value = 127;
  Curve curve;
  double bits_s = 0;
  Json row = {{"what", "u8 in page-locked memory to curve"}, {"volume", text_of(volume.layout().shape)},
              {"gpus", gpus}, {"packed_by", packer}};
  row.update(timed(times,
                   [&] {
                     const Clock::time_point start = Clock::now();
                     const Binary binary = binarise(packing, volume, options);
                     bits_s = std::chrono::duration<double>(Clock::now() - start).count();
                     curve = granulometry(context, binary.object).volume;
                   },
                   [&] { require_same("u8 to curve", curve == wanted); }));
  row["bits_s"] = bits_s;
  return row;
}

// ---- a stack of images ------------------------------------------------------------------------------------------------

Image stack_of(std::int64_t count, std::int64_t edge) {
  Image stack(Type::U8, {count, edge, edge, 3});
  parallel_for({}, count, [&](std::int64_t z) {
    std::uint64_t state = 88172645463325252ULL + static_cast<std::uint64_t>(z);
    auto* const words = reinterpret_cast<std::uint64_t*>(stack.row<std::uint8_t>(z, 0));
    for (std::int64_t i = 0; i < edge * edge / 8; ++i) {
      state ^= state << 13U, state ^= state >> 7U, state ^= state << 17U;
      words[i] = state;
    }
  });
  return stack;
}

/// A filter by its name, with one of its settings.
struct Filter {
  const char *name, *parameter, *value;

  void run(const Context& context, const Image& image, Image& out) const {
    const OperationDescription& what = operation(name);
    Arguments arguments = what.defaults;
    arguments.set(parameter, value);
    const Image* const images[] = {&image};
    what.filter.run(context, images, arguments, out);
  }
};
constexpr Filter filters[] = {{"median", "size", "15x15"}, {"open", "element", "square:41"}};

void time_stack(std::int64_t count, int most_gpus, int times) {
  const Image stack = stack_of(count, 4096);
  for (const Filter& filter : filters) {
    const std::string name = fmt::format("{} {}", filter.name, filter.value);
    Image wanted;
    for (int gpus = 1; gpus <= most_gpus; gpus *= 2) {
      const Context context = on_gpus(gpus);
      Image out;
      Json row = {{"what", name}, {"volume", text_of(stack.shape())}, {"gpus", gpus}};
      row.update(timed(times, [&] { filter.run(context, stack, out); },
                       [&] {
                         if (wanted.empty()) {
                           wanted = Image(out.type(), out.shape());
                           std::memcpy(wanted.data(), out.data(), static_cast<std::size_t>(out.bytes()));
                         }
                         require_same(name, std::memcmp(wanted.data(), out.data(), static_cast<std::size_t>(out.bytes())) == 0);
                       }));
      bench::print(row);
    }
  }
}

// ---- the parts ----------------------------------------------------------------------------------------------------------

void time_device(std::int64_t edge, int most_gpus) {
  const Image volume = foam(edge);
  Curve wanted;
  for (int gpus = 1; gpus <= most_gpus; gpus *= 2) bench::print(device_part(volume, gpus, 5, wanted));
}

/// edge^3, as a foam repeated, or of so many slices only.
void time_bits(std::int64_t edge, std::int64_t slices, int most_gpus) {
  const Image volume = repeated(foam(edge / 4), 4, slices);
  Curve wanted;
  for (int gpus = most_gpus; gpus > 0; gpus /= 2) bench::print(curve_of_bits(volume, gpus, 3, wanted));
}

void time_samples(std::int64_t edge, std::int64_t slices, int most_gpus, const std::string& file) {
  const Image bits = repeated(foam(edge / 4), 4, slices);
  Curve wanted;
  bench::print(curve_of_bits(bits, most_gpus, 3, wanted));
  double pinned_s = 0;
  std::unique_ptr<PinnedVolume> volume;
  pinned_s = seconds_of([&] { volume = std::make_unique<PinnedVolume>(Context{}, bits); });
  bench::print({{"what", "page-locked memory taken and filled"}, {"volume", text_of(bits.shape())}, {"seconds", pinned_s}});
  Context cpu;
  cpu.device = Device::Cpu;
  for (int gpus = most_gpus; gpus > 0; gpus /= 2) {
    bench::print(curve_of_samples(*volume, "the CPU", cpu, gpus, 3, wanted));
    bench::print(curve_of_samples(*volume, "one GPU", on_gpus(1), gpus, 3, wanted));
  }
  if (!file.empty()) {
    const double seconds = seconds_of([&] { write(*volume, file); });
    bench::print({{"what", "file written"}, {"volume", text_of(bits.shape())}, {"seconds", seconds}});
  }
}

std::int64_t number(const std::string& text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  if (std::from_chars(text.data(), end, value).ptr != end || value < 1) throw InputError(text + "; wanted a number");
  return value;
}

constexpr const char* usage =
    "several_gpus_bench machine | device EDGE GPUS | bits EDGE SLICES GPUS | samples EDGE SLICES GPUS [FILE] | "
    "stack IMAGES GPUS";

int run(const std::vector<std::string>& words) {
  const auto at = [&](std::size_t i) { return number(words.at(i)); };
  const auto gpus_at = [&](std::size_t i) { return static_cast<int>(at(i)); };
  if (words.size() == 1 && words[0] == "machine") {
    Json machine = bench::machine();
    machine["gpus"] = gpus().size();
    bench::print(machine);
  } else if (words.size() == 3 && words[0] == "device") {
    time_device(at(1), gpus_at(2));
  } else if (words.size() == 4 && words[0] == "bits") {
    time_bits(at(1), at(2), gpus_at(3));
  } else if (words.size() >= 4 && words[0] == "samples") {
    time_samples(at(1), at(2), gpus_at(3), words.size() > 4 ? words[4] : "");
  } else if (words.size() == 3 && words[0] == "stack") {
    time_stack(at(1), gpus_at(2), 3);
  } else {
    throw InputError(std::string("wanted ") + usage);
  }
  return 0;
}

}  // namespace
}  // namespace tamis

int main(int argc, char** argv) {
  try {
    return tamis::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "several_gpus_bench: %s\n", error.what());
    return 2;
  }
}
