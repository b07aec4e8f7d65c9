# cmake -D ROOT=src -D FAMILIES=families.txt -D SETTING=file -D OUTPUT=identities.cpp -P KernelIdentities.cmake
#
# Writes a source with a hash for each line of FAMILIES, which says what a line is. SETTING is a file that tells the compiler
# and its flags; it counts in every hash. Comments do not. An output that would be the same is left alone.

cmake_policy(VERSION 3.25)

# Sources that run operators, and which headers of theirs count.
set(kernel_globs device/cpu/kernels/*.cpp device/cpu/onednn/*.cpp ops/*_cpu.cpp)
set(header_folders "^(device/cpu|ops/shared)/")

# Kernels of a device (*_cpu.cpp) are found only if they are asked for.
function(glob_sources result)
  set(all)
  foreach(glob IN LISTS ARGN)
    file(GLOB found RELATIVE "${ROOT}" "${ROOT}/${glob}")
    list(FILTER found EXCLUDE REGEX "_test\\.cpp$")
    if(NOT glob MATCHES "_cpu\\.cpp$")
      list(FILTER found EXCLUDE REGEX "_cpu\\.cpp$")
    endif()
    list(APPEND all ${found})
  endforeach()
  set(${result} ${all} PARENT_SCOPE)
endfunction()

# Sets hash_of_<file> and headers_of_<file>, once for each file.
function(look_at file)
  if(DEFINED hash_of_${file})
    return()
  endif()
  file(READ "${ROOT}/${file}" text)
  string(REGEX MATCHALL "#include \"[^\"]+\"" includes "${text}")
  list(TRANSFORM includes REPLACE "#include \"([^\"]+)\"" "\\1")
  list(FILTER includes INCLUDE REGEX "${header_folders}")
  string(REGEX REPLACE "[ \t]*//[^\n]*" "" text "${text}")
  string(REGEX REPLACE "\n[ \t\n]*" "\n" text "${text}")
  string(STRIP "${text}" text)
  string(SHA1 hash "${text}")
  set(hash_of_${file} ${hash} PARENT_SCOPE)
  set(headers_of_${file} ${includes} PARENT_SCOPE)
endfunction()

# The hash of sources and of the headers that they include, directly or not.
function(hash_sources result)
  set(seen)
  set(next ${ARGN})
  while(next)
    list(POP_FRONT next file)
    if(file IN_LIST seen OR NOT EXISTS "${ROOT}/${file}")
      continue()
    endif()
    list(APPEND seen "${file}")
    look_at("${file}")
    list(APPEND next ${headers_of_${file}})
  endwhile()
  list(SORT seen)
  set(all "${setting}")
  foreach(file IN LISTS seen)
    string(APPEND all "${file} ${hash_of_${file}}\n")
  endforeach()
  string(SHA1 hash "${all}")
  string(SUBSTRING "${hash}" 0 12 hash)
  set(${result} ${hash} PARENT_SCOPE)
endfunction()

file(READ "${SETTING}" setting)
glob_sources(kernels ${kernel_globs})
file(STRINGS "${FAMILIES}" lines REGEX "^[^#]")
set(names)
set(unnamed ${kernels})
foreach(line IN LISTS lines)
  if(NOT line MATCHES "^([^ ]+) +: +(.*)$")
    message(FATAL_ERROR "${FAMILIES}: expected an implementation, a colon and sources: ${line}")
  endif()
  set(name "${CMAKE_MATCH_1}")
  separate_arguments(globs UNIX_COMMAND "${CMAKE_MATCH_2}")
  glob_sources(sources_of_${name} ${globs})
  if(NOT sources_of_${name})
    message(FATAL_ERROR "${FAMILIES}: no sources of ${name}")
  endif()
  list(REMOVE_ITEM unnamed ${sources_of_${name}})
  list(APPEND names "${name}")
endforeach()
list(REMOVE_ITEM kernels ${sources_of_none})
list(REMOVE_ITEM names none)

set(rows)
foreach(name IN LISTS names)
  hash_sources(hash ${sources_of_${name}} ${unnamed})
  string(APPEND rows "    {\"${name}\", \"${hash}\"},\n")
endforeach()
hash_sources(hash ${kernels})
string(APPEND rows "    {\"*\", \"${hash}\"},\n")

file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT [[
// Made by the build (cmake/KernelIdentities.cmake).
#include "device/cpu/machine/kernel_identity.h"

namespace braid::cpu {
namespace {

constexpr KernelFamily kFamilies[] = {
@rows@};

}  // namespace

std::span<const KernelFamily> kernel_families() { return kFamilies; }

}  // namespace braid::cpu
]])
