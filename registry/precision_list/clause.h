// A condition of a conditional entry, on an attribute of a node or on one of its inputs:
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

// A clause holds if the value is one of `values` or inside the closed range. The clauses of an
// entry are tried in order; the first that holds decides.
struct Clause {
  std::string attribute;  // empty: the clause tests an input
  std::string input;      // name, or index as decimal text
  std::string property;   // of the input: "rank", "elements", "dimension N" or "initializer"
  std::vector<std::string> values;
  // From "range": [minimum, maximum], where null is open, or from "at_least".
  std::optional<double> minimum;
  std::optional<double> maximum;  // from "range" or "at_most"
  bool is_range = false;
  Policy then = Policy::kFp32;
  Location location;  // of the attribute or input name
  Location then_location;

  // Returns what is compared: "act_type", "rank of input weight".
  std::string Subject() const;
  // Returns all fields except locations, for comparisons.
  auto Said() const {
    return std::tie(attribute, input, property, values, minimum, maximum, is_range, then);
  }
};

// The fields of an entry that express conditions, in one clause or in "clauses".
inline constexpr const char* kConditionFields[] = {"attribute", "input",    "property", "values",
                                                   "range",     "at_least", "at_most",  "then",
                                                   "otherwise", "clauses"};

// Reads a clause from `fields`, which belong to the clause or to an entry with a single clause.
// Reports errors and sets `ok` to false if the clause is invalid.
Clause ReadClause(const JsonDocument& document, JsonFields& fields, Diagnostics& diagnostics,
                  bool& ok);

// Reads the policy that a field names. Reports an error and returns false for an invalid policy or
// 'conditional'.
bool ReadOutcome(const JsonDocument& document, const JsonValue& value, const std::string& field,
                 Policy& policy, Diagnostics& diagnostics);

// The facts about a node that conditions test.
struct InputFacts {
  std::string name;   // from the operator's signature; may be empty
  bool given = true;  // whether the node has this input
  bool initializer = false;
  // nullopt: the rank is unknown; nullopt inside: that dimension is unknown.
  std::optional<std::vector<std::optional<std::int64_t>>> dimensions;
};
struct NodeFacts {
  std::map<std::string, std::string> attributes;  // lists are "[3, 3]" or "(3, 3)"
  std::vector<InputFacts> inputs;

  const InputFacts* Find(std::string_view input) const;  // by name or index; nullptr if not given
};

enum class ClauseAnswer { kNo, kYes, kUnknown };

// Evaluates a clause. Returns kUnknown if it depends on an unknown shape. Sets `value` to what was
// compared ("kernel_shape = [3, 3]") or to what is unknown. A list is in a range if all its numbers
// are.
ClauseAnswer AskClause(const Clause& clause, const NodeFacts& facts, std::string& value);

}  // namespace opledger
