// The processes that decode foreign formats for tamis: started here, confined by themselves (lock_down.cpp), believed
// in nothing.
//
// HDF5, libtiff, libpng, libjpeg, c-blosc and GDCM with its codecs are large, old and written in C; a file from a stranger may
// take over the process that decodes it. So that is a process of its own, in which there is nothing to take: no file
// but the ones it is sent, no network, no other process, memory and time within limits. Its end is an error message.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <tamis/io.hpp>

#include "core/system/shared_memory.hpp"
#include "io/confined/wire.hpp"

namespace tamis::io {

class TemporaryFile;

/// The programs, one for each set of libraries: few files want GDCM's.
enum class Decoders : std::uint8_t { Pictures, Dicom };

/// One process, started by the first question. Questions are put with wire(), answers are waited for with wait().
/// One thread at a time.
class DecoderProcess {
 public:
  DecoderProcess(Decoders decoders, const ReadOptions& options) : decoders_(decoders), options_(options) {}
  DecoderProcess(const DecoderProcess&) = delete;
  DecoderProcess& operator=(const DecoderProcess&) = delete;
  ~DecoderProcess();

  /// Before a question about the file `path`: starts the process where there is none, lets it ask for this file and
  /// what may be followed from it, and gives it memory and time for an answer of `bytes` bytes.
  /// Throws ResourceError where the program is missing or cannot be confined.
  void begin(const std::string& path, std::int64_t file_bytes, std::int64_t bytes);
  /// The process makes a file whose bytes go there; it may ask for nothing else.
  void writes_to(TemporaryFile& output) { output_ = &output; }
  /// Puts a question and waits until its answer begins.
  template <class... Words>
  void ask(const Words&... words) {
    require(wire().put(words...));
    wait();
  }
  /// What the answer says.
  template <class... Words>
  void get(Words&... words) {
    require(wire().get(words...));
  }
  /// For what else goes over the line. What fails there is passed to require().
  [[nodiscard]] Wire wire() const { return Wire(socket_.get()); }
  /// Throws what the process died of unless `there`.
  void require(bool there) {
    if (!there) lost();
  }
  /// Until the answer to a question begins, opening files on the way. Throws InputError and ResourceError with the
  /// process's words, InputError for a file that it must not open, Cancelled.
  void wait();
  /// At least `bytes` of memory that the process writes answers to. The process is told where there was less.
  [[nodiscard]] const std::byte* memory(std::int64_t bytes);
  /// Bytes for the process, in that memory.
  void put(std::span<const std::byte> bytes, std::int64_t at = 0) {
    memory_.write(at, bytes.data(), static_cast<std::int64_t>(bytes.size()));
  }

  /// Which opened file the process has in mind: a number that is new for each, 0 for none.
  [[nodiscard]] std::int64_t opened() const { return process_ > 0 ? opened_ : 0; }
  void count_opened() { opened_ = ++count_; }
  /// Files that others have referred to, and that were opened for the process.
  [[nodiscard]] const std::vector<std::string>& followed() const { return followed_; }

 private:
  void start();
  void await_confinement();
  void set_limits(std::int64_t file_bytes, std::int64_t bytes);
  [[nodiscard]] Reply next_reply();
  [[nodiscard]] std::string text();
  void open_file();
  void serve_output(Reply request);
  [[nodiscard]] Descriptor open_allowed(const std::string& path);
  int stop();
  [[noreturn]] void lost();

  Decoders decoders_;
  ReadOptions options_;
  TemporaryFile* output_ = nullptr;
  pid_t process_ = -1;
  Descriptor socket_;
  std::string path_;     // what is being asked about
  std::string refused_;  // why a file was not opened
  std::vector<std::string> followed_;
  SharedMemory memory_;
  std::int64_t seconds_ = 0;  // of computing that it may use, all questions together
  std::int64_t opened_ = 0;
  std::int64_t count_ = 0;
};

/// Text of the process on one line, for a terminal: it may hold anything.
[[nodiscard]] std::string one_line(std::string text);

}  // namespace tamis::io
