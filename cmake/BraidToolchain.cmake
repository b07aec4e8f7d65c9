# Compiler settings that hold for every target of this project.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Relative paths inside objects let several checkouts share one cache.
find_program(BRAID_CCACHE ccache)
if(BRAID_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
    env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${BRAID_CCACHE})
endif()

find_program(BRAID_MOLD mold)
if(BRAID_MOLD AND CMAKE_BUILD_TYPE STREQUAL "Debug")
  add_link_options(-fuse-ld=mold)
endif()

add_library(braid_warnings INTERFACE)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Below so many KiB GCC does not look for memory that it could use again, which takes a tenth of its time.
  target_compile_options(braid_warnings INTERFACE --param=ggc-min-heapsize=524288)
endif()
if(NOT BRAID_WARNINGS)
  target_compile_options(braid_warnings INTERFACE -w)
  return()
endif()
target_compile_options(braid_warnings INTERFACE
  -Wall -Wextra -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual
  $<$<BOOL:${BRAID_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Only locals that hide locals: a parameter named like a public field is no mistake, and Clang cannot tell the two.
  # The others GCC 12 raises falsely inside the standard library once it inlines.
  target_compile_options(braid_warnings INTERFACE
    -Wshadow=local -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds -Wno-maybe-uninitialized)
endif()
