# Makes operators.json part of a build: facts are build edges, as object files are, so that a build
# without changes does nothing, and an edit rereads only what depends on it. For the Ninja generators.
#
#   find_package(opledger REQUIRED)      # or: include(.../opledger-config.cmake)
#   opledger_operators(operators         # a target
#     OUTPUT operators.json              # in the build folder, unless absolute
#     SOURCE ${CMAKE_SOURCE_DIR}         # the framework's tree; this is the default
#     DIALECT mxnet                      # default: the project file's
#     CONFIG opledger.json               # project file, or none; default: the one in SOURCE
#     CONFIGURATION gpu                  # default: union
#     TARGETS library...)                # only what their sources register; default: the tree
#   opledger_add_check(NAME operators    # a test: `ctest` rereads what changed, and checks
#     LISTS lists/float16.json           # default: the project file's
#     ...)                               # and as above, except OUTPUT
#
# Sources of TARGETS are those known at the call; generator expressions are ignored.
# The programs are those of the folder that this file was installed to; OPLEDGER and OPLEDGER_SCAN name
# others.
# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)

find_program(OPLEDGER_SCAN opledger-scan HINTS ${CMAKE_CURRENT_LIST_DIR}/../../../bin
             DOC "The scanner of opledger")
find_program(OPLEDGER opledger HINTS ${CMAKE_CURRENT_LIST_DIR}/../../../bin DOC "opledger")

# Writes the sources of targets, one per line, into a file that is touched only if they change.
function(_opledger_write_sources file)
  set(text "")
  foreach(target IN LISTS ARGN)
    if(NOT TARGET ${target})
      message(FATAL_ERROR "opledger: there is no target '${target}' yet: add it before the check")
    endif()
    get_target_property(sources ${target} SOURCES)
    get_target_property(folder ${target} SOURCE_DIR)
    foreach(source IN LISTS sources)
      if(source AND NOT source MATCHES "\\$<")
        cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder} NORMALIZE)
        file(REAL_PATH ${source} source)
        string(APPEND text "${source}\n")
      endif()
    endforeach()
  endforeach()
  set(before "")
  if(EXISTS ${file})
    file(READ ${file} before)
  endif()
  if(NOT text STREQUAL before)
    file(WRITE ${file} "${text}")
  endif()
endfunction()

