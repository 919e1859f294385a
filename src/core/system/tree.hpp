// Folders with all that is in them, by descriptor. Symbolic links are removed and never followed.
#pragma once

#include <functional>
#include <string>

namespace tamis {

/// Removes what is there; an error number, 0 where nothing is left. Files that others put there meanwhile stay.
int remove_tree(int folder, const std::string& name) noexcept;

/// Is there nothing in it?
[[nodiscard]] bool is_empty(int folder) noexcept;

/// All files and folders are on the disk. An error number, 0 where they are. `visit` is given each of them, open, before;
/// where it says false the rest is left, and ECANCELED returned. It may not throw.
int sync_tree(int folder, const std::function<bool(int)>& visit) noexcept;

}  // namespace tamis
