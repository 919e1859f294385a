# The component `bundle` (make bundle): the program, those that decode for it, tests and benchmarks with every shared
# library they need, for a Linux machine that has only an NVIDIA driver. The C library is that machine's: it belongs to
# its loader.
set(bundled_programs tamis_cli)
if(TAMIS_TESTS)
  # Those with tests for a GPU.
  list(APPEND bundled_programs core_test granulometry_test line_test median_test morphology_test threshold_test)
  if(tamis_has_cuda)
    list(APPEND bundled_programs gpu_fuzz)
    install(PROGRAMS scripts/gpu_sanitize.sh DESTINATION scripts COMPONENT bundle EXCLUDE_FROM_ALL)
  endif()
endif()
if(TAMIS_BENCHMARKS)
  get_property(benchmarks DIRECTORY bench PROPERTY BUILDSYSTEM_TARGETS)
  list(REMOVE_ITEM benchmarks benchmarks)  # all of them
  list(APPEND bundled_programs ${benchmarks})
  # The Python package has npp.py; bench has a link to it.
  install(FILES bench/harness.py bindings/python/tamis/bench/npp.py DESTINATION bench COMPONENT bundle EXCLUDE_FROM_ALL)
  install(FILES bench/granulometry/peers.py DESTINATION bench/granulometry COMPONENT bundle EXCLUDE_FROM_ALL)
  install(FILES bench/morphology/gpu.py bench/morphology/gpu_peers.py DESTINATION bench/morphology
    COMPONENT bundle EXCLUDE_FROM_ALL)
  install(FILES bench/line/gpu.py bench/line/gpu_peers.py DESTINATION bench/line COMPONENT bundle EXCLUDE_FROM_ALL)
  install(FILES bench/median/gpu.py bench/median/gpu_peers.py DESTINATION bench/median
    COMPONENT bundle EXCLUDE_FROM_ALL)
  install(FILES bench/several_gpus/run.py DESTINATION bench/several_gpus COMPONENT bundle EXCLUDE_FROM_ALL)
  install(DIRECTORY papers DESTINATION . COMPONENT bundle EXCLUDE_FROM_ALL FILES_MATCHING PATTERN "*.py")
  get_property(studies DIRECTORY papers PROPERTY BUILDSYSTEM_TARGETS)
  list(REMOVE_ITEM studies papers paper_algorithms)
  list(APPEND bundled_programs ${studies})
endif()
# RPATH, not RUNPATH: the libraries of the bundle find each other through the program that needs them.
foreach(program IN LISTS bundled_programs tamis_decoders)
  target_link_options(${program} PRIVATE LINKER:--disable-new-dtags)
endforeach()

set(bundled_libraries tamis_core tamis_io)
if(tamis_has_internal AND (TAMIS_TESTS OR TAMIS_BENCHMARKS))
  list(APPEND bundled_libraries tamis_internal)
endif()
set_target_properties(${bundled_libraries} PROPERTIES INSTALL_RPATH "$ORIGIN")

install(TARGETS ${bundled_programs} ${bundled_libraries} COMPONENT bundle EXCLUDE_FROM_ALL
  RUNTIME DESTINATION bin LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_SKIP)
install(TARGETS ${tamis_decoders} COMPONENT bundle EXCLUDE_FROM_ALL RUNTIME DESTINATION libexec/tamis)

set(bundled_files ${bundled_programs} ${tamis_decoders})
list(TRANSFORM bundled_files REPLACE "(.+)" "$<TARGET_FILE:\\1>")
list(TRANSFORM bundled_libraries REPLACE "(.+)" "$<TARGET_FILE_NAME:\\1>" OUTPUT_VARIABLE bundled_names)
list(TRANSFORM bundled_libraries REPLACE "(.+)" "$<TARGET_SONAME_FILE_NAME:\\1>" OUTPUT_VARIABLE bundled_sonames)
install(CODE "set(programs ${bundled_files})
  set(tamis_libraries ${bundled_names})
  set(tamis_sonames ${bundled_sonames})
  set(libraries_folder \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}\")" COMPONENT bundle EXCLUDE_FROM_ALL)
install(CODE [[
  set(of_the_machine "^(ld-linux.*|lib(c|m|mvec|pthread|dl|rt|resolv|util|nsl|anl|cuda))\\.so")
  file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${programs} PRE_EXCLUDE_REGEXES ${of_the_machine}
    RESOLVED_DEPENDENCIES_VAR libraries)
  # Files under the names that are asked for, no links: a folder that any copy keeps whole.
  foreach(library soname IN ZIP_LISTS tamis_libraries tamis_sonames)
    file(RENAME ${libraries_folder}/${library} ${libraries_folder}/${soname})
  endforeach()
  foreach(library IN LISTS libraries)
    get_filename_component(name ${library} NAME)
    list(FIND tamis_sonames ${name} ours)
    if(ours EQUAL -1)
      file(REAL_PATH ${library} file)
      file(COPY_FILE ${file} ${libraries_folder}/${name})
    endif()
  endforeach()
]] COMPONENT bundle EXCLUDE_FROM_ALL)
