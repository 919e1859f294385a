#include <tamis/version.hpp>

namespace tamis {

std::string_view version() { return TAMIS_VERSION; }

}  // namespace tamis
