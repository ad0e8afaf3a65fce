# Installs files beside the programs and their data, and defines the Debian package: `cpack -G DEB` in the build
# folder of the release preset. Its programs depend on no library, except opledger-run on oneDNN's; with
# OPLEDGER_ONEDNN=OFF one package fits any Debian and Ubuntu. ci/opledger_wheel.py packs the same files for pip.
# SPDX-License-Identifier: Apache-2.0
include(CMakePackageConfigHelpers)
write_basic_package_version_file(opledger-config-version.cmake COMPATIBILITY SameMinorVersion
                                 ARCH_INDEPENDENT)
install(DIRECTORY ci/cmake DESTINATION share/opledger)  # where find_package(opledger) looks
install(FILES ${CMAKE_BINARY_DIR}/opledger-config-version.cmake DESTINATION share/opledger/cmake)
install(PROGRAMS ci/lintrunner DESTINATION share/opledger)
# `import opledger`: where Debian's Python looks below /usr; a wheel puts it beside other packages.
install(DIRECTORY python/opledger DESTINATION lib/python3/dist-packages
        FILES_MATCHING PATTERN "*.py" PATTERN py.typed PATTERN __pycache__ EXCLUDE)
install(FILES VERSION DESTINATION lib/python3/dist-packages/opledger)
install(FILES LICENSE DESTINATION share/doc/opledger RENAME copyright)
# The program writes its completions, and asks its siblings for theirs: all must have been built. Debian's zsh
# searches vendor-completions, others site-functions.
if(NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR)
  foreach(script IN ITEMS bash:bash-completion/completions/opledger
                          zsh:zsh/site-functions/_opledger zsh:zsh/vendor-completions/_opledger)
    string(REPLACE ":" ";" parts ${script})
    list(GET parts 0 shell)
    list(GET parts 1 place)
    install(CODE "set(file \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/${place}\")
      get_filename_component(folder \"\${file}\" DIRECTORY)
      file(MAKE_DIRECTORY \"\${folder}\")
      execute_process(COMMAND ${CMAKE_CROSSCOMPILING_EMULATOR} \"$<TARGET_FILE:opledger>\" completion ${shell}
                      OUTPUT_FILE \"\${file}\" RESULT_VARIABLE status)
      if(NOT status EQUAL 0)
        message(FATAL_ERROR \"opledger completion ${shell} ended with \${status}\")
      endif()")
  endforeach()
endif()
# Licenses of the libraries that are linked in, and so distributed.
get_property(scanner_why GLOBAL PROPERTY OPLEDGER_SCANNER_WHY)
string(REGEX REPLACE "^LLVM ([0-9]+).*" "\\1" llvm "${scanner_why}")
string(REGEX MATCH "^[0-9]+" gcc "${CMAKE_CXX_COMPILER_VERSION}")
foreach(package libclang-${llvm}-dev zlib1g-dev libzstd-dev libmd-dev libre2-dev libc6-dev gcc-${gcc}-base libabsl-dev
                nlohmann-json3-dev libcli11-dev libboost1.74-dev libboost1.83-dev linux-libc-dev)
  foreach(root IN ITEMS ${OPLEDGER_SYSROOT} /)  # of a cross build; the compiler's own libraries are this system's
    if(EXISTS ${root}/usr/share/doc/${package}/copyright)
      install(FILES ${root}/usr/share/doc/${package}/copyright DESTINATION share/doc/opledger/third-party
              RENAME ${package})
      break()
    endif()
  endforeach()
endforeach()
install(FILES THIRD_PARTY.md DESTINATION share/doc/opledger)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME opledger)
set(CPACK_PACKAGE_CONTACT "The authors of opledger <OWNER@users.noreply.github.com>" CACHE STRING
    "The Debian package's maintainer")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Checks the operators of a framework against its precision lists")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
if(CMAKE_CROSSCOMPILING AND CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
endif()
# What only Debian wants to have: its form of copyright and changelog, manual pages, the reasons for lintian.
set(CPACK_OPLEDGER_EMULATOR "${CMAKE_CROSSCOMPILING_EMULATOR}")
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS git)  # for check --against, and diff
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "pre-commit, python3, cmake, ninja-build")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "Reads how a C++ framework registers its operators, directly from the
source, and reports where source and precision lists disagree. Converts
models by the same lists, runs them, and measures errors and speed.")
include(CPack)
