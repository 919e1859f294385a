#include "mpi/threshold.hpp"

#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <tamis/error.hpp>

#include "mpi/own_slices.hpp"

namespace tamis::mpi {
namespace {

bool has_a_bin_for_each_value(Type type) {
  return type == Type::U8 || type == Type::I8 || type == Type::U16 || type == Type::I16;
}

/// The histogram of all slices, from those of each rank; a bin for each value.
Histogram joined_histogram(const Ranks& ranks, const Histogram& own, bool has_some) {
  constexpr std::int64_t none = std::numeric_limits<std::int32_t>::min();
  const std::int64_t least = -ranks.largest(has_some ? -static_cast<std::int64_t>(own.minimum) : none);
  std::vector<std::int64_t> counts;
  if (has_some) {
    counts.resize(static_cast<std::size_t>(static_cast<std::int64_t>(own.minimum) - least));
    counts.insert(counts.end(), own.counts.begin(), own.counts.end());
  }
  Histogram all;
  all.counts = ranks.sum(std::move(counts));
  all.minimum = all.first_centre = static_cast<double>(least);
  while (!all.counts.empty() && all.counts.back() == 0) all.counts.pop_back();
  double sum = 0;
  for (std::size_t bin = 0; bin < all.counts.size(); ++bin) {
    all.samples += all.counts[bin];
    sum += static_cast<double>(all.counts[bin]) * all.centre(static_cast<std::int64_t>(bin));
  }
  all.maximum = all.centre(static_cast<std::int64_t>(all.counts.size()) - 1);
  all.mean = sum / static_cast<double>(all.samples);
  return all;
}

/// The smaller of exactly two values.
double smaller_of_two(const Histogram& histogram) {
  std::vector<double> values;
  for (std::size_t bin = 0; bin < histogram.counts.size() && values.size() < 3; ++bin) {
    if (histogram.counts[bin] > 0) values.push_back(histogram.centre(static_cast<std::int64_t>(bin)));
  }
  if (values.size() == 2) return values[0];
  if (values.size() < 2) {
    throw InputError(fmt::format("the image has only one value ({}): nothing to separate; wanted two values, or "
                                 "`threshold V`", values.empty() ? 0 : values[0]));
  }
  throw InputError(fmt::format("the image has more than two values (e.g. {}, {}, {}): give `threshold V` or a method: {}",
                               values[0], values[1], values[2], threshold_method_names()));
}

}  // namespace

ThresholdOptions settled(const Ranks& ranks, const Context& context, const cli::Input& input, const Ranks::Range& own,
                         bool has_some, const ThresholdOptions& asked) {
  ThresholdOptions value = asked;
  if (asked.method == ThresholdMethod::Value || asked.method == ThresholdMethod::Band) return value;
  value.method = ThresholdMethod::Value;
  const Type type = input.layout().type;
  if (type == Type::Bool) return value;
  const bool two_values = asked.method == ThresholdMethod::TwoValues;
  Histogram all;
  if (has_a_bin_for_each_value(type)) {
    Histogram part;
    ranks.together([&] {
      if (!has_some) return;
      Slices slices(*input.source, own);
      const OwnRegion region(input.region, input.layout(), own);
      part = histogram(context, slices, region.region());
    });
    all = joined_histogram(ranks, part, has_some);
    ranks.together([&] { value.value = two_values ? smaller_of_two(all) : threshold_value(all, asked.method); });
    return value;
  }
  // Of others several passes find the value, each from what the last has found: one rank makes them.
  ranks.together([&] {
    if (two_values) {
      throw InputError(fmt::format("{} samples without a threshold; wanted one, or a method: {}", name(type),
                                   threshold_method_names()));
    }
    if (ranks.is_first()) value.value = threshold_value(context, *input.source, asked.method, input.region);
  });
  std::int64_t bits = 0;
  std::memcpy(&bits, &value.value, sizeof bits);
  bits = ranks.told(bits);
  std::memcpy(&value.value, &bits, sizeof bits);
  return value;
}

}  // namespace tamis::mpi
