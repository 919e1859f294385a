// Commands of several files, of which some may not do (--keep-going).
#pragma once

#include <new>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <tamis/error.hpp>
#include <tamis/image.hpp>

#include "cli/option/command.hpp"
#include "cli/session.hpp"

namespace tamis::cli {

void add_keep_going(const Command& command, bool& target);

/// Notes what went wrong with a file; the message begins with its name.
void note_failure(Session& session, const std::string& file, const std::string& message);
/// "failed": [{"file", "error"}], where there are some.
void add_failures(nlohmann::ordered_json& json, const Session& session);

/// Notes that numbered pictures of one size, each a file of its own, may be the slices of a volume.
void note_slices(Session& session, const std::vector<std::string>& files, const std::vector<Shape>& shapes,
                 const char* command);

/// Runs `work` on a file. True if that went well; false if it did not and the command goes on.
template <class Work>
bool done_with(Session& session, bool keep_going, const std::string& file, Work work) {
  try {
    work();
    return true;
  } catch (const Cancelled&) {
    throw;
  } catch (const Error& error) {
    if (!keep_going) throw;
    note_failure(session, file, error.what());
  } catch (const std::bad_alloc&) {
    if (!keep_going) throw;
    note_failure(session, file, "out of memory; --memory limits what is used");
  }
  return false;
}

}  // namespace tamis::cli
