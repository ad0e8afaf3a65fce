// Makes a list from the precision lists in a Python or C++ file, or from the policies in a
// manifest.
//   opledger import symbol_fp16.py  ->  {"framework": "mxnet", ...}
// SPDX-License-Identifier: Apache-2.0
#include "checker/import/import.h"

#include <optional>

#include "checker/import/import_list.h"
#include "checker/terminal/terminal.h"
#include "registry/files/files.h"
#include "registry/list_source/cpp_list.h"
#include "registry/list_source/python_list.h"
#include "registry/list_source/registration_list.h"
#include "registry/precision_list/policy.h"
#include "registry/text/suggestion.h"

namespace opledger {
namespace {

constexpr std::size_t kMaxFileSize = std::size_t{16} << 20;

bool AddRule(const std::string& map, std::vector<ListRule>& rules, Diagnostics& diagnostics) {
  const std::size_t equals = map.find('=');
  if (equals == std::string::npos || equals == 0) {
    return diagnostics.Error({}, "--map needs NAME=POLICY, not '" + map + "'");
  }
  const std::string role = map.substr(equals + 1);
  const std::optional<ListRole> parsed = ParseListRole(role);
  if (!parsed) {
    return diagnostics.Error({}, "'" + role + "' is not a policy for --map",
                             ChoiceHint(role, ListRoleNames()));
  }
  rules.push_back({"", map.substr(0, equals), *parsed, "", ""});
  return true;
}

bool IsCpp(const std::string& path) {
  for (const char* extension :
       {".h", ".hpp", ".hh", ".cc", ".cpp", ".cxx", ".cu", ".cuh", ".inc"}) {
    if (path.ends_with(extension)) return true;
  }
  return false;
}

// Reads the lists by the kind of file. A manifest also gives the framework and the meaning of its
// lists.
std::optional<ListModule> ReadLists(std::string text, ImportTarget& target,
                                    Diagnostics& diagnostics) {
  if (IsCpp(target.path))
    return ReadCppLists(ListFormat::kCpp, target.path, std::move(text), diagnostics);
  if (!target.path.ends_with(".json")) {
    return ReadPythonLists(target.path, std::move(text), diagnostics);
  }
  std::optional<RegistrationLists> lists =
      ReadRegistrationLists(target.path, std::move(text), target.device, diagnostics);
  if (!lists) return std::nullopt;
  if (target.framework.empty()) target.framework = lists->framework;
  for (const Policy policy : kPolicies) {
    target.rules.push_back({"", PolicyName(policy), *ParseListRole(PolicyName(policy)), "", ""});
  }
  return std::move(lists->module);
}

}  // namespace

int RunImport(const ImportOptions& options, std::string& out, Diagnostics& diagnostics) {
  ImportTarget target{options.file,
                      options.framework,
                      options.target_dtype,
                      options.configuration,
                      options.device,
                      !options.bare,
                      {}};
  for (const std::string& map : options.maps) {
    if (!AddRule(map, target.rules, diagnostics)) return kExitFailed;
  }
  std::optional<std::string> text = ReadFile(options.file, kMaxFileSize, diagnostics);
  if (!text) return kExitFailed;
  const std::optional<ListModule> module = ReadLists(std::move(*text), target, diagnostics);
  if (!module) return kExitFailed;
  const std::optional<ImportedList> list = ImportLists(*module, target, diagnostics);
  if (!list) return kExitFailed;
  if (options.output.empty()) {
    out += list->json;
  } else if (!WriteFile(options.output, list->json, diagnostics)) {
    return kExitFailed;
  }
  return list->complete ? kExitClean : kExitIncomplete;
}

}  // namespace opledger
