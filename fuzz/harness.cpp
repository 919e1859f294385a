#include "fuzz/harness.hpp"

#include <tamis/error.hpp>

namespace tamis::fuzz {

void run_target(void (*target)(Bytes), Bytes bytes) {
  try {
    target(bytes);
  } catch (const InputError& error) {
    expect(error.what()[0] != '\0', "an error without a message");
  }
}

}  // namespace tamis::fuzz
