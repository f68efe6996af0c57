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
  # clang++ needs 3.5 times as long to optimise UndefinedBehaviorSanitizer's code as to compile it, and an optimiser
  # hides mistakes. ThreadSanitizer follows each variable on a stack unless optimised.
  set(level -O0)
  if(TESSERA_SANITIZE MATCHES "thread")
    set(level -O1)
  endif()
  add_compile_options(${sanitize} ${level} -g1 -fno-omit-frame-pointer)  # -g1: reports name lines
  add_link_options(${sanitize})
endif()

# The base of tests, examples and the command: the library, compiled once, or, with TESSERA_HEADER_ONLY, headers that
# each unit compiles for itself.
add_library(tessera_body INTERFACE)

enable_testing()
add_library(tessera_warnings INTERFACE)
set(warnings -Wall -Wextra -Wconversion -Wshadow -Wsign-conversion)
string(JOIN "," warnings_of_host ${warnings})
target_compile_options(tessera_warnings INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:${warnings};-Wpedantic;$<$<BOOL:${TESSERA_WARNINGS_AS_ERRORS}>:-Werror>>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${warnings_of_host};$<$<BOOL:${TESSERA_WARNINGS_AS_ERRORS}>:-Werror=all-warnings>>")

# tessera_require(TARGET DEBIAN_PACKAGE): stops with the cure if a requirement of tests or examples was not found.
function(tessera_require target debian_package)
  if(NOT TARGET ${target})
    message(FATAL_ERROR " tessera: ${target} was not found. On Debian or Ubuntu: apt install ${debian_package}")
  endif()
endfunction()

# tessera_units(UNITS FOLDER NAME COUNT LEFT_OUT sources...): the sources of FOLDER, COUNT to a unit, except those whose
# path matches LEFT_OUT. Sources instantiate much the same templates: a unit of eight compiles in the time of two. The
# grouping is the same in every build, so name clashes show in the first one. A unit's text does not depend on the
# project's location, so the compiler cache works across checkouts.
function(tessera_units units folder name count left_out)
  set(result "")
  list(LENGTH ARGN length)
  math(EXPR last "${length} - 1")
  foreach(first RANGE 0 ${last} ${count})
    list(SUBLIST ARGN ${first} ${count} batch)
    if(left_out)
      list(FILTER batch EXCLUDE REGEX "${left_out}")
    endif()
    set(unit ${CMAKE_CURRENT_BINARY_DIR}/units/${name}-${first}.cpp)
    set(text "")
    foreach(source IN LISTS batch)
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder})
      cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${folder})
      string(APPEND text "#include <${source}>\n")
    endforeach()
    file(CONFIGURE OUTPUT ${unit} CONTENT "${text}" @ONLY)
    set_source_files_properties(${unit} PROPERTIES COMPILE_OPTIONS
      "$<IF:$<COMPILE_LANGUAGE:CUDA>,-Xcompiler=-Wno-shadow,-Wno-shadow>")  # of another file's names
    list(APPEND result ${unit})
  endforeach()
  set(${units} ${result} PARENT_SCOPE)
endfunction()

# tessera_header_units(UNITS EXTENSION HEADERS): units that show that each header compiles alone
# (tests/house/chains.py), including each twice, without bodies and, if bodies may break it and it is no .cuh, with them;
# and two with all headers and their bodies, for one program. A header that needs another before it does not compile; a
# definition that is not inline does not link. A missing include does not depend on the compiler: g++, also below nvcc,
# compiles each alone, clang++ only the two.
function(tessera_header_units units extension headers)
  tessera_whole_units(whole ${extension} "${headers}")
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(${units} ${whole} PARENT_SCOPE)
    return()
  endif()
  tessera_chain_units(files ${extension} "" "${headers}")
  set_source_files_properties(${files} PROPERTIES COMPILE_DEFINITIONS TESSERA_SEPARATE)
  if(extension STREQUAL "cpp")
    tessera_chain_units(with_bodies whole.cpp --bodies "${headers}")
    list(APPEND files ${with_bodies})
  endif()
  set(${units} ${files} ${whole} PARENT_SCOPE)
endfunction()

# tessera_chain_units(UNITS EXTENSION OPTION HEADERS): one for each chain that chains.py makes with that option.
function(tessera_chain_units units extension option headers)
  execute_process(
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/house/chains.py ${option} ${PROJECT_SOURCE_DIR}/include ${headers}
    OUTPUT_VARIABLE lines OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" lines "${lines}")
  set(files "")
  foreach(line IN LISTS lines)
    string(REPLACE " " ";" chain "${line}")
    set(text "")
    foreach(header IN LISTS chain)
      string(APPEND text "#include <${header}>\n#include <${header}>\n")
    endforeach()
    list(GET chain -1 last)
    set(unit ${CMAKE_CURRENT_BINARY_DIR}/units/${last}.${extension})
    file(CONFIGURE OUTPUT ${unit} CONTENT "${text}")
    list(APPEND files ${unit})
  endforeach()
  set(${units} ${files} PARENT_SCOPE)
endfunction()

# tessera_whole_units(UNITS EXTENSION HEADERS): only the two with all headers.
function(tessera_whole_units units extension headers)
  list(TRANSFORM headers REPLACE "(.+)" "#include <\\1>\n" OUTPUT_VARIABLE lines)
  string(CONCAT all ${lines})
  set(unit ${CMAKE_CURRENT_BINARY_DIR}/units/all.${extension})
  file(CONFIGURE OUTPUT ${unit} CONTENT "${all}int main() {}\n")
  set(again ${CMAKE_CURRENT_BINARY_DIR}/units/again.${extension})
  file(CONFIGURE OUTPUT ${again} CONTENT "${all}")
  set(${units} ${unit} ${again} PARENT_SCOPE)
endfunction()
