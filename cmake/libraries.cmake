# Objects first: users get two shared libraries made of them, libtamis-core and libtamis-io, the Python module has them in
# itself (tamis_objects), and tests, benchmarks and papers, which reach inside, link another library of them all that hides
# nothing (tamis_internal). No source is compiled twice.

# Everything is hidden but what a public header declares (include/tamis/compiler.hpp).
function(tamis_hide_internals target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
    CUDA_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()

# How a source is compiled that includes what is inside.
add_library(tamis_inside INTERFACE)
target_include_directories(tamis_inside INTERFACE
  $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include> ${CMAKE_SOURCE_DIR}/src)
target_compile_definitions(tamis_inside INTERFACE $<$<BOOL:${TAMIS_STD_THREADS}>:TAMIS_STD_THREADS>)
target_link_libraries(tamis_inside INTERFACE tamis_flags Threads::Threads
  $<IF:$<BOOL:${TAMIS_FILES}>,fmt::fmt,fmt::fmt-header-only> $<$<NOT:$<BOOL:${TAMIS_STD_THREADS}>>:TBB::tbb>
  ${CMAKE_DL_LIBS})

function(tamis_add_objects target)
  add_library(${target} OBJECT ${ARGN})
  tamis_hide_internals(${target})
  target_link_libraries(${target} PUBLIC tamis_inside)
endfunction()

# Both libraries share out work by it; it keeps no state, so each has its own.
set(parallel_sources src/core/cpu/parallel.cpp)
list(REMOVE_ITEM library_sources ${parallel_sources})
tamis_add_objects(tamis_parallel_objects ${parallel_sources})

# The few sources that ask whether there is CUDA, and the GPU backend itself: all that differs between a build with CUDA
# and one without. Everything else is compiled alike, so that a build folder which changes over compiles only these.
set(device_sources)
foreach(source IN LISTS library_sources)
  file(STRINGS ${source} asks REGEX "TAMIS_CUDA")
  if(asks OR source MATCHES "no_gpu\\.cpp$")
    list(APPEND device_sources ${source})
  endif()
endforeach()
list(REMOVE_ITEM library_sources ${device_sources})

tamis_add_objects(tamis_core_objects ${library_sources})
tamis_add_objects(tamis_device_objects ${device_sources})
foreach(objects IN ITEMS tamis_core_objects tamis_device_objects)
  target_link_libraries(${objects} PUBLIC PkgConfig::hwy)
  tamis_precompile(${objects} src/precompiled.hpp)
endforeach()
if(tamis_has_cuda)
  tamis_add_cuda(tamis_device_objects)
endif()
set(core_objects tamis_core_objects tamis_device_objects tamis_parallel_objects)
set(io_objects)

if(TAMIS_FILES)
  tamis_add_objects(tamis_io_objects ${io_sources})
  target_link_libraries(tamis_io_objects PUBLIC ${tamis_file_libraries} ${CMAKE_DL_LIBS} PRIVATE nlohmann_json::nlohmann_json)
  tamis_precompile(tamis_io_objects src/precompiled.hpp)
  add_dependencies(tamis_io_objects ${tamis_decoders})
  tamis_hide_internals(tamis_reader_core_objects)
  tamis_hide_internals(tamis_reader_io_objects)
  list(APPEND core_objects tamis_reader_core_objects)
  set(io_objects tamis_io_objects tamis_reader_io_objects)
endif()

add_library(tamis_objects INTERFACE)
foreach(objects IN LISTS core_objects io_objects)
  # Objects reach only what links them itself; an interface passes on what they need.
  target_sources(tamis_objects INTERFACE $<TARGET_OBJECTS:${objects}>)
  target_link_libraries(tamis_objects INTERFACE ${objects})
endforeach()
include(cmake/internal.cmake)

# Until 1.0 a minor version may change what a compiled program relies on (docs/abi.md).
set(tamis_soversion ${PROJECT_VERSION_MAJOR})
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(tamis_soversion 0.${PROJECT_VERSION_MINOR})
endif()

# What leaves a shared library. It is bound to itself: a name of the program, or of another version, that is the same as one of
# ours does not take its place.
function(tamis_export target map)
  set(exports ${CMAKE_CURRENT_BINARY_DIR}/${target}.map)
  configure_file(${map} ${exports} @ONLY)
  target_link_options(${target} PRIVATE LINKER:--version-script=${exports} LINKER:-Bsymbolic)
  set_target_properties(${target} PROPERTIES LINK_DEPENDS ${exports})
endfunction()

function(tamis_add_library component)
  set(target tamis_${component})
  add_library(${target})
  add_library(tamis::${component} ALIAS ${target})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME tamis-${component} EXPORT_NAME ${component}
    VERSION ${PROJECT_VERSION} SOVERSION ${tamis_soversion})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  foreach(objects IN LISTS ARGN)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:${objects}>)
  endforeach()
  if(BUILD_SHARED_LIBS)
    tamis_export(${target} ${CMAKE_SOURCE_DIR}/cmake/exports.map.in)
  endif()
endfunction()

# What a program links itself where the libraries are static.
set(tamis_core_needs Threads::Threads fmt::fmt PkgConfig::hwy)
if(NOT TAMIS_STD_THREADS)
  list(APPEND tamis_core_needs TBB::tbb)
endif()
if(tamis_has_cuda)
  list(APPEND tamis_core_needs CUDA::cudart_static)
endif()
set(tamis_io_needs ${tamis_file_libraries} ${CMAKE_DL_LIBS})

tamis_add_library(core ${core_objects})
tamis_leave_out_build_id(tamis_core)
if(NOT BUILD_SHARED_LIBS)
  target_link_libraries(tamis_core PRIVATE ${tamis_core_needs})
endif()
if(TAMIS_FILES)
  tamis_add_library(io ${io_objects} tamis_parallel_objects)
  if(NOT BUILD_SHARED_LIBS)
    target_link_libraries(tamis_io PRIVATE ${tamis_io_needs})
  endif()
  target_link_libraries(tamis_io PUBLIC tamis_core)
  add_library(tamis INTERFACE)
  add_library(tamis::tamis ALIAS tamis)
  target_link_libraries(tamis INTERFACE tamis_io tamis_core)
endif()
