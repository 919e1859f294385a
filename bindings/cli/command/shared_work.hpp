// A granulometry that several processes share: what the program asks of them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <tamis/balls.hpp>
#include <tamis/granulometry.hpp>
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
  std::int64_t resumed = 0;  ///< slices that an earlier run had finished
  std::vector<std::string> notes;
};

/// Where the size map goes, of balls the squares of their radii; empty where nobody wants it.
struct SharedMap {
  std::function<void(const SharedSizes& sizes, Type type)> start = {};
  MapSink sink = {};

  explicit operator bool() const { return static_cast<bool>(sink); }
};

class SharedWork {
 public:
  SharedWork() = default;
  SharedWork(const SharedWork&) = delete;
  SharedWork& operator=(const SharedWork&) = delete;
  virtual ~SharedWork() = default;

  /// Result number `result` of those that the options ask for, of a file that this process has opened.
  virtual SharedSizes measure(const Context& context, const Input& input, const GranulometryFlags& flags, std::int64_t result,
                              const SharedMap& map) = 0;
  /// All outputs have their names.
  virtual void finish() = 0;
};

}  // namespace tamis::cli
