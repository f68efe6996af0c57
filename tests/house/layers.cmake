# cmake -D INCLUDE=<include dir> -P layers.cmake
# The rules of the house that an #include can break. One line for each mistake: file:line: text (the rule).
cmake_minimum_required(VERSION 3.22)

set(layers "core" "memory" "key buffer" "cast" "view place" "store codec plan" "pipeline metadata" "shard" "transfer"
  "array" "cache loader node" "ipc parallel" "with plug_in testing" "c")
set(asked_for ipc testing c)  # tessera::ipc, tessera::testing and tessera::c, beside the library
# Of with/, what exchanges ipc/'s columns with other libraries: a program that includes it asks for ipc/ too.
set(with_ipc "^tessera/with/(arrow/columns\\.hpp$|detail/arrow_columns/)")
set(umbrellas tessera.h tessera.hpp tessera.cuh all.hpp src.hpp src.cuh any_spaces.hpp)
set(system_folders memory buffer store ipc plug_in)

set(standard
  algorithm any array atomic barrier bit bitset charconv chrono codecvt compare complex concepts condition_variable
  coroutine deque exception execution expected filesystem format forward_list fstream functional future initializer_list
  iomanip ios iosfwd iostream istream iterator latch limits list locale map memory memory_resource mutex new numbers
  numeric optional ostream queue random ranges ratio regex scoped_allocator semaphore set shared_mutex source_location
  span spanstream sstream stack stacktrace stdexcept stop_token streambuf string string_view strstream syncstream
  system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set utility valarray variant vector
  version
  cassert cctype cerrno cfenv cfloat cinttypes climits clocale cmath csetjmp csignal cstdarg cstddef cstdint cstdio
  cstdlib cstring ctime cuchar cwchar cwctype
  assert.h complex.h ctype.h errno.h fenv.h float.h inttypes.h limits.h locale.h math.h setjmp.h signal.h stdarg.h
  stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h tgmath.h time.h uchar.h wchar.h wctype.h)
set(system "^((sys|linux|netinet|arpa|net)/|(aio|dirent|dlfcn|endian|fcntl|fnmatch|ftw|glob|grp|ifaddrs|libgen|mqueue|netdb\
|poll|pthread|pwd|sched|semaphore|spawn|strings|syslog|termios|unistd|utime)\\.h$)")
set(cuda "^(cuda|cub/|cooperative_groups|nv/|cuComplex|crt/|(builtin_types|channel_descriptor|common_functions|\
device_[a-z_]+|driver_(functions|types)|host_(config|defines)|library_types|math_constants|mma|sm_[0-9a-z_]+|\
surface_[a-z_]+|texture_[a-z_]+|vector_(functions|types))\\.h)|\\.cuh$")
set(cuda_libraries "^(thrust/|nvcomp|cufile|cublas|cufft|curand|cusparse|cusolver|nccl|nvml|nvrtc|nvtx|nvToolsExt|rmm/|cudf/)")

set(rank 0)
foreach(layer IN LISTS layers)
  separate_arguments(folders UNIX_COMMAND "${layer}")
  foreach(folder IN LISTS folders)
    set(rank_${folder} ${rank})
  endforeach()
  math(EXPR rank "${rank} + 1")
endforeach()

set(mistakes 0)
macro(mistake what rule)
  message("${where}: ${what} (${rule})")
  math(EXPR mistakes "${mistakes} + 1")
endmacro()

# An include of `path`, spelled in the header `header` of folder `from` (empty for the umbrellas).
macro(check_include)
  if(header MATCHES "\\.h$" AND NOT path MATCHES "^std(def|int)\\.h$")
    mistake("the C header may not include ${path}" "programs in C include it")
  elseif(path MATCHES "^tessera/")
    string(REGEX MATCH "^tessera/([^/]+)/" to "${path}")
    set(to "${CMAKE_MATCH_1}")
    if(NOT EXISTS "${INCLUDE}/${path}")
      mistake("there is no ${path}" "an include names a header that is there")
    elseif(from STREQUAL "" AND to STREQUAL "with" AND NOT header STREQUAL "tessera/all.hpp")
      mistake("an umbrella may not include with/" "a program names the third parties it wants")
    elseif(NOT from STREQUAL "" AND to STREQUAL "" AND NOT (from STREQUAL "c" AND path STREQUAL "tessera/tessera.h"))
      mistake("${from}/ may not include the umbrella ${path}" "includes point down")
    elseif(NOT from STREQUAL "" AND NOT to STREQUAL "" AND NOT to STREQUAL from AND NOT rank_${to} LESS rank_${from})
      mistake("${from}/ may not include ${to}/" "a header includes its own folder or a lower layer")
    elseif(to IN_LIST asked_for AND NOT from STREQUAL to AND NOT from STREQUAL "c"
        AND NOT (to STREQUAL "ipc" AND header MATCHES "${with_ipc}"))
      mistake("it may not include ${to}/" "a program asks for ${to}/ itself, as tessera::${to}")
    endif()
    if(path MATCHES "\\.[it]pp$" AND NOT header MATCHES "^tessera/(src|tessera|any_spaces)\\.(hpp|cuh)$")
      string(REGEX MATCH "[^.]+$" extension "${path}")
      string(REGEX REPLACE "\\.hpp$" ".${extension}" beside "${header}")
      string(REGEX REPLACE "/([^/]+)$" "/detail/\\1" below "${beside}")
      if(NOT path STREQUAL beside AND NOT path STREQUAL below)
        mistake("it may not include ${path}" "bodies are included by the header of their name, and by src.hpp")
      endif()
    endif()
    if(header MATCHES "\\.(hpp|ipp|tpp)$" AND path MATCHES "\\.cuh$")
      mistake("a .hpp may not include ${path}" "a .hpp builds without a CUDA toolkit")
    endif()
  elseif(path IN_LIST standard)
  elseif(path MATCHES "${cuda}|${cuda_libraries}")
    if(header MATCHES "\\.(hpp|ipp|tpp)$")
      mistake("a .hpp may not include ${path}" "a .hpp builds without a CUDA toolkit")
    elseif(path MATCHES "${cuda_libraries}" AND NOT from STREQUAL "with")
      mistake("${path} outside with/" "third parties live in with/")
    elseif(NOT path STREQUAL "cuda_runtime_api.h" AND NOT from STREQUAL "with")
      mistake("${path} outside with/" "a .cuh needs cuda_runtime_api.h alone, which the emulated runtime brings too")
    endif()
  elseif(path MATCHES "${system}")
    if(NOT from IN_LIST system_folders AND NOT from STREQUAL "with")
      mistake("${path} outside memory/, buffer/, store/, ipc/, plug_in/ and with/" "the operating system is met in few places")
    endif()
  elseif(path STREQUAL "emmintrin.h")  # the compiler's own
    if(NOT from STREQUAL "place")
      mistake("${path} outside place/" "the vectors of one processor are met where elements are moved")
    endif()
  elseif(NOT from STREQUAL "with")
    mistake("${path} outside with/" "third parties live in with/")
  endif()
