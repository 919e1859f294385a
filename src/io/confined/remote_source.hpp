// Files that a process with foreign libraries decodes, as sources like any other.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "io/confined/process.hpp"
#include "io/format.hpp"

namespace tamis::io {

/// Opens a file through `process`, or one of its own where that is null. Samples come through shared memory.
[[nodiscard]] std::unique_ptr<Source> open_remote(Decoder decoder, const std::string& path, const ReadOptions& options,
                                                  std::shared_ptr<DecoderProcess> process);

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
                                                    std::shared_ptr<DecoderProcess> process);

}  // namespace tamis::io
