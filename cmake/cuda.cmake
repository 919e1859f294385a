# The CUDA part is built where a CUDA compiler is found (TAMIS_CUDA=AUTO), or must be (ON), or is left out (OFF).
# TAMIS_CUDA_ARCHITECTURES: machine code for each of these, and for newer GPUs from the last one's PTX.
set(TAMIS_CUDA AUTO CACHE STRING "Build the GPU backend: AUTO, ON or OFF")
set(TAMIS_CUDA_ARCHITECTURES "75;80;86;89;90;100;120" CACHE STRING "Compute capabilities to build for")

set(tamis_has_cuda FALSE)
if(NOT TAMIS_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(tamis_nvcc nvcc HINTS /usr/local/cuda/bin)
    if(tamis_nvcc)
      set(ENV{CUDACXX} ${tamis_nvcc})
    endif()
  endif()
  set(CMAKE_CUDA_ARCHITECTURES OFF)  # each target says its own
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    # CMake 3.25 does not know that this compiler can do C++20.
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
    find_package(CUDAToolkit REQUIRED)
    set(tamis_has_cuda TRUE)
  elseif(TAMIS_CUDA STREQUAL "ON")
    message(FATAL_ERROR "TAMIS_CUDA=ON, but no CUDA compiler was found; wanted nvcc (make cuda fetches it)")
  endif()
endif()

# Adds the GPU backend to a target that holds the library's objects.
function(tamis_add_cuda target)
  file(GLOB cuda_sources CONFIGURE_DEPENDS src/core/cuda/*.cpp src/core/cuda/*.cu src/threshold/*.cu
    src/granulometry/*.cu)
  list(FILTER cuda_sources EXCLUDE REGEX "_(test|bench)\\.(cpp|cu)$")
  target_sources(${target} PRIVATE ${cuda_sources})
  set(code)
  foreach(architecture IN LISTS TAMIS_CUDA_ARCHITECTURES)
    list(APPEND code ${architecture}-real)
  endforeach()
  list(GET TAMIS_CUDA_ARCHITECTURES -1 newest)
  list(APPEND code ${newest}-virtual)
  set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "${code}" CUDA_STANDARD 20)
  list(JOIN TAMIS_CUDA_ARCHITECTURES ", sm_" names)
  target_compile_definitions(${target} PUBLIC TAMIS_CUDA PRIVATE TAMIS_CUDA_ARCHITECTURES="sm_${names}")
  # The runtime is linked statically: what is built needs nothing but a driver, and runs without one on the CPU.
  target_link_libraries(${target} PUBLIC CUDA::cudart_static)
endfunction()
