// Tries a target on bytes drawn at random, without libFuzzer: for targets that call the installed library from outside.
// TARGET SEED COUNT tries the cases SEED ... SEED+COUNT-1; a case that fails is named, and SEED 1 repeats it alone.
// TARGET SEED COUNT FOLDER makes three of four cases from the files of a folder, whose bytes it changes and mixes.
// A case that takes more than a minute of the processor ends the program by a signal.
#include <sys/time.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "fuzz/harness.hpp"

namespace tamis::fuzz {
namespace {

using Case = std::vector<std::uint8_t>;

void (*only)(Bytes) = nullptr;

std::vector<Case> files_of(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<Case> files;
  for (const std::filesystem::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    files.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    if (files.back().empty()) files.pop_back();
  }
  return files;
}

Case case_of(std::uint64_t seed, const std::vector<Case>& files) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  if (files.empty() || below(4) == 0) {
    Case bytes(16 + below(180));
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    return bytes;
  }
  Case bytes = files[below(files.size())];
  if (below(3) == 0) {  // and a part of another
    const Case& other = files[below(files.size())];
    const std::size_t from = below(other.size());
    bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(below(bytes.size() + 1)),
                 other.begin() + static_cast<std::ptrdiff_t>(from), other.end());
  }
  for (std::size_t changes = below(8); changes > 0; --changes) {
    bytes[below(bytes.size())] = static_cast<std::uint8_t>(random());
  }
  return bytes;
}

}  // namespace

bool add_target(const char*, void (*target)(Bytes)) {
  only = target;
  return true;
}

}  // namespace tamis::fuzz

int main(int count, char** arguments) {
  if (count != 3 && count != 4) return 2;
  const std::uint64_t first = std::stoull(arguments[1]), end = first + std::stoull(arguments[2]);
  const auto files = count == 4 ? tamis::fuzz::files_of(arguments[3]) : std::vector<tamis::fuzz::Case>();
  int found = 0;
  for (std::uint64_t seed = first; seed < end; ++seed) {
    // A crash or a report of a sanitizer shows the last line, which is not kept otherwise.
    std::fprintf(stderr, "\rcase %llu ", static_cast<unsigned long long>(seed));
    const itimerval minute{{0, 0}, {60, 0}};
    setitimer(ITIMER_PROF, &minute, nullptr);
    try {
      tamis::fuzz::run_target(tamis::fuzz::only, tamis::fuzz::case_of(seed, files));
    } catch (const std::exception& error) {
      std::printf("case %llu: %s\n", static_cast<unsigned long long>(seed), error.what());
      if (++found == 10) return 1;
    }
  }
  return found == 0 ? 0 : 1;
}
