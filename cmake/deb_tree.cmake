# Run by CPack on the trees of the packages before they are packed: what Debian wants otherwise than `make install`.
# Times are those of SOURCE_DATE_EPOCH, so that two builds of one commit have the same bytes.
if(DEFINED ENV{SOURCE_DATE_EPOCH})
  set(epoch $ENV{SOURCE_DATE_EPOCH})
else()
  set(epoch 0)
endif()

function(compress file)
  execute_process(COMMAND gzip --no-name -9 ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(write_changelog folder package)
  execute_process(COMMAND date --utc --rfc-email --date=@${epoch} OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)
  file(WRITE ${folder}/changelog "${package} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n\n"
    "  * Version ${CPACK_PACKAGE_VERSION}: see CHANGELOG.md of the source.\n\n"
    " -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${date}\n")
  compress(${folder}/changelog)
endfunction()

file(GLOB trees LIST_DIRECTORIES true ${CPACK_TEMPORARY_DIRECTORY}/*)
foreach(tree IN LISTS trees)
  if(NOT IS_DIRECTORY ${tree}/usr)
    continue()
  endif()
  set(package tamis)
  if(tree MATCHES "/mpi$")
    set(package tamis-mpi)
  endif()
  set(documents ${tree}/usr/share/doc/${package})
  file(MAKE_DIRECTORY ${documents})
  file(REMOVE ${documents}/LICENSE)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/deb/copyright ${documents}/copyright COPYONLY)
  write_changelog(${documents} ${package})
  file(GLOB manuals ${tree}/usr/share/man/man1/*.1)
  foreach(manual IN LISTS manuals)
    compress(${manual})
  endforeach()
  # The loader looks in /usr/lib without being told.
  file(GLOB binaries ${tree}/usr/bin/* ${tree}/usr/libexec/tamis/* ${tree}/usr/lib/*.so.*)
  foreach(binary IN LISTS binaries)
    if(NOT IS_SYMLINK ${binary})
      file(RPATH_REMOVE FILE ${binary})
    endif()
  endforeach()
  execute_process(COMMAND find ${tree} -exec touch --no-dereference --date=@${epoch} {} + COMMAND_ERROR_IS_FATAL ANY)
endforeach()
