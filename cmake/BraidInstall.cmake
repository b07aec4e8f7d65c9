# bin/braid, lib/libbraid.so with oneDNN beside it, the public headers, and what find_package and pkg-config need.
# share/braid/ is installed by the folders whose data it is: src/sim (gpus, cudnn) and cli (peers).
include(CMakePackageConfigHelpers)

file(RELATIVE_PATH from_bin_to_lib "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
set_target_properties(braid_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${from_bin_to_lib}")
set_target_properties(braid PROPERTIES INSTALL_RPATH "$ORIGIN")

install(TARGETS braid_cli RUNTIME)
install(TARGETS braid EXPORT braid LIBRARY)
install(PROGRAMS $<TARGET_FILE:DNNL::dnnl> DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RENAME $<TARGET_SONAME_FILE_NAME:DNNL::dnnl>)
install(DIRECTORY include/braid DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY "${BRAID_VENV}/share/doc/onednn" DESTINATION ${CMAKE_INSTALL_DOCDIR}
  FILES_MATCHING PATTERN "LICENSE*" PATTERN "THIRD-PARTY*")

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/braid")
install(EXPORT braid NAMESPACE braid:: FILE braidTargets.cmake DESTINATION ${package_folder})
configure_package_config_file(cmake/braidConfig.cmake.in "${PROJECT_BINARY_DIR}/braidConfig.cmake"
  INSTALL_DESTINATION ${package_folder} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/braidConfigVersion.cmake" COMPATIBILITY SameMajorVersion)
install(FILES "${PROJECT_BINARY_DIR}/braidConfig.cmake" "${PROJECT_BINARY_DIR}/braidConfigVersion.cmake"
  DESTINATION ${package_folder})

file(RELATIVE_PATH from_pc_to_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(cmake/braid.pc.in "${PROJECT_BINARY_DIR}/braid.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/braid.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
