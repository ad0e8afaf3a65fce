# Finds oneDNN by header and library, because the CMake files of its packages also require OpenCL's
# headers.
# SPDX-License-Identifier: Apache-2.0

# Sets onednn_include, onednn_library and onednn_version for the newest oneDNN in the folders `places`; "system" means
# the compiler's search path. onednn_version is empty if there is none.
function(opledger_find_onednn places)
  set(newest "")
  foreach(place IN LISTS places)
    unset(include)
    unset(library)
    set(where PATHS "${place}" NO_DEFAULT_PATH)
    if(place STREQUAL "system")
      set(where NO_CMAKE_PATH NO_CMAKE_ENVIRONMENT_PATH)
    endif()
    find_path(include oneapi/dnnl/dnnl_version.h ${where} PATH_SUFFIXES include NO_CACHE)
    find_library(library dnnl ${where} PATH_SUFFIXES lib lib64 NO_CACHE)
    if(include AND library)
      file(STRINGS "${include}/oneapi/dnnl/dnnl_version.h" lines REGEX "VERSION_(MAJOR|MINOR|PATCH) ")
      string(REGEX REPLACE "[^;]*VERSION_[A-Z]+ +" "" numbers "${lines}")
      string(REPLACE ";" "." version "${numbers}")
      if(version VERSION_GREATER "${newest}")
        set(newest ${version})
        set(onednn_include ${include} PARENT_SCOPE)
        set(onednn_library ${library} PARENT_SCOPE)
      endif()
    endif()
  endforeach()
  set(onednn_version "${newest}" PARENT_SCOPE)
endfunction()

# Finds the oneDNN that DNNL_DIR names, otherwise the newest of CMAKE_PREFIX_PATH (of CMake or the
# environment) and the system.
function(opledger_find_newest_onednn)
  string(REPLACE ":" ";" environment "$ENV{CMAKE_PREFIX_PATH}")
  set(places ${CMAKE_PREFIX_PATH} ${environment} system)
  if(DNNL_DIR)  # PREFIX/lib/cmake/dnnl, or one folder deeper
    set(places "${DNNL_DIR}/../../.." "${DNNL_DIR}/../../../..")
  endif()
  opledger_find_onednn("${places}")
  foreach(name IN ITEMS include library version)
    set(onednn_${name} "${onednn_${name}}" PARENT_SCOPE)
  endforeach()
endfunction()
