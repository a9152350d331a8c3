# SPDX-License-Identifier: Apache-2.0
# An installed revode: for CMake, for pkg-config, and as Debian packages by `cpack`.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/revode)
if(REVODE_WITH_BATCH)
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/batch_sources.cmake DESTINATION ${package_dir} COMPONENT revode_development)
endif()
if(REVODE_WITH_PETSC)
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/petsc_place.cmake DESTINATION ${package_dir} COMPONENT revode_development)
endif()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/revodeConfig.cmake.in ${PROJECT_BINARY_DIR}/revodeConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/revodeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/revodeConfig.cmake ${PROJECT_BINARY_DIR}/revodeConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT revode_development)
install(EXPORT revode-targets NAMESPACE revode:: DESTINATION ${package_dir} COMPONENT revode_development)

# The prefix is found from where the file lies, however deep that is.
file(RELATIVE_PATH up ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
set(descriptions revode revode-core)
set(any_library)
set(klu_library)
if(REVODE_ANY AND REVODE_WITH_KLU)
  set(klu_library " -lklu")
endif()
if(REVODE_ANY)
  set(any_library "-lrevode_any${klu_library} ")
  list(APPEND descriptions revode-c)
endif()
foreach(name IN LISTS descriptions)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT revode_development)
endforeach()

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE RENAME copyright DESTINATION share/doc/librevode-dev COMPONENT revode_development)
set(CPACK_COMPONENTS_ALL revode_development revode_documentation)
if(REVODE_WITH_COMMAND)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE RENAME copyright DESTINATION share/doc/revode COMPONENT revode_command)
  list(APPEND CPACK_COMPONENTS_ALL revode_command)
endif()

# librevode-doc: the pages as they lie in the tree, so that their links lead somewhere, the examples, and the site where
# `tools/dev docs` has built it.
set(REVODE_SITE ${PROJECT_SOURCE_DIR}/build/site CACHE PATH "The site, for the package of documentation")
set(doc_folder share/doc/librevode-doc)
foreach(folder IN ITEMS . adjoint bench bench/memory bench/results docs docs/site docs/site/tutorials packaging python solvers)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.md)
  install(FILES ${files} DESTINATION ${doc_folder}/${folder} COMPONENT revode_documentation EXCLUDE_FROM_ALL)
endforeach()
foreach(folder IN ITEMS docs/images examples)
  install(DIRECTORY ${folder} DESTINATION ${doc_folder}/${folder}/.. COMPONENT revode_documentation EXCLUDE_FROM_ALL
          PATTERN CMakeLists.txt EXCLUDE)
endforeach()
install(DIRECTORY ${REVODE_SITE}/ DESTINATION ${doc_folder}/html COMPONENT revode_documentation EXCLUDE_FROM_ALL OPTIONAL
        PATTERN .doctrees EXCLUDE PATTERN .buildinfo* EXCLUDE PATTERN _sources EXCLUDE)

set(CPACK_GENERATOR DEB TGZ)
set(contact "the revode authors <revode@localhost>")
if(DEFINED ENV{DEBEMAIL}) # as for all tools of Debian's
  set(contact "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()
set(CPACK_PACKAGE_CONTACT ${contact})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/debian/stage.cmake)
set(CPACK_REVODE_SOURCE ${PROJECT_SOURCE_DIR})
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_REVODE_DEVELOPMENT_DESCRIPTION 
    "Headers and static libraries for programs in C++, C and Fortran, found by\nCMake and by pkg-config: adaptive solvers of stiff and non-stiff equations,\nevents, and adjoints in bounded memory.")
set(CPACK_DEBIAN_REVODE_DEVELOPMENT_PACKAGE_NAME librevode-dev)
set(CPACK_DEBIAN_REVODE_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_REVODE_DEVELOPMENT_PACKAGE_DEPENDS "libeigen3-dev (>= 3.4)")
if(klu_library) # linked by the compiled interface
  string(APPEND CPACK_DEBIAN_REVODE_DEVELOPMENT_PACKAGE_DEPENDS ", libsuitesparse-dev")
endif()
set(CPACK_DEBIAN_REVODE_DEVELOPMENT_PACKAGE_SUGGESTS "librevode-doc, libthrust-dev, libsuitesparse-dev, libhdf5-dev, libboost-dev, librandom123-dev, libopenmpi-dev, petsc-dev")
set(CPACK_DEBIAN_REVODE_DOCUMENTATION_DESCRIPTION 
    "The guide, the tutorials, what was promised and measured, and the examples,\nwhich compile with librevode-dev as they are.")
set(CPACK_DEBIAN_REVODE_DOCUMENTATION_PACKAGE_NAME librevode-doc)
set(CPACK_DEBIAN_REVODE_DOCUMENTATION_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_REVODE_DOCUMENTATION_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_REVODE_DOCUMENTATION_PACKAGE_SUGGESTS "librevode-dev")
set(CPACK_DEBIAN_REVODE_COMMAND_DESCRIPTION 
    "The command revode: solves, gradients, ensembles and trainings of problems by\nname, and of models in text files, which it compiles with librevode-dev.")
set(CPACK_DEBIAN_REVODE_COMMAND_PACKAGE_NAME revode)
set(CPACK_DEBIAN_REVODE_COMMAND_PACKAGE_SECTION math)
set(CPACK_DEBIAN_REVODE_COMMAND_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_REVODE_COMMAND_PACKAGE_RECOMMENDS "g++, gnuplot-nox, librevode-dev") # models in text files, pictures
if(PROJECT_IS_TOP_LEVEL)
  include(CPack)
endif()
