#pragma once

#include <tamis/error.hpp>

namespace tamis::cuda {

/// The system locks no more pages. Callers that can copy pageable memory catch it; a GPU's memory has nothing to do
/// with it, so it is no OutOfMemory.
class OutOfPinnedMemory : public ResourceError {
 public:
  using ResourceError::ResourceError;
};

}  // namespace tamis::cuda
