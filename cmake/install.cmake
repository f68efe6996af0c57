# Installs headers, the CMake package and the pkg-config file, and the command if it is built. They contain no path of
# this machine: the package finds its requirements where it is used.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(DIRECTORY include/tessera DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.ipp" PATTERN "*.tpp" PATTERN "*.cuh")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(package_dir ${CMAKE_INSTALL_DATADIR}/cmake/tessera)
write_basic_package_version_file(tessera-config-version.cmake COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(TARGETS tessera EXPORT tessera-targets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT tessera-targets NAMESPACE tessera:: DESTINATION ${package_dir})
install(FILES cmake/tessera-config.cmake cmake/components.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/tessera-config-version.cmake DESTINATION ${package_dir})

install(DIRECTORY cmake/dlpack DESTINATION ${package_dir})

file(RELATIVE_PATH to_prefix /prefix/${CMAKE_INSTALL_DATADIR}/pkgconfig /prefix)
configure_file(cmake/tessera.pc.in tessera.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tessera.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig)

# `cmake --install build --component command` installs nothing else.
if(TARGET tessera-cli)
  install(TARGETS tessera-cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
  if(NOT CMAKE_CROSSCOMPILING)
    set(said ${PROJECT_BINARY_DIR}/command/share)
    install(FILES ${said}/tessera.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
    install(FILES ${said}/tessera DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT command)
    install(FILES ${said}/_tessera DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT command)
    install(FILES ${said}/tessera.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT command)
  endif()
endif()

# `cpack` in the build folder: tessera-VERSION.tar.gz, to be unpacked anywhere.
if(PROJECT_IS_TOP_LEVEL)
  set(CPACK_GENERATOR TGZ)
  set(CPACK_PACKAGE_FILE_NAME tessera-${PROJECT_VERSION})
  set(CPACK_ARCHIVE_COMPONENT_INSTALL OFF)
  include(CPack)
endif()
