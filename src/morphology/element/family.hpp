// Elements of growing size, as alternating sequential filters take them.
#pragma once

#include <string>
#include <vector>

namespace tamis::morphology_detail {

/// "disk:5": the specs of radii 1 ... 5; squares and cubes by edges 3, 5 ... n. Throws InputError for what does not
/// grow.
[[nodiscard]] std::vector<std::string> element_family(const std::string& last);

}  // namespace tamis::morphology_detail
