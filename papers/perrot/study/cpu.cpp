#include <algorithm>
#include <chrono>
#include <cstring>

#include <tamis/error.hpp>

#include "papers/perrot/cpu/sequential.hpp"
#include "papers/perrot/study/ours.hpp"
#include "papers/perrot/study/study.hpp"

namespace tamis::perrot {

using bench::Json;
using bench::print;

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
