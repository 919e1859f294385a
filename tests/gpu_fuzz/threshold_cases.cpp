// Samples to bits, and their histograms.
#include <optional>

#include <tamis/threshold.hpp>

#include "tests/gpu_fuzz/cases.hpp"

namespace tamis::gpu_fuzz {
namespace {

struct Problem {
  Shared image;
  Shared domain;  ///< or empty
  bool cylinder = false;
  ThresholdOptions options;
};

Problem random_problem(Random& random) {
  Problem problem;
  const Type type = random.pick({Type::Bool, Type::U8, Type::U8, Type::U16, Type::U16, Type::I16, Type::F32, Type::I8,
                                 Type::U32, Type::I32, Type::U64, Type::I64, Type::F64});
  const Shape shape = random_shape(random, random.one_in(2) ? 2 : 3, random_budget(random, 300'000));
  problem.image = share(random_image(random, type, shape, type == Type::F32 && random.one_in(16) ? 0.01 : 0));
  Image domain;
  if (random.one_in(3)) {
    Shape own = shape;
    if (random.one_in(2)) own = {1, shape.y, shape.x, 2};  // one slice for all
    domain = random_domain(random, own);
  } else {
    problem.cylinder = random.one_in(4);
  }
  problem.domain = share(std::move(domain));
  ThresholdOptions& options = problem.options;
  options.method =
      random.pick({ThresholdMethod::Value, ThresholdMethod::Band, ThresholdMethod::TwoValues, ThresholdMethod::Otsu,
                   ThresholdMethod::Li, ThresholdMethod::Kapur, ThresholdMethod::Minimum, ThresholdMethod::Triangle,
                   ThresholdMethod::Isodata, ThresholdMethod::Mean});
  // Of 16 bits it smooths 65536 counts up to 10,000 times, on the host in any case.
  const bool takes_long = options.method == ThresholdMethod::Minimum && sample_bytes(type) == 2;
  if (takes_long && !random.one_in(16)) options.method = ThresholdMethod::Mean;
  options.value = random_value(random, type) + random.pick({0.0, 0.5});
  options.low = random_value(random, type);
  options.high = options.low + random.real(0, 200);
  options.phase = random.pick({Phase::Bright, Phase::Dark});
  return problem;
}

bool has_some(const Image& domain) {
  for (std::int64_t z = 0; z < domain.shape().z; ++z) {
    for (std::int64_t y = 0; y < domain.shape().y; ++y) {
      for (std::int64_t x = 0; x < domain.shape().x; ++x) {
        if (domain.bit(z, y, x)) return true;
      }
    }
  }
  return false;
}

/// Of the region of an image.
template <class Work>
auto with_region(const Problem& problem, const Work& work) {
  const std::unique_ptr<SliceSource> source = source_of(*problem.image);
  std::unique_ptr<SliceSource> mask;
  Region region;
  if (!problem.domain->empty()) {
    mask = source_of(*problem.domain);
    region.kind = Region::Kind::Mask;
    region.mask = mask.get();
  } else if (problem.cylinder) {
    region.kind = Region::Kind::Cylinder;
  }
  return work(*source, region);
}

Answer binary_of_image(const Context& context, const Problem& problem, bool whole) {
  return with_region(problem, [&](SliceSource& source, const Region& region) {
    const Binary binary = binarise(context, source, problem.options, region);
    Answer answer;
    answer.add("object", binary.object.type(), samples_of(binary.object));
    answer.add("threshold", binary.threshold);
    if (!whole) return answer;
    answer.add("volume", binary.volume);
    answer.add("domain volume", binary.domain_volume);
    answer.add("high", binary.high);
    return answer;
  });
}

Answer answer_of(const Histogram& histogram) {
  Answer answer;
  answer.add("counts", histogram.counts);
  answer.add("extremes", std::vector<double>{histogram.minimum, histogram.maximum, histogram.first_centre});
  answer.add("bins", histogram.bin_width);
  answer.add("samples", histogram.samples);
  answer.add("mean", histogram.mean);
  return answer;
}

Answer of_arrays(const Problem& problem, Random views, bool counts) {
  const cuda::Stream stream(0);
  Context context;
  context.stream = stream.get();
  const DeviceArray image(stream, *problem.image, views);
  std::optional<DeviceArray> domain;
  if (!problem.domain->empty()) domain.emplace(stream, *problem.domain, views);
  const GpuArray inside = domain ? domain->input() : GpuArray{};
  if (counts) return answer_of(histogram(context, image.input(), inside));
  DeviceArray object(stream, Type::Bool, problem.image->shape(), views);
  const double threshold = binarise(context, image.input(), object.output(), problem.options, inside);
  Answer answer;
  answer.add("object", Type::Bool, object.download());
  answer.add("threshold", threshold);
  return answer;
}

}  // namespace

Trial threshold_case(Random& random) {
  Problem problem = random_problem(random);
  const bool counts = random.one_in(4);
  const bool arrays = random.one_in(3);
  if (arrays) problem.cylinder = false;
  // Arrays with a threshold of their own are queued without a look at the region: that nothing is inside is no error.
  const bool queued =
      problem.options.method == ThresholdMethod::Value || problem.options.method == ThresholdMethod::Band;
  if (arrays && !counts && queued && !problem.domain->empty() && !has_some(*problem.domain))
    problem.domain = share(Image());
  Trial trial;
  trial.operation = counts ? "histogram" : "threshold";
  trial.what = trial.operation + " " + describe(problem.image->type(), problem.image->shape());
  if (!counts) trial.what += ", " + std::string(name(problem.options.method));
  if (problem.cylinder) trial.what += ", cylinder";
  if (!problem.domain->empty()) trial.what += ", domain " + to_string(problem.domain->shape());
  if (counts) {
    trial.cpu = trial.gpu = [=](const Context& context) {
      return with_region(problem, [&](SliceSource& source, const Region& region) {
        return answer_of(histogram(context, source, region));
      });
    };
  } else {
    trial.cpu = trial.gpu = [=](const Context& context) { return binary_of_image(context, problem, !arrays); };
  }
  if (arrays) {
    trial.what += ", arrays";
    const Random views(random.next());
    trial.gpu = [=](const Context&) { return of_arrays(problem, views, counts); };
  }
  return trial;
}

}  // namespace tamis::gpu_fuzz
