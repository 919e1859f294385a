// What this tamis is made of.
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <filesystem>

#include <tamis/gpu.hpp>
#include <tamis/version.hpp>

#include "cli/doctor/build_versions.hpp"
#include "cli/doctor/facts.hpp"

namespace tamis::cli {
namespace {

std::string compiler() {
#if defined(__clang__)
  return fmt::format("Clang {}", __clang_version__);
#elif defined(__GNUC__)
  return fmt::format("GCC {}", __VERSION__);
#else
  return "an unknown one";
#endif
}

/// The file that a name of a library leads to at last: libtbb.so.12 is libtbb.so.12.8.
std::string real_file(const std::string& path) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  return error ? path : real.string();
}

int note_library(dl_phdr_info* info, std::size_t, void* list) {
  const std::string path = info->dlpi_name;
  // The program itself has no name here, and the kernel's own library no file.
  if (path.find('/') != std::string::npos) static_cast<std::vector<std::string>*>(list)->push_back(real_file(path));
  return 0;
}

}  // namespace

std::vector<Fact> build_facts() {
  const std::string cuda = cuda_build();
  return {{"version", std::string(version())},
          {"compiler", compiler()},
          {"build type", TAMIS_BUILD_TYPE},
          {"options", TAMIS_BUILD_OPTIONS},
          {"CUDA", cuda.empty() ? "not built in" : cuda},
          {"libraries", TAMIS_BUILD_LIBRARIES}};
}

std::vector<Fact> loaded_libraries() {
  std::vector<std::string> paths;
  ::dl_iterate_phdr(note_library, &paths);
  std::sort(paths.begin(), paths.end());
  std::vector<Fact> facts;
  for (const std::string& path : paths) {
    const std::string folder = std::filesystem::path(path).parent_path();
    const std::string name = std::filesystem::path(path).filename();
    if (facts.empty() || facts.back().first != folder) {
      facts.emplace_back(folder, name);
    } else {
      facts.back().second += " " + name;
    }
  }
  return facts;
}

}  // namespace tamis::cli
