// Folders with all that is in them, by descriptor. Symbolic links are removed and never followed.
#pragma once

#include <string>

namespace tamis::io {

/// Removes what is there; an error number, 0 where nothing is left. Files that others put there meanwhile stay.
int remove_tree(int folder, const std::string& name) noexcept;

/// Is there nothing in it?
[[nodiscard]] bool is_empty(int folder) noexcept;

/// All files and folders are on the disk. An error number, 0 where they are. `wanted` is asked before each of them; where
/// it says false the rest is left, and ECANCELED returned.
int sync_tree(int folder, bool (*wanted)(const void*), const void* asked) noexcept;

}  // namespace tamis::io
