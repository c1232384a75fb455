# A box is one folder of the house: a library with an include root of its own. The root is a folder in
# the build tree that holds a single link, muster/<path>, to the box's sources; a target gets the roots
# of the boxes that it names in SEES (and of those that they name), so a forbidden include does not compile.
#
#   muster_box(values PATH messages/values SOURCES a.cpp ... [SEES other ...] [LINKS ext ...] [PRIVATE_LINKS ext ...])
#
# SEES is public: a header may include headers of the boxes that its own box sees. SHALLOW is for a box with
# other boxes in its subfolders: its root then links each of its own headers, and not the folder.
function(muster_box name)
  cmake_parse_arguments(BOX "SHALLOW" "PATH" "SOURCES;SEES;LINKS;PRIVATE_LINKS" ${ARGN})
  set(root ${CMAKE_BINARY_DIR}/roots/${name})
  set(links ${BOX_PATH})
  if(BOX_SHALLOW)
    file(GLOB links RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${BOX_PATH}/*.hpp)
  endif()
  foreach(link ${links})
    get_filename_component(parent muster/${link} DIRECTORY)
    file(MAKE_DIRECTORY ${root}/${parent})
    if(NOT EXISTS ${root}/muster/${link})
      file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${link} ${root}/muster/${link} SYMBOLIC)
    endif()
  endforeach()
  list(TRANSFORM BOX_SEES PREPEND muster_)
  if(BOX_SOURCES)
    add_library(muster_${name} STATIC ${BOX_SOURCES})
    target_include_directories(muster_${name} PUBLIC $<BUILD_INTERFACE:${root}>)
    target_link_libraries(muster_${name} PUBLIC ${BOX_SEES} ${BOX_LINKS}
      PRIVATE $<BUILD_INTERFACE:muster_flags> ${BOX_PRIVATE_LINKS})
  else()
    add_library(muster_${name} INTERFACE)
    target_include_directories(muster_${name} INTERFACE $<BUILD_INTERFACE:${root}>)
    target_link_libraries(muster_${name} INTERFACE ${BOX_SEES} ${BOX_LINKS})
  endif()
endfunction()

# muster_test(name SOURCES a_test.cpp ... SEES box ... [LINKS ext ...] [ARGS ...] [TIMEOUT s])
# A GoogleTest program registered with CTest as one test.
function(muster_test name)
  cmake_parse_arguments(TEST "" "TIMEOUT" "SOURCES;SEES;LINKS;ARGS" ${ARGN})
  if(NOT MUSTER_BUILD_TESTS)
    return()
  endif()
  list(TRANSFORM TEST_SEES PREPEND muster_)
  add_executable(${name} ${TEST_SOURCES})
  target_link_libraries(${name} PRIVATE ${TEST_SEES} muster_test_flags GTest::gmock_main ${TEST_LINKS})
  # One precompiled header for all of them, from a program of its own (programs are compiled
  # otherwise than libraries) so that no test waits for another.
  if(NOT TARGET muster_test_headers)
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/test_headers.cpp CONTENT "int main() {}\n")
    add_executable(muster_test_headers ${CMAKE_BINARY_DIR}/test_headers.cpp)
    target_link_libraries(muster_test_headers PRIVATE muster_test_flags GTest::gmock)
    target_precompile_headers(muster_test_headers PRIVATE <gtest/gtest.h> <gmock/gmock.h>)
  endif()
  target_precompile_headers(${name} REUSE_FROM muster_test_headers)
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 120)
  endif()
  if(MUSTER_SANITIZE)  # everything takes several times as long
    math(EXPR TEST_TIMEOUT "5 * ${TEST_TIMEOUT}")
  endif()
  add_test(NAME ${name} COMMAND ${name} ${TEST_ARGS})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${TEST_TIMEOUT})
endfunction()
