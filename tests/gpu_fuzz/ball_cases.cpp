// Distances, sizes by balls, and porosimetry: curves and maps of images.
#include <algorithm>

#include <tamis/balls.hpp>
#include <tamis/distance.hpp>
#include <tamis/porosimetry.hpp>

#include "tests/gpu_fuzz/cases.hpp"

namespace tamis::gpu_fuzz {
namespace {

struct Problem {
  Shared object;
  Shared domain;
  DomainBorder border = DomainBorder::Background;
  bool by_slices = false;
};

Problem random_problem(Random& random, std::int64_t most) {
  Problem problem;
  const int rank = random.one_in(3) ? 2 : 3;
  const Shape shape = random_shape(random, rank, random_budget(random, most));
  problem.border = random.pick({DomainBorder::Background, DomainBorder::Neutral});
  problem.by_slices = rank == 3 && random.one_in(4);
  Image object = random_object(random, shape);
  if (random.one_in(3)) {
    object.spacing = random.pick<Spacing>({{2, 1, 1, "um"}, {1, 5, 3, "um"}, {1, 1, 7, "mm"}, {64, 63, 61, "nm"},
                                           {0.5, 0.206, 0.206, "um"}, {2.5, 0.6836, 0.6836, "um"},
                                           {1, 1.0007, 1.0007, "um"}, {1.7320508, 1.41421356, 1, "um"},
                                           {1, 1000, 300.0001, "nm"}});
  }
  Image domain;
  if (random.one_in(3)) {
    Shape own = shape;
    if (random.one_in(2)) own.z = 1;
    domain = random_domain(random, own);
    if (!random.one_in(16)) clip(object, domain);  // voxels outside are an error
  }
  problem.object = share(std::move(object));
  problem.domain = share(std::move(domain));
  return problem;
}

std::string text_of(const Problem& problem) {
  const Spacing& spacing = problem.object->spacing;
  std::string text = describe(Type::Bool, problem.object->shape()) + ", " + std::string(name(problem.border));
  if (spacing.known()) text += ", sides " + std::to_string(spacing.z) + " " + std::to_string(spacing.y) + " " +
                               std::to_string(spacing.x);
  if (problem.by_slices) text += ", by slices";
  if (!problem.domain->empty()) text += ", domain " + to_string(problem.domain->shape());
  return text;
}

/// Takes what a map delivers.
struct Taken {
  Type type = Type::U16;
  std::vector<std::byte> samples;

  [[nodiscard]] BallStart start() {
    return [this](const BallSizes&, Type of_samples) { type = of_samples; };
  }
  [[nodiscard]] MapSink sink(const Shape& shape) {
    return [this, &shape](const std::byte* slices, std::int64_t, std::int64_t count) {
      samples.insert(samples.end(), slices, slices + count * shape.y * shape.x * sample_bytes(type));
    };
  }
};

void limit_memory(Trial& trial, Random& random) {
  if (!random.one_in(4)) return;
  trial.device_memory_bytes = random.pick<std::int64_t>({64, 66, 68, 72, 90}) << 20;
  trial.what += ", " + std::to_string(trial.device_memory_bytes >> 20) + " MiB of the GPU";
}

}  // namespace

Trial ball_case(Random& random) {
  const Problem problem = random_problem(random, 300'000);
  BallOptions options{problem.border, random.pick({BallConvention::Tamis, BallConvention::Porespy, BallConvention::Fiji}),
                      problem.by_slices};
  if (random.one_in(4)) options.max_size = random.below(20);
  if (!options.max_size && random.one_in(4)) options.radii = {1, 2 + random.below(3), 6 + random.below(30)};
  Trial trial = on_both("balls", text_of(problem) + ", " + std::string(name(options.convention)),
                        [=](const Context& context) {
                          Taken map;
                          const BallSizes found = ball_map(context, *problem.object, options, *problem.domain,
                                                           map.start(), map.sink(problem.object->shape()));
                          Answer answer;
                          answer.add("sizes", found.sizes);
                          answer.add("largest", static_cast<std::int64_t>(found.largest_square));
                          answer.add("unbounded", found.unbounded);
                          answer.add("map", map.type, map.samples);
                          return answer;
                        });
  limit_memory(trial, random);
  return trial;
}

Trial distance_case(Random& random) {
  const Problem problem = random_problem(random, 600'000);
  const Faces open{random.one_in(4), random.one_in(4), random.one_in(4),
                   random.one_in(4), random.one_in(4), random.one_in(4)};
  Trial trial = on_both("distance", text_of(problem), [=](const Context& context) {
    const SquaredDistances found =
        squared_distance(context, *problem.object, {problem.border, open, problem.by_slices}, *problem.domain);
    Answer answer;
    answer.add("largest", static_cast<std::int64_t>(found.largest));
    answer.add("unbounded", static_cast<int>(found.unbounded));
    answer.add("squares", found.squares.type(), samples_of(found.squares));
    return answer;
  });
  limit_memory(trial, random);
  return trial;
}

Trial porosimetry_case(Random& random) {
  const Problem problem = random_problem(random, 100'000);
  const bool flat = problem.object->shape().rank == 2;
  const Faces inlet{!flat && random.one_in(3), !flat && random.one_in(4), random.one_in(3),
                    random.one_in(4),          random.one_in(3),          random.one_in(4)};
  const PorosimetryOptions options{inlet, problem.border,
                                   random.pick({BallConvention::Tamis, BallConvention::Porespy}), random.one_in(3)};
  return on_both("porosimetry", text_of(problem), [=](const Context& context) {
    Taken map;
    const Porosimetry found = invasion_map(context, *problem.object, options, *problem.domain, {}, map.start(),
                                           map.sink(problem.object->shape()));
    Answer answer;
    answer.add("volume", found.balls.sizes.volume);
    answer.add("invaded", found.invaded);
    answer.add("breakthrough", found.breakthrough.value_or(-1));
    if (found.pores) answer.add("pores", found.pores->sizes.volume);
    answer.add("map", map.type, map.samples);
    return answer;
  });
}

}  // namespace tamis::gpu_fuzz
