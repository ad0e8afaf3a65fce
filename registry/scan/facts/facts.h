// Facts: what one translation unit registers, a pure function of the tool, the dialect, the flags
// and the bytes read; and their files (facts_file.h), which hold what some files of a tree
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

// Where kernels are only compiled in that a table names: the detail of a kernel, and the field of
// its operator, that hold by what it is named there.
inline constexpr std::string_view kTableKey = "table";

// The detail of a kernel that names the function or class whose element types are its own; merging
// replaces it by them.
inline constexpr std::string_view kFunctionOfKernel = "function";

// One statement about the operator, made by a method of the chain.
struct FieldFact {
  std::string field;
  int order = 0;  // the how manieth of its field in the chain: arguments keep their order
  FieldValue value;

  bool operator==(const FieldFact& other) const {
    return field == other.field && order == other.order && value == other.value;
  }
  bool operator<(const FieldFact& other) const {
    return std::tie(field, order, value) < std::tie(other.field, other.order, other.value);
  }
};

// What a method of the chain was given, where evaluation makes fields of it (chain_fields.h).
struct MethodCall {
  std::string method;
  std::vector<std::string> arguments;  // as tokens with blanks; those nobody needs are empty
  Condition condition;

  auto Key() const { return std::tie(method, arguments, condition.text()); }
  bool operator==(const MethodCall& other) const { return Key() == other.Key(); }
};

struct Registration {
  std::string name;
  int version = 0;    // of the operator, where the framework counts them
  bool adds = false;  // to an operator that is registered elsewhere
  Site site;
  std::vector<Alias> aliases;
  std::vector<FieldFact> fields;
  std::vector<MethodCall> calls;  // in the order of the chain
  std::vector<Kernel> kernels;
};

// A registration whose name is no constant.
struct Dynamic {
  Location location;
  std::string expression;
  std::string why;  // it could not be evaluated; empty: that was not tried

  auto operator<=>(const Dynamic&) const = default;
};

// A leading name in a header that the unit reads but that is no unit of its own. What one unit does
// not account for another may.
struct HeaderMention {
  Location location;
  std::string name;
  bool read = false;

  auto operator<=>(const HeaderMention&) const = default;
};

// A header that a unit asked for by __has_include, and which file it was.
struct AskedHeader {
  std::string from;  // the file that asked, as SourceTree has paths
  std::string target;
  bool angled = false;
  std::string found;  // its path; empty: there was none

  auto operator<=>(const AskedHeader&) const = default;
};

struct Facts {
  std::vector<Registration> registrations;
  std::vector<Dynamic> dynamic;
  std::vector<Incomplete> incomplete;
  Balance balance;  // of the unit's own text
  std::vector<HeaderMention> header_mentions;
  std::vector<MacroDefault> defaults;  // of macros in its conditions
  std::vector<std::string> looked_up;  // identifiers the facts depend on (unit_plan.h)
  Digest meaning;                      // what they meant
  std::vector<AskedHeader> asked;  // with all headers, what the facts depend on beside their bytes
  bool full_headers = false;       // read with all headers, so it depends on all their bytes
  bool uncacheable = false;        // it also depends on files without outline

  // Whether a default counts that `path`, the unit, says itself.
  bool HasOwnDefault(std::string_view path) const;
  // Sorted, repetitions gone, registrations of one site made one.
  void Normalise();
};

std::string SerializeFacts(const Facts& facts);
std::optional<Facts> ParseFacts(std::string_view bytes);

}  // namespace opledger::scan
