# braid_module(<name>
#   [COLD]                       neither runs operators nor searches for long: -O1 in release, two thirds of -O2's time
#   [SOURCES a.cpp ...]          default: every *.cpp of the folder but *_test.cpp and *_<device>.cpp
#   [DEPENDS base graph ...]     other modules; these are the arrows of docs/architecture.md
#   [LINK fmt::fmt ...]          outside libraries
#   [TESTS a_test.cpp ...]       default: every *_test.cpp of the folder
#   [TEST_DEPENDS zoo ...]       modules that only the tests need
#   [TEST_LINK ...]              outside libraries that only the tests need
#   [TEST_LABELS unit ...])      default: unit
#
# Makes the static library braid_<name> (alias braid::<name>) and, if there are tests, the executable
# <name>_test. A folder without sources gives an interface library, so that arrows never dangle.
# Subfolders belong to the module unless they have a CMakeLists.txt of their own.

# Kernels of a device, by the end of their names: _(cpu|sim)\.cpp$
list(JOIN BRAID_DEVICES "|" BRAID_KERNELS)
set(BRAID_KERNELS "_(${BRAID_KERNELS})\\.cpp$")

function(braid_glob_sources result)
  file(GLOB_RECURSE found CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  file(GLOB_RECURSE nested RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}"
    "${CMAKE_CURRENT_SOURCE_DIR}/*CMakeLists.txt")
  list(REMOVE_ITEM nested CMakeLists.txt)
  foreach(list_file IN LISTS nested)
    get_filename_component(folder "${CMAKE_CURRENT_SOURCE_DIR}/${list_file}" DIRECTORY)
    list(FILTER found EXCLUDE REGEX "^${folder}/")
  endforeach()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

# braid_join_sources(<result> <source>...)
# Most of the time to compile a source goes to the headers that its neighbours include, too. So several are compiled as
# one, BRAID_JOIN at a time; kernels (*_<device>.cpp and those of a folder kernels/), each of which somebody may be tuning,
# stay alone. Names in unnamed namespaces must differ within a folder; what a source includes by luck only, the preset dev
# finds, which joins none.
function(braid_join_sources result)
  set(sources ${ARGN})
  if(BRAID_JOIN LESS 2)
    set(${result} ${sources} PARENT_SCOPE)
    return()
  endif()
  set(alone ${sources})
  list(FILTER alone INCLUDE REGEX "${BRAID_KERNELS}|/kernels/")
  list(FILTER alone EXCLUDE REGEX "_test\\.cpp$")
  list(REMOVE_ITEM sources ${alone} "")
  list(SORT sources)
  set(joined)
  set(text)
  set(count 0)
  list(LENGTH sources left)
  foreach(source IN LISTS sources)
    file(RELATIVE_PATH name "${PROJECT_SOURCE_DIR}" "${source}")
    string(APPEND text "#include \"${name}\"\n")
    math(EXPR count "${count} + 1")
    math(EXPR left "${left} - 1")
    if(count EQUAL BRAID_JOIN OR left EQUAL 0)
      string(REGEX REPLACE ".*/|\\.cpp$" "" stem "${source}")
      set(file "${CMAKE_CURRENT_BINARY_DIR}/joined/to_${stem}.cpp")
      file(CONFIGURE OUTPUT "${file}" CONTENT "${text}" @ONLY)
      list(APPEND joined "${file}")
      set(text)
      set(count 0)
    endif()
  endforeach()
  set(${result} ${joined} ${alone} PARENT_SCOPE)
endfunction()

# Labels say where ./test runs a test:
#   unit, cpu   in the sanitized build            runtime  also under ThreadSanitizer
#   release     in the release build instead      slow     only with --full
#   fuzz        only with --fuzz                  isa      also under every lower instruction set than the machine's
# The target braid_<label>_tests builds the executables of a label.
set(BRAID_TEST_LABELS unit cpu runtime release slow fuzz isa)
foreach(label IN LISTS BRAID_TEST_LABELS)
  add_custom_target(braid_${label}_tests)
endforeach()

function(braid_label_test name)
  set_tests_properties(${name} PROPERTIES LABELS "${ARGN}")
  foreach(label IN LISTS ARGN)
    if(TARGET ${name})
      add_dependencies(braid_${label}_tests ${name})
    endif()
  endforeach()
endfunction()

# braid_add_test(<name> SOURCES a_test.cpp ... [DEPENDS module ...] [LINK ...] [LABELS unit ...])
function(braid_add_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS;LINK;LABELS" ${ARGN})
  list(TRANSFORM arg_DEPENDS PREPEND braid_)
  braid_join_sources(joined ${arg_SOURCES})
  add_executable(${name} ${joined})
  target_link_libraries(${name} PRIVATE
    ${arg_DEPENDS} ${arg_LINK} braid::rapidcheck GTest::gmock GTest::gtest GTest::gtest_main braid_warnings)
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  # What a test calls is optimised; optimising its assertions would double the time to build it.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Debug>:-O0>)
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "RC_PARAMS=seed=1")
  braid_label_test(${name} ${arg_LABELS})
endfunction()

# braid_add_script_test(<name> SCRIPT a_test.py [ARGS ...] [LABELS release ...])
# Runs the script in the Python environment; BRAID_CLI in its environment is the command-line tool.
function(braid_add_script_test name)
  cmake_parse_arguments(arg "" "SCRIPT" "ARGS;LABELS" ${ARGN})
  add_test(NAME ${name}
    COMMAND "${BRAID_VENV}/bin/python" "${arg_SCRIPT}" ${arg_ARGS}
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "BRAID_CLI=$<TARGET_FILE:braid_cli>")
  braid_label_test(${name} ${arg_LABELS})
endfunction()

function(braid_module name)
  cmake_parse_arguments(arg "COLD" ""
    "SOURCES;DEPENDS;LINK;TESTS;TEST_DEPENDS;TEST_LINK;TEST_LABELS" ${ARGN})
  braid_glob_sources(found)
  if(NOT arg_SOURCES)
    set(arg_SOURCES ${found})
    list(FILTER arg_SOURCES EXCLUDE REGEX "_test\\.cpp$|${BRAID_KERNELS}")
  endif()
  if(NOT arg_TESTS)
    set(arg_TESTS ${found})
    list(FILTER arg_TESTS INCLUDE REGEX "_test\\.cpp$")
  endif()
  if(NOT arg_TEST_LABELS)
    set(arg_TEST_LABELS unit)
  endif()

  set(target braid_${name})
  set(scope PUBLIC)
  if(arg_SOURCES)
    braid_join_sources(joined ${arg_SOURCES})
    add_library(${target} STATIC ${joined})
    target_link_libraries(${target} PRIVATE braid_warnings)
    if(arg_COLD)
      target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
    endif()
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(braid::${name} ALIAS ${target})
  target_include_directories(${target} ${scope}
    "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
  if(arg_SOURCES)
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
  endif()
  list(TRANSFORM arg_DEPENDS PREPEND braid_)
  target_link_libraries(${target} ${scope} ${arg_DEPENDS} ${arg_LINK})
  set_property(GLOBAL APPEND PROPERTY BRAID_MODULES ${target})

  if(BRAID_BUILD_TESTS AND arg_TESTS)
    braid_add_test(${name}_test SOURCES ${arg_TESTS} DEPENDS ${name} ${arg_TEST_DEPENDS}
      LINK ${arg_TEST_LINK} LABELS ${arg_TEST_LABELS})
  endif()
endfunction()
