# The CUDA part is built where a CUDA compiler is found (TAMIS_CUDA=AUTO), or must be (ON), or is left out (OFF).
# Machine code for each of TAMIS_CUDA_ARCHITECTURES, and for newer GPUs PTX of the last one. native: the GPUs of this
# machine; one: PTX of what is tuned, enough to see that everything compiles, and a quarter faster to build; usual: what most laboratories have as machine
# code, and PTX that the driver translates for every other GPU when it first needs it (and keeps). Each architecture
# compiles the whole GPU part once more, hence not all. Machine code for 80 is that of 86 and 89 too (one major version,
# and no source distinguishes them): A100, A40, RTX 30 and 40, L4, L40; 90: H100, H200; 120: RTX 50. From PTX: 75 (T4,
# RTX 20) and 100 (B200).
set(TAMIS_CUDA AUTO CACHE STRING "Build the GPU backend: AUTO, ON or OFF")
set(TAMIS_CUDA_ARCHITECTURES usual CACHE STRING
  "Compute capabilities to build for, as in 80;90, or native, usual, all, one")

# A compiler that is too old is as good as none.
function(tamis_check_nvcc usable candidate)
  execute_process(COMMAND ${candidate} --version OUTPUT_VARIABLE text ERROR_QUIET)
  if(NOT text MATCHES "release ([0-9.]+)" OR CMAKE_MATCH_1 VERSION_LESS 13.0)
    set(${usable} FALSE PARENT_SCOPE)
  endif()
endfunction()

# The lists that TAMIS_CUDA_ARCHITECTURES stands for, in ascending order: machine code, PTX.
function(tamis_expand_architectures result portable)
  set(all 75 80 86 89 90 100 120)
  set(usual 80 90 120)
  set(one 90)
  if(TAMIS_CUDA_ARCHITECTURES STREQUAL "native")
    execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader OUTPUT_VARIABLE text ERROR_QUIET)
    string(REGEX MATCHALL "[0-9]+\\.[0-9]+" native "${text}")
    list(TRANSFORM native REPLACE "\\." "")
    list(REMOVE_DUPLICATES native)
    list(SORT native COMPARE NATURAL)
    list(FILTER native EXCLUDE REGEX "^([0-9]|[1-6][0-9]|7[0-4])$")  # older than CUDA 13 knows
    if(NOT native)
      message(WARNING "TAMIS_CUDA_ARCHITECTURES=native, but there is no GPU of compute capability 7.5 or more; "
        "building for what is usual")
      set(native ${usual})
    endif()
  endif()
  set(chosen ${TAMIS_CUDA_ARCHITECTURES})
  if(chosen MATCHES "^(all|usual|one|native)$")
    set(chosen ${${chosen}})
  endif()
  list(GET chosen -1 newest)
  if(TAMIS_CUDA_ARCHITECTURES STREQUAL "one")
    set(chosen)
  endif()
  set(${result} ${chosen} PARENT_SCOPE)
  if("${chosen}" STREQUAL "${usual}")
    set(newest 75 90)
  endif()
  set(${portable} ${newest} PARENT_SCOPE)
endfunction()

set(tamis_has_cuda FALSE)
if(NOT TAMIS_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  if(NOT CMAKE_CUDA_COMPILER)
    unset(CMAKE_CUDA_COMPILER CACHE)  # an earlier search may have found none
    # make cuda puts one into build/cuda.
    find_program(tamis_nvcc nvcc PATHS /usr/local/cuda/bin ${CMAKE_SOURCE_DIR}/build/cuda/bin
      VALIDATOR tamis_check_nvcc)
    if(tamis_nvcc AND NOT DEFINED ENV{CUDACXX})
      set(ENV{CUDACXX} ${tamis_nvcc})
    endif()
  endif()
  set(CMAKE_CUDA_ARCHITECTURES OFF)  # each target says its own
  if(CMAKE_CUDA_COMPILER OR DEFINED ENV{CUDACXX})
    check_language(CUDA)
  endif()
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    # CMake 3.25 does not know that this compiler can do C++20.
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
    find_package(CUDAToolkit REQUIRED)
    set(tamis_has_cuda TRUE)
    tamis_expand_architectures(tamis_architectures tamis_portable_architectures)
  elseif(TAMIS_CUDA STREQUAL "ON")
    message(FATAL_ERROR "TAMIS_CUDA=ON, but there is no CUDA compiler; wanted nvcc 13.0 or newer (make cuda fetches it)")
  endif()
endif()

# Adds the GPU backend to a target, whose own sources are told that there is one.
function(tamis_add_cuda target)
  file(GLOB_RECURSE cuda_sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} src/*.cpp src/*.cu)
  list(FILTER cuda_sources INCLUDE REGEX "/gpu/")
  list(FILTER cuda_sources EXCLUDE REGEX "/test/")
  target_sources(${target} PRIVATE ${cuda_sources})
  set(code)
  foreach(architecture IN LISTS tamis_architectures)
    list(APPEND code ${architecture}-real)
  endforeach()
  foreach(architecture IN LISTS tamis_portable_architectures)
    list(APPEND code ${architecture}-virtual)
  endforeach()
  set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "${code}" CUDA_STANDARD 20)
  list(JOIN tamis_architectures ", sm_" names)
  if(names)
    string(PREPEND names "sm_")
  else()
    set(names "PTX of sm_${tamis_portable_architectures}")
  endif()
  target_compile_definitions(${target} PRIVATE TAMIS_CUDA)
  # That file alone says so: another choice compiles no other C++ source again.
  set_source_files_properties(src/core/gpu/gpus.cpp PROPERTIES
    COMPILE_DEFINITIONS "TAMIS_CUDA_ARCHITECTURES=\"${names}\"")
  # The runtime is linked statically: what is built needs nothing but a driver, and runs without one on the CPU. Those
  # who only link get none of its headers, so that they are compiled alike with and without CUDA.
  target_link_libraries(${target} PRIVATE CUDA::cudart_static INTERFACE $<LINK_ONLY:CUDA::cudart_static>)
endfunction()

# For what is packed: two builds give the same bytes. Objects that nvcc has made hold the number of its process in the name of a
# file; stripping takes it away, but the linker has made its number of the build (build-id) of that too.
function(tamis_leave_out_build_id target)
  if(tamis_has_cuda)
    target_link_options(${target} PRIVATE LINKER:--build-id=none)
  endif()
endfunction()
