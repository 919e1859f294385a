#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <tamis/deskew.hpp>
#include <tamis/error.hpp>

#include "core/door.hpp"
#include "core/operation/filter_image.hpp"
#include "core/stage.hpp"
#include "line/deskew/ink.hpp"
#include "line/deskew/scores.hpp"
#include "line/sweep/sweep.hpp"

namespace tamis {
namespace {

using namespace line_detail;

// Edges of what is looked at, in samples. Angles 0.25 degrees apart move the ends of a line of 640 samples by 2.8,
// which is as wide as the peak of a line of text is there.
constexpr std::int64_t longest_edge = 2048;
constexpr std::int64_t coarse_edge = 640;
constexpr std::int64_t coarse_closing_edge = 1024;
/// What angles are compared with is the median over at least so many degrees to either side.
constexpr double least_range = 15;
/// Text that runs up or down the page is believed only where its score is so many times that of text across it.
constexpr double sideways_advantage = 2;
constexpr std::int64_t length_part = 2;

/// What a method knows of a page.
struct Finding {
  std::vector<double> scores;  ///< at the angles tried first
  Summit summit;               ///< its score is the confidence
  bool sideways = false;
};

/// A photograph has a wall or a pole more often than a page lies on its side.
bool known(const Finding& finding) {
  return finding.summit.score >= least_confidence * (finding.sideways ? sideways_advantage : 1);
}

struct Search {
  const Context& context;
  const DeskewOptions& options;
  const Ink& ink;
  std::vector<double> angles;       ///< tried first
  std::vector<double> wide_angles;  ///< for the median

