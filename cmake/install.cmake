# What `cmake --install` puts where: the command, the boxes that a program can embed and their headers, a CMake
# package and a pkg-config file, both relocatable. Launcher and command are the inside of `muster` and stay out, and
# so does the one header that has Protobuf in it.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# In the order in which a linker that reads archives once needs them.
set(boxes runtime simulation hosting shells transport_zmq transport_sim transport wire protocols devices execution
          values)

# All that a trainer and its tests need, as one target.
add_library(muster_muster INTERFACE)
target_link_libraries(muster_muster INTERFACE muster_runtime muster_simulation)
target_compile_features(muster_muster INTERFACE cxx_std_20)

foreach(box ${boxes} muster)
  set_target_properties(muster_${box} PROPERTIES EXPORT_NAME ${box})
  list(APPEND installed muster_${box})
endforeach()
install(TARGETS ${installed} EXPORT muster-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY messages devices actors runtime DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/muster
  FILES_MATCHING PATTERN *.hpp
  PATTERN runtime/launcher EXCLUDE
  PATTERN runtime/command EXCLUDE
  PATTERN messages/wire/parts.hpp EXCLUDE)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/muster)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/muster-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/muster-config.cmake cmake/FindCAF.cmake ${CMAKE_BINARY_DIR}/muster-config-version.cmake
  DESTINATION ${package_dir})
install(EXPORT muster-targets NAMESPACE muster:: DESTINATION ${package_dir})

# The libraries are archives, so their own dependencies belong to every link. CAF has no pkg-config file.
list(TRANSFORM boxes PREPEND -lmuster_ OUTPUT_VARIABLE libraries)
list(JOIN libraries " " pkg_config_libs)
file(RELATIVE_PATH pkg_config_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(cmake/muster.pc.in ${CMAKE_BINARY_DIR}/muster.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/muster.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
