#include "papers/karas/cpu/openings.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include <fmt/format.h>
#include <tamis/error.hpp>

#include "core/bits/ordered_bits.hpp"
#include "core/cpu/parallel.hpp"
#include "core/door.hpp"
#include "core/operation/filter_image.hpp"
#include "core/stage.hpp"
#include "line/traced/lines.hpp"
#include "papers/karas/cpu/anchor.hpp"
#include "papers/karas/cpu/bartovsky.hpp"
#include "papers/karas/cpu/morard.hpp"
#include "papers/karas/cpu/vanherk.hpp"

namespace tamis::karas::cpu {
namespace {

using namespace line_detail;

void validate(const Image& image, std::int64_t length, double angle, Algorithm algorithm, const Border& border) {
  const std::string_view what = name(algorithm);
  require_image(image, "opening");
  if (length < 1) throw InputError(fmt::format("{}: length {}; wanted at least 1", what, length));
  if (!std::isfinite(angle)) throw InputError(fmt::format("{}: angle {}; wanted a number of degrees", what, angle));
  if (border.kind != Border::Kind::Neutral && border.kind != Border::Kind::Fit) {
    throw InputError(fmt::format("{}: border {}; wanted neutral or fit", what, to_string(border)));
  }
  const Type type = image.type();
  if (type != Type::U8 && type != Type::U16 && type != Type::I16 && type != Type::F32) {
    throw InputError(fmt::format("{} of a {} image; wanted u8, u16, i16 or f32", what, name(type)));
  }
  if (algorithm != Algorithm::Anchor) return;
  if (type != Type::U8) throw InputError(fmt::format("{} of a {} image; wanted u8", what, name(type)));
  const double turned = std::fmod(std::fmod(angle, 180.0) + 180.0, 180.0);
  if (turned != 0 && turned != 90) {
    throw InputError(fmt::format("{}: angle {:g}; wanted 0 or 90", what, angle));
  }
}

template <class Stacked, class Sample>
class LineByLine {
 public:
  using Lane = LaneOf<Sample>;

  LineByLine(const Image& in, Image& out, std::int64_t length, double angle, bool fit)
      : in_(in), out_(out), length_(length), fit_(fit), lines_(trace_lines(angle, in.shape())) {}

  void run(const Context& context, Stage& stage) const {
    constexpr std::int64_t lines_a_task = 16;
    const std::int64_t tasks = (lines_.last - lines_.first + lines_a_task) / lines_a_task;
    parallel_for(context, tasks * in_.shape().z, [&](std::int64_t task) {
      Stacked algorithm;
      std::vector<Lane> line;
      std::vector<Lane> opened;
      const std::int64_t from = lines_.first + task % tasks * lines_a_task;
      std::int64_t samples = 0;
      for (std::int64_t c = from; c < std::min(from + lines_a_task, lines_.last + 1); ++c) {
        samples += run_line(algorithm, {lines_, in_.shape(), c}, task / tasks, line, opened);
      }
      stage.advance(samples);
    });
  }

 private:
  std::int64_t run_line(Stacked& algorithm, const LineIndices& places, std::int64_t z, std::vector<Lane>& line,
                        std::vector<Lane>& opened) const {
    const std::int64_t count = places.count();
    line.resize(static_cast<std::size_t>(count));
    opened.resize(static_cast<std::size_t>(count));
    const auto* const from = in_.row<Sample>(z, 0);
    places.for_each([&](std::int64_t i, std::int64_t at) { line[static_cast<std::size_t>(i)] = lane_of(from[at]); });
    LineJob<Lane> job{line.data(), opened.data(), count, length_, 0, 0, lowest_lane<Sample>(), highest_lane<Sample>()};
    if (!fit_) {
      // Nothing is seen farther than the ends.
      job.before = std::min(length_ / 2, count - 1);
      job.after = std::min(length_ - 1 - length_ / 2, count - 1);
      job.length = job.before + 1 + job.after;
    }
    if (count > 0) algorithm.open(job);
    auto* const to = out_.row<Sample>(z, 0);
    places.for_each(
        [&](std::int64_t i, std::int64_t at) { to[at] = sample_of<Sample>(opened[static_cast<std::size_t>(i)]); });
    return count;
  }

  const Image& in_;
  Image& out_;
  std::int64_t length_;
  bool fit_;
  TracedLines lines_;
};

template <class Sample>
void run(const Context& context, Algorithm algorithm, const Image& in, Image& out, std::int64_t length, double angle,
         bool fit, Stage& stage) {
  using Lane = LaneOf<Sample>;
  switch (algorithm) {
    case Algorithm::VanHerk:
      return LineByLine<VanHerk<Lane>, Sample>(in, out, length, angle, fit).run(context, stage);
    case Algorithm::Morard:
      return LineByLine<Morard<Lane>, Sample>(in, out, length, angle, fit).run(context, stage);
    case Algorithm::Bartovsky:
      return LineByLine<Bartovsky<Lane>, Sample>(in, out, length, angle, fit).run(context, stage);
    case Algorithm::Anchor:
      if constexpr (std::is_same_v<Sample, std::uint8_t>) {
        return LineByLine<Anchor, Sample>(in, out, length, angle, fit).run(context, stage);
      }
      return;  // refused
  }
}

void require_numbers(const Image& image) {
  if (image.type() != Type::F32) return;
  const auto* const samples = image.row<float>(0, 0);
  for (std::int64_t i = 0; i < image.shape().count(); ++i) {
    if (std::isnan(samples[i])) throw InputError("opening of an image with NaN; wanted numbers");
  }
}

}  // namespace

std::string_view name(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::VanHerk:
      return "vanherk";
    case Algorithm::Morard:
      return "morard";
    case Algorithm::Bartovsky:
      return "bartovsky";
    case Algorithm::Anchor:
      return "anchor";
  }
  door::refuse_value(static_cast<std::int64_t>(algorithm), static_cast<std::int64_t>(Algorithm::Anchor), "algorithm");
}

void opening(const Context& context, const Image& image, std::int64_t length, double angle, Algorithm algorithm,
             const Border& border, Image& out) {
  door::enter(context, name(algorithm), [&] {
    if (context.device == Device::Cuda) {
      throw InputError(fmt::format("{} on a GPU; wanted the CPU", name(algorithm)));
    }
    require_device(context);
    validate(image, length, angle, algorithm, border);
    require_numbers(image);
    if (&out == &image)
      throw InputError(fmt::format("{}: the output is the input; wanted another image", name(algorithm)));
    if (out.empty() || out.type() != image.type() || out.shape() != image.shape())
      out = Image(image.type(), image.shape());
    out.spacing = image.spacing;
    Stage stage(context, std::string(name(algorithm)), image.shape().count());
    const bool fit = border.kind == Border::Kind::Fit;
    if (image.type() == Type::U8) run<std::uint8_t>(context, algorithm, image, out, length, angle, fit, stage);
    if (image.type() == Type::U16) run<std::uint16_t>(context, algorithm, image, out, length, angle, fit, stage);
    if (image.type() == Type::I16) run<std::int16_t>(context, algorithm, image, out, length, angle, fit, stage);
    if (image.type() == Type::F32) run<float>(context, algorithm, image, out, length, angle, fit, stage);
  });
}

Image opening(const Context& context, const Image& image, std::int64_t length, double angle, Algorithm algorithm,
              const Border& border) {
  Image out;
  opening(context, image, length, angle, algorithm, border, out);
  return out;
}

}  // namespace tamis::karas::cpu
