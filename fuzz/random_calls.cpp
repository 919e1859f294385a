// Tries a target on bytes drawn at random, without libFuzzer: for targets that call the installed library from outside.
// TARGET SEED COUNT tries the cases SEED ... SEED+COUNT-1; a case that fails is named, and SEED 1 repeats it alone.
#include <cstdio>
#include <exception>
#include <random>
#include <string>
#include <vector>

#include "fuzz/harness.hpp"

namespace tamis::fuzz {
namespace {

void (*only)(Bytes) = nullptr;

std::vector<std::uint8_t> bytes_of(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint8_t> bytes(16 + random() % 180);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

}  // namespace

bool add_target(const char*, void (*target)(Bytes)) {
  only = target;
  return true;
}

}  // namespace tamis::fuzz

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const std::uint64_t first = std::stoull(arguments[1]), end = first + std::stoull(arguments[2]);
  int found = 0;
  for (std::uint64_t seed = first; seed < end; ++seed) {
    // A crash or a report of a sanitizer shows the last line, which is not kept otherwise.
    std::fprintf(stderr, "\rcase %llu ", static_cast<unsigned long long>(seed));
    try {
      tamis::fuzz::run_target(tamis::fuzz::only, tamis::fuzz::bytes_of(seed));
    } catch (const std::exception& error) {
      std::printf("case %llu: %s\n", static_cast<unsigned long long>(seed), error.what());
      if (++found == 10) return 1;
    }
  }
  return found == 0 ? 0 : 1;
}
