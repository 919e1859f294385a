// What is asked of a backend.
#pragma once

#include <functional>

#include <tamis/granulometry.hpp>
#include <tamis/image.hpp>

namespace tamis::granulometry_detail {

struct Request {
  const Image* object = nullptr;
  const Image* domain = nullptr;  ///< nullptr: everything counts
  GranulometryOptions options;
  bool never_erodes = false;  ///< the object fills the domain and its border is neutral
};

/// Where the size map goes; both empty if nobody wants it.
struct MapOutput {
  std::function<void(Type)> start;
  MapSink sink;

  explicit operator bool() const { return static_cast<bool>(sink); }
};

}  // namespace tamis::granulometry_detail
