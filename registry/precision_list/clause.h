// One condition of a conditional entry, on an attribute of a node or on one of its inputs:
//   {"attribute": "act_type", "values": ["selu"], "then": "fp32"}
//   {"attribute": "kernel_shape", "at_least": 3, "then": "target"}
//   {"input": "weight", "property": "dimension 0", "at_most": 16, "then": "fp32"}
//   {"input": 1, "property": "initializer", "values": ["true"], "then": "target"}
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "registry/json/json_fields.h"
#include "registry/precision_list/policy.h"
#include "registry/text/location.h"

namespace opledger {

// It holds if the value is among `values`, or within the closed range. Several clauses of one
// entry are tried in order; the first that holds decides.
struct Clause {
  std::string attribute;  // empty: it is on an input
  std::string input;      // its name, or its index as decimal text
  std::string property;   // of the input: "rank", "elements", "dimension N" or "initializer"
  std::vector<std::string> values;
  std::optional<double> minimum;  // of "range": [minimum, maximum], null = open; of "at_least"
  std::optional<double> maximum;  // of "at_most"
  bool is_range = false;
  Policy then = Policy::kFp32;
  Location location;  // of the name of the attribute or input
  Location then_location;

  // What is compared: "act_type", "rank of input weight".
  std::string Subject() const;
  // All that it says, for comparisons.
  auto Said() const {
    return std::tie(attribute, input, property, values, minimum, maximum, is_range, then);
  }
};

// The fields of an entry that say conditions, in one clause or in "clauses".
inline constexpr const char* kConditionFields[] = {"attribute", "input",    "property", "values",
                                                   "range",     "at_least", "at_most",  "then",
                                                   "otherwise", "clauses"};

// The fields of one clause are taken of `fields`, of the clause or of an entry with one. `ok`
// becomes false, with errors, where something is wrong with them.
Clause ReadClause(const JsonDocument& document, JsonFields& fields, Diagnostics& diagnostics,
                  bool& ok);

// The policy that a field names. False, with an error: none, or 'conditional'.
bool ReadOutcome(const JsonDocument& document, const JsonValue& value, const std::string& field,
                 Policy& policy, Diagnostics& diagnostics);

// What conditions ask of a node.
struct InputFacts {
  std::string name;   // as the operator's signature has it; empty: none of its own
  bool given = true;  // false: the node leaves it out
  bool initializer = false;
  // None: not even their number is known; none in it: that one is not.
  std::optional<std::vector<std::optional<std::int64_t>>> dimensions;
};
struct NodeFacts {
  std::map<std::string, std::string> attributes;  // a list as "[3, 3]" or "(3, 3)"
  std::vector<InputFacts> inputs;

  const InputFacts* Find(std::string_view input) const;  // by name or index; nullptr: left out
};

enum class ClauseAnswer { kNo, kYes, kUnknown };

// kUnknown: it is on a shape that is not known. `value`: what was compared, "kernel_shape = [3,
// 3]", or what is not known. A list is within a range if each of its numbers is.
ClauseAnswer AskClause(const Clause& clause, const NodeFacts& facts, std::string& value);

}  // namespace opledger
