// What every public header includes first: the language it needs, and what the library exports.
#pragma once

#if __cplusplus < 202002L
#error "tamis needs C++20"
#include <stop here: tamis needs C++20>  // no such file, and that ends the compilation; #error alone goes on
#endif

/// On the namespace of a public header: what is declared there is exported. All else is built with hidden visibility.
#define TAMIS_PUBLIC [[gnu::visibility("default")]]
