#include "bench/perrot/sequential.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>

#include <tamis/error.hpp>

#include "bench/perrot/ours.hpp"
#include "bench/perrot/study.hpp"

namespace tamis::perrot {

using bench::Json;
using bench::print;

void sequential_identity(const Image& image, Image& out) {
  for (std::int64_t y = 0; y < image.shape().y; ++y) {
    const auto* const from = image.row<std::uint16_t>(0, y);
    auto* const to = out.row<std::uint16_t>(0, y);
    for (std::int64_t x = 0; x < image.shape().x; ++x) to[x] = from[x];
  }
}

void sequential_histogram(const Image& image, int edge, Image& out) {
  constexpr int grey_levels = 256;
  const std::int64_t width = image.shape().x, height = image.shape().y;
  const int radius = edge / 2, middle = edge * edge / 2;
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      std::array<int, grey_levels> counts = {};
      for (std::int64_t j = y - radius; j <= y + radius; ++j) {
        const auto* const row = image.row<std::uint16_t>(0, std::clamp<std::int64_t>(j, 0, height - 1));
        for (std::int64_t i = x - radius; i <= x + radius; ++i)
          ++counts[row[std::clamp<std::int64_t>(i, 0, width - 1)]];
      }
      int seen = 0;
      std::size_t level = 0;
      while (seen <= middle) seen += counts[level++];
      out.row<std::uint16_t>(0, y)[x] = static_cast<std::uint16_t>(level - 1);
    }
  }
}

namespace {

template <class Work>
Mean mean_of(const Work& work, const Arguments& arguments) {
  const auto milliseconds = [&](int calls) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count() / calls;
  };
  const double once = milliseconds(1);
  if (once > 1e3 * arguments.seconds) return {once, 1};
  const int calls = calls_of(once, arguments);
  return {milliseconds(calls), calls};
}

void put(const char* version, int edge, const Image& image, int threads, const Mean& mean) {
  Json line = {{"part", "cpu"},
               {"version", version},
               {"edge", edge},
               {"image", image.shape().x},
               {"threads", threads > 0 ? Json(threads) : Json("all")}};
  line.update(figures(mean, image.shape()));
  print(line);
}

void require_same(const Image& got, const Image& wanted, const char* what) {
  if (std::memcmp(got.data(), wanted.data(), static_cast<std::size_t>(wanted.bytes())) == 0) return;
  throw Error(std::string(what) + " on the CPU: not what tamis computes; nothing was timed");
}

}  // namespace

void measure_cpu(const Arguments& arguments) {
  if (!wants(arguments, "cpu")) return;
  for (int size = 512; size <= arguments.largest; size *= 2) {
    const Image image = grey_image({1, size, size, 2});
    Image out(Type::U16, image.shape()), wanted(Type::U16, image.shape());
    sequential_identity(image, out);
    require_same(out, image, "identity");
    put("identity", 1, image, 1, mean_of([&] { sequential_identity(image, out); }, arguments));
    for (const int edge : {3, 5, 7}) {
      for (const int threads : {1, 0}) {
        Context context = bench::on(Device::Cpu);
        context.threads = threads;
        median(context, image, median_of(edge), wanted);
        put("tamis", edge, image, threads,
            mean_of([&] { median(context, image, median_of(edge), wanted); }, arguments));
      }
      // Its rate hardly depends on the size: one call of the largest image takes seconds.
      if (size > 1024) continue;
      sequential_histogram(image, edge, out);
      require_same(out, wanted, "histogram");
      put("histogram", edge, image, 1, mean_of([&] { sequential_histogram(image, edge, out); }, arguments));
    }
  }
}

}  // namespace tamis::perrot