function(opledger_operators target)
  cmake_policy(VERSION 3.20...3.25)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "OUTPUT;SOURCE;DIALECT;CONFIG;CONFIGURATION" "TARGETS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_OUTPUT)
    message(FATAL_ERROR "opledger_operators(${target} OUTPUT FILE [SOURCE FOLDER] [DIALECT NAME|FILE] "
                        "[CONFIG FILE|none] [CONFIGURATION NAME] [TARGETS TARGET...]): ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT OPLEDGER_SCAN)
    message(FATAL_ERROR "opledger-scan was not found: set OPLEDGER_SCAN to it")
  endif()
  if(NOT CMAKE_GENERATOR MATCHES "Ninja")
    message(FATAL_ERROR "opledger_operators needs a Ninja generator (cmake -G Ninja): make does not "
                        "know outputs that stay as they are")
  endif()
  if(NOT arg_SOURCE)
    set(arg_SOURCE ${CMAKE_CURRENT_SOURCE_DIR})
  endif()
  cmake_path(ABSOLUTE_PATH arg_OUTPUT BASE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR} NORMALIZE)
  set(flags -C ${arg_SOURCE})
  if(arg_DIALECT)
    list(APPEND flags --dialect ${arg_DIALECT})
  endif()
  if(arg_CONFIG)
    list(APPEND flags --config ${arg_CONFIG})
  endif()

  set(work ${CMAKE_CURRENT_BINARY_DIR}/${target}.opledger)
  set(only "")
  set(sources "")
  if(arg_TARGETS)
    set(sources ${work}/sources)
    _opledger_write_sources(${sources} ${arg_TARGETS})
    set(only --only ${sources})
  endif()

  # The units are listed at configure time; adding or removing a file runs CMake again.
  execute_process(COMMAND ${OPLEDGER_SCAN} --list-units ${only} ${flags} OUTPUT_VARIABLE listing
                  COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE ";" "\\;" listing "${listing}")
  string(REPLACE "\n" ";" listing "${listing}")
  set(units "")
  foreach(line IN LISTS listing)
    if(line MATCHES "^unit (.*)$")
      list(APPEND units ${CMAKE_MATCH_1})
    elseif(line MATCHES "^root (.*)$")
      set(root ${CMAKE_MATCH_1})
    elseif(line MATCHES "^(folder|file) (.*)$")
      set(input ${CMAKE_MATCH_2})
      cmake_path(IS_PREFIX CMAKE_BINARY_DIR ${input} NORMALIZE inside)
      if(NOT inside)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${input})
      endif()
    endif()
  endforeach()

  add_custom_command(
    OUTPUT ${work}/outlines
    COMMAND ${OPLEDGER_SCAN} --outline ${only} ${flags} -o ${work}/outlines
            --depfile ${work}/outlines.d
    DEPENDS ${OPLEDGER_SCAN} ${sources} DEPFILE ${work}/outlines.d COMMENT "opledger outlines" VERBATIM)
  set(parts ${units})
  list(TRANSFORM parts PREPEND ${work}/parts/)
  list(TRANSFORM parts APPEND .part)
  add_custom_command(
    OUTPUT ${work}/index ${work}/tree.facts ${work}/parts/headers.part ${parts}
    COMMAND ${OPLEDGER_SCAN} --index ${work}/outlines ${flags} -o ${work}/index
            --tree ${work}/tree.facts --parts ${work}/parts
    DEPENDS ${work}/outlines COMMENT "opledger index" VERBATIM)
  add_custom_command(
    OUTPUT ${work}/headers.facts
    COMMAND ${OPLEDGER_SCAN} --facts --index ${work}/index --part ${work}/parts/headers.part ${flags}
            -o ${work}/headers.facts --depfile ${work}/headers.d
    DEPENDS ${work}/parts/headers.part DEPFILE ${work}/headers.d COMMENT "opledger facts of headers"
    VERBATIM)
  set(facts "")
  foreach(unit IN LISTS units)
    set(output ${work}/units/${unit}.facts)
    list(APPEND facts ${output})
    add_custom_command(
      OUTPUT ${output}
      COMMAND ${OPLEDGER_SCAN} --facts ${unit} --index ${work}/index --part
              ${work}/parts/${unit}.part ${flags} -o ${output} --depfile ${output}.d
      DEPENDS ${root}/${unit} ${work}/parts/${unit}.part DEPFILE ${output}.d
      COMMENT "opledger facts of ${unit}" VERBATIM)
  endforeach()

  if(arg_CONFIGURATION)
    set(arg_CONFIGURATION --configuration ${arg_CONFIGURATION})
  endif()
  add_custom_command(
    OUTPUT ${arg_OUTPUT}
    COMMAND ${OPLEDGER_SCAN} --merge ${work}/tree.facts ${work}/headers.facts --units ${work}/units
            ${flags} ${arg_CONFIGURATION} -o ${arg_OUTPUT}
    DEPENDS ${work}/tree.facts ${work}/headers.facts ${facts} COMMENT "opledger merge" VERBATIM)
  add_custom_target(${target} DEPENDS ${arg_OUTPUT})
endfunction()

function(opledger_add_check)
  cmake_policy(VERSION 3.20...3.25)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;SOURCE;DIALECT;CONFIG;CONFIGURATION" "TARGETS;LISTS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_NAME)
    message(FATAL_ERROR "opledger_add_check(NAME NAME [TARGETS TARGET...] [LISTS FILE...] [SOURCE FOLDER] "
                        "[DIALECT NAME|FILE] [CONFIG FILE|none] [CONFIGURATION NAME]): "
                        "${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT OPLEDGER)
    message(FATAL_ERROR "opledger was not found: set OPLEDGER to it")
  endif()
  if(NOT arg_SOURCE)
    set(arg_SOURCE ${CMAKE_CURRENT_SOURCE_DIR})
  endif()
  set(flags "")
  foreach(list IN LISTS arg_LISTS)
    cmake_path(ABSOLUTE_PATH list BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    list(APPEND flags --list ${list})
  endforeach()
  set(scan SOURCE ${arg_SOURCE})
  foreach(keyword DIALECT CONFIG CONFIGURATION TARGETS)
    if(arg_${keyword})
      list(APPEND scan ${keyword} ${arg_${keyword}})
    endif()
  endforeach()
  if(arg_CONFIG)
    list(APPEND flags --config ${arg_CONFIG})
  endif()
  set(operators ${CMAKE_CURRENT_BINARY_DIR}/${arg_NAME}.operators.json)
  opledger_operators(${arg_NAME} OUTPUT ${operators} ${scan})

  # Not part of `all`: a finding must not break the build.
  add_test(NAME ${arg_NAME}.operators
           COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target ${arg_NAME})
  add_test(NAME ${arg_NAME} COMMAND ${OPLEDGER} -C ${arg_SOURCE} check --operators ${operators} ${flags})
  set_tests_properties(${arg_NAME}.operators PROPERTIES FIXTURES_SETUP ${arg_NAME}.operators
                                                        RESOURCE_LOCK opledger_build)
  set_tests_properties(${arg_NAME} PROPERTIES FIXTURES_REQUIRED ${arg_NAME}.operators)
endfunction()
