// A size distribution with what made it.
#pragma once

#include <string>

#include <tamis/granulometry.hpp>

namespace tamis::python {

struct SizesResult {
  Sizes sizes;
  std::string element;
  std::string border;
};

}  // namespace tamis::python
