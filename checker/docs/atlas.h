// The atlas: what every shipped list says of the same operation, side by side. Names are aligned by
// the table registry/atlas/operations.json, which says what each alignment rests on.
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

// What one list says of an operation: of each operator that is it.
struct AtlasCell {
  std::vector<const ListEntry*> entries;
  // What the framework does without an entry, where it has the operation and the list none.
  std::optional<Policy> by_default = std::nullopt;
};

// How lists of one type stand to each other. `widest` and `either` count as one: both leave an
// operator in the type that its inputs have.
struct AtlasAgreement {
  std::string most;                  // "target", "fp32", "as its inputs", or "split"
  int with = 0;                      // lists that say so
  int of = 0;                        // lists that say anything
  std::vector<std::string> dissent;  // columns of the others
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
  std::vector<std::string> columns;        // "pytorch float16-cuda"
  std::vector<PrecisionList> lists;        // one for each column
  std::map<std::string, Policy> defaults;  // of operators without an entry, by framework
  OperationTable table;
  std::vector<AtlasRow> rows;
  std::optional<Evidence> evidence;
};

// Of the shipped lists and table; `evidence`: a file of measurements, or empty. False,
// with errors, where one of them cannot be read.
bool MakeAtlas(const std::string& evidence, Atlas& atlas, Diagnostics& diagnostics);

}  // namespace opledger
