// The operations that are tried: what each family makes of random numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <tamis/context.hpp>
#include <tamis/element.hpp>

#include "tests/gpu_fuzz/answer.hpp"
#include "tests/gpu_fuzz/images.hpp"
#include "tests/gpu_fuzz/random.hpp"

namespace tamis::gpu_fuzz {

/// One call, to be made on both devices.
struct Trial {
  std::string operation;  ///< what it is counted as
  std::string what;       ///< everything about it but the samples
  std::function<Answer(const Context&)> cpu, gpu;
  std::int64_t device_memory_bytes = 0;  ///< a limit, which may be too small for it
  bool needs_gpu = true;                 ///< `gpu` does not run on a CPU; then `cpu` is called instead
};

/// The same call for both.
template <class Call>
Trial on_both(std::string operation, std::string what, const Call& call) {
  return {std::move(operation), std::move(what), call, call};
}

[[nodiscard]] Trial granulometry_case(Random& random);
[[nodiscard]] Trial grey_granulometry_case(Random& random);
[[nodiscard]] Trial ball_case(Random& random);
[[nodiscard]] Trial distance_case(Random& random);
[[nodiscard]] Trial porosimetry_case(Random& random);
[[nodiscard]] Trial morphology_case(Random& random);
[[nodiscard]] Trial element_pair_case(Random& random);  ///< hit-or-miss, alternating sequential filters
[[nodiscard]] Trial reconstruct_case(Random& random);
[[nodiscard]] Trial traced_case(Random& random);
[[nodiscard]] Trial orientation_case(Random& random);
[[nodiscard]] Trial median_case(Random& random);
[[nodiscard]] Trial smooth_case(Random& random);
[[nodiscard]] Trial threshold_case(Random& random);

// What they share.

using Shared = std::shared_ptr<const Image>;
[[nodiscard]] inline Shared share(Image image) { return std::make_shared<const Image>(std::move(image)); }

[[nodiscard]] Type random_filter_type(Random& random);
[[nodiscard]] Border random_border(Random& random, Type type);
/// An element for images of this rank that reaches about as far as `most` samples.
[[nodiscard]] StructuringElement random_element(Random& random, int rank, std::int64_t most);
[[nodiscard]] std::string describe(Type type, const Shape& shape);

/// A filter of arrays on the GPU, called as filter(context, array, out), against the image's answer.
template <class Filter>
[[nodiscard]] Answer run_on_arrays(const Image& image, Random views, const Filter& filter) {
  const cuda::Stream stream(0);
  Context context;
  context.stream = stream.get();
  const DeviceArray in(stream, image, views);
  DeviceArray out(stream, image.type(), image.shape(), views);
  filter(context, in.input(), out.output());
  Answer answer;
  answer.add("samples", image.type(), out.download());
  return answer;
}

/// Samples as arrays have them, to be compared with those.
[[nodiscard]] inline Answer samples_answer(const Image& image) {
  Answer answer;
  answer.add("samples", image.type(), samples_of(image));
  return answer;
}

/// An image's answer on both devices, or on the GPU that of arrays, or of slabs.
template <class OfImage, class OfArray>
Trial filter_trial(Random& random, std::string operation, std::string what, const Shared& image,
                   const OfImage& of_image, const OfArray& of_array) {
  Trial trial;
  trial.operation = std::move(operation);
  trial.cpu = trial.gpu = [=](const Context& context) { return samples_answer(of_image(context, *image)); };
  if (random.one_in(3)) {
    what += ", arrays";
    const Random views(random.next());
    trial.gpu = [=](const Context&) { return run_on_arrays(*image, views, of_array); };
  } else if (random.one_in(3)) {  // from less than it takes to a few slabs or one
    trial.device_memory_bytes = 1 + image->bytes() * random.between(1, 80) / 8;
    what += ", " + std::to_string(trial.device_memory_bytes) + " bytes of the GPU";
  }
  trial.what = std::move(what);
  return trial;
}

}  // namespace tamis::gpu_fuzz
