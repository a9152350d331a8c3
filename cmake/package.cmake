# SPDX-License-Identifier: Apache-2.0
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/revode)
set(REVODE_BATCH_INSTALLED 0)
if(TARGET revode_batch)
  set(REVODE_BATCH_INSTALLED 1)
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/batch_sources.cmake DESTINATION ${package_dir} COMPONENT revode_development)
endif()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/revodeConfig.cmake.in ${PROJECT_BINARY_DIR}/revodeConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/revodeConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/revodeConfig.cmake ${PROJECT_BINARY_DIR}/revodeConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT revode_development)
install(EXPORT revode-targets NAMESPACE revode:: DESTINATION ${package_dir} COMPONENT revode_development)
