// A fuzz target: a function that takes any bytes and returns, or throws InputError, and nothing else.
// libFuzzer calls it (make fuzz), and a test replays what is kept of it without libFuzzer (replay.cpp).
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tamis::fuzz {

using Bytes = std::span<const std::uint8_t>;

/// What a target throws where something is wrong that no sanitizer sees. libFuzzer takes it for a crash.
class Fault : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

inline void expect(bool holds, const std::string& what) {
  if (!holds) throw Fault(what);
}

inline std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

/// Runs a target: InputError with a message is a fine end, any other exception goes through.
void run_target(void (*target)(Bytes), Bytes bytes);

/// For the replay: targets by name.
bool add_target(const char* name, void (*target)(Bytes));

}  // namespace tamis::fuzz

/// TAMIS_FUZZ_TARGET(npy) { ... bytes ... }
#ifdef TAMIS_FUZZ_REPLAY
#define TAMIS_FUZZ_TARGET(name)                                                                    \
  static void name##_target(tamis::fuzz::Bytes bytes);                                             \
  [[maybe_unused]] static const bool name##_added = tamis::fuzz::add_target(#name, name##_target); \
  static void name##_target(tamis::fuzz::Bytes bytes)
#else
#define TAMIS_FUZZ_TARGET(name)                                                       \
  static void name##_target(tamis::fuzz::Bytes bytes);                                \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) { \
    tamis::fuzz::run_target(name##_target, {data, size});                             \
    return 0;                                                                         \
  }                                                                                   \
  static void name##_target(tamis::fuzz::Bytes bytes)
#endif
