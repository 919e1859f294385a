#include "mpi/threshold.hpp"

#include <cstring>

#include <fmt/format.h>
#include <tamis/error.hpp>

#include "mpi/own_slices.hpp"
#include "threshold/parts.hpp"

namespace tamis::mpi {

ThresholdOptions settled(const Ranks& ranks, const Context& context, const cli::Input& input, const Ranks::Range& own,
                         bool has_some, const ThresholdOptions& asked) {
  ThresholdOptions value = asked;
  if (asked.method == ThresholdMethod::Value || asked.method == ThresholdMethod::Band) return value;
  value.method = ThresholdMethod::Value;
  const Type type = input.layout().type;
  if (type == Type::Bool) return value;
  if (threshold_detail::has_tally(type)) {
    parts::Tally part;
    ranks.together([&] {
      if (!has_some) return;
      Slices slices(*input.source, own);
      const OwnRegion region(input.region, input.layout(), own);
      part = threshold_detail::tally_of_values(context, slices, region.region());
    });
    const parts::Tally all = ranks.sum(part);
    ranks.together([&] { value.value = threshold_detail::value_of(all, type, asked.method); });
    return value;
  }
  // Of others several passes find the value, each from what the last has found: one rank makes them.
  ranks.together([&] {
    if (asked.method == ThresholdMethod::TwoValues) {
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
