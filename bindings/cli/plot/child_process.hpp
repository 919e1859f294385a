// Another program as a function: text in, text out.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace tamis::cli {

struct ChildAnswer {
  int status = 0;         ///< of waitpid, or -errno if the program could not be started
  bool read_all = false;  ///< it took its whole input
  std::string out;
  std::string err;
};

/// Runs a program of PATH. It talks to us through pipes alone, so that no limit on files cuts what it says. Of our
/// environment it sees `kept` alone, and `set`. Where a stop is requested it is killed: throws Cancelled.
[[nodiscard]] ChildAnswer run_child(std::vector<std::string> command, std::string_view input,
                                    const std::vector<std::string>& kept, std::vector<std::string> set,
                                    const std::stop_token& cancel);

}  // namespace tamis::cli
