# opledger_embed(TARGET FILE NAME): makes a file a constant of the program, so that a style sheet or a
# script can be edited as a file but is not needed at run time. Code that uses it declares
#   extern const std::string_view NAME;
# in namespace opledger. The file is read when CMake runs, which happens again after each edit.
# SPDX-License-Identifier: Apache-2.0
function(opledger_embed target file name)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  file(READ ${file} text)
  if(text MATCHES "\\)embedded\"")
    message(FATAL_ERROR "${file} contains )embedded\", which ends a raw string in C++")
  endif()
  string(CONCAT source "// Made from ${file} by ci/embed.cmake.\n#include <string_view>\n\n"
         "namespace opledger {\nextern const std::string_view ${name};\n"
         "constinit const std::string_view ${name} = R\"embedded(${text})embedded\";\n"
         "}  // namespace opledger\n")
  file(CONFIGURE OUTPUT ${name}.cpp CONTENT "@source@" @ONLY)
  target_sources(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
endfunction()
