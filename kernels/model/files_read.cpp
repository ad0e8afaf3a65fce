// Unreadable files are ignored here; their readers report them.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/model/files_read.h"

#include "registry/precision_list/precision_list.h"

namespace opledger {

std::vector<std::string> ListFiles(const std::string& list) {
  if (list.empty()) return {};
  Diagnostics unused;
  const auto read = ReadPrecisionList(DiskSource(), list, unused);
  std::vector<std::string> files = read ? read->bases : std::vector<std::string>();
  files.push_back(list);
  return files;
}

FilesInUse FilesRead(const RunnableModel& model, const std::string& params,
                     const InputOptions& inputs, const std::string& list) {
  FilesInUse files;
  files.read = ExternalFiles(model.graph(), model.path);
  files.read.insert(files.read.end(), {model.path, params});
  for (const auto& more : {InputFiles(inputs.given, inputs.from), ListFiles(list)}) {
    files.read.insert(files.read.end(), more.begin(), more.end());
  }
  return files;
}

}  // namespace opledger
