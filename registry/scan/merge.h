// Facts of all units -> manifest. Commutative, associative, idempotent.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "registry/dialect.h"
#include "registry/manifest.h"
#include "registry/scan/facts.h"
#include "registry/scan/outline.h"

namespace opledger::scan {

class Merge {
 public:
  // `fields`: those to keep; empty: all.
  Merge(const Dialect& dialect, std::set<std::string> fields)
      : dialect_(dialect), wanted_(std::move(fields)) {}

  void Add(const Facts& facts);
  void Add(const AttributeSet& set);
  void Add(Incomplete incomplete) { manifest_.incomplete.push_back(std::move(incomplete)); }
  // Sorted and filtered by the dialect. Of a configuration other than "union" only what exists in
  // it; `defines` (-D) change the configuration, and in the union exclude what contradicts them.
  Manifest Finish(const std::string& configuration, const Defines& defines);

 private:
  // What is known of one operator so far.
  struct Draft {
    Operator op;  // without fields
    std::vector<FieldFact> fields;
  };

  void FillFields(Draft& draft) const;
  void ResolveAttributeSets(std::vector<FieldValue>& values) const;
  void AddDynamic(const Dynamic& dynamic);
  std::string Exemption(const Operator& op) const;
  bool Dropped(const Operator& op) const;

  const Dialect& dialect_;
  std::set<std::string> wanted_;
  Manifest manifest_;
  std::map<std::string, Draft> operators_;
  // Set -> attribute -> allowed values. Sets of one name (in several namespaces) are taken
  // together.
  std::map<std::string, std::map<std::string, std::set<std::string>>> attribute_sets_;
};

}  // namespace opledger::scan
