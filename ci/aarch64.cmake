# CMake's toolchain for programs of aarch64 on another Linux: Debian's cross compiler, and of the libraries those in
# OPLEDGER_SYSROOT, a folder that ci/cross fills from packages. Programs run under QEMU if it is installed.
#   cmake --preset release -B build-aarch64 -DCMAKE_TOOLCHAIN_FILE=ci/aarch64.cmake -DOPLEDGER_SYSROOT=FOLDER
# SPDX-License-Identifier: Apache-2.0
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_STRIP aarch64-linux-gnu-strip)
# CMake reads this file again for each of its trials, which know no other variables.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES OPLEDGER_SYSROOT)
if(NOT IS_DIRECTORY "${OPLEDGER_SYSROOT}")
  message(FATAL_ERROR "OPLEDGER_SYSROOT is '${OPLEDGER_SYSROOT}'; it must be a folder, as ci/cross makes it")
endif()
# Not CMAKE_SYSROOT: the C library is the compiler's own.
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH ${OPLEDGER_SYSROOT})
set(CMAKE_PREFIX_PATH ${OPLEDGER_SYSROOT}/usr/lib/llvm-19)
foreach(kind IN ITEMS LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(language IN ITEMS C CXX)
  set(CMAKE_${language}_FLAGS_INIT "-isystem ${OPLEDGER_SYSROOT}/usr/include/aarch64-linux-gnu -isystem ${OPLEDGER_SYSROOT}/usr/include")
endforeach()
set(CMAKE_EXE_LINKER_FLAGS_INIT "-L${OPLEDGER_SYSROOT}/usr/lib/aarch64-linux-gnu")
set(CMAKE_CROSSCOMPILING_EMULATOR ${CMAKE_CURRENT_LIST_DIR}/emulated)
