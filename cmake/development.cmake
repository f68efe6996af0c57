# Defaults for a build of tessera itself.
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

get_property(multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(NOT multi_config AND NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# Here and not in the presets, so that a machine without ccache builds too.
find_program(TESSERA_CCACHE ccache)
mark_as_advanced(TESSERA_CCACHE)
if(TESSERA_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${TESSERA_CCACHE})
endif()

if(TESSERA_SANITIZE)
  set(sanitize -fsanitize=${TESSERA_SANITIZE} -fno-sanitize-recover=all)
  add_compile_options(${sanitize} -O1 -fno-omit-frame-pointer)
  add_link_options(${sanitize})
endif()

enable_testing()
add_library(tessera_warnings INTERFACE)
target_compile_options(tessera_warnings INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wsign-conversion
  $<$<BOOL:${TESSERA_WARNINGS_AS_ERRORS}>:-Werror>)

# tessera_require(TARGET DEBIAN_PACKAGE): stops with the cure where tests or examples need what was not found.
function(tessera_require target debian_package)
  if(NOT TARGET ${target})
    message(FATAL_ERROR " tessera: ${target} was not found. On Debian or Ubuntu: apt install ${debian_package}")
  endif()
endfunction()
