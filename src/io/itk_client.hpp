// ITK for the rest of tamis: a process that answers questions about files.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>

#include "io/itk_wire.hpp"

namespace tamis::io {

/// Starts the process (30 ms) and ends it. A file that ends it is an InputError; later questions start another.
class ItkClient {
 public:
  ItkClient() = default;
  ItkClient(const ItkClient&) = delete;
  ItkClient& operator=(const ItkClient&) = delete;
  ~ItkClient();

  /// What ITK understands of a file. Throws InputError with ITK's reason, EnvironmentError where tamis has no ITK.
  [[nodiscard]] ItkHeader header(ItkFormat format, const std::string& path);
  /// All samples of a file that had this type and these sizes, to `out`.
  void samples(ItkFormat format, const std::string& path, Type type, const std::array<std::int64_t, 3>& sizes,
               std::byte* out);

 private:
  void start(const std::string& path);
  /// The status of the ended process, as waitpid() has it; 0 if there is none.
  int stop();
  [[noreturn]] void lost(const std::string& path);
  [[nodiscard]] bool ask(ItkQuestion question, ItkFormat format, const std::string& path) const;
  void require_done(const std::string& path);

  pid_t process_ = -1;
  int socket_ = -1;
};

/// Was tamis built with ITK, and is the program there? For tests; the questions say themselves what is missing.
[[nodiscard]] bool has_itk();

}  // namespace tamis::io
