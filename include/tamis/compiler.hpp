// What every public header includes first: the language it needs.
#pragma once

#if __cplusplus < 202002L
#error "tamis needs C++20"
#include <stop here: tamis needs C++20>  // no such file, and that ends the compilation; #error alone goes on
#endif