  [[nodiscard]] double limit() const { return options.max_angle + options.step; }
  [[nodiscard]] Image small(std::int64_t edge) const {
    const std::int64_t longest = std::max(ink.grey.shape().x, ink.grey.shape().y);
    return reduced_ink(ink.grey, static_cast<int>(std::max<std::int64_t>(1, (longest + edge / 2) / edge)));
  }
};

std::vector<double> scaled(std::vector<double> values, double offset, double unit) {
  for (double& value : values) value = unit > 0 ? (value + offset) / unit : 1;
  return values;
}

/// The angles tried first, against the median of the wide ones; then up to the summit on the same image.
Finding try_angles(const Search& search, const Scores& scores, double offset) {
  const double unit = median_of(scores(search.wide_angles)) + offset;
  Finding finding;
  finding.scores = scaled(scores(search.angles), offset, unit);
  const double start = search.angles[index_of_largest(finding.scores)];
  const Scores relative = [&](const std::vector<double>& angles) { return scaled(scores(angles), offset, unit); };
  finding.summit = climb(relative, start, search.options.step / 4, search.options.step / 4, search.limit());
  return finding;
}

Finding by_projection(const Search& search) {
  const Image small = search.small(coarse_edge);
  const auto try_reading = [&](Reading reading) {
    const Projection projection(small, reading);
    return try_angles(
        search, [&](const std::vector<double>& angles) { return projection.energies(search.context, angles); }, 0);
  };
  Finding finding = try_reading(Reading::Across);
  Finding along = try_reading(Reading::Along);
  if (along.summit.score > sideways_advantage * finding.summit.score) {
    finding = std::move(along);
    finding.sideways = true;
  }
  if (!known(finding)) return finding;
  const Projection fine(search.ink.grey, finding.sideways ? Reading::Along : Reading::Across);
  const Scores energies = [&](const std::vector<double>& angles) { return fine.energies(search.context, angles); };
  const double spacing = std::min(search.options.step / 8, fine.resolution() / 4);
  const Summit top = climb(energies, finding.summit.angle, search.options.step / 8, spacing, search.limit());
  finding.summit.angle = top.angle;
  finding.summit.inside = top.inside;
  return finding;
}

/// The scores of the closings of an ink; `turn` is 90 for lines that run up or down the page.
Scores closing_scores(const Context& context, const Image& ink, double length, double turn) {
  const auto whole = std::max<std::int64_t>(2, std::llround(length));
  return [&context, &ink, turn, whole](const std::vector<double>& angles) {
    std::vector<double> turned = angles;
    for (double& angle : turned) angle += turn;
    return ink_in_lines(context, ink, whole, turned);
  };
}

/// The middle of the peak that was found, on all of the ink.
void centre(const Search& search, const Scores& scores, Finding& finding) {
  const std::size_t top = index_of_largest(finding.scores);
  const Range range = range_of_peak(search.angles, finding.scores, top, 1);
  std::vector<double> angles;
  const double spacing = search.options.step / 4;
  for (double angle = range.low - search.options.step; angle <= range.high + search.options.step; angle += spacing) {
    angles.push_back(angle);
  }
  const std::vector<double> values = scores(angles);
  const double ground = *std::min_element(values.begin(), values.end());
  finding.summit.angle = centre_of_peak(angles, values, index_of_largest(values), ground);
  finding.summit.inside = std::abs(finding.summit.angle) < search.limit();
}

Finding by_closing(const Search& search, double length) {
  Context quiet = search.context;  // sweeps are no stages of their own
  quiet.on_progress = {};
  quiet.on_stage = {};
  const Image small = search.small(coarse_closing_edge);
  // Short enough that the peak of a line one sample thick is as wide as the step between angles.
  const double longest = 1 / std::tan(search.options.step * std::numbers::pi / 180);
  const double shrunk = length * static_cast<double>(small.shape().x) / static_cast<double>(search.ink.grey.shape().x);
  const double reduced = std::min(shrunk, longest);
  // Where next to nothing survives, ratios mean nothing: so much of the ink counts as if it survived at every angle.
  constexpr double constant_share = 0.005;
  const double constant = constant_share * total_ink(small);
  double turn = 0;
  Finding finding = try_angles(search, closing_scores(quiet, small, reduced, turn), constant);
  if (!known(finding)) {
    turn = 90;
    finding = try_angles(search, closing_scores(quiet, small, reduced, turn), constant);
    finding.sideways = true;
  }
  if (known(finding)) centre(search, closing_scores(quiet, search.ink.grey, length, turn), finding);
  return finding;
}

void require(bool good, std::string_view what, double got, const std::string& wanted) {
  if (!good) throw InputError(fmt::format("{} {}: wanted {}", what, got, wanted));
}

void validate(const Image& page, const DeskewOptions& options) {
  require_image(page, "deskew");
  door::require_known(options.method, DeskewMethod::Closing, "method");
  if (page.type() > Type::F32) {
    throw InputError("deskew: " + std::string(name(page.type())) + " samples; wanted bool, u8, u16, i16 or f32");
  }
  if (page.shape().rank != 2 || page.shape().z != 1) {
    throw InputError("deskew: a volume of " + to_string(page.shape()) + "; wanted one page");
  }
  require(options.max_angle > 0 && options.max_angle <= 45, "max angle", options.max_angle, "above 0, at most 45");
  require(options.step > 0 && options.step <= 1, "step", options.step, "above 0, at most 1");
  // A page of 2048 samples knows angles 0.03 degrees apart.
  constexpr double most_angles = 100'000;
  const double angles = 2 * std::floor(options.max_angle / options.step) + 1;
  require(angles <= most_angles, "step", options.step,
          fmt::format("at least {:.3g} with a max angle of {}: at most {} angles are tried",
                      2 * options.max_angle / most_angles, options.max_angle, most_angles));
  if (options.length) {
    require(*options.length >= 2, "length", static_cast<double>(*options.length), "at least 2 samples");
  }
}

Skew skew_of(const Finding& finding, const Search& search, DeskewMethod method) {
  Skew skew;
  skew.angles = search.angles;
  skew.scores = finding.scores;
  skew.confidence = finding.summit.score;
  skew.method = method;
  skew.sideways = finding.sideways;
  // + 0.0: no negative zero.
  if (known(finding) && finding.summit.inside) skew.angle = finding.summit.angle + 0.0;
  return skew;
}

}  // namespace

std::string_view name(DeskewMethod method) {
  door::require_known(method, DeskewMethod::Closing, "method");
  switch (method) {
    case DeskewMethod::Fused:
      return "fused";
    case DeskewMethod::Projection:
      return "projection";
    case DeskewMethod::Closing:
      break;
  }
  return "closing";
}

Skew find_skew(const Context& context, const Image& page, const DeskewOptions& options) {
  return door::enter(context, "deskew", [&] {
    validate(page, options);
    require_device(context);
    const Stage stage(context, "skew");
    const Ink ink = find_ink(context, page, longest_edge);
    const double range = std::max(options.max_angle, least_range);
    const Search search{context, options, ink, angle_grid(options.max_angle, options.step), angle_grid(range, 0.5)};
    const std::int64_t shorter = std::min(page.shape().x, page.shape().y);
    const double length = static_cast<double>(options.length.value_or(shorter / length_part)) / ink.reduction;
    std::optional<Skew> skew;
    if (options.method != DeskewMethod::Closing) skew = skew_of(by_projection(search), search, DeskewMethod::Projection);
    if (!skew || (!skew->angle && options.method == DeskewMethod::Fused)) {
      Skew closing = skew_of(by_closing(search, length), search, DeskewMethod::Closing);
      if (!skew || closing.angle) skew = std::move(closing);
      skew->device = line_detail::sweep_device(context);
    }
    if (context.cancel.stop_requested()) throw Cancelled();
    return *std::move(skew);
  });
}

Straightened deskew(const Context& context, std::span<const Image> channels, const DeskewOptions& options) {
  return door::enter(context, "deskew", [&]() -> Straightened {
    const Image page = page_of(channels);
    Straightened result{{}, find_skew(context, page, options)};
    if (!result.skew.angle) return result;
    const double back = -*result.skew.angle;
    RotateOptions turn;
    if (options.expand) turn.size = rotated_shape(page.shape(), back);
    const std::vector<double> ground = background(context, channels, page);
    for (std::size_t c = 0; c < channels.size(); ++c) {
      turn.fill = options.fill.value_or(ground[c]);
      result.channels.push_back(rotate(context, channels[c], back, turn));
    }
    return result;
  });
}

}  // namespace tamis
