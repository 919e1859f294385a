// Which other files the contents of a file may make us open.
#pragma once

#include <string>

namespace tamis::io {

/// `from` is the file that was named, `to` a file that its contents refer to (external data of HDF5, of .nhdr and .mhd
/// headers), as a path that can be opened. Throws InputError unless `to` is a regular file in the folder of `from` or
/// below, symbolic links and ".." resolved, or `follow` allows any other: a file from elsewhere must not make us copy
/// files of the user into a result. A file that is missing is for the opener to report, wherever it would lie allowed.
void require_followed(const std::string& from, const std::string& to, bool follow);

}  // namespace tamis::io
