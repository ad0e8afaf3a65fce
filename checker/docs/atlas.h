// The atlas: the policies of all shipped lists for the same operation, side by side. Names are
// aligned by the table registry/atlas/operations.json, which gives the source of each alignment.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "checker/findings/evidence.h"
#include "checker/findings/operation_table.h"
#include "registry/precision_list/precision_list.h"

namespace opledger {

// The entries of one list for the operators that implement an operation.
struct AtlasCell {
  std::vector<const ListEntry*> entries;
  // The default of the framework, if it has the operation but the list has no entry.
  std::optional<Policy> by_default = std::nullopt;
};

// How far lists of one type agree. `widest` and `either` count as the same: both leave an operator
// in the type of its inputs.
struct AtlasAgreement {
  std::string most;                  // "target", "fp32", "as its inputs", or "split"
  int with = 0;                      // lists that agree with it
  int of = 0;                        // lists with an entry
  std::vector<std::string> dissent;  // columns of the other lists
};

struct AtlasRow {
  std::string operation;
  std::map<std::string, std::vector<OperationName>> names;  // by framework
  std::vector<AtlasCell> cells;                             // in the order of Atlas::columns
  AtlasAgreement float16;
  AtlasAgreement bfloat16;
  std::vector<const MeasuredOperator*> measured;
};

struct Atlas {
  std::vector<std::string> columns;        // such as "pytorch float16-cuda"
  std::vector<PrecisionList> lists;        // one for each column
  std::map<std::string, Policy> defaults;  // of operators without an entry, by framework
  OperationTable table;
  std::vector<AtlasRow> rows;
  std::optional<Evidence> evidence;
};

// Reads the shipped lists and the table, and measurements from the file `evidence` unless it is "".
// Returns false, with errors, if one of them cannot be read.
bool MakeAtlas(const std::string& evidence, Atlas& atlas, Diagnostics& diagnostics);

}  // namespace opledger
