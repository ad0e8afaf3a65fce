# opledger_embed(TARGET FILE NAME): a file as a constant of the program, so that a style sheet or a
# script is edited as one and needs no file at run time. What uses it declares
#   extern const std::string_view NAME;
# in namespace opledger. The file is read when CMake runs, which it does again after each edit.
# SPDX-License-Identifier: Apache-2.0
function(opledger_embed target file name)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  file(READ ${file} text)
  if(text MATCHES "\\)embedded\"")
    message(FATAL_ERROR "${file} holds )embedded\", which ends a text in C++")
  endif()
  string(CONCAT source "// Made from ${file} by ci/embed.cmake.\n#include <string_view>\n\n"
         "namespace opledger {\nextern const std::string_view ${name};\n"
         "constinit const std::string_view ${name} = R\"embedded(${text})embedded\";\n"
         "}  // namespace opledger\n")
  file(CONFIGURE OUTPUT ${name}.cpp CONTENT "@source@" @ONLY)
  target_sources(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
endfunction()
