// What front ends ask of the operations that make no image of an image: Arguments::as() gives these structs. What they
// hold are the options of the functions, and how those are said in one line of a shell or one call of Python.
#pragma once

#include <tamis/compiler.hpp>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <tamis/balls.hpp>
#include <tamis/convert.hpp>
#include <tamis/deskew.hpp>
#include <tamis/distance.hpp>
#include <tamis/granulometry.hpp>
#include <tamis/orientation.hpp>
#include <tamis/operations/parse.hpp>
#include <tamis/phantom.hpp>
#include <tamis/threshold.hpp>

namespace TAMIS_PUBLIC tamis {

/// Of every operation: where and how it runs (Context).
struct RunningArguments {
  DeviceChoice device;
  std::optional<std::int64_t> device_memory;
  std::optional<int> threads;
  std::optional<std::int64_t> memory;
  Simd simd = Simd::Best;
  void put_into(Context& context) const;
};

/// The GPUs of a choice, all of them by their numbers. With all_gpus it starts CUDA.
void put_device(const DeviceChoice& choice, Context& context);

/// A number, "LO:HI" or the name of a method. Throws InputError for other texts.
[[nodiscard]] ThresholdOptions parse_threshold(std::string_view text);
/// The same back; empty where there is none.
[[nodiscard]] std::string print_threshold(const std::optional<ThresholdOptions>& threshold);

/// Of threshold: one of the first three.
struct ThresholdArguments {
  std::optional<ThresholdMethod> method;
  std::optional<double> value;
  std::optional<Window> band;
  Phase phase = Phase::Bright;
  /// Nothing where none of the three is given.
  [[nodiscard]] std::optional<ThresholdOptions> options() const;
};

/// Of convert.
struct ConvertArguments {
  std::optional<Type> type;
  std::optional<Window> window;
};

/// Of resample.
struct ResampleArguments {
  std::optional<Interpolation> interpolation;
  /// Bits have nothing between them.
  [[nodiscard]] Interpolation of(Type type) const {
    return interpolation.value_or(is_bool(type) ? Interpolation::Nearest : Interpolation::Linear);
  }
};

/// The element that grows in a granulometry: by its name, or segments along traced lines at an angle.
struct GrowingElement {
  GreyElement element = GreyElement::Cross;
  std::optional<double> line_angle = {};
};

/// Which side of the threshold is measured: one, or the bright one and then the dark one.
struct PhaseChoice {
  Phase phase = Phase::Bright;
  bool both = false;
};

/// Of granulometry, size_map and thickness.
struct GranulometryArguments {
  std::optional<ThresholdOptions> threshold;  ///< all but the phase
  PhaseChoice phase;  ///< both: what follows is of the bright one
  bool grey = false;
  GrowingElement element;
  DomainBorder border = DomainBorder::Background;
  std::optional<std::int64_t> max_size;
  BallConvention convention = BallConvention::Tamis;
  std::vector<std::int64_t> sizes;              ///< of balls: their radii, which increase
  BallMeasure measure = BallMeasure::Diameter;  ///< of thickness

  /// Balls and disks of an object, which have functions of their own; of grey values they are elements like others.
  [[nodiscard]] bool by_balls() const {
    return !grey && !element.line_angle &&
           (element.element == GreyElement::Ball || element.element == GreyElement::Disk);
  }
  [[nodiscard]] BallOptions ball_options() const {
    return {border, convention, element.element == GreyElement::Disk, max_size, sizes};
  }
  [[nodiscard]] ThresholdOptions threshold_options() const;
  /// Throws InputError for an element that only grey values are sieved by.
  [[nodiscard]] GranulometryOptions options() const;
  [[nodiscard]] GreyGranulometryOptions grey_options() const { return {element.element, border, phase.phase, max_size}; }
  [[nodiscard]] LineGranulometryOptions line_options() const {
    return {element.line_angle.value_or(0), border, phase.phase, max_size};
  }
};

/// Of distance.
struct DistanceArguments {
  std::optional<ThresholdOptions> threshold;  ///< all but the phase
  Phase phase = Phase::Bright;
  DomainBorder border = DomainBorder::Background;
  bool by_slices = false;
  bool squared = false;

  [[nodiscard]] ThresholdOptions threshold_options() const;
  [[nodiscard]] DistanceOptions options() const { return {border, {}, by_slices}; }
};

/// Of orientation.
struct OrientationArguments {
  std::vector<double> lengths = OrientationOptions().lengths;
  std::int64_t angles = AngleRange().count;
  Window range = {AngleRange().first, AngleRange().last};
  bool dark = false;
  Lines lines = Lines::Invariant;
  Border border = {};
  [[nodiscard]] OrientationOptions options() const;
};

/// Of rotate.
struct RotateArguments {
  double degrees = 0;
  bool expand = false;
  double fill = 0;
};

}  // namespace tamis
