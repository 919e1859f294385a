// Opens a file and reads everything in it, as a user's command would, and checks what must hold of any file.
#pragma once

#include <string>

#include <tamis/io.hpp>

namespace tamis::fuzz {

/// Reads an image twice, at once and slice by slice, over different bytes: what differs was never written. Images of
/// more than 4 MiB are opened but not read, for the sake of speed.
void read_all(const std::string& path, const ReadOptions& options = {});

/// The same for NRRD, MetaImage and NIfTI. Fuzzers are built without ITK: they end where it is asked, behind our own
/// reading of the header.
void read_medical(const std::string& path, const ReadOptions& options = {});

#ifdef TAMIS_FUZZ_REPLAY
inline constexpr bool replays = true;
#else
inline constexpr bool replays = false;
#endif

/// What a decoder gives: as above, but nothing has been checked yet that tamis checks behind it.
void read_source(FileSource& source);
/// As users do, except that the machine need not be able to confine a process: the files are known.
void read_as_user(const std::string& path);

/// A format that another library decodes, in a process of its own. A fuzzer cannot wait for processes: it calls `open`,
/// a generic lambda that decodes here. The replay goes the way of users, and knows no decoder.
template <class Open>
void read_decoded(const std::string& path, Open open) {
  if constexpr (replays) {
    read_as_user(path);
  } else {
    read_source(*open(path));
  }
}

}  // namespace tamis::fuzz
