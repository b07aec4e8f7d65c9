# Everything comes from Debian and from the Python environment that tools/setup fills.
# Nothing is fetched here.

list(PREPEND CMAKE_PREFIX_PATH "${BRAID_VENV}")

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(SQLite3 REQUIRED)

# Debian's libprotobuf.a is not position independent, so libbraid.so needs the shared one.
find_package(Protobuf REQUIRED)

find_package(dnnl 3.2 CONFIG)
if(NOT dnnl_FOUND)
  message(FATAL_ERROR "oneDNN is missing from ${BRAID_VENV}: run tools/setup, or set BRAID_VENV.")
endif()

file(GLOB braid_onnx_proto_found "${BRAID_VENV}/lib/python3*/site-packages/onnx/onnx.proto")
set(BRAID_ONNX_PROTO "${braid_onnx_proto_found}" CACHE FILEPATH "The official ONNX schema")
if(NOT EXISTS "${BRAID_ONNX_PROTO}")
  message(FATAL_ERROR "onnx.proto is missing from ${BRAID_VENV}: run tools/setup, or set BRAID_ONNX_PROTO.")
endif()

# Debian ships these without a CMake package.
function(braid_find_plain_library name header library)
  find_path(BRAID_${name}_INCLUDE ${header} REQUIRED)
  find_library(BRAID_${name}_LIBRARY ${library} REQUIRED)
  mark_as_advanced(BRAID_${name}_INCLUDE BRAID_${name}_LIBRARY)
  add_library(braid::${name} INTERFACE IMPORTED)
  target_include_directories(braid::${name} SYSTEM INTERFACE "${BRAID_${name}_INCLUDE}")
  target_link_libraries(braid::${name} INTERFACE "${BRAID_${name}_LIBRARY}")
endfunction()
braid_find_plain_library(hwloc hwloc.h hwloc)
braid_find_plain_library(xxhash xxhash.h xxhash)
braid_find_plain_library(lemon lemon/core.h lemon)

if(BRAID_BUILD_TESTS)
  find_package(GTest REQUIRED)
  braid_find_plain_library(rapidcheck rapidcheck.h rapidcheck)
endif()
if(BRAID_BUILD_BENCHMARKS)
  find_package(benchmark QUIET)
endif()
