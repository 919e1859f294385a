# The Debian packages (make deb): tamis with program, libraries and headers, and tamis-mpi, where there is an MPI, so that
# nobody gets an MPI who has no use for it. What they depend on is asked of the system that builds them
# (dpkg-shlibdeps); they install on that release of Debian or Ubuntu and on those that have the same libraries.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tamis)
set(CPACK_PACKAGE_VENDOR tamis)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
  WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL Unspecified)
if(MPI_CXX_FOUND)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/deb_tree.cmake)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(TAMIS_MAINTAINER "tamis <tamis@localhost>" CACHE STRING "Who answers for the Debian packages: name and address")
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${TAMIS_MAINTAINER}")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_NAME tamis)
set(CPACK_DEBIAN_UNSPECIFIED_DESCRIPTION
"The program tamis, its libraries, and what C++ programs need to use them:
sizes of pores and grains in images and volumes, erosions, dilations and what
is built of them, medians of any window, orientation of lines, straight pages.")
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_RECOMMENDS gnuplot-nox)  # for --plot

set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/cmake/deb/triggers)

set(CPACK_DEBIAN_MPI_PACKAGE_NAME tamis-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "tamis (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_MPI_DESCRIPTION
"The program tamis-mpi: granulometries and size maps by several processes, of
volumes larger than one machine, and on from where a killed run has come.")
include(CPack)
