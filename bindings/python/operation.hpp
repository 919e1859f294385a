// Operations as functions of the module.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>

#include "python/arguments.hpp"
#include "python/context.hpp"

namespace tamis::python {

/// The paragraph on the shared keywords, for docstrings.
#define TAMIS_RUN_PARAMETERS_DOC                                                                                   \
  "device : str\n"                                                                                                 \
  "    'auto' (a GPU where there is one and the work is large enough to pay for it), 'cpu', 'cuda' or 'cuda:N'.\n" \
  "threads : int\n"                                                                                                \
  "    Threads to use; 0: all cores.\n"                                                                            \
  "memory, device_memory : int or str\n"                                                                           \
  "    Limits for working memory in bytes or as '4G'; the work is cut into slabs that fit. 0: what is there.\n"    \
  "simd : str\n"                                                                                                   \
  "    'best', 'avx512', 'avx2' or 'portable'. Results do not depend on it.\n"                                     \
  "progress : bool or callable, optional\n"                                                                        \
  "    True draws a bar with tqdm; a function is called with (stage, done, total), total 0 where not known.\n"

/// Adds `run` to the module under `name`. Its own parameters are described by `extra` (docstring, nb::arg ...); the
/// keywords of Keywords follow them in the signature, so that no operation lists them again.
template <class Result, class... Own, class... Extra>
void add_operation(nb::module_& module, const char* name, Result (*run)(const Keywords&, Own...),
                   const Extra&... extra) {
  using namespace nb::literals;
  module.def(
      name,
      [run](Own... own, std::string_view device, int threads, BytesArgument memory, BytesArgument device_memory,
            std::string_view simd, ProgressArgument progress) {
        return run(Keywords{device, threads, memory.value, device_memory.value, simd, progress.value},
                   std::move(own)...);
      },
      extra..., "device"_a = "auto", "threads"_a = 0, "memory"_a = 0, "device_memory"_a = 0, "simd"_a = "best",
      "progress"_a = nb::none());
}

}  // namespace tamis::python
