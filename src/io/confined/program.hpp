// What the programs that decode foreign formats have in common.
#pragma once

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <exception>
#include <new>
#include <string>
#include <tuple>
#include <type_traits>

#include <tamis/error.hpp>

#include "io/confined/wire.hpp"

namespace tamis::io {

/// From here on this process can compute, use the files it has open, talk over `socket`, and ask there for a file to
/// be opened; it cannot open, create, change or run anything itself, reach the network or other processes. A library
/// that opens a file by its name notices none of this: the call is caught, tamis at the other end of the socket opens
/// the file if it may be read, and sends it.
/// Returns what is missing on this system, empty if nothing is. Asking for files works either way where it can.
[[nodiscard]] std::string lock_down(int socket);

/// Closes what was inherited, gives up every right, and says what is missing for that. False where the other end is
/// gone.
[[nodiscard]] inline bool become_confined(const Wire& wire) {
  if (::syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0) != 0) {
    for (int file = STDERR_FILENO + 1; file < 4096; ++file) ::close(file);
  }
  return wire.put(lock_down(STDIN_FILENO));
}

/// Does the work and replies how it went, and what it gave. False where the other end is gone.
template <class Work>
[[nodiscard]] bool answer(const Wire& wire, const Work& work) {
  const auto say = [&](Reply reply, std::string why) {
    constexpr std::size_t longest = 2000;
    if (why.size() > longest) why.resize(longest);
    return wire.put(reply, why);
  };
  try {
    if constexpr (std::is_void_v<decltype(work())>) {
      work();
      return wire.put(Reply::Done);
    } else {
      return std::apply([&](const auto&... results) { return wire.put(Reply::Done, results...); }, work());
    }
  } catch (const ResourceError& error) {
    return say(Reply::Failed, error.what());
  } catch (const std::bad_alloc&) {
    return wire.put(Reply::NoMemory);
  } catch (const std::exception& error) {
    return say(Reply::Refused, error.what());
  } catch (...) {
    return say(Reply::Refused, "unknown reason");  // libraries throw what they like
  }
}

}  // namespace tamis::io
