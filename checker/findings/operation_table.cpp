// Reads the table, which is shipped with the programs.
// SPDX-License-Identifier: Apache-2.0
#include "checker/findings/operation_table.h"

#include <algorithm>

#include "registry/json/json_fields.h"
#include "registry/platform/platform.h"

namespace opledger {
namespace {

constexpr std::size_t kLargestTable = std::size_t{4} << 20U;

std::string PlaceKey(std::string_view framework, std::string_view op) {
  return std::string(framework) + '\n' + std::string(op);
}

bool ReadRow(const JsonDocument& document, const JsonValue& operation,
             const std::vector<std::pair<std::string, std::string>>& sources, OperationRow& row,
             Diagnostics& diagnostics) {
  JsonFields fields(document, operation, "operation", diagnostics);
  row.operation = fields.RequiredString("operation");
  bool ok = true;
  for (const JsonValue& item : fields.Objects("names")) {
    JsonFields name(document, item, "name", diagnostics);
    OperationName read = {name.RequiredString("framework"), name.RequiredString("op"),
                          name.RequiredString("by"), name.String("partly")};
    const bool known = std::any_of(sources.begin(), sources.end(),
                                   [&](const auto& source) { return source.first == read.by; });
    if (!known) name.Error(item.span, "'" + read.by + "' is not among the sources");
    ok = name.Finish() && ok;
    row.names.push_back(std::move(read));
  }
  return fields.Finish() && ok;
}

}  // namespace

bool OperationTable::Read(Diagnostics& diagnostics) {
  const std::string path = DataDirectory() + "/atlas/operations.json";
  std::optional<std::string> text =
      DiskSource().Read(path, kLargestTable, Reach::kAnywhere, diagnostics);
  if (!text) return false;
  const std::optional<JsonDocument> document = ParseJson(path, std::move(*text), diagnostics);
  if (!document) return false;
  JsonFields fields(*document, document->root, "table of operations", diagnostics);
  bool ok = true;
  if (const JsonValue* frameworks = fields.Require("frameworks")) {
    for (const JsonMember& each : frameworks->members) frameworks_[each.key] = each.value.string;
  }
  if (const JsonValue* sources = fields.Require("sources")) {
    for (const JsonMember& each : sources->members) {
      sources_.emplace_back(each.key, each.value.string);
    }
  }
  for (const JsonValue& operation : fields.Objects("operations")) {
    ok = ReadRow(*document, operation, sources_, rows_.emplace_back(), diagnostics) && ok;
  }
  IndexNames();
  return fields.Finish() && ok;
}

void OperationTable::IndexNames() {
  for (const OperationRow& row : rows_) {
    places_[PlaceKey(kOwnFramework, row.operation)].push_back({&row, nullptr});
    for (const OperationName& name : row.names) {
      places_[PlaceKey(name.framework, name.op)].push_back({&row, &name});
    }
  }
}

const std::string& OperationTable::Shown(const std::string& framework) const {
  const auto found = frameworks_.find(framework);
  return found == frameworks_.end() ? framework : found->second;
}

const std::vector<OperationTable::Place>& OperationTable::PlacesOf(const std::string& framework,
                                                                   const std::string& op) const {
  static const std::vector<Place> none;
  const auto found = places_.find(PlaceKey(framework, op));
  return found == places_.end() ? none : found->second;
}

}  // namespace opledger
