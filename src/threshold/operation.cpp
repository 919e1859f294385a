// What people and front ends have to know of threshold.
#include "operations.hpp"

#include <fmt/format.h>
#include <tamis/operations/arguments.hpp>
#include <tamis/operations/words.hpp>

#include "core/operation/operation.hpp"

namespace tamis {
namespace {

std::vector<std::string> method_words() {
  std::vector<std::string> words;
  std::string names = threshold_method_names();
  for (std::size_t comma = 0; comma != std::string::npos;) {
    comma = names.find(", ");
    words.push_back(names.substr(0, comma));
    names.erase(0, comma == std::string::npos ? comma : comma + 2);
  }
  return words;
}

ThresholdMethod parse_method(std::string_view text) {
  const std::optional<ThresholdMethod> method = threshold_method(text);
  if (!method) {
    const std::vector<std::string> words = method_words();
    const std::vector<std::string_view> views(words.begin(), words.end());
    const std::string value = finite_number(text) ? fmt::format(", or a value of your own, `value {}`", text) : "";
    throw InputError("wanted " + alternatives(views) + value + suggestion(text, views));
  }
  return *method;
}

double parse_value(std::string_view text) {
  const std::optional<double> value = finite_number(text);
  if (!value) throw InputError(threshold_method(text) ? fmt::format("wanted a number, or `method {}`", text) : "wanted a number");
  return *value;
}

/// The methods; `member` holds one, or is none.
template <class Owner, class Method>
auto method_parameter(Method Owner::*member) {
  return parameter(member, "method")
      .kind(ParameterKind::Choice)
      .words(method_words())
      .by(parse_method, [](const std::optional<ThresholdMethod>& method) { return std::string(method ? name(*method) : ""); })
      .wanted("one of " + threshold_method_names())
      .placeholder("METHOD")
      .text("choose the value: " + threshold_method_names())
      .example("otsu");
}

const Data image{"image", {}, "the image or volume"};

OperationDescription describe_threshold() {
  OperationDescription threshold;
  threshold.name = "threshold";
  threshold.text = "make a grey image black and white, and say at which value";
  threshold.takes = {image};
  threshold.gives = {{"out", {Type::U8}, "u8, 255 in the object and 0 elsewhere"}};
  threshold.examples = {"tamis threshold scan.tif pores.tif --method otsu --phase dark",
                        "tamis threshold scan_600x600x250_u16.raw grains.tif --band 2000:9000 --roi cylinder"};
  threshold.refuses = "NaN, colour, masked arrays, a constant image with a method, an `out` of another shape";
  threshold.see_also = {"threshold_value"};
  threshold.python =
      ">>> import numpy, tamis\n"
      ">>> image = numpy.array([[10, 20, 200], [15, 210, 220]], numpy.uint8)\n"
      ">>> tamis.threshold(image, \"otsu\").astype(int)\n"
      "array([[0, 0, 1],\n"
      "       [0, 1, 1]])\n"
      ">>> int(tamis.threshold(image, (12, 200), phase=\"dark\").sum())\n"
      "3\n";
  const auto read_band = [](std::string_view text) {
    const Interval band = parse_interval(text);
    return Window{band.low, band.high};
  };
  const auto print_band = [](const std::optional<Window>& band) {
    return band ? fmt::format("{}:{}", band->low, band->high) : std::string();
  };
  return describe(
      std::move(threshold), ThresholdArguments(), "Object", method_parameter(&ThresholdArguments::method),
      parameter(&ThresholdArguments::value, "value")
          .read_by(parse_value)
          .text("bright is above this value")
          .example("120")
          .excludes({"method"}),
      parameter(&ThresholdArguments::band, "band")
          .kind(ParameterKind::Interval)
          .by(read_band, print_band)
          .text("bright is above LO and not above HI")
          .example("2000:9000")
          .excludes({"method", "value"}),
      parameter(&ThresholdArguments::phase, "phase")
          .choices(phases)
          .text("the object is what lies above the threshold, or the rest (pores of a scan are mostly dark)")
          .example("dark"));
}

/// Only languages have it: the program says the value where it writes the image.
OperationDescription describe_threshold_value() {
  struct Own {
    std::optional<ThresholdMethod> method = ThresholdMethod::Otsu;
  };
  OperationDescription value;
  value.name = "threshold_value";
  value.text = "the value that a method chooses: bright is above it";
  value.details =
      "Whole numbers of any type that span at most 65,536 values are counted by value. Of others, otsu, li and isodata are "
      "those of the samples themselves, and the histogram of kapur, minimum and triangle has bins that outliers do not "
      "change.";
  value.takes = {image};
  value.gives = {{"value", {}, "a number"}};
  value.references = {
      "N. Otsu 1979; C. H. Li, C. K. Lee 1993; J. N. Kapur, P. K. Sahoo, A. K. C. Wong 1985; J. M. S. Prewitt, M. L. "
      "Mendelsohn 1966 (minimum); G. W. Zack, W. E. Rogers, S. A. Latt 1977 (triangle); T. W. Ridler, S. Calvard 1978 "
      "(isodata)."};
  value.refuses = "NaN, a constant image, and where a method has no answer";
  value.see_also = {"threshold"};
  value.python =
      ">>> import numpy, tamis\n"
      ">>> tamis.threshold_value(numpy.array([[10, 20, 200], [15, 210, 220]], numpy.uint8), \"mean\")\n"
      "112.5\n";
  return describe(std::move(value), Own(), "Object", method_parameter(&Own::method).positional());
}

}  // namespace

ThresholdOptions parse_threshold(std::string_view text) {
  ThresholdOptions options;
  if (const std::optional<double> value = finite_number(text)) {
    options.method = ThresholdMethod::Value;
    options.value = *value;
  } else if (text.find(':') != std::string_view::npos) {
    const Interval band = parse_interval(text);
    options.method = ThresholdMethod::Band;
    options.low = band.low;
    options.high = band.high;
  } else if (const std::optional<ThresholdMethod> method = threshold_method(text)) {
    options.method = *method;
  } else {
    throw InputError("wanted a number, LO:HI or one of " + threshold_method_names());
  }
  return options;
}

std::string print_threshold(const std::optional<ThresholdOptions>& threshold) {
  if (!threshold) return {};
  if (threshold->method == ThresholdMethod::Value) return fmt::format("{}", threshold->value);
  if (threshold->method == ThresholdMethod::Band) return fmt::format("{}:{}", threshold->low, threshold->high);
  return std::string(name(threshold->method));
}

std::optional<ThresholdOptions> ThresholdArguments::options() const {
  if (!method && !value && !band) return std::nullopt;
  ThresholdOptions options;
  options.phase = phase;
  options.method = method ? *method : value ? ThresholdMethod::Value : ThresholdMethod::Band;
  options.value = value.value_or(0);
  if (band) {
    options.low = band->low;
    options.high = band->high;
  }
  return options;
}

std::vector<OperationDescription> describe_thresholds() { return {describe_threshold(), describe_threshold_value()}; }

ThresholdOptions with_phase(const std::optional<ThresholdOptions>& threshold, Phase phase) {
  ThresholdOptions options = threshold.value_or(ThresholdOptions());
  options.phase = phase;
  return options;
}

}  // namespace tamis
