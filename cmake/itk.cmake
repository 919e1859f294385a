# The program that asks ITK (src/io/itk_process.cpp), which tamis starts when a medical file is opened. Without ITK
# there is no such program, and opening such a file says so.
#
# ITK's libraries are looked up here by their names: its package files look for HDF5, GDCM and more that tamis does not
# need from it, and end the configuration, or warn, where a part of those is not installed.
set(itk_versions 5.4 5.3 5.2 5.1)
list(TRANSFORM itk_versions PREPEND ITK- OUTPUT_VARIABLE itk_folders)
find_path(ITK_INCLUDE_DIR itkNrrdImageIO.h PATH_SUFFIXES ${itk_folders})
set(itk_libraries)
foreach(part ITKIONRRD ITKIOMeta ITKIONIFTI ITKIOGDCM ITKIOImageBase ITKCommon itksys itkvnl)
  list(TRANSFORM itk_versions PREPEND ${part}- OUTPUT_VARIABLE names)
  find_library(${part}_LIBRARY NAMES ${names})
  list(APPEND itk_libraries ${${part}_LIBRARY})
endforeach()
mark_as_advanced(ITK_INCLUDE_DIR)

set(tamis_has_itk OFF)
if(ITK_INCLUDE_DIR AND NOT "${itk_libraries}" MATCHES "NOTFOUND")
  set(tamis_has_itk ON)
elseif(TAMIS_ITK STREQUAL ON)
  message(FATAL_ERROR "TAMIS_ITK is ON and ITK is not found; wanted libinsighttoolkit5-dev")
else()
  message(STATUS "ITK is not found: no NRRD, MetaImage, NIfTI, DICOM")
endif()

# The program, and for the library's sources where it lies, seen from the installed library.
function(tamis_add_itk objects)
  # The version in the name: a program only fits the library that it was built with.
  set(name tamis-itk-${PROJECT_VERSION})
  add_executable(tamis_itk ${CMAKE_SOURCE_DIR}/src/io/itk_process.cpp)
  set_target_properties(tamis_itk PROPERTIES OUTPUT_NAME ${name}
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/libexec/tamis)
  target_include_directories(tamis_itk PRIVATE include src)
  target_include_directories(tamis_itk SYSTEM PRIVATE ${ITK_INCLUDE_DIR})
  target_link_libraries(tamis_itk PRIVATE tamis_flags ${itk_libraries})
  install(TARGETS tamis_itk RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/tamis)

  file(RELATIVE_PATH place /${CMAKE_INSTALL_LIBDIR} /${CMAKE_INSTALL_LIBEXECDIR}/tamis/${name})
  set_source_files_properties(src/io/itk_client.cpp PROPERTIES COMPILE_DEFINITIONS
    "TAMIS_ITK_PROGRAM=\"${place}\";TAMIS_ITK_NAME=\"${name}\"")
  target_link_libraries(${objects} PUBLIC ${CMAKE_DL_LIBS})
  add_dependencies(${objects} tamis_itk)
endfunction()
