# Headers that nearly every file of a target includes, compiled once for it. Every source still includes what it
# uses and builds without (the presets debug, asan-ubsan, tsan and odr).
function(tamis_precompile target header)
  target_precompile_headers(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${CMAKE_CURRENT_SOURCE_DIR}/${header}>")
  tamis_silence_false_reports(${target})
endfunction()

# The headers of another target, which has the same options.
function(tamis_reuse_precompiled target other)
  target_precompile_headers(${target} REUSE_FROM ${other})
  tamis_silence_false_reports(${target})
endfunction()

function(tamis_silence_false_reports target)
  # GCC forgets which warnings it keeps to itself in a precompiled header and reports the standard library's own code.
  # The presets without precompiled headers keep these warnings.
  if(NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
    set(false_reports array-bounds stringop-overflow stringop-overread maybe-uninitialized free-nonheap-object)
    list(TRANSFORM false_reports PREPEND -Wno-)
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:${false_reports}>")
  endif()
endfunction()
