# The programs in which foreign libraries decode files for tamis, each in a process that confines itself
# (src/io/confined): tamis-reader for libtiff, libpng, libjpeg, HDF5, libzstd and c-blosc, tamis-dicom for the codecs of DICOM.
# Without GDCM there is no such program, and reading a compressed DICOM file says so.
#
# GDCM's libraries are looked up here by their names: its package files look for more that tamis does not need from it.
set(gdcm_folders gdcm-3.2 gdcm-3.1 gdcm-3.0)
find_path(GDCM_INCLUDE_DIR gdcmImageReader.h PATH_SUFFIXES ${gdcm_folders})
set(gdcm_libraries)
foreach(part gdcmMSFF gdcmDSED gdcmDICT gdcmCommon)
  find_library(${part}_LIBRARY NAMES ${part})
  list(APPEND gdcm_libraries ${${part}_LIBRARY})
  mark_as_advanced(${part}_LIBRARY)
endforeach()
mark_as_advanced(GDCM_INCLUDE_DIR)

set(tamis_has_gdcm OFF)
if(TAMIS_GDCM AND GDCM_INCLUDE_DIR AND NOT "${gdcm_libraries}" MATCHES "NOTFOUND")
  set(tamis_has_gdcm ON)
elseif(TAMIS_GDCM STREQUAL ON)
  message(FATAL_ERROR "TAMIS_GDCM is ON and GDCM is not found; wanted libgdcm-dev")
else()
  message(STATUS "GDCM is not found: no compressed DICOM")
endif()

set(tamis_libexec ${CMAKE_INSTALL_LIBEXECDIR}/tamis)
set(tamis_program_component)
if(SKBUILD)  # in the package
  set(tamis_libexec tamis/libexec)
  set(tamis_program_component COMPONENT python)
endif()

# The check of virtual tables looks at memory through a pipe, which a confined process cannot make. A library of its own,
# because its options have to come after those that turn the sanitizers on.
if(TAMIS_SANITIZE)
  add_library(tamis_confined_flags INTERFACE)
  target_compile_options(tamis_confined_flags INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=vptr>")
endif()

# A program beside the library. The version in the name: it only fits the library that it was built with.
function(tamis_add_decoder target name)
  add_executable(${target} ${ARGN} src/io/confined/lock_down.cpp)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name}-${PROJECT_VERSION}
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/libexec/tamis
    # Beside the installed library, and in the bundle.
    INSTALL_RPATH "$ORIGIN/../../${CMAKE_INSTALL_LIBDIR}")
  target_include_directories(${target} PRIVATE include src)
  target_link_libraries(${target} PRIVATE tamis_flags)
  if(TAMIS_SANITIZE)
    target_link_libraries(${target} PRIVATE tamis_confined_flags)
  endif()
  install(TARGETS ${target} RUNTIME DESTINATION ${tamis_libexec} ${tamis_program_component})
endfunction()

# What the reader has from the libraries is compiled once for all.
set(reader_core_sources src/core/door.cpp src/core/image.cpp src/core/memory.cpp)
set(reader_io_sources src/io/confined/hdf5/unfilter.cpp
  src/core/system/mapped_file.cpp src/io/header_text.cpp src/io/samples.cpp src/io/source.cpp src/io/tiff/directory.cpp
  src/io/tiff/metadata.cpp src/io/tiff/ome.cpp src/io/tiff/page.cpp src/io/tiff/samples.cpp src/io/tiff/stack.cpp
  src/io/tiff/xml_tags.cpp src/io/units.cpp)
set(reader_sources ${reader_core_sources} ${reader_io_sources})
foreach(part core io)
  set(target tamis_reader_${part}_objects)
  add_library(${target} OBJECT ${reader_${part}_sources})
  target_include_directories(${target} PRIVATE include src)
  target_link_libraries(${target} PRIVATE tamis_flags fmt::fmt)
  if(TAMIS_SANITIZE)
    target_link_libraries(${target} PRIVATE tamis_confined_flags)
  endif()
endforeach()
target_link_libraries(tamis_reader_io_objects PRIVATE ${tamis_file_libraries})

tamis_add_decoder(tamis_reader tamis-reader src/io/confined/picture_program.cpp
  src/io/confined/png_decoder.cpp src/io/confined/jpeg_decoder.cpp src/io/confined/hdf5/decoder.cpp
  src/io/confined/hdf5/storage.cpp src/io/confined/hdf5/index.cpp
  src/io/confined/hdf5/complete.cpp src/io/confined/hdf5/session.cpp
  src/io/confined/hdf5/writer.cpp src/io/confined/tiff_decoder.cpp src/io/confined/decompress.cpp
  $<TARGET_OBJECTS:tamis_reader_core_objects> $<TARGET_OBJECTS:tamis_reader_io_objects>)
target_link_libraries(tamis_reader PRIVATE ${tamis_file_libraries} PkgConfig::hdf5 TIFF::TIFF JPEG::JPEG PkgConfig::zstd PkgConfig::blosc
  fmt::fmt)
set(tamis_decoders tamis_reader)

set(dicom_name)
if(tamis_has_gdcm)
  set(dicom_name tamis-dicom-${PROJECT_VERSION})
  tamis_add_decoder(tamis_dicom tamis-dicom src/io/dicom/process.cpp)
  target_include_directories(tamis_dicom SYSTEM PRIVATE ${GDCM_INCLUDE_DIR})
  target_link_libraries(tamis_dicom PRIVATE ${gdcm_libraries})
  list(APPEND tamis_decoders tamis_dicom)
endif()

# For the library's sources: where the programs lie, seen from the installed library.
file(RELATIVE_PATH libexec /${CMAKE_INSTALL_LIBDIR} /${tamis_libexec})
set_source_files_properties(src/io/confined/process.cpp PROPERTIES COMPILE_DEFINITIONS
  "TAMIS_LIBEXEC=\"${libexec}\";TAMIS_READER_NAME=\"tamis-reader-${PROJECT_VERSION}\";TAMIS_DICOM_NAME=\"${dicom_name}\"")
