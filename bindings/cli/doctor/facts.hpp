// What a report of a fault needs to say of a machine and of this tamis: `tamis doctor`.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tamis::cli {

/// A name and what it is: "threads", "2". Facts that nobody could find out say why.
using Fact = std::pair<std::string, std::string>;

struct Section {
  std::string title;
  std::vector<Fact> facts;
};

/// Version, compiler, options of the build, and the versions of libraries that it was built with.
[[nodiscard]] std::vector<Fact> build_facts();
/// The shared libraries that this process has loaded: a folder, and the names of its files, which have the versions.
[[nodiscard]] std::vector<Fact> loaded_libraries();
/// Kernel, processor, memory, and the limits that somebody has set.
[[nodiscard]] std::vector<Fact> machine_facts();
[[nodiscard]] std::vector<Fact> gpu_facts();
/// Are files of foreign formats decoded, in processes that can reach nothing else? Tries it, on files of its own.
[[nodiscard]] std::vector<Fact> decoder_facts();
/// The set ones of the variables that change what tamis does, or CUDA and the loader do for it.
[[nodiscard]] std::vector<Fact> environment_facts();

/// "23.4 GiB".
[[nodiscard]] std::string gibibytes(double bytes);

}  // namespace tamis::cli
