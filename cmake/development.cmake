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
foreach(language CXX CUDA)
  if(TESSERA_CCACHE AND NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
    set(CMAKE_${language}_COMPILER_LAUNCHER ${TESSERA_CCACHE})
  endif()
endforeach()

if(TESSERA_CUDA)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 80 90)
  endif()
  enable_language(CUDA)
endif()

if(TESSERA_SANITIZE)
  set(sanitize -fsanitize=${TESSERA_SANITIZE} -fno-sanitize-recover=all)
  add_compile_options(${sanitize} -O1 -g1 -fno-omit-frame-pointer)  # -g1: reports name lines
  add_link_options(${sanitize})
endif()

enable_testing()
add_library(tessera_warnings INTERFACE)
set(warnings -Wall -Wextra -Wconversion -Wshadow -Wsign-conversion)
string(JOIN "," warnings_of_host ${warnings})
target_compile_options(tessera_warnings INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:${warnings};-Wpedantic;$<$<BOOL:${TESSERA_WARNINGS_AS_ERRORS}>:-Werror>>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${warnings_of_host};$<$<BOOL:${TESSERA_WARNINGS_AS_ERRORS}>:-Werror=all-warnings>>")

# tessera_require(TARGET DEBIAN_PACKAGE): stops with the cure where tests or examples need what was not found.
function(tessera_require target debian_package)
  if(NOT TARGET ${target})
    message(FATAL_ERROR " tessera: ${target} was not found. On Debian or Ubuntu: apt install ${debian_package}")
  endif()
endfunction()

# tessera_header_units(UNITS EXTENSION HEADERS): one unit for each header, which includes it twice, and one with all of
# them, for one program: a header that needs another before it does not compile, and a definition that is not inline does
# not link.
function(tessera_header_units units extension headers)
  set(files "")
  set(all "")
  foreach(header IN LISTS headers)
    set(unit ${CMAKE_CURRENT_BINARY_DIR}/units/${header}.${extension})
    file(CONFIGURE OUTPUT ${unit} CONTENT "#include <${header}>\n#include <${header}>\n")
    list(APPEND files ${unit})
    string(APPEND all "#include <${header}>\n")
  endforeach()
  set(unit ${CMAKE_CURRENT_BINARY_DIR}/units/all.${extension})
  file(CONFIGURE OUTPUT ${unit} CONTENT "${all}int main() {}\n")
  set(${units} ${files} ${unit} PARENT_SCOPE)
endfunction()
