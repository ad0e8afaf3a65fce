// The index is written out like a revision.
// SPDX-License-Identifier: Apache-2.0
#include "checker/git/staged_tree.h"

#include <filesystem>

#include "checker/reports/output_formats.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

// FMT=FILE: the file seen from anywhere.
std::string WithAbsoluteFile(const std::string& format, const std::string& started) {
  const std::size_t equals = format.find('=');
  if (equals == std::string::npos || format.substr(equals + 1) == "-") return format;
  const fs::path file = fs::path(started) / format.substr(equals + 1);
  return format.substr(0, equals + 1) + file.lexically_normal().string();
}

}  // namespace

bool StagedTree::Open(const CheckOptions& options, Diagnostics& diagnostics) {
  if (folder_.path().empty()) {
    diagnostics.Error({}, "cannot make a temporary folder",
                      "set TMPDIR to one that can be written");
    return false;
  }
  std::error_code error;
  const std::string started = fs::current_path(error).string();
  project_ = Project::Open(options.global.project_file, ".", diagnostics);
  if (!project_ || !ExportStaged(folder_.path(), diagnostics)) return false;
  asked_ = options;
  options_ = OptionsThere(options, *project_, folder_.path());
  options_.allow_empty = false;
  options_.baseline = project_->FromRoot(options.baseline);
  if (options.baseline == "none") options_.baseline = "none";
  options_.formats = ChooseFormats(options.formats).texts;
  for (std::string& format : options_.formats) format = WithAbsoluteFile(format, started);
  fs::current_path(folder_.path(), error);
  if (error) diagnostics.Error({folder_.path(), 0, 0, 0, 0}, "cannot work there");
  return !error;
}

std::unique_ptr<RevisionCheck> StagedTree::CheckRevision(const std::string& revision,
                                                         Diagnostics& diagnostics) const {
  std::error_code error;
  fs::current_path(project_->root(), error);
  auto check = opledger::CheckRevision(revision, asked_, *project_, diagnostics);
  fs::current_path(folder_.path(), error);
  return check;
}

}  // namespace opledger
