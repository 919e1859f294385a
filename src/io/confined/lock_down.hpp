// How the process that decodes foreign formats gives up everything that it does not need.
#pragma once

#include <string>

namespace tamis::io {

/// From here on this process can compute, use the files it has open, talk over `socket`, and ask there for a file to
/// be opened; it cannot open, create, change or run anything itself, reach the network or other processes. A library
/// that opens a file by its name notices none of this: the call is caught, tamis at the other end of the socket opens
/// the file if it may be read, and sends it.
/// Returns what is missing on this system, empty if nothing is. Asking for files works either way where it can.
[[nodiscard]] std::string lock_down(int socket);

}  // namespace tamis::io
