# SPDX-License-Identifier: Apache-2.0
# Run by cpack between installing into its folder and packing it: what Debian's policy asks of a package and an installation does
# without. Copyright and both changelogs of each package, pages compressed, symbols that are no use stripped.
cmake_policy(VERSION 3.25)
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
string(TIMESTAMP day "%a, %d %b %Y %H:%M:%S +0000" UTC)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} name)
  set(name ${CPACK_DEBIAN_${name}_PACKAGE_NAME})
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr)
  set(doc ${root}/share/doc/${name})
  file(COPY_FILE ${CMAKE_CURRENT_LIST_DIR}/copyright ${doc}/copyright)
  file(COPY_FILE ${CPACK_REVODE_SOURCE}/CHANGELOG.md ${doc}/changelog)
  file(WRITE ${doc}/changelog.Debian
       "revode (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n"
       "  * Packed by revode's own build; changelog.gz says what is new.\n\n"
       " -- ${CPACK_PACKAGE_CONTACT}  ${day}\n")
  if(EXISTS ${doc}/html/index.html)
    file(WRITE ${root}/share/doc-base/${name}.${name}
         "Document: ${name}\nTitle: revode\nAuthor: the revode authors\nAbstract: ordinary differential equations and exact gradients\n"
         "Section: Science/Mathematics\n\nFormat: HTML\nIndex: /usr/share/doc/${name}/html/index.html\n"
         "Files: /usr/share/doc/${name}/html/*.html\n")
  endif()
  file(GLOB pages ${doc}/changelog* ${root}/share/man/man1/*.1)
  run(gzip -9nf ${pages})
  file(GLOB libraries ${root}/lib/*.a ${root}/lib/*/*.a)
  file(GLOB programs ${root}/bin/*)
  foreach(binary IN LISTS libraries programs)
    set(what --strip-debug)
    if(binary IN_LIST programs)
      set(what --strip-all)
    endif()
    run(strip ${what} --remove-section=.comment --remove-section=.note ${binary})
  endforeach()
endforeach()
