#include "cli/session.hpp"

#include <algorithm>

namespace tamis::cli {

void StageTimes::add(std::string_view stage, double seconds) {
  const auto known = std::find_if(times_.begin(), times_.end(), [&](const auto& time) { return time.first == stage; });
  if (known == times_.end()) {
    times_.emplace_back(stage, seconds);
  } else {
    known->second += seconds;
  }
}

}  // namespace tamis::cli
