// Files that a process with foreign libraries decodes, as sources like any other.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "io/confined/process.hpp"
#include "io/format.hpp"

namespace tamis::io {

/// The foreign library that decodes a file.
enum class Decoder : std::uint8_t { Png, Jpeg, Tiff, Hdf5 };

/// Opens a file through `process`, or one of its own where that is null. Samples come through shared memory.
[[nodiscard]] std::unique_ptr<Source> open_remote(Decoder decoder, const std::string& path, const ReadOptions& options,
                                                  SharedDecoder process);

/// What the process said of a file, checked.
struct Opened {
  Layout layout;
  std::string description;
};
/// Asks the process to open a file, which the questions that follow are about.
[[nodiscard]] Opened ask_to_open(DecoderProcess& process, Decoder decoder, const std::string& path,
                                 const ReadOptions& options, std::int64_t file_bytes);
/// The source of a file that the process has opened.
[[nodiscard]] std::unique_ptr<Source> remote_source(Decoder decoder, const std::string& path,
                                                    const ReadOptions& options, const Opened& opened,
                                                    SharedDecoder process);

}  // namespace tamis::io
