#include "line/deskew/closing.hpp"

#include <utility>

#include "line/sweep/sweep.hpp"

namespace tamis::line_detail {

std::vector<double> ink_in_lines(const Context& context, const Image& ink, std::int64_t length,
                                 const std::vector<double>& angles) {
  SweepTask task;
  task.angles = angles;
  task.length = static_cast<double>(length);
  task.lines = Lines::Traced;
  task.fit = true;
  task.maps = false;
  const SweepResult swept = sweep(context, ink, task);
  return {swept.counts.begin(), swept.counts.end()};
}

double total_ink(const Image& ink) {
  const auto* const samples = ink.row<std::uint8_t>(0, 0);
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < ink.shape().count(); ++i) sum += samples[i];
  return static_cast<double>(sum);
}

}  // namespace tamis::line_detail
