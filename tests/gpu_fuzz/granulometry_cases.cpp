// Sizes of objects: curves and maps of images, of arrays, and prepared.
#include <algorithm>
#include <optional>

#include <tamis/gpu/granulometry.hpp>
#include <tamis/granulometry.hpp>

#include "tests/gpu_fuzz/cases.hpp"

namespace tamis::gpu_fuzz {
namespace {

struct Problem {
  Shared object;
  Shared domain;
  GranulometryOptions options;
};

std::string text_of(const Problem& problem) {
  const GranulometryOptions& options = problem.options;
  std::string text = describe(Type::Bool, problem.object->shape()) + ", " + std::string(name(options.element)) + ", " +
                     std::string(name(options.border));
  if (options.max_size) text += ", up to " + std::to_string(*options.max_size);
  if (!problem.domain->empty()) text += ", domain " + to_string(problem.domain->shape());
  return text;
}

Problem random_problem(Random& random) {
  Problem problem;
  GranulometryOptions& options = problem.options;
  const int rank = random.one_in(3) ? 2 : 3;
  const Shape shape = random_shape(random, rank, random_budget(random, 600'000));
  options.element = random.pick({Element::Cross, Element::Square, rank == 3 ? Element::Cube : Element::Square});
  options.border = random.pick({DomainBorder::Background, DomainBorder::Neutral});
  if (random.one_in(3)) options.max_size = random.extent(300) - 1;
  Image object = random_object(random, shape);
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

Answer answer_of(const Sizes& sizes, const Image* map) {
  Answer answer;
  answer.add("sizes", sizes);
  if (map) answer.add("map", map->type(), samples_of(*map));
  return answer;
}

Answer of_image(const Context& context, const Problem& problem, bool map) {
  if (!map) return answer_of(granulometry(context, *problem.object, problem.options, *problem.domain), nullptr);
  Image out;
  int started = 0;
  const Sizes sizes = size_map(
      context, *problem.object, problem.options, *problem.domain,
      [&](Type type) {
        out = Image(type, problem.object->shape());
        ++started;
      },
      [&](const std::byte* slices, std::int64_t z0, std::int64_t count) {
        std::copy_n(slices, count * out.shape().y * out.row_bytes(), out.row<std::byte>(z0, 0));
      });
  Answer answer = answer_of(sizes, &out);
  answer.add("starts", started);
  return answer;
}

/// Voxels outside the domain do not count there.
Problem clipped(const Problem& problem) {
  Image object = copy_of(*problem.object);
  clip(object, *problem.domain);
  return {share(std::move(object)), problem.domain, problem.options};
}

Answer of_arrays(const Problem& problem, Random views, bool map) {
  const cuda::Stream stream(0);
  Context context;
  context.stream = stream.get();
  const DeviceArray object(stream, *problem.object, views);
  std::optional<DeviceArray> domain;
  if (!problem.domain->empty()) domain.emplace(stream, *problem.domain, views);
  const GpuArray inside = domain ? domain->input() : GpuArray{};
  if (!map) return answer_of(granulometry(context, object.input(), problem.options, inside), nullptr);
  std::optional<DeviceArray> out;
  const Sizes sizes = size_map(context, object.input(), problem.options, inside, [&](Type type) {
    out.emplace(stream, type, problem.object->shape(), views);
    return out->output();
  });
  Answer answer = answer_of(sizes, nullptr);
  answer.add("map", out->output().type, out->download());
  answer.add("starts", 1);
  return answer;
}

/// Only what a prepared run tells.
Answer curve_of(const Sizes& sizes) {
  Answer answer;
  answer.add("volume", sizes.volume);
  answer.add("limited", static_cast<int>(sizes.limited));
  return answer;
}

Answer of_prepared(const Context& context, const Problem& problem) {
  GpuGranulometry::Options options;
  options.granulometry = problem.options;
  GpuGranulometry prepared(context, problem.object->shape(), options);
  const cuda::Stream stream(0);
  const auto upload = [&](const Image& image) {
    cuda::DeviceBuffer<std::uint64_t> bits(stream, image.bytes() / 8);
    cuda::check(cudaMemcpyAsync(bits.data(), image.data(), bits.bytes(), cudaMemcpyHostToDevice, stream.get()), "copy");
    stream.synchronize();
    return bits;
  };
  const auto object = upload(*problem.object);
  const auto domain = upload(problem.domain->empty() ? *problem.object : *problem.domain);
  prepared.run(object.data(), problem.domain->empty() ? nullptr : domain.data());
  prepared.run(object.data(), problem.domain->empty() ? nullptr : domain.data());
  return curve_of(prepared.wait());
}

bool can_be_prepared(const Problem& problem) {
  const GranulometryOptions& options = problem.options;
  const bool whole = problem.domain->empty() || problem.domain->shape().z == problem.object->shape().z;
  // The domain bounds a neutral border only, and an object that fills its domain is not looked for.
  return options.max_size && whole;
}

}  // namespace

Trial granulometry_case(Random& random) {
  const Problem problem = random_problem(random);
  const bool map = random.one_in(2);
  Trial trial;
  trial.operation = "granulometry";
  trial.what = text_of(problem) + (map ? ", map" : "");
  trial.cpu = trial.gpu = [=](const Context& context) { return of_image(context, problem, map); };
  const std::int64_t route = random.below(8);
  if (route < 3) {
    trial.what += ", arrays";
    const Random views(random.next());
    const Problem inside = clipped(problem);
    trial.cpu = [=](const Context& context) { return of_image(context, inside, map); };
    trial.gpu = [=](const Context&) { return of_arrays(problem, views, map); };
  } else if (route == 3 && can_be_prepared(problem)) {
    trial.what += ", prepared";
    const Problem inside = clipped(problem);
    trial.cpu = [=](const Context& context) {
      Sizes sizes = granulometry(context, *inside.object, inside.options, *inside.domain);
      // The rest of the object's rows: what fills its domain is not told from what survives the limit.
      if (sizes.never_empties && sizes.rows() == 1) {
        sizes.volume.resize(static_cast<std::size_t>(*inside.options.max_size) + 1, sizes.volume.front());
        sizes.limited = true;
      }
      return curve_of(sizes);
    };
    trial.gpu = [=](const Context& context) { return of_prepared(context, inside); };
  } else if (route == 5) {
    trial.device_memory_bytes = random.pick<std::int64_t>({17, 18, 20, 24, 40}) << 20;
    trial.what += ", " + std::to_string(trial.device_memory_bytes >> 20) + " MiB of the GPU";
  }
  return trial;
}

Trial grey_granulometry_case(Random& random) {
  GreyGranulometryOptions options;
  const int rank = random.one_in(2) ? 2 : 3;
  const Shape shape = random_shape(random, rank, random_budget(random, 8192));
  const Type type = random.pick({Type::U8, Type::U16, Type::I16, Type::F32});
  options.element = random.pick({GreyElement::Cross, GreyElement::Square, GreyElement::Octagon, GreyElement::Disk,
                                 GreyElement::Cube, GreyElement::Ball});
  options.border = random.pick({DomainBorder::Background, DomainBorder::Neutral});
  options.phase = random.pick({Phase::Bright, Phase::Dark});
  options.max_size = random.below(6);
  const Shared image = share(random_image(random, type, shape));
  return on_both("grey granulometry",
                 describe(type, shape) + ", " + std::string(name(options.element)) + ", " +
                     std::string(name(options.border)) + ", up to " + std::to_string(*options.max_size),
                 [=](const Context& context) {
                   Answer answer;
                   answer.add("sizes", grey_granulometry(context, *image, options));
                   return answer;
                 });
}

}  // namespace tamis::gpu_fuzz
