// Erosions, dilations and what is made of them; reconstruction.
#include <limits>
#include <span>

#include <tamis/morphology.hpp>

#include "tests/gpu_fuzz/cases.hpp"

namespace tamis::gpu_fuzz {
namespace {

constexpr double nan_shares[] = {0.001, 0.1, 0.9, 1};

struct Samples {
  Shared image;
  NanPolicy nan = NanPolicy::Refuse;
  std::string what;
};

Samples random_samples(Random& random, int rank, std::int64_t most) {
  const Type type = random_filter_type(random);
  const Shape shape = random_shape(random, rank, random_budget(random, most));
  Samples samples;
  const bool with_nan = type == Type::F32 && random.one_in(3);
  if (with_nan && !random.one_in(6)) samples.nan = NanPolicy::Ignore;
  samples.image = share(random_image(random, type, shape, with_nan ? nan_shares[random.below(4)] : 0));
  samples.what =
      describe(type, shape) + (with_nan ? ", NaN" : "") + (samples.nan == NanPolicy::Ignore ? " ignored" : "");
  return samples;
}

/// Reaches of elements: the CPU takes time for each run of samples.
std::int64_t random_reach(Random& random) { return random.pick<std::int64_t>({9, 33, 33, 65, 130, 1025}); }

Operation random_operation(Random& random) {
  return random.pick({Operation::Erode, Operation::Dilate, Operation::Open, Operation::Close, Operation::Gradient,
                      Operation::InnerGradient, Operation::OuterGradient, Operation::TopHat, Operation::BotHat});
}

}  // namespace

Trial morphology_case(Random& random) {
  const int rank = random.one_in(2) ? 2 : 3;
  const Samples samples = random_samples(random, rank, 200'000);
  const Type type = samples.image->type();
  MorphologyOptions options;
  options.element = random_element(random, rank, random_reach(random));
  options.border = random_border(random, type);
  options.iterations = random.one_in(3) ? random.extent(12) : 1;
  options.nan = samples.nan;
  const Operation operation = random_operation(random);
  std::string what = std::string(name(operation)) + " " + samples.what + ", " + options.element.spec() + ", " +
                     to_string(options.border) + ", " + std::to_string(options.iterations) + " times";
  return filter_trial(
      random, "morphology", std::move(what), samples.image,
      [=](const Context& context, const Image& image) { return morphology(context, operation, image, options); },
      [=](const Context& context, const GpuArray& image, const GpuOutput& out) {
        morphology(context, operation, image, out, options);
      });
}

Trial element_pair_case(Random& random) {
  const int rank = random.one_in(2) ? 2 : 3;
  const Samples samples = random_samples(random, rank, 60'000);
  const Border border = random_border(random, samples.image->type());
  if (random.one_in(2)) {
    HitMissOptions options;
    options.hit = random_element(random, rank, 9);
    options.miss = random_element(random, rank, 9);
    options.border = border;
    options.nan = samples.nan;
    std::string what = "hitmiss " + samples.what + ", " + options.hit.spec() + " and " + options.miss.spec() + ", " +
                       to_string(border);
    return filter_trial(
        random, "hitmiss", std::move(what), samples.image,
        [=](const Context& context, const Image& image) { return hitmiss(context, image, options); },
        [=](const Context& context, const GpuArray& image, const GpuOutput& out) {
          hitmiss(context, image, out, options);
        });
  }
  AsfOptions options;
  const char* const family =
      random.pick<const char*>({"square", "cross", "disk", "octagon", "hexagon", "cube", "ball"});
  const std::int64_t size = random.between(1, 4);
  const bool edge = std::string(family) == "square" || std::string(family) == "cube";
  options.element = std::string(family) + ":" + std::to_string(edge ? 2 * size + 1 : size);
  options.order = random.pick({AsfOptions::Order::OpenClose, AsfOptions::Order::CloseOpen});
  options.border = border;
  options.nan = samples.nan;
  std::string what = "asf " + samples.what + ", " + options.element + ", " + to_string(border);
  return filter_trial(
      random, "asf", std::move(what), samples.image,
      [=](const Context& context, const Image& image) { return asf(context, image, options); },
      [=](const Context& context, const GpuArray& image, const GpuOutput& out) { asf(context, image, out, options); });
}

namespace {

/// Of the marker too: below the mask nearly always, as it has to be.
Trial marker_and_mask_case(Random& random, const Samples& samples) {
  const Shape& shape = samples.image->shape();
  const Type type = samples.image->type();
  ReconstructOptions options;
  options.by = random.pick({ReconstructOptions::By::Dilation, ReconstructOptions::By::Erosion});
  options.connectivity = random.pick({Connectivity::Face, Connectivity::Full});
  const bool rises = options.by == ReconstructOptions::By::Dilation;
  // An erosion of the mask by few offsets that hold the origin lies below it; so do samples set to its lowest value.
  Context cpu;
  cpu.device = Device::Cpu;
  cpu.threads = 1;
  MorphologyOptions far;
  far.element = StructuringElement::rect(random.extent(65), random.extent(65));
  const bool faulty = random.one_in(16) || type == Type::F32;  // which may hold NaN
  Image marker = faulty ? random_image(random, type, shape)
                        : morphology(cpu, rises ? Operation::Erode : Operation::Dilate, *samples.image, far);
  if (type == Type::F32) {
    const float* other = samples.image->row<float>(0, 0);
    for (float& own : std::span(marker.row<float>(0, 0), static_cast<std::size_t>(shape.count()))) {
      own = random.one_in(4) ? *other : (rises ? -1 : 1) * std::numeric_limits<float>::infinity();
      ++other;
    }
  }
  const Shared start = share(std::move(marker));
  const Shared mask = samples.image;
  Trial trial =
      on_both("reconstruct",
              "reconstruct " + samples.what + (rises ? ", by dilation" : ", by erosion") +
                  (options.connectivity == Connectivity::Face ? ", faces" : ", full"),
              [=](const Context& context) { return samples_answer(reconstruct(context, *start, *mask, options)); });
  if (random.one_in(3)) {
    trial.what += ", arrays";
    const Random seed(random.next());
    trial.gpu = [=](const Context&) {
      Random views = seed;
      const cuda::Stream stream(0);
      Context context;
      context.stream = stream.get();
      const DeviceArray first(stream, *start, views);
      const DeviceArray second(stream, *mask, views);
      DeviceArray out(stream, mask->type(), mask->shape(), views);
      reconstruct(context, first.input(), second.input(), out.output(), options);
      Answer answer;
      answer.add("samples", mask->type(), out.download());
      return answer;
    };
  }
  return trial;
}

}  // namespace

Trial reconstruct_case(Random& random) {
  const int rank = random.one_in(2) ? 2 : 3;
  const Samples samples = random_samples(random, rank, 300'000);
  if (random.one_in(2)) return marker_and_mask_case(random, samples);
  MorphologyOptions options;
  options.element = random_element(random, rank, 33);
  options.border = random_border(random, samples.image->type());
  options.nan = samples.nan;
  const bool opens = random.one_in(2);
  const Connectivity connectivity = random.pick({Connectivity::Face, Connectivity::Full});
  std::string what = std::string(opens ? "open" : "close") + " by reconstruction " + samples.what + ", " +
                     options.element.spec() + ", " + to_string(options.border);
  return filter_trial(
      random, "by reconstruction", std::move(what), samples.image,
      [=](const Context& context, const Image& image) {
        return opens ? open_by_reconstruction(context, image, options, connectivity)
                     : close_by_reconstruction(context, image, options, connectivity);
      },
      [=](const Context& context, const GpuArray& image, const GpuOutput& out) {
        if (opens) return open_by_reconstruction(context, image, out, options, connectivity);
        close_by_reconstruction(context, image, out, options, connectivity);
      });
}

}  // namespace tamis::gpu_fuzz
