// Every operation describes itself once, beside its code. Flags, help and manual page of the program, Python's
// signatures and docstrings, the dialogs of plugins, the reference pages and the words of errors are made of that.
#pragma once

#include <tamis/compiler.hpp>

#include <any>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/element.hpp>
#include <tamis/image.hpp>
#include <tamis/operations/parse.hpp>

namespace TAMIS_PUBLIC tamis {

template <class Memory>
struct BasicGpuArray;
using GpuArray = BasicGpuArray<const void>;
using GpuOutput = BasicGpuArray<void>;

/// What a parameter's text stands for, so that a front end can take it in the form its users have: Python a tuple where
/// the command line has "7x3".
enum class ParameterKind : std::uint8_t {
  Flag,       ///< "true", "false"
  Integer,    ///< a whole number
  Number,     ///< a finite number
  Numbers,    ///< one or several, "11,21,41"
  Interval,   ///< two numbers, "LO:HI"
  Choice,     ///< one of some words
  Text,
  Element,    ///< a structuring element, "disk:5"
  Family,     ///< the last of elements that grow, by its text only
  Border,     ///< what lies outside of an image, "constant:3"
  Edges,      ///< the edges of a window, x first: "5", "7x3", "7x3x5"
  Extent,     ///< of an image, x first: "256", "512x512", "600x600x250"
  Threshold,  ///< a number, "LO:HI" or the name of a method
  Length,     ///< with its unit: "2.5um"
  Bytes,      ///< "512M"
};
/// "flag", "integer", "number" ...
[[nodiscard]] std::string_view name(ParameterKind kind);

struct Parameter {
  std::string name;  ///< "max_size"; on the command line it is --max-size
  ParameterKind kind = ParameterKind::Text;
  std::string initial;  ///< what it is where nobody sets it, as text; empty where there is nothing
  NumberRange range;
  std::vector<std::string> choices;  ///< the words it takes; capitals stand for something: "constant:V"
  std::string unit;
  std::string text;     ///< what it is, for people: the help
  std::string details;  ///< whole sentences that a help has no room for; may be empty
  std::string example;  ///< a text that it takes
  std::string wanted;   ///< "a number from 0 to 100": what a refusal says
  std::string placeholder;  ///< what stands for the value in a help: "N", "auto|cpu"
  std::string section;      ///< the title that it is listed under
  std::vector<std::string> excludes;  ///< names of parameters that cannot be given with it
  bool positional = false;  ///< languages that have positional arguments take it without its name too
  bool required = false;    ///< languages have no default for it
  bool early = false;       ///< signatures have it before what its operation shares with others
};

/// Something that an operation takes or gives.
struct Data {
  std::string name;
  std::vector<Type> types;  ///< that it computes with (operations/types.hpp: how others are taken); empty: no image, or any
  std::string text;
};

/// How far around a sample an operation looks for its result there.
enum class Reach : std::uint8_t { Sample, Window, Image };
/// "sample", "window", "image".
[[nodiscard]] std::string_view name(Reach reach);

/// How a front end's texts get into the options of an operation (core/operation/operation.hpp).
struct ArgumentsAccess;

/// The values of an operation's parameters in one call. A copy is a call of its own.
class Arguments {
 public:
  Arguments() = default;
  Arguments(std::any options, std::shared_ptr<const ArgumentsAccess> access);

  /// Sets a parameter. Throws InputError "wanted a number from 0 to 100" for a text that it does not take: the front end
  /// puts the name and the text before it, as its users write them.
  void set(std::string_view parameter, std::string_view text);
  /// The same for parameters that are elements, which need not have a text.
  void set_element(std::string_view parameter, const StructuringElement& element);
  /// As it was given, or the default's; empty where there is nothing.
  [[nodiscard]] std::string text(std::string_view parameter) const;
  [[nodiscard]] bool given(std::string_view parameter) const;        ///< set() has set it
  /// The struct that the parameters are members of. Throws InputError where they are another operation's.
  template <class Options>
  [[nodiscard]] const Options& as() const {
    if (const auto* const options = std::any_cast<Options>(&options_)) return *options;
    refuse();
  }

