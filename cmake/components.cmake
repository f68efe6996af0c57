# How the libraries that tessera uses are found: by its own build, by a program that has it as a folder, and by the
# installed package, which brings this file along. With the variable tessera_global their targets are made global, for a
# program that links tessera from folders that do not see the one where they were found.

# The components: one for each header of with/ that needs a library; with/zstd.hpp is used with tessera::zstd. And cuda, for
# every .cuh.
set(tessera_components deflate zstd blosc nlohmann_json cuda)
set(tessera_deflate HEADER libdeflate.h LIBRARY deflate
  PACKAGE libdeflate TARGETS libdeflate::libdeflate_shared libdeflate::libdeflate_static)
set(tessera_zstd HEADER zstd.h LIBRARY zstd
  PACKAGE zstd TARGETS zstd::libzstd_shared zstd::libzstd_static zstd::libzstd)
set(tessera_blosc HEADER blosc.h LIBRARY blosc)
# Headers alone. Its package is not looked for: a program that brings it as a folder, after tessera, could not make its
# target any more.
set(tessera_nlohmann_json HEADER nlohmann/json.hpp TARGETS nlohmann_json::nlohmann_json DEBIAN nlohmann-json3-dev)

# Those that are made unasked. A toolkit is not looked for where nothing says that the program is one of CUDA.
set(tessera_usual_components deflate zstd blosc nlohmann_json)
if(CMAKE_CUDA_COMPILER_LOADED OR TARGET CUDA::cudart OR TESSERA_CUDA)
  list(APPEND tessera_usual_components cuda)
endif()

# tessera_find(PACKAGE TARGETS...): find_package, unless the program around tessera has one of TARGETS already.
function(tessera_find package)
  foreach(target IN LISTS ARGN)
    if(TARGET ${target})
      return()
    endif()
  endforeach()
  find_package(${package} QUIET)
  foreach(target IN LISTS ARGN)
    if(tessera_global AND TARGET ${target})
      get_target_property(imported ${target} IMPORTED)
      if(imported)
        set_property(TARGET ${target} PROPERTY IMPORTED_GLOBAL TRUE)
      endif()
    endif()
  endforeach()
endfunction()

# tessera_find_base(PROBLEM): what tessera::tessera itself needs. PROBLEM is empty, or one line with the cure.
function(tessera_find_base problem)
  tessera_find(Threads Threads::Threads)
  set(${problem} "" PARENT_SCOPE)
  if(NOT TARGET Threads::Threads)
    set(${problem} "tessera: the system's thread library was not found" PARENT_SCOPE)
  endif()
endfunction()

# tessera_add(NAME): the target tessera::NAME. Imported, so that a program which exports a target of its own names it and
# exports no path of this machine.
function(tessera_add name)
  if(tessera_global)
    add_library(tessera::${name} INTERFACE IMPORTED GLOBAL)
  else()
    add_library(tessera::${name} INTERFACE IMPORTED)
  endif()
endfunction()

# tessera_cuda_component(PROBLEM): makes tessera::cuda, for units of g++, clang++ and nvcc.
function(tessera_cuda_component problem)
  set(${problem} "" PARENT_SCOPE)
  tessera_find(CUDAToolkit CUDA::cudart CUDA::toolkit)
  if(NOT TARGET CUDA::cudart)
    set(${problem} "tessera: the CUDA toolkit was not found, so there is no tessera::cuda. Install it \
(https://developer.nvidia.com/cuda-downloads), or say where it is: -D CUDAToolkit_ROOT=/usr/local/cuda" PARENT_SCOPE)
    return()
  endif()
  if(CUDAToolkit_VERSION AND CUDAToolkit_VERSION VERSION_LESS 12.8)
    set(${problem} "tessera: found CUDA ${CUDAToolkit_VERSION}, tessera::cuda needs 12.8 or newer" PARENT_SCOPE)
    return()
  endif()
  tessera_add(cuda)
  target_link_libraries(tessera::cuda INTERFACE tessera::tessera CUDA::cudart)
  # CMake 3.25, for one, knows no C++20 for nvcc.
  if("cuda_std_20" IN_LIST CMAKE_CUDA_COMPILE_FEATURES)
    target_compile_features(tessera::cuda INTERFACE cuda_std_20)
  else()
    target_compile_options(tessera::cuda INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)
  endif()
endfunction()

# tessera_component(NAME PROBLEM): makes tessera::NAME when its library is there, from a target or a CMake package that has
# it, else from the header and the library themselves. PROBLEM is empty, or one line with the cure.
function(tessera_component name problem)
  set(${problem} "" PARENT_SCOPE)
  if(TARGET tessera::${name})
    return()
  endif()
  if(NOT name IN_LIST tessera_components)
    string(JOIN ", " known ${tessera_components})
    set(${problem} "tessera: there is no component ${name}; there are ${known}" PARENT_SCOPE)
    return()
  endif()
  if(name STREQUAL "cuda")
    tessera_cuda_component(problem_of_cuda)
    set(${problem} "${problem_of_cuda}" PARENT_SCOPE)
    return()
  endif()
  cmake_parse_arguments(arg "" "HEADER;LIBRARY;PACKAGE;DEBIAN" "TARGETS" ${tessera_${name}})
  set(library "")
  set(include_dir "")
  if(arg_PACKAGE)
    tessera_find(${arg_PACKAGE} ${arg_TARGETS})
  endif()
  foreach(target IN LISTS arg_TARGETS)
    if(NOT library AND TARGET ${target})
      set(library ${target})
    endif()
  endforeach()
  if(NOT library)
    string(TOUPPER TESSERA_${name} prefix)
    find_path(${prefix}_INCLUDE_DIR ${arg_HEADER})
    mark_as_advanced(${prefix}_INCLUDE_DIR)
    set(wanted ${prefix}_INCLUDE_DIR)
    if(arg_LIBRARY)
      find_library(${prefix}_LIBRARY ${arg_LIBRARY})
      mark_as_advanced(${prefix}_LIBRARY)
      list(APPEND wanted ${prefix}_LIBRARY)
      set(name_of_it lib${arg_LIBRARY})
      set(arg_DEBIAN lib${arg_LIBRARY}-dev)
    else()
      set(name_of_it ${arg_HEADER})
    endif()
    foreach(one IN LISTS wanted)
      if(NOT ${one})
        set(${problem} "tessera: ${name_of_it} was not found, so there is no tessera::${name}. On Debian or Ubuntu: \
apt install ${arg_DEBIAN}" PARENT_SCOPE)
        return()
      endif()
    endforeach()
    set(library ${${prefix}_LIBRARY})
    set(include_dir ${${prefix}_INCLUDE_DIR})
  endif()
  tessera_add(${name})
  target_link_libraries(tessera::${name} INTERFACE tessera::tessera ${library})
  target_include_directories(tessera::${name} SYSTEM INTERFACE ${include_dir})
endfunction()
