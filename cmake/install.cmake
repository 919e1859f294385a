# Installs the libraries, their headers, the CMake package and the pkg-config file; bindings/cli installs the program.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/tamis)

install(TARGETS tamis tamis_core tamis_io tamis_c EXPORT tamisTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/tamis DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${CMAKE_BINARY_DIR}/include/tamis/version.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tamis)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(EXPORT tamisTargets NAMESPACE tamis:: DESTINATION ${package_folder})
set(tamis_static_packages TBB)
if(TAMIS_STD_THREADS)
  set(tamis_static_packages)
endif()
if(tamis_has_cuda)
  list(APPEND tamis_static_packages CUDAToolkit)
endif()
list(JOIN tamis_static_packages " " tamis_static_packages)
configure_package_config_file(cmake/tamisConfig.cmake.in tamisConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(tamisConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tamisConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/tamisConfigVersion.cmake
  DESTINATION ${package_folder})

# Where the prefix is, seen from the folder of the pkg-config file.
file(RELATIVE_PATH tamis_pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
function(tamis_install_pc name description requires libs)
  if(NOT BUILD_SHARED_LIBS)  # what the library stands on is then the program's to link
    string(APPEND requires " ${ARGV4}")
    string(APPEND libs " ${ARGV5}")
  endif()
  configure_file(cmake/tamis.pc.in ${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
if(tamis_has_cuda)
  set(tamis_cuda_libs "${CUDA_cudart_static_LIBRARY} -lrt")
endif()
tamis_install_pc(tamis-core "${PROJECT_DESCRIPTION}" "" "-ltamis-core"
  "tbb fmt libhwy" "${tamis_cuda_libs} -lstdc++ -lm -lpthread -ldl")
tamis_install_pc(tamis-io "Files for tamis: images and volumes, read and written" "tamis-core" "-ltamis-io"
  "libpng zlib libdeflate libzstd" "-lbz2")
# Programs of C need -ltamis alone, those of C++ the other two.
tamis_install_pc(tamis "${PROJECT_DESCRIPTION}, with files" "tamis-io tamis-core" "-ltamis")