 private:
  [[noreturn]] static void refuse();
  std::any options_;
  std::shared_ptr<const ArgumentsAccess> access_;
  std::vector<std::optional<std::string>> given_;  ///< as texts
};

/// As a reach along an axis: a result may depend on all samples along it.
inline constexpr std::int64_t whole_axis = std::numeric_limits<std::int64_t>::max();

/// What a filter did, for people.
struct FilterReport {
  std::vector<std::pair<std::string, std::string>> parameters;
  std::string plan;                ///< a line a step; may be empty
  std::optional<Device> device{};  ///< that did it, where it is not the one that was asked for
  std::string name{};              ///< of what was done, where the operation's own does not say it: "inner gradient"
};

/// How a filter was computed, where the filter says so.
struct FilterDone {
  std::optional<Device> device{};
  std::string plan;  ///< a line a step; may be empty
};

/// What a front end calls of a filter: an operation that makes an image of one or several of one type and shape.
struct FilterCalls {
  std::function<FilterDone(const Context&, std::span<const Image* const>, const Arguments&, Image& out)> run;
  std::function<void(const Context&, std::span<const GpuArray>, const Arguments&, const GpuOutput&)> run_on_gpu;
  /// Memory beside the image and its result.
  std::function<std::int64_t(const Arguments&, Type, const Shape&)> bytes_between;
  /// How far the samples lie that a result depends on, to either side along each axis, in images of this type and
  /// shape: a part that is cut out with so many samples more at its cut sides has the results of the whole. whole_axis:
  /// it cannot be cut along this axis. Throws InputError for what the filter refuses.
  std::function<Offset(const Arguments&, Type, const Shape&)> reach;
  /// Of images of this type and shape.
  std::function<FilterReport(const Context&, const Arguments&, Type, const Shape&)> report;
  /// It reads and writes nothing behind the last sample of any row, so that `run` may be given images over memory of others.
  bool keeps_to_samples = false;
  /// Whether an image of bits that lies there as bytes of 0 and 1 is filtered faster as u8, with the same result. Empty:
  /// never. Asked only of what keeps to samples.
  std::function<bool(const Arguments&, const Shape&)> better_as_bytes;

  explicit operator bool() const { return run != nullptr; }
};

struct OperationDescription {
  std::string name;  ///< of the command and of the Python function
  std::string text;  ///< one line, what it does
  std::string details;     ///< more of it, in whole sentences; may be empty
  std::vector<Parameter> parameters;
  std::vector<Data> takes;
  std::vector<Data> gives;
  Reach reach = Reach::Image;
  std::vector<std::string> examples;  ///< command lines
  std::string notes;                  ///< for reference pages; may be empty
  std::string refuses;                ///< what it throws InputError for, in one sentence; may be empty
  std::vector<std::string> references;
  std::vector<std::string> see_also;  ///< names of operations
  std::string python;                 ///< a session of Python that shows it, and is run by the tests
  Arguments defaults;                 ///< copy them to begin a call
  FilterCalls filter;                 ///< for filters only
  bool gives_new_values = false;     ///< its samples are differences or means, not chosen among those of the image
};

/// Every operation, in the order in which a help lists them.
[[nodiscard]] const std::vector<OperationDescription>& operations();
/// Throws InputError if there is none of that name.
[[nodiscard]] const OperationDescription& operation(std::string_view name);

/// The parameters that all operations have, which say where and how they run: Arguments::as<RunningArguments>().
[[nodiscard]] const OperationDescription& running();
/// How files are read: Arguments::as<ReadOptions>(). Only where tamis is built with files.
[[nodiscard]] const OperationDescription& reading();
/// How they are written: Arguments::as<WriteOptions>().
[[nodiscard]] const OperationDescription& writing();

}  // namespace tamis
