# libtamis-internal: all objects as one shared library that hides nothing, for tests, benchmarks and papers. Each of them had
# the library in itself before. Nobody installs it but make bundle. Sanitizers and static libraries keep to the objects.
set(tamis_has_internal ON)
if(NOT BUILD_SHARED_LIBS OR TAMIS_SANITIZE OR NOT TAMIS_FILES)
  set(tamis_has_internal OFF)
  add_library(tamis_internal INTERFACE)
  target_link_libraries(tamis_internal INTERFACE tamis_objects $<$<BOOL:${tamis_has_cuda}>:CUDA::cudart_static>)
  return()
endif()

set(internal_objects)
foreach(objects IN LISTS core_objects io_objects)
  list(APPEND internal_objects $<FILTER:$<TARGET_OBJECTS:${objects}>,INCLUDE,\\.o$>)  # no precompiled headers
endforeach()
set(needed_objects ${internal_objects})
if(tamis_has_cuda)
  # And all of the runtime: what calls it, as tests do, has that of the library, and no second one.
  list(APPEND internal_objects --whole-archive ${CUDA_cudart_static_LIBRARY} --no-whole-archive)
endif()
set(shown ${CMAKE_BINARY_DIR}/CMakeFiles/tamis_internal.o)
find_program(tamis_python3 python3 REQUIRED)
mark_as_advanced(tamis_python3)
add_custom_command(OUTPUT ${shown}
  COMMAND ${CMAKE_LINKER} -r -o ${shown} ${internal_objects}
  COMMAND ${tamis_python3} ${CMAKE_SOURCE_DIR}/cmake/show_hidden.py ${shown}
  DEPENDS ${needed_objects} ${CMAKE_SOURCE_DIR}/cmake/show_hidden.py
  COMMENT "Showing what the objects hide" COMMAND_EXPAND_LISTS VERBATIM)

add_library(tamis_internal SHARED EXCLUDE_FROM_ALL ${shown})
set_target_properties(tamis_internal PROPERTIES OUTPUT_NAME tamis-internal LINKER_LANGUAGE CXX)
# Bound to itself, as code that was compiled to be hidden has to be, but for what a test puts its own in the place of.
target_link_options(tamis_internal PRIVATE LINKER:--dynamic-list=${CMAKE_SOURCE_DIR}/cmake/replaced_by_tests.list)
set_target_properties(tamis_internal PROPERTIES LINK_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/replaced_by_tests.list)
target_link_libraries(tamis_internal PUBLIC tamis_inside PkgConfig::hwy ${tamis_file_libraries})
if(tamis_has_cuda)
  target_link_libraries(tamis_internal PRIVATE rt)
  target_include_directories(tamis_internal SYSTEM INTERFACE ${CUDAToolkit_INCLUDE_DIRS})
endif()
