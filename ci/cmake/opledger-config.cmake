# operators.json as part of a build: facts are edges like object files are, so that a build with
# nothing to do does nothing, and an edit reads again what depends on it. For the Ninja generators.
#
#   find_package(opledger REQUIRED)      # or: include(.../opledger-config.cmake)
#   opledger_operators(operators         # a target
#     OUTPUT operators.json              # in the build folder, unless absolute
#     SOURCE ${CMAKE_SOURCE_DIR}         # the framework's tree; this is the default
#     DIALECT mxnet                      # default: the project file's
#     CONFIG opledger.json               # project file, or none; default: the one in SOURCE
#     CONFIGURATION gpu)                 # default: union
#   add_custom_command(OUTPUT report.json COMMAND opledger check --operators operators.json ...
#                      DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/operators.json)
#
# The scanner is opledger-scan of the folder this file was installed to; OPLEDGER_SCAN names another.
# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)

find_program(OPLEDGER_SCAN opledger-scan HINTS ${CMAKE_CURRENT_LIST_DIR}/../../../bin
             DOC "The scanner of opledger")

function(opledger_operators target)
  cmake_policy(VERSION 3.20...3.25)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "OUTPUT;SOURCE;DIALECT;CONFIG;CONFIGURATION" "")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_OUTPUT)
    message(FATAL_ERROR "opledger_operators(${target} OUTPUT FILE [SOURCE FOLDER] [DIALECT NAME|FILE] "
                        "[CONFIG FILE|none] [CONFIGURATION NAME]): ${arg_UNPARSED_ARGUMENTS}")
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

  # Which units there are is known before the build; a file that comes or goes configures it again.
  execute_process(COMMAND ${OPLEDGER_SCAN} --list-units ${flags} OUTPUT_VARIABLE listing
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

  set(work ${CMAKE_CURRENT_BINARY_DIR}/${target}.opledger)
  add_custom_command(
    OUTPUT ${work}/outlines
    COMMAND ${OPLEDGER_SCAN} --outline ${flags} -o ${work}/outlines --depfile ${work}/outlines.d
    DEPENDS ${OPLEDGER_SCAN} DEPFILE ${work}/outlines.d COMMENT "opledger outlines" VERBATIM)
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
