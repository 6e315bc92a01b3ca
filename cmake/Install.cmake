# The program, the library with its public headers, and a package for find_package(hardkuma).
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/hardkuma)
if(HARDKUMA_TOOLS)
  install(TARGETS hardkuma-cli RUNTIME)
  set(manual ${PROJECT_BINARY_DIR}/manual)
  install(FILES ${manual}/hardkuma.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${manual}/hardkuma DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${manual}/_hardkuma DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${manual}/hardkuma.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
install(TARGETS hardkuma EXPORT hardkumaTargets ARCHIVE)
install(DIRECTORY include/hardkuma DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_BINARY_DIR}/generated/hardkuma/version.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/hardkuma)
install(EXPORT hardkumaTargets NAMESPACE hardkuma:: DESTINATION ${package})
configure_package_config_file(cmake/hardkumaConfig.cmake.in ${PROJECT_BINARY_DIR}/hardkumaConfig.cmake
  INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/hardkumaConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/hardkumaConfig.cmake ${PROJECT_BINARY_DIR}/hardkumaConfigVersion.cmake
  cmake/FindLibrary.cmake DESTINATION ${package})