endmacro()

set(sources "")
if(EXISTS "${INCLUDE}/tessera/src.hpp")
  file(READ "${INCLUDE}/tessera/src.hpp" sources)
endif()
if(EXISTS "${INCLUDE}/tessera/any_spaces.hpp")
  file(READ "${INCLUDE}/tessera/any_spaces.hpp" templates)
  string(APPEND sources "${templates}")
endif()
file(GLOB_RECURSE headers RELATIVE "${INCLUDE}" "${INCLUDE}/*")
list(SORT headers)
foreach(header IN LISTS headers)
  set(where "${header}")
  if(header MATCHES "^tessera/detail/")  # the umbrellas'
    set(from "")
  elseif(header MATCHES "^tessera/([^/]+)/")
    set(from "${CMAKE_MATCH_1}")
    if(NOT DEFINED rank_${from})
      mistake("unknown folder ${from}/" "the folders are the layers that ${CMAKE_CURRENT_LIST_FILE} lists")
      continue()
    endif()
  else()
    set(from "")
    string(REGEX REPLACE "^tessera/" "" name "${header}")
    if(NOT name IN_LIST umbrellas)
      mistake("a header without a folder" "only ${umbrellas} stand there")
      continue()
    endif()
  endif()
  if(NOT header MATCHES "\\.(hpp|cuh|ipp|tpp)$|^tessera/(plug_in/codec|tessera)\\.h$")
    mistake("neither .hpp nor .cuh nor .ipp nor .tpp" "the extension is the contract")
    continue()
  endif()
  if(header MATCHES "/detail/.*\\.[it]pp$" AND NOT from STREQUAL "")
    string(REGEX REPLACE "\\.[it]pp$" ".hpp" beside "${header}")
    string(REGEX REPLACE "detail/([^/]+)$" "\\1" above "${beside}")
    if(NOT EXISTS "${INCLUDE}/${beside}" AND NOT EXISTS "${INCLUDE}/${above}")
      mistake("there is no ${above}" "an .ipp or .tpp has the bodies of the header of its name")
    elseif(NOT sources MATCHES "<${header}>" AND NOT from MATCHES "^(parallel|ipc)$")  # compiled in each unit
      mistake("it is not in tessera/src.hpp, nor in tessera/any_spaces.hpp" "these compile all bodies")
    endif()
  elseif(header MATCHES "\\.[it]pp$" AND NOT from STREQUAL "")
    mistake("bodies outside of a detail/" "an .ipp or .tpp has the bodies of the header of its name")
  endif()

  # A list of lines: characters that break CMake's lists do not occur in a valid path.
  file(READ "${INCLUDE}/${header}" text)
  string(REGEX REPLACE "[][;\\\\]" "?" text "${text}")
  string(REPLACE "\n" ";" lines "${text}")
  set(number 0)
  foreach(line IN LISTS lines)
    math(EXPR number "${number} + 1")
    if(NOT line MATCHES "^[ \t]*#[ \t]*(include|include_next|import)[ \t]*([<\"A-Za-z_].*)$")
      continue()
    endif()
    set(where "${header}:${number}")
    if(NOT CMAKE_MATCH_2 MATCHES "^(<([^>]+)>|\"([^\"]+)\")")
      mistake("an include without a path" "an include names its file")
      continue()
    endif()
    set(path "${CMAKE_MATCH_2}${CMAKE_MATCH_3}")
    if(line MATCHES "\"")  # the compiler looks beside the header first
      cmake_path(GET header PARENT_PATH beside)
      if(path MATCHES "^\\.\\.?/" OR EXISTS "${INCLUDE}/${beside}/${path}")
        set(path "${beside}/${path}")
      endif()
    endif()
    cmake_path(NORMAL_PATH path)
    check_include()
  endforeach()
endforeach()

list(LENGTH headers count)
if(mistakes)
  message(FATAL_ERROR "${mistakes} mistakes in ${count} headers")
endif()
message(STATUS "${count} headers keep the rules")
