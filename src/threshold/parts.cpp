#include "threshold/parts.hpp"

#include <limits>

#include <fmt/format.h>
#include <tamis/error.hpp>

#include "threshold/bins.hpp"
#include "threshold/two_values.hpp"

namespace tamis::threshold_detail {
namespace {

constexpr const char* values = "values";  // from the lowest of the type on

std::int64_t lowest_of(Type type) {
  if (type == Type::I8) return std::numeric_limits<std::int8_t>::lowest();
  return type == Type::I16 ? std::numeric_limits<std::int16_t>::lowest() : 0;
}

double smaller_of_two(const Histogram& histogram) {
  std::vector<double> found;
  for (std::size_t bin = 0; bin < histogram.counts.size() && found.size() < 3; ++bin) {
    if (histogram.counts[bin] > 0) found.push_back(histogram.centre(static_cast<std::int64_t>(bin)));
  }
  if (found.size() < 2) refuse_one_value(found.front());
  if (found.size() > 2) refuse_more_values(found[0], found[1], found[2]);
  return found.front();
}

}  // namespace

bool has_tally(Type type) { return type == Type::U8 || type == Type::I8 || type == Type::U16 || type == Type::I16; }

parts::Tally tally_of_values(const Context& context, SliceSource& source, const Region& region) {
  const Histogram histogram = tamis::histogram(context, source, region);
  const auto first =
      static_cast<std::size_t>(static_cast<std::int64_t>(histogram.minimum) - lowest_of(source.layout().type));
  parts::Tally tally;
  parts::Tally::Counts& counts = tally.counts(values);
  counts.resize(first);
  counts.insert(counts.end(), histogram.counts.begin(), histogram.counts.end());
  return tally;
}

void add_value(parts::Tally& tally, Type type, std::int64_t value, std::int64_t count) {
  const std::int64_t place = value - lowest_of(type);
  if (!has_tally(type) || place < 0 || place >= std::int64_t{1} << (8 * sample_bytes(type))) {
    throw InputError(fmt::format("a count of {} as {}; wanted a value of 8 or 16 bits", value, name(type)));
  }
  parts::Tally::Counts& counts = tally.counts(values);
  if (static_cast<std::size_t>(place) >= counts.size()) counts.resize(static_cast<std::size_t>(place) + 1);
  counts[static_cast<std::size_t>(place)] += count;
}

double value_of(const parts::Tally& tally, Type type, ThresholdMethod method) {
  const parts::Tally::Counts& counts = tally.counts(values);
  if (counts.empty()) throw InputError("region: nothing of the image lies inside; wanted at least one sample");
  const Histogram histogram = histogram_of_values(counts, static_cast<double>(lowest_of(type)));
  return method == ThresholdMethod::TwoValues ? smaller_of_two(histogram) : threshold_value(histogram, method);
}

}  // namespace tamis::threshold_detail
