// opledger import; see import.h.
// SPDX-License-Identifier: Apache-2.0
#include "checker/commands/import.h"

#include <optional>

#include "checker/import_list.h"
#include "registry/dtype.h"
#include "registry/file_read.h"
#include "registry/file_write.h"
#include "registry/suggestion.h"

namespace opledger {
namespace {

constexpr std::size_t kMaxFileSize = std::size_t{16} << 20;

bool AddRule(const std::string& map, std::vector<ImportRule>& rules, Diagnostics& diagnostics) {
  const std::size_t equals = map.find('=');
  if (equals == std::string::npos || equals == 0) {
    diagnostics.Error({}, "--map needs NAME=POLICY, not '" + map + "'");
    return false;
  }
  const std::string role = map.substr(equals + 1);
  const std::optional<ImportRole> parsed = ParseImportRole(role);
  if (!parsed) {
    std::string hint = DidYouMean(role, ImportRoleNames());
    for (const std::string& name : ImportRoleNames()) {
      if (hint.rfind("did you mean", 0) == 0) break;
      hint += (hint.empty() ? "one of " : ", ") + name;
    }
    diagnostics.Error({}, "'" + role + "' is no policy for --map", std::move(hint));
    return false;
  }
  rules.push_back({"", map.substr(0, equals), *parsed, ""});
  return true;
}

bool CheckDtype(const std::string& dtype, Diagnostics& diagnostics) {
  if (dtype.empty() || ParseDtype(dtype)) return true;
  diagnostics.Error({}, "'" + dtype + "' is no element type", DidYouMean(dtype, DtypeNames()));
  return false;
}

}  // namespace

int RunImport(const ImportOptions& options, std::string& out, Diagnostics& diagnostics) {
  constexpr int kFailed = 2;
  constexpr int kIncomplete = 3;
  ImportTarget target{
      options.file, options.framework, options.target_dtype, options.configuration, {}};
  if (!CheckDtype(options.target_dtype, diagnostics)) return kFailed;
  for (const std::string& map : options.maps) {
    if (!AddRule(map, target.rules, diagnostics)) return kFailed;
  }
  std::optional<std::string> text = ReadFile(options.file, kMaxFileSize, diagnostics);
  if (!text) return kFailed;
  const std::optional<PythonModule> module =
      ReadPythonLists(options.file, std::move(*text), diagnostics);
  if (!module) return kFailed;
  const std::optional<ImportedList> list = ImportLists(*module, target, diagnostics);
  if (!list) return kFailed;
  if (options.output.empty()) {
    out += list->json;
  } else if (!WriteFile(options.output, list->json, diagnostics)) {
    return kFailed;
  }
  return list->complete ? 0 : kIncomplete;
}

}  // namespace opledger
