// Opens a file and reads everything in it, as a user's command would, and checks what must hold of any file.
#pragma once

#include <string>

#include <tamis/io.hpp>

namespace tamis::fuzz {

/// Reads an image twice, at once and slice by slice, over different bytes: what differs was never written. Images of
/// more than 4 MiB are opened but not read, for the sake of speed. Where the machine cannot confine processes, formats
/// that want it are read all the same: the files are known.
void read_all(const std::string& path, ReadOptions options = {});

/// Samples alone, of what a decoder gives: nothing has been checked yet that tamis checks behind it.
void read_source(FileSource& source);

}  // namespace tamis::fuzz
