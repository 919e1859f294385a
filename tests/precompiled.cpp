// Compiles precompiled.hpp, once for all tests.
#include "precompiled.hpp"
