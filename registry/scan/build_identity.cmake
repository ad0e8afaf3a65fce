# Writes OUT, a source with the identity of the build: a digest of all sources of the scanner in ROOT and
# of Clang's version. Facts and caches contain it, so that results of another build are never used.
# SPDX-License-Identifier: Apache-2.0
file(GLOB_RECURSE sources RELATIVE ${ROOT} ${ROOT}/*.cpp ${ROOT}/*.h)
list(SORT sources)
set(all "${CLANG}")
foreach(source IN LISTS sources)
  file(SHA256 ${ROOT}/${source} digest)
  string(APPEND all "\n${source} ${digest}")
endforeach()
string(SHA256 digest "${all}")
string(SUBSTRING ${digest} 0 16 digest)
file(WRITE ${OUT} "// Made by build_identity.cmake.
#include \"registry/scan/cache/build_identity.h\"
namespace opledger::scan {
std::string_view BuildIdentity() { return \"${digest}\"; }
}  // namespace opledger::scan
")
