// Volumes with known answers.
#include <tamis/phantom.hpp>

#include <utility>
#include <vector>

#include "c/call.hpp"

namespace tamis::c {

void run_foam(const Call& call) {
  call.give("out", black_and_white(call.context, phantom_foam(call.context, call.as<FoamOptions>())));
}

void run_octahedra(const Call& call) {
  const Octahedra made = phantom_octahedra(call.context, call.as<OctahedraOptions>());
  std::vector<double> size, spectrum;
  for (std::size_t n = 0; n < made.spectrum.size(); ++n) {
    size.push_back(static_cast<double>(n));
    spectrum.push_back(static_cast<double>(made.spectrum[n]));
  }
  call.result.add("size", std::move(size));
  call.result.add("spectrum", std::move(spectrum));
  call.give("out", black_and_white(call.context, made.image));
}

}  // namespace tamis::c
