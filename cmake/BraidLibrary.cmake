# libbraid.so: all modules in one shared library that exports only what BRAID_API marks.

get_property(modules GLOBAL PROPERTY BRAID_MODULES)
set(objects)
foreach(module IN LISTS modules)
  get_target_property(type ${module} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    list(APPEND objects $<TARGET_OBJECTS:${module}>)
  endif()
endforeach()
if(NOT objects)
  return()
endif()
add_library(braid SHARED ${objects})
add_library(braid::braid ALIAS braid)
set_target_properties(braid PROPERTIES
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
  LINKER_LANGUAGE CXX LINK_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/braid.map")
target_include_directories(braid INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(braid INTERFACE cxx_std_20)
target_link_options(braid PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/braid.map)
target_link_libraries(braid PRIVATE ${modules})
