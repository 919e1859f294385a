// Folders with all that is in them, by descriptor. Symbolic links are removed and never followed.
#pragma once

#include <functional>
#include <string>
#include <sys/stat.h>

namespace tamis {

/// Removes what is there; an error number, 0 where nothing is left. Files that others put there meanwhile stay.
int remove_tree(int folder, const std::string& name) noexcept;

/// Is there nothing in it?
[[nodiscard]] bool is_empty(int folder) noexcept;

/// All files and folders are on the disk. An error number, 0 where they are. `visit` is given each of them, open, before;
/// where it says false the rest is left, and ECANCELED returned. It may not throw.
int sync_tree(int folder, const std::function<bool(int)>& visit) noexcept;

// What a new file has from the old one whose name it takes, beside its samples.

/// Gives an open file or folder the owner, the group, the access list (POSIX ACL) and the `user.` attributes of what
/// stands under that name of an open folder, as far as the system lets this user. The old mode only where its owner is
/// who writes: a stranger's mode says nothing about what we write. Never set-user-ID, set-group-ID or sticky bits: the
/// old file's owner would choose the bytes and ours the rights. Returns what could not be kept, in words; empty:
/// everything was.
[[nodiscard]] std::string keep_attributes(int folder, const std::string& name, int fresh);

/// Gives what lies in a new folder to the owner and the group of the old one. What the system refuses stays as it is.
void keep_owner(const struct stat& old, int fresh) noexcept;

}  // namespace tamis
