// Filters of images in memory of the host on a GPU, from call to result: copies either way included. A line of JSON for
// each case; answers are compared with the CPU's before anything is timed.
//
//   host_images_bench [TIMES [WORD]]    so often each, 9; only cases whose name holds the word
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include <tamis/deskew.hpp>
#include <tamis/error.hpp>
#include <tamis/frames.hpp>
#include <tamis/median.hpp>
#include <tamis/morphology.hpp>

#include "bench/gpu_timer.hpp"
#include "core/cpu/parallel.hpp"
#include "core/image_over.hpp"

namespace tamis {
namespace {

using bench::Json;
using Clock = std::chrono::steady_clock;
using Filter = std::function<void(const Context&, const Image&, Image&)>;

struct Case {
  std::string name;
  Type type;
  Shape shape;
  Filter filter;
  int gpus = 1;
  bool pinned = false;
};

Context on_gpus(int count) {
  Context context;
  context.device = Device::Cuda;
  for (int gpu = 1; gpu < count; ++gpu) context.more_gpus.push_back(gpu);
  return context;
}

/// Noise; floats are whole numbers.
void fill(Image& image, Type type) {
  constexpr std::int64_t block = std::int64_t{1} << 20;
  parallel_for({}, (image.bytes() + block - 1) / block, [&](std::int64_t b) {
    std::uint64_t state = 88172645463325252ULL + static_cast<std::uint64_t>(b);
    for (std::int64_t i = b * block; i + 8 <= std::min(image.bytes(), (b + 1) * block); i += 8) {
      state ^= state << 13U, state ^= state >> 7U, state ^= state << 17U;
      std::memcpy(image.data() + i, &state, 8);
      if (type != Type::F32) continue;
      const float samples[] = {static_cast<float>(state & 0xFFFF), static_cast<float>(state >> 40U)};
      std::memcpy(image.data() + i, samples, 8);
    }
  });
}

Filter of_morphology(Operation operation, const std::string& element, Lines lines = Lines::Invariant) {
  return [=](const Context& context, const Image& image, Image& out) {
    morphology(context, operation, image, {.element = element, .lines = lines}, out);
  };
}

Filter of_median(const std::string& window) {
  return [=](const Context& context, const Image& image, Image& out) {
    static_cast<void>(median(context, image, {.window = window}, out));
  };
}

double milliseconds_of(const std::function<void()>& work) {
  const Clock::time_point start = Clock::now();
  work();
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

Json figures(int times, const std::function<void()>& work) {
  std::vector<double> all;
  for (int i = 0; i < times; ++i) all.push_back(milliseconds_of(work));
  std::sort(all.begin(), all.end());
  return {{"median_ms", all[all.size() / 2]}, {"min_ms", all.front()}, {"times", times}};
}

void require_same(const std::string& what, const Image& got, const Image& wanted) {
  if (std::memcmp(got.data(), wanted.data(), static_cast<std::size_t>(wanted.bytes())) != 0) {
    throw Error(what + ": another answer than the CPU's");
  }
}

void time_case(const Case& one, int times) {
  Json row = {{"what", one.name},
              {"type", name(one.type)},
              {"shape", to_string(one.shape)},
              {"gpus", one.gpus},
              {"memory", one.pinned ? "page-locked" : "pageable"}};
  const std::int64_t bytes = one.shape.count() * sample_bytes(one.type);
  const PinnedMemory pinned_in(one.pinned ? bytes : 8), pinned_out(one.pinned ? bytes : 8);
  Image image = one.pinned ? image_over(pinned_in.data(), one.type, one.shape) : Image(one.type, one.shape);
  Image out = one.pinned ? image_over(pinned_out.data(), one.type, one.shape) : Image(one.type, one.shape);
  fill(image, one.type);
  const Context context = on_gpus(one.gpus);
  row["first_ms"] = milliseconds_of([&] { one.filter(context, image, out); });
  constexpr std::int64_t quick_on_the_cpu = std::int64_t{1} << 26;
  if (bytes <= quick_on_the_cpu) {
    Context cpu;
    cpu.device = Device::Cpu;
    Image wanted;
    one.filter(cpu, image, wanted);
    require_same(one.name, out, wanted);
  }
  row.update(figures(times, [&] { one.filter(context, image, out); }));
  if (!one.pinned) {
    // As most callers do it: the result's pages are made by the call.
    row["new_output_ms"] = figures(std::max(times / 2, 1), [&] {
      Image fresh;
      one.filter(context, image, fresh);
    })["median_ms"];
  }
  bench::print(row);
}

/// Black lines of text on white paper, a little turned.
Image page(std::int64_t edge) {
  Image image(Type::U8, {1, edge, edge, 2});
  for (std::int64_t y = 0; y < edge; ++y) {
    for (std::int64_t x = 0; x < edge; ++x) {
      const std::int64_t line = y + x / 40;
      const bool ink = line % 40 < 12 && (x / 9 + line / 40) % 3 != 0;
      image.row<std::uint8_t>(0, y)[x] = ink ? 20 : 235;
    }
  }
  return image;
}

void time_skew(std::int64_t edge, int times) {
  const Image image = page(edge);
  DeskewOptions options;
  options.method = DeskewMethod::Closing;
  const Context context = on_gpus(1);
  Json row = {{"what", "skew by closings"}, {"type", "u8"}, {"shape", to_string(image.shape())}, {"gpus", 1}};
  row["first_ms"] = milliseconds_of([&] { static_cast<void>(find_skew(context, image, options)); });
  row.update(figures(times, [&] { static_cast<void>(find_skew(context, image, options)); }));
  bench::print(row);
}

std::vector<Case> all_cases(int gpus) {
  std::vector<Case> cases;
  const auto add = [&](const std::string& what, Type type, std::int64_t edge, const Filter& filter) {
    cases.push_back({what, type, {1, edge, edge, 2}, filter});
  };
  for (const std::int64_t edge : {512, 1024, 2048, 4096, 8192}) {
    add("erode square:3", Type::U8, edge, of_morphology(Operation::Erode, "square:3"));
    add("erode square:3", Type::F32, edge, of_morphology(Operation::Erode, "square:3"));
    add("median square:3", Type::U8, edge, of_median("square:3"));
    add("open square:41", Type::U8, edge, of_morphology(Operation::Open, "square:41"));
  }
  add("median disk:6", Type::U16, 4096, of_median("disk:6"));
  add("open line:41@30", Type::F32, 4096, of_morphology(Operation::Open, "line:41@30"));
  add("open line:41@30 traced", Type::F32, 4096, of_morphology(Operation::Open, "line:41@30", Lines::Traced));
  add("asf disk:3", Type::U8, 4096,
      [](const Context& context, const Image& image, Image& out) { out = asf(context, image, {.element = "disk:3"}); });
  add("erode square:3", Type::F32, 16384, of_morphology(Operation::Erode, "square:3"));
  add("median square:15", Type::U8, 16384, of_median("square:15"));
  cases.push_back({"erode cube:3", Type::U8, {1024, 1024, 1024, 3}, of_morphology(Operation::Erode, "cube:3")});
  cases.push_back(
      {"erode cube:3", Type::U8, {1024, 1024, 1024, 3}, of_morphology(Operation::Erode, "cube:3"), 1, true});
  for (int count = 1; count <= gpus; count *= 2) {
    const Shape stack{256, 4096, 4096, 3};
    cases.push_back({"median 15x15, stack", Type::U8, stack, of_median("rect:15x15"), count});
    cases.push_back({"open square:41, stack", Type::U8, stack, of_morphology(Operation::Open, "square:41"), count});
    cases.push_back({"median 15x15, stack", Type::U8, stack, of_median("rect:15x15"), count, true});
  }
  return cases;
}

int run(int times, const std::string& word) {
  Json machine = bench::machine();
  const int gpus = static_cast<int>(tamis::gpus().size());
  machine["gpus"] = gpus;
  bench::print(machine);
  if (std::string("skew").find(word) != std::string::npos) time_skew(2048, times);
  for (const Case& one : all_cases(gpus)) {
    if (one.name.find(word) == std::string::npos) continue;
    const bool large = one.shape.count() > (std::int64_t{1} << 31);
    time_case(one, large ? std::min(times, 3) : times);
  }
  return 0;
}

}  // namespace
}  // namespace tamis

int main(int argc, char** argv) {
  try {
    return tamis::run(argc > 1 ? std::max(std::atoi(argv[1]), 1) : 9, argc > 2 ? argv[2] : "");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "host_images_bench: %s\n", error.what());
    return 2;
  }
}
