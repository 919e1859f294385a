// The CPU backend: runs a validated granulometry, whole or in slabs.
#pragma once

#include <functional>

#include <tamis/context.hpp>
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

/// Fills volume, limited and never_empties of the result.
Sizes run_cpu(const Context& context, const Request& request, const MapOutput& map);

}  // namespace tamis::granulometry_detail
