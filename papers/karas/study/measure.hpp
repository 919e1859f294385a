// The figures and tables of Karas et al. (2015) on this machine, beside tamis.
#pragma once

#include <string>

namespace tamis::karas {

struct Arguments {
  int repetitions = 5;
  int largest = 8192;  ///< edge of the largest image
  std::string only;    ///< "figure 2", "figure 5", "table 2", "check"; empty: all
};
inline bool wants(const Arguments& arguments, const std::string& name) {
  return arguments.only.empty() || arguments.only == name;
}

/// Lines of JSON. Every version is first compared with tamis on the CPU, on small images; and each
/// case once more before it is timed. Without a GPU: the CPU's part.
void measure(const Arguments& arguments);
/// Figures 5, 8, 9, 10 and 11 and table 2.
void measure_on_gpu(const Arguments& arguments);

}  // namespace tamis::karas
