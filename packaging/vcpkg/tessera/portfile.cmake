# An overlay port: vcpkg install tessera --overlay-ports=packaging/vcpkg
set(VCPKG_BUILD_TYPE release)  # headers alone
cmake_path(ABSOLUTE_PATH CURRENT_PORT_DIR NORMALIZE OUTPUT_VARIABLE port)
cmake_path(APPEND port ../../.. OUTPUT_VARIABLE source)
cmake_path(NORMAL_PATH source)

vcpkg_cmake_configure(SOURCE_PATH ${source}
  OPTIONS -DTESSERA_BUILD_TESTS=OFF -DTESSERA_BUILD_EXAMPLES=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/tessera)
vcpkg_fixup_pkgconfig()
vcpkg_install_copyright(FILE_LIST ${source}/LICENSE)
