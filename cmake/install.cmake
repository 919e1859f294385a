# Installs the library, its headers, the CMake package and the pkg-config file; bindings/cli installs the program.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/tamis)

install(TARGETS tamis EXPORT tamisTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/tamis DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${CMAKE_BINARY_DIR}/include/tamis/version.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tamis)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(EXPORT tamisTargets NAMESPACE tamis:: DESTINATION ${package_folder})
configure_package_config_file(cmake/tamisConfig.cmake.in tamisConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(tamisConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tamisConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/tamisConfigVersion.cmake
  DESTINATION ${package_folder})

# Where the prefix is, seen from the folder of the pkg-config file.
file(RELATIVE_PATH tamis_pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/tamis.pc.in tamis.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tamis.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
