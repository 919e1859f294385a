// Work that several processes share: what the program asks of them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <tamis/balls.hpp>
#include <tamis/granulometry.hpp>
#include <tamis/operations/slabs.hpp>
#include <tamis/threshold.hpp>

#include "cli/input/image.hpp"
#include "cli/option/granulometry_flags.hpp"

namespace tamis::cli {

struct SharedSizes {
  double threshold = 0;
  double high = 0;
  ThresholdMethod method = ThresholdMethod::Value;
  std::int64_t volume = 0;
  std::int64_t domain_volume = 0;
  Sizes sizes;
  std::optional<BallSizes> balls;  ///< of balls and disks, whose sizes these are too
  std::int64_t resumed = 0;        ///< slices that an earlier run had finished
  std::vector<std::string> notes;
};

/// Where the size map goes, of balls the squares of their radii; empty where nobody wants it.
struct SharedMap {
  std::function<void(const SharedSizes& sizes, Type type)> start = {};
  MapSink sink = {};

  explicit operator bool() const { return static_cast<bool>(sink); }
};

/// A filter of images that this process has opened.
struct FilterCall {
  const OperationDescription& operation;
  const Arguments& arguments;
  std::vector<SliceSource*> sources;
  bool batch = false;
  std::int64_t begin = 0;  ///< slices that the sink has already
};

/// One of the processes. The first one has the outputs, and tells the others what to do.
class SharedWork {
 public:
  SharedWork() = default;
  SharedWork(const SharedWork&) = delete;
  SharedWork& operator=(const SharedWork&) = delete;
  virtual ~SharedWork() = default;

  /// Result number `result` of those that the options ask for, of a file that this process has opened.
  virtual SharedSizes measure(const Context& context, const Input& input, const GranulometryFlags& flags,
                              std::int64_t result, const SharedMap& map) = 0;
  /// On the first process: filters by all of them, into the sink.
  virtual SlabReport filter(const Context& context, const FilterCall& call, SliceSink& sink) = 0;
  /// On the first process: all outputs have their names.
  virtual void finish() = 0;

  /// Whether this process has no outputs, and only does its share.
  [[nodiscard]] virtual bool follows() const = 0;
  /// On the others: waits for the first one, and does its share of a filter where that asks for it. `work` opens the
  /// images, and gives `share` what is to be filtered.
  using Share = std::function<void(const Context& context, FilterCall call)>;
  virtual void follow(const std::function<void(const Share& share)>& work) = 0;
};

}  // namespace tamis::cli
