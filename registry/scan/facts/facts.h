// Facts: what one translation unit registers. They are a pure function of the tool, the dialect,
// the flags and the bytes read. Facts files (facts_file.h) hold what some files of a tree
// contribute to the manifest.
// May include: registry/dialect, registry/files, registry/json, registry/manifest,
// registry/project, registry/scan/cache, registry/scan/ledger, registry/scan/outline,
// registry/scan/tree, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "registry/manifest/manifest.h"
#include "registry/scan/cache/digest.h"
#include "registry/scan/ledger/ledger.h"

namespace opledger::scan {

// If kernels are only compiled in if a table names them: the detail of a kernel, and the field of
// its operator, that hold the name in the table.
inline constexpr std::string_view kTableKey = "table";

// The detail of a kernel that names the function or class that determines its element types.
// Merging replaces it with these types.
inline constexpr std::string_view kFunctionOfKernel = "function";

// One statement about the operator, made by a method of the chain.
struct FieldFact {
  std::string field;
  // Index among the facts of the same field in the chain, to keep the order of arguments.
  int order = 0;
  FieldValue value;

  bool operator==(const FieldFact& other) const {
    return field == other.field && order == other.order && value == other.value;
  }
  bool operator<(const FieldFact& other) const {
    return std::tie(field, order, value) < std::tie(other.field, other.order, other.value);
  }
};

// A method call in the chain from which merging evaluates fields (chain_fields.h).
struct MethodCall {
  std::string method;
  // Tokens separated by spaces; arguments that are not needed are empty.
  std::vector<std::string> arguments;
  Condition condition;

  auto Key() const { return std::tie(method, arguments, condition.text()); }
  bool operator==(const MethodCall& other) const { return Key() == other.Key(); }
};

struct Registration {
  std::string name;
  int version = 0;    // of the operator, if the framework numbers versions
  bool adds = false;  // adds to an operator that is registered elsewhere
  Site site;
  std::vector<Alias> aliases;
  std::vector<FieldFact> fields;
  std::vector<MethodCall> calls;  // in the order of the chain
  std::vector<Kernel> kernels;
};

// A registration whose name is not a constant.
struct Dynamic {
  Location location;
  std::string expression;
  std::string why;  // why it could not be evaluated; empty if that was not attempted

  auto operator<=>(const Dynamic&) const = default;
};

// A leading name in a header that is read for the unit but is not a unit itself. Another unit may
// account for what this one does not.
struct HeaderMention {
  Location location;
  std::string name;
  bool read = false;

  auto operator<=>(const HeaderMention&) const = default;
};

// A header that the unit tests with __has_include, and the file that was found.
struct AskedHeader {
  std::string from;  // path in the tree of the file with the test
  std::string target;
  bool angled = false;
  std::string found;  // its path; empty if it was not found

  auto operator<=>(const AskedHeader&) const = default;
};

struct Facts {
  std::vector<Registration> registrations;
  std::vector<Dynamic> dynamic;
  std::vector<Incomplete> incomplete;
  Balance balance;  // of the unit's own text
  std::vector<HeaderMention> header_mentions;
  std::vector<MacroDefault> defaults;  // defaults of macros in the unit's conditions
  std::vector<std::string> looked_up;  // identifiers that the facts depend on (unit_plan.h)
  Digest meaning;                      // digest of their definitions
  // If all headers were read, what the facts depend on besides their bytes.
  std::vector<AskedHeader> asked;
  bool full_headers = false;  // all headers were read, so the facts depend on all their bytes
  bool uncacheable = false;   // the facts also depend on files without an outline

  // Returns whether the unit, whose path is `path`, defines a default itself.
  bool HasOwnDefault(std::string_view path) const;
  // Sorts, removes duplicates, and merges registrations of the same site.
  void Normalise();
};

// ParseFacts returns nullopt if the bytes are damaged.
std::string SerializeFacts(const Facts& facts);
std::optional<Facts> ParseFacts(std::string_view bytes);

}  // namespace opledger::scan
