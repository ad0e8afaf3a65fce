// Reads the table of operations and the lists, and counts how many lists agree.
// SPDX-License-Identifier: Apache-2.0
#include "checker/docs/atlas.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "registry/dialect/dialect.h"
#include "registry/platform/platform.h"

namespace opledger {
namespace {

constexpr const char* kFrameworks[] = {"mxnet",     "pytorch", "tensorflow", "tvm-relay",
                                       "tvm-relax", "onnx",    "onnxruntime"};

void MakeRows(Atlas& atlas) {
  for (const OperationRow& operation : atlas.table.rows()) {
    AtlasRow& row = atlas.rows.emplace_back();
    row.operation = operation.operation;
    for (const OperationName& name : operation.names) row.names[name.framework].push_back(name);
  }
}

// Returns "fp32", "target" or "as its inputs". Returns "" if entries differ or depend on
// attributes.
std::string ClassOf(const AtlasCell& cell) {
  std::set<std::string> classes;
  for (const ListEntry* entry : cell.entries) {
    const bool as_inputs = entry->policy == Policy::kWidest || entry->policy == Policy::kEither;
    classes.insert(as_inputs ? "as its inputs" : PolicyName(entry->policy));
  }
  if (classes.size() != 1 || *classes.begin() == PolicyName(Policy::kConditional)) return {};
  return *classes.begin();
}

AtlasAgreement Agreement(const AtlasRow& row, const Atlas& atlas, Dtype dtype) {
  std::map<std::string, std::vector<std::string>> by_class;
  AtlasAgreement agreement;
  for (std::size_t i = 0; i < atlas.lists.size(); ++i) {
    if (atlas.lists[i].target_dtype != dtype || row.cells[i].entries.empty()) continue;
    ++agreement.of;
    by_class[ClassOf(row.cells[i])].push_back(atlas.columns[i]);
  }
  for (const auto& [name, columns] : by_class) {
    const int count = static_cast<int>(columns.size());
    if (name.empty() || count < agreement.with) continue;
    agreement.most = count == agreement.with ? "split" : name;
    agreement.with = count;
  }
  for (const auto& [name, columns] : by_class) {
    if (name == agreement.most || agreement.most == "split") continue;
    agreement.dissent.insert(agreement.dissent.end(), columns.begin(), columns.end());
  }
  return agreement;
}

void Fill(AtlasRow& row, const Atlas& atlas) {
  for (const PrecisionList& list : atlas.lists) {
    AtlasCell& cell = row.cells.emplace_back();
    const auto names = row.names.find(list.framework);
    if (names == row.names.end()) continue;
    for (const OperationName& name : names->second) {
      for (const ListEntry& entry : list.entries) {
        if (entry.op == name.op) cell.entries.push_back(&entry);
      }
    }
    const auto by_default = atlas.defaults.find(list.framework);
    if (cell.entries.empty() && by_default != atlas.defaults.end()) {
      cell.by_default = by_default->second;
    }
  }
  row.float16 = Agreement(row, atlas, Dtype::kFloat16);
  row.bfloat16 = Agreement(row, atlas, Dtype::kBfloat16);
  if (!atlas.evidence) return;
  for (const Dtype dtype : {Dtype::kFloat16, Dtype::kBfloat16}) {
    for (const MeasuredOperator& measured : atlas.evidence->operators) {
      if (measured.dtype != dtype || !measured.refusal.empty()) continue;
      for (const auto& place : atlas.table.PlacesOf(measured.framework, measured.op)) {
        if (place.row->operation == row.operation) row.measured.push_back(&measured);
      }
    }
  }
}

}  // namespace

bool MakeAtlas(const std::string& evidence, Atlas& atlas, Diagnostics& diagnostics) {
  if (!atlas.table.Read(diagnostics)) return false;
  MakeRows(atlas);
  for (const char* const framework : kFrameworks) {
    const auto dialect = FindDialect(DiskSource(), framework, Reach::kAnywhere, diagnostics);
    if (!dialect) return false;
    if (const auto policy = ParsePolicy(dialect->unlisted_default)) {
      atlas.defaults[framework] = *policy;
    }
    for (const std::string& path : ShippedLists(framework, diagnostics)) {
      std::optional<PrecisionList> list =
          ReadWrittenList(DiskSource(DataDirectory()), path, diagnostics);
      if (!list) return false;
      atlas.columns.push_back(std::string(framework) + ' ' +
                              std::filesystem::path(path).stem().string());
      atlas.lists.push_back(std::move(*list));
    }
  }
  if (diagnostics.has_errors()) return false;  // a folder of lists could not be read
  if (!evidence.empty()) {
    atlas.evidence = ReadEvidence(DiskSource(), evidence, Reach::kAnywhere, diagnostics);
    if (!atlas.evidence) return false;
  }
  for (AtlasRow& row : atlas.rows) Fill(row, atlas);
  return true;
}

}  // namespace opledger
