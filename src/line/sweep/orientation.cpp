// Orientation of linear structures: what is valid, and what becomes of a sweep over angles.
#include <tamis/orientation.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <numbers>
#include <string>

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/memory.hpp>

#include "core/bits/bits.hpp"
#include "core/door.hpp"
#include "core/operation/filter_image.hpp"
#include "line/sweep/cpu/run.hpp"
#include "line/sweep/sweep.hpp"

namespace tamis {
namespace {

using namespace line_detail;

void validate(const AngleRange& angles) {
  constexpr std::int64_t most = 32767;
  if (angles.count < 1 || angles.count > most) {
    throw InputError(fmt::format("orientation: {} angles; wanted 1 to {}", angles.count, most));
  }
  const double width = angles.last - angles.first;
  if (!std::isfinite(angles.first) || !std::isfinite(angles.last) || !(width > 0) || width > 180) {
    throw InputError(
        fmt::format("orientation: angles from {} to {} degrees; wanted a first one below the last, at "
                    "most 180 apart",
                    angles.first, angles.last));
  }
}

void validate(const OrientationOptions& options) {
  validate(options.angles);
  door::require_known(options.lines, Lines::Traced, "lines");
  door::require_known(options.phase, Phase::Dark, "phase");
  if (options.lengths.empty()) throw InputError("orientation: no length of a segment; wanted at least one");
  for (const double length : options.lengths) {
    if (!(length >= 1)) throw InputError(fmt::format("orientation: length {}; wanted 1 or more", length));
    if (std::count(options.lengths.begin(), options.lengths.end(), length) > 1) {
      throw InputError(fmt::format("orientation: length {} more than once; wanted each once", length));
    }
    // Its own limits, before the work starts.
    static_cast<void>(StructuringElement::line(length, options.angles.first));
    if (options.lines == Lines::Traced && length != std::floor(length)) {
      throw InputError(
          fmt::format("orientation along traced lines: length {}; wanted a whole number of samples", length));
    }
  }
  const Border::Kind border = options.border.kind;
  if (border != Border::Kind::Neutral && border != Border::Kind::Fit) {
    throw InputError(
        fmt::format("orientation: border {}; wanted neutral, or fit along traced lines", to_string(options.border)));
  }
  if (border == Border::Kind::Fit && options.lines != Lines::Traced) {
    throw InputError("orientation: border fit of invariant lines; wanted neutral, or lines traced");
  }
}

void validate(const Context& context, const Image& image, const OrientationOptions& options) {
  require_image(image, "orientation");
  if (image.type() > Type::F32) {
    throw InputError(fmt::format("orientation of a {} image; wanted bool, u8, u16, i16 or f32: convert it first",
                                 name(image.type())));
  }
  if (image.type() != Type::F32) return;
  if (options.border.kind == Border::Kind::Fit) {
    throw InputError(
        "orientation: border fit of an f32 image, whose openings are infinite where no segment fits; wanted neutral, "
        "or an image of whole numbers");
  }
  const std::string place = cpu::first_not_finite(context, image);
  if (!place.empty()) {
    throw InputError(fmt::format("orientation: the image holds NaN or infinity at {}; wanted finite numbers", place));
  }
}

SweepTask task_of(const OrientationOptions& options, double length, bool maps) {
  SweepTask task;
  for (std::int64_t i = 0; i < options.angles.count; ++i) task.angles.push_back(options.angles.at(i));
  task.cyclic = options.angles.is_whole();
  task.length = length;
  task.lines = options.lines;
  task.fit = options.border.kind == Border::Kind::Fit;
  task.dark = options.phase == Phase::Dark;
  task.maps = maps;
  return task;
}

AngularSpectrum spectrum_of(const SweepResult& sweep, double length, std::int64_t samples, bool dark) {
  AngularSpectrum spectrum;
  spectrum.length = length;
  const double sign = dark ? -1 : 1;
  for (const std::int64_t count : sweep.counts) {
    spectrum.removed.push_back(sign * static_cast<double>(sweep.image_count - count) * sweep.scale.step);
    spectrum.left.push_back(static_cast<double>(count) * sweep.scale.step +
                            static_cast<double>(samples) * sweep.scale.base);
  }
  return spectrum;
}

/// Sums over bytes of bits as sums over bits.
void count_bits(std::vector<double>& sums) {
  for (double& sum : sums) sum /= 255;
}

/// The map names a segment by the middle of the angles that have it; the histogram shares what it has among them.
void share_among_equals(const SweepTask& task, std::vector<double>& histogram) {
  if (task.lines == Lines::Traced) return;
  const auto below = [](const OffsetSet& a, const OffsetSet& b) { return a.runs() < b.runs(); };
  std::map<OffsetSet, std::vector<std::size_t>, decltype(below)> angles_of(below);
  for (std::size_t i = 0; i < task.angles.size(); ++i) {
    angles_of[StructuringElement::line(task.length, task.angles[i]).sum(2)].push_back(i);
  }
  for (const auto& [set, angles] : angles_of) {
    double sum = 0;
    for (const std::size_t i : angles) sum += histogram[i];
    for (const std::size_t i : angles) histogram[i] = sum / static_cast<double>(angles.size());
  }
}

/// Spectra of all lengths; the maps of the longest into `maps` where there are to be any.
std::vector<AngularSpectrum> run(const Context& context, const Image& given, const OrientationOptions& options,
                                 Orientation* maps) {
  return door::compute(context, "orientation", [&] {
    validate(options);
    validate(context, given, options);
    const bool bits = given.type() == Type::Bool;
    // Border fit shows what bits are as bytes: the ends of U8.
    const Image bytes = bits ? unpacked_bits(context, given, 255) : Image();
    const Image& image = bits ? bytes : given;
    if (maps != nullptr) require_memory(context, "orientation", bytes_of_maps(image) + bytes_of_worker(image));
    const auto longest = static_cast<std::size_t>(std::max_element(options.lengths.begin(), options.lengths.end()) -
                                                  options.lengths.begin());
    std::vector<AngularSpectrum> spectra;
    for (std::size_t i = 0; i < options.lengths.size(); ++i) {
      const bool wanted = maps != nullptr && i == longest;
      const SweepTask task = task_of(options, options.lengths[i], wanted);
      SweepResult result = sweep(context, image, task);
      spectra.push_back(spectrum_of(result, options.lengths[i], image.shape().count(), options.phase == Phase::Dark));
      if (bits) {
        count_bits(spectra.back().removed);
        count_bits(spectra.back().left);
      }
      if (!wanted) continue;
      maps->longest = longest;
      cpu::take_maps(context, result, *maps);
      share_among_equals(task, maps->histogram);
      if (!bits) continue;
      count_bits(maps->histogram);
      maps->enhanced = packed_bits(context, maps->enhanced);
      maps->contrast = packed_bits(context, maps->contrast);
    }
    return spectra;
  });
}

}  // namespace

std::optional<AxialMean> axial_mean(const std::vector<double>& histogram, const AngleRange& angles) {
  std::complex<double> sum;
  double weights = 0;
  for (std::size_t i = 0; i < histogram.size(); ++i) {
    const double twice = angles.at(static_cast<std::int64_t>(i)) * std::numbers::pi / 90;
    sum += histogram[i] * std::complex(std::cos(twice), std::sin(twice));
    weights += histogram[i];
  }
  if (!(std::abs(sum) > 1e-12 * weights)) return std::nullopt;
  const double angle = std::arg(sum) * 90 / std::numbers::pi;
  return AxialMean{angle < 0 ? std::fmod(angle + 180, 180) : angle, std::abs(sum) / weights};
}

std::optional<double> dominant_angle(const AngularSpectrum& spectrum, const AngleRange& angles) {
  const auto count = static_cast<std::int64_t>(spectrum.removed.size());
  const bool whole = angles.is_whole();
  const auto value = [&](std::int64_t i) {
    return spectrum.removed[static_cast<std::size_t>((i % count + count) % count)];
  };
  if (count == 0) return std::nullopt;
  const auto [least, most] = std::minmax_element(spectrum.removed.begin(), spectrum.removed.end());
  if (*least == *most && count > 1) return std::nullopt;
  std::int64_t first = least - spectrum.removed.begin();
  std::int64_t last = first;
  // Of all directions the run may go round the end; it ends, for not all are the same.
  while ((whole || last + 1 < count) && count > 1 && value(last + 1) == *least) ++last;
  while ((whole || first > 0) && count > 1 && value(first - 1) == *least) --first;
  double middle = static_cast<double>(first + last) / 2;
  if (count > 2 && (whole || (first > 0 && last + 1 < count))) {
    const double before = value(first - 1) - *least;
    const double after = value(last + 1) - *least;
    middle += static_cast<double>(last - first + 2) / 2 * 0.5 * (before - after) / (before + after);
  }
  const double angle = angles.first + middle * angles.step();
  const double turned = std::fmod(std::fmod(angle, 180) + 180, 180);
  return turned < 180 ? turned : 0;
}

Orientation orientation(const Context& context, const Image& image, const OrientationOptions& options) {
  Orientation result;
  result.angles = options.angles;
  result.spectra = run(context, image, options, &result);
  result.device = line_detail::sweep_device(context);
  return result;
}

std::vector<AngularSpectrum> angular_spectra(const Context& context, const Image& image,
                                             const OrientationOptions& options) {
  return run(context, image, options, nullptr);
}

}  // namespace tamis
