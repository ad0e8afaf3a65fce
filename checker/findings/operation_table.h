// The table registry/atlas/operations.json: which operators of frameworks are one operation, and
// what each alignment of names rests on.
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

// The framework of our own kernels: each operation has the name that its kernel has.
inline constexpr const char* kOwnFramework = "opledger";

struct OperationName {
  std::string framework;
  std::string op;
  std::string by;      // what the alignment rests on: a key of OperationTable::sources
  std::string partly;  // which calls of it are the operation; empty: all
};

struct OperationRow {
  std::string operation;
  std::vector<OperationName> names;

  bool HasFramework(std::string_view framework) const;
};

class OperationTable {
 public:
  // False, with errors, where the table cannot be read.
  bool Read(Diagnostics& diagnostics);

  const std::vector<OperationRow>& rows() const { return rows_; }
  // What an alignment may rest on: key -> what it means.
  const std::vector<std::pair<std::string, std::string>>& sources() const { return sources_; }
  // The framework as its authors write it ("MXNet").
  const std::string& Shown(const std::string& framework) const;

  // The places where an operator stands, in the order of the rows; one of ours has its kernel's
  // name. Each points into the table.
  struct Place {
    const OperationRow* row = nullptr;
    const OperationName* name = nullptr;  // nullptr: one of ours
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
