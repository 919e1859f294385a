#include "papers/perrot/study/measure.hpp"

#include <cstring>

#include <tamis/error.hpp>
#include <tamis/gpu.hpp>

#include "papers/perrot/cpu/sequential.hpp"

namespace tamis::perrot {

using bench::Json;
using bench::print;

namespace {

template <class Work>
Mean mean_on_cpu(const Work& work, const Arguments& arguments) {
  const auto milliseconds = [&](int calls) {
    return 1e3 / calls * bench::seconds_of([&] {
             for (int i = 0; i < calls; ++i) work();
           });
  };
  const double once = milliseconds(1);
  if (once > 1e3 * arguments.seconds) return {once, 1};
  return mean_of(milliseconds, arguments);
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

/// The paper's reference and histogram on the CPU, and tamis there.
void measure_cpu(const Arguments& arguments) {
  for (int size = 512; size <= arguments.largest; size *= 2) {
    const Image image = grey_image({1, size, size, 2});
    Image out(Type::U16, image.shape()), wanted(Type::U16, image.shape());
    sequential_identity(image, out);
    require_same(out, image, "identity on the CPU");
    put("identity", 1, image, 1, mean_on_cpu([&] { sequential_identity(image, out); }, arguments));
    for (const int edge : {3, 5, 7}) {
      for (const int threads : {1, 0}) {
        Context context = bench::on(Device::Cpu);
        context.threads = threads;
        median(context, image, median_of(edge), wanted);
        put("tamis", edge, image, threads,
            mean_on_cpu([&] { median(context, image, median_of(edge), wanted); }, arguments));
      }
      // Its rate hardly depends on the size: one call of the largest image takes seconds.
      if (size > 1024) continue;
      sequential_histogram(image, edge, out);
      require_same(out, wanted, "histogram on the CPU");
      put("histogram", edge, image, 1, mean_on_cpu([&] { sequential_histogram(image, edge, out); }, arguments));
    }
  }
}

}  // namespace

void require_same(const Image& got, const Image& wanted, const std::string& what) {
  if (std::memcmp(got.data(), wanted.data(), static_cast<std::size_t>(wanted.bytes())) == 0) return;
  throw Error(what + " of " + to_string(wanted.shape()) + ": not what tamis computes; nothing was timed");
}

Json figures(const Mean& mean, const Shape& shape) {
  return {
      {"calls", mean.calls}, {"mean_ms", mean.ms}, {"mpx_per_s", static_cast<double>(shape.count()) / mean.ms / 1e3}};
}

void measure(const Arguments& arguments) {
#ifdef TAMIS_CUDA
  if (why_no_gpu().empty() && arguments.only != "cpu") measure_on_gpu(arguments);
#endif
  if (arguments.only.empty() || arguments.only == "cpu") measure_cpu(arguments);
}

}  // namespace tamis::perrot
