// Medians and other percentiles, and the smoother.
#include <tamis/median.hpp>

#include "tests/gpu_fuzz/cases.hpp"

namespace tamis::gpu_fuzz {
namespace {

struct Samples {
  Shared image;
  NanPolicy nan = NanPolicy::Refuse;
  std::string what;
};

Samples random_samples(Random& random, int rank, std::int64_t most) {
  const Type type = random_filter_type(random);
  const Shape shape = random_shape(random, rank, random_budget(random, most));
  const bool with_nan = type == Type::F32 && random.one_in(4);
  Samples samples;
  if (with_nan && !random.one_in(6)) samples.nan = NanPolicy::Ignore;
  samples.image = share(random_image(random, type, shape, with_nan ? random.pick({0.001, 0.2, 1.0}) : 0));
  samples.what =
      describe(type, shape) + (with_nan ? ", NaN" : "") + (samples.nan == NanPolicy::Ignore ? " ignored" : "");
  return samples;
}

StructuringElement random_window(Random& random, int rank, std::int64_t most) {
  if (random.one_in(2)) return random_element(random, rank, most);
  if (rank == 3 && random.one_in(2)) return StructuringElement::cube(random.between(1, 9));
  return random.one_in(2) ? StructuringElement::square(random.extent(most))
                          : StructuringElement::rect(random.extent(most), random.extent(most));
}

}  // namespace

Trial median_case(Random& random) {
  const int rank = random.one_in(3) ? 3 : 2;
  const Samples samples = random_samples(random, rank, 60'000);
  MedianOptions options;
  const bool small = samples.image->shape().count() < 20'000;
  options.window = random_window(random, rank, random.pick<std::int64_t>({5, 9, 17, small ? 65 : 17}));
  options.percentile = random.one_in(2) ? 50 : random.pick<double>({0, 100, 10, 99.9, random.real(0, 100)});
  options.iterations = random.one_in(4) ? random.between(2, 4) : 1;
  options.border = random_border(random, samples.image->type());
  options.nan = samples.nan;
  std::string what = "median " + samples.what + ", " + options.window.spec() + ", " +
                     std::to_string(options.percentile) + " %, " + to_string(options.border) + ", " +
                     std::to_string(options.iterations) + " times";
  return filter_trial(
      random, "median", std::move(what), samples.image,
      [=](const Context& context, const Image& image) { return median(context, image, options); },
      [=](const Context& context, const GpuArray& image, const GpuOutput& out) {
        median(context, image, out, options);
      });
}

Trial smooth_case(Random& random) {
  const int rank = random.one_in(3) ? 3 : 2;
  const Samples samples = random_samples(random, rank, 60'000);
  SmoothOptions options;
  options.width = random.extent(random.pick<std::int64_t>({9, 65, 300}));
  options.height = random.extent(random.pick<std::int64_t>({9, 65, 300}));
  options.depth = rank == 3 ? random.extent(33) : 1;
  options.iterations = random.one_in(4) ? 2 : 1;
  options.border = random_border(random, samples.image->type());
  options.nan = samples.nan;
  std::string what = "smooth " + samples.what + ", " + std::to_string(options.width) + "x" +
                     std::to_string(options.height) + "x" + std::to_string(options.depth) + ", " +
                     to_string(options.border);
  return filter_trial(
      random, "smooth", std::move(what), samples.image,
      [=](const Context& context, const Image& image) { return smooth(context, image, options); },
      [=](const Context& context, const GpuArray& image, const GpuOutput& out) {
        smooth(context, image, out, options);
      });
}

}  // namespace tamis::gpu_fuzz
