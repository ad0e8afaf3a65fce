// The table registry/atlas/operations.json: which operators of different frameworks are the same
// operation, and the source of each alignment.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "registry/text/diagnostics.h"

namespace opledger {

// The framework name of opledger's own kernels, which have the names of operations.
inline constexpr const char* kOwnFramework = "opledger";

struct OperationName {
  std::string framework;
  std::string op;
  std::string by;      // source of the alignment: a key of OperationTable::sources()
  std::string partly;  // which calls of it are the operation; empty: all
};

struct OperationRow {
  std::string operation;
  std::vector<OperationName> names;
};

class OperationTable {
 public:
  // Returns false, with errors, if the table cannot be read.
  bool Read(Diagnostics& diagnostics);

  const std::vector<OperationRow>& rows() const { return rows_; }
  // Sources of alignments: key and description.
  const std::vector<std::pair<std::string, std::string>>& sources() const { return sources_; }
  // Returns the name of the framework as its authors write it, such as "MXNet".
  const std::string& Shown(const std::string& framework) const;

  // Returns the rows with this operator, in the order of the table. An operator of opledger has the
  // name of its kernel. The pointers are into the table.
  struct Place {
    const OperationRow* row = nullptr;
    const OperationName* name = nullptr;  // nullptr: opledger's own operator
  };
  const std::vector<Place>& PlacesOf(const std::string& framework, const std::string& op) const;

 private:
  void IndexNames();

  std::vector<std::pair<std::string, std::string>> sources_;
  std::map<std::string, std::string> frameworks_;
  std::vector<OperationRow> rows_;
  std::unordered_map<std::string, std::vector<Place>> places_;
};

}  // namespace opledger
