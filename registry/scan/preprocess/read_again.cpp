// Offsets of outlines and cached facts are only valid for the same content.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/preprocess/read_again.h"

#include "registry/scan/workers/workers.h"

namespace opledger::scan {
namespace {

[[noreturn]] void Changed(const SourceFile& file) {
  FailTask("needs " + file.path + ", which changed during the scan; scan again");
}

}  // namespace

std::string ReadAgain(const SourceTree& tree, int file) {
  const SourceFile& source = tree.files()[file];
  std::optional<std::string> text = ReadSource(tree.source(), source.path);
  if (!text || DigestOf(*text) != source.content) Changed(source);
  return std::move(*text);
}

void ExpectUnchanged(const SourceFile& file, const FileStamp& stamp) {
  if (file.regular && file.stamp != stamp) Changed(file);
}

}  // namespace opledger::scan
