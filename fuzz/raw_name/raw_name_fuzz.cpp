// Names of headerless files, which say what is in them.
#include <string>

#include "fuzz/harness.hpp"
#include "io/flat/flat.hpp"

TAMIS_FUZZ_TARGET(raw_name) {
  const std::string name(tamis::fuzz::text_of(bytes));
  if (name.find('\0') != std::string::npos) return;  // no name of a file
  const tamis::Layout layout = tamis::io::raw_layout(name, {});
  // What a name says, written under that name, is no lie; a bool is written as bytes.
  if (layout.type != tamis::Type::Bool) tamis::io::require_true_name(name, layout);
}
