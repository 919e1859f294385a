// Where an output lands: links followed, the folder held open, the names of hidden files in it.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>
#include <string_view>

#include "core/system/descriptor.hpp"

namespace tamis::io {

/// The folder and the name that a path leads to. A link is followed also where its target does not exist yet: the link
/// stays, and its target is made.
struct OutputPlace {
  std::string folder;
  std::string name;
  Descriptor opened;  ///< the folder; by descriptor it stays the same one if somebody renames it
  bool direct = false;
  std::optional<struct stat> old;  ///< what is there
  int stream = -1;                 ///< the descriptor of ours that a path like /dev/stdout names
};

/// Throws ResourceError "cannot write PATH: ...", also for a folder, and for a file that must not be written.
[[nodiscard]] OutputPlace output_place(const std::string& path);
/// The same for a folder, which takes the place of a store of Zarr or of an empty folder. A slash at the end is fine.
[[nodiscard]] OutputPlace output_folder_place(std::string path);
/// Is an open folder empty, or a store of Zarr?
[[nodiscard]] bool may_be_replaced(int folder);

[[noreturn]] void cannot_write(const std::string& path, std::string_view reason);

/// So many runs may write one target at once.
constexpr int most_slots = 10'000;

/// ".foam.tif.tamis-0.part", one for each `slot`: hidden, so that a folder of slices being written is not read with it.
/// Never longer than the file system allows; of a name that is cut the rest is told by a hash.
[[nodiscard]] std::string hidden_name(const OutputPlace& place, int slot);

/// Does anything have that name in the folder of the target?
[[nodiscard]] bool stands_beside(const OutputPlace& place, const std::string& name);

/// Removes the hidden files of this target, which the caller calls `path`, whose writers have ended. Throws
/// ResourceError where the system cannot say what is there.
void remove_stale_files(const std::string& path, const OutputPlace& place);
/// The same for a target that is a folder.
void remove_stale_folders(const std::string& path, const OutputPlace& place);

/// Takes the lock that says that a hidden file is in use. 0 also where the file system has no locks: there a hidden
/// file is never taken for stale. EAGAIN: it has just been taken for stale; another number is what the system says.
[[nodiscard]] int lock_hidden(const OutputPlace& place, const std::string& name, int fd);

}  // namespace tamis::io
