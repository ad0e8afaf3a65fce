# Groups the sources of every unity build by ci/unity_groups.py, so that files may define the same names. Included at the
# end of the top CMakeLists.txt. Without Python, or without CMAKE_UNITY_BUILD, nothing changes.
# SPDX-License-Identifier: Apache-2.0

function(opledger_targets_below directory result)
  get_property(targets DIRECTORY ${directory} PROPERTY BUILDSYSTEM_TARGETS)
  get_property(folders DIRECTORY ${directory} PROPERTY SUBDIRECTORIES)
  foreach(folder IN LISTS folders)
    opledger_targets_below(${folder} below)
    list(APPEND targets ${below})
  endforeach()
  set(${result} ${targets} PARENT_SCOPE)
endfunction()

# Appends to the variable `result` what ci/unity_groups.py reads about a target.
function(opledger_describe_unity_target target result)
  get_target_property(is_unity ${target} UNITY_BUILD)
  get_target_property(sources ${target} SOURCES)
  if(NOT is_unity OR NOT sources)
    return()
  endif()
  get_target_property(batch ${target} UNITY_BUILD_BATCH_SIZE)
  get_target_property(directory ${target} SOURCE_DIR)
  set(line "${target} ${batch}")
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${directory})
    get_source_file_property(skipped ${source} TARGET_DIRECTORY ${target} SKIP_UNITY_BUILD_INCLUSION)
    if(source MATCHES "\\.cpp$" AND NOT skipped AND EXISTS ${source})
      string(APPEND line " ${source}")
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  set(${result} "${${result}}${line}\n" PARENT_SCOPE)
endfunction()

if(CMAKE_UNITY_BUILD)
  find_package(Python3 3.9 QUIET COMPONENTS Interpreter)
  if(Python3_Interpreter_FOUND)
    opledger_targets_below(${CMAKE_SOURCE_DIR} targets)
    set(lines "")
    foreach(target IN LISTS targets)
      opledger_describe_unity_target(${target} lines)
    endforeach()
    file(WRITE ${CMAKE_BINARY_DIR}/unity_targets.txt "${lines}")
    execute_process(
      COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/ci/unity_groups.py ${CMAKE_SOURCE_DIR}
      INPUT_FILE ${CMAKE_BINARY_DIR}/unity_targets.txt
      OUTPUT_FILE ${CMAKE_BINARY_DIR}/new_unity_groups.cmake
      COMMAND_ERROR_IS_FATAL ANY)
    file(COPY_FILE ${CMAKE_BINARY_DIR}/new_unity_groups.cmake ${CMAKE_BINARY_DIR}/unity_groups.cmake
         ONLY_IF_DIFFERENT)
    include(${CMAKE_BINARY_DIR}/unity_groups.cmake)
  endif()
endif()
