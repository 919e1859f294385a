// Traced lines and sweeps over angles.
#include <tamis/morphology.hpp>
#include <tamis/orientation.hpp>

#include "tests/gpu_fuzz/cases.hpp"

namespace tamis::gpu_fuzz {
namespace {

double random_angle(Random& random) {
  if (random.one_in(3)) return 15.0 * static_cast<double>(random.below(13));
  return random.one_in(8) ? random.pick<double>({0.001, 44.999, 45.001, 89.999, 90.001, 134.999, 179.999})
                          : random.real(0, 180);
}

std::string text_of(const AngularSpectrum& spectrum) { return "length " + std::to_string(spectrum.length); }

void add(Answer& answer, const std::vector<AngularSpectrum>& spectra) {
  for (const AngularSpectrum& spectrum : spectra) {
    answer.add(text_of(spectrum) + " removed", spectrum.removed);
    answer.add(text_of(spectrum) + " left", spectrum.left);
  }
}

}  // namespace

Trial traced_case(Random& random) {
  const int rank = random.one_in(4) ? 3 : 2;
  const Type type = random_filter_type(random);
  const Shape shape = random_shape(random, rank, random_budget(random, 300'000));
  const Shared image = share(random_image(random, type, shape, type == Type::F32 && random.one_in(8) ? 0.01 : 0));
  MorphologyOptions options;
  options.lines = Lines::Traced;
  const std::int64_t length = random.extent(random.pick<std::int64_t>({17, 65, 300, 4000}));
  options.element = StructuringElement::line(static_cast<double>(length), random_angle(random));
  options.border = random.one_in(3) ? Border::fit() : Border::neutral();
  const Operation operation = random.pick(
      {Operation::Erode, Operation::Dilate, Operation::Open, Operation::Close, Operation::TopHat, Operation::Gradient});
  std::string what = "traced " + std::string(name(operation)) + " " + describe(type, shape) + ", " +
                     options.element.spec() + ", " + to_string(options.border);
  return filter_trial(
      random, "traced lines", std::move(what), image,
      [=](const Context& context, const Image& own) { return morphology(context, operation, own, options); },
      [=](const Context& context, const GpuArray& own, const GpuOutput& out) {
        morphology(context, operation, own, out, options);
      });
}

Trial orientation_case(Random& random) {
  const Type type = random_filter_type(random);
  const int rank = random.one_in(6) ? 3 : 2;
  const Shape shape = random_shape(random, rank, random_budget(random, 20'000));
  const Shared image = share(random_image(random, type, shape));
  OrientationOptions options;
  options.lengths = {static_cast<double>(random.extent(65))};
  if (random.one_in(4)) options.lengths.push_back(options.lengths.front() + static_cast<double>(random.between(1, 9)));
  options.angles.first = random.one_in(2) ? 0 : random.real(0, 90);
  options.angles.last = options.angles.first + (random.one_in(2) ? 180 : random.real(1, 179));
  options.angles.count = random.between(1, 24);
  options.lines = random.pick({Lines::Invariant, Lines::Traced});
  if (options.lines == Lines::Traced && type != Type::F32 && random.one_in(3)) options.border = Border::fit();
  options.phase = random.pick({Phase::Bright, Phase::Dark});
  const bool maps = random.one_in(2);
  return on_both(maps ? "orientation" : "angular spectra",
                 describe(type, shape) + ", " + std::string(name(options.lines)) + ", " + to_string(options.border) +
                     ", length " + std::to_string(options.lengths.front()) + ", " +
                     std::to_string(options.angles.count) + " angles from " + std::to_string(options.angles.first),
                 [=](const Context& context) {
                   Answer answer;
                   if (!maps) {
                     add(answer, angular_spectra(context, *image, options));
                     return answer;
                   }
                   const Orientation found = orientation(context, *image, options);
                   answer.add("orientation", found.orientation);
                   answer.add("enhanced", found.enhanced);
                   answer.add("contrast", found.contrast);
                   answer.add("histogram", found.histogram);
                   add(answer, found.spectra);
                   return answer;
                 });
}

}  // namespace tamis::gpu_fuzz
