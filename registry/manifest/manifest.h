// The manifest: every operator of a framework, merged from the facts of all translation units.
// File: operators.json, schemas/operators.schema.json. In: that file, or records. Out: the same.
// May include: registry/condition, registry/dialect, registry/files, registry/json, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "registry/condition/configuration.h"
#include "registry/dialect/relations.h"
#include "registry/manifest/kernel.h"
#include "registry/text/diagnostics.h"
#include "registry/text/location.h"

namespace opledger {

// One place that registers the operator.
struct Site {
  Location location;  // the name as written there, else the macro call
  Location call;      // the outermost macro call, or the sink itself
  std::string macro;  // the macro called there
  Condition condition;
  bool unreachable = false;  // its code never runs

  // Unreachable ones come last, so that the first is where it is registered.
  auto Key() const { return std::tie(unreachable, location, call, macro, condition.text()); }
  bool operator==(const Site& other) const { return Key() == other.Key(); }
  bool operator<(const Site& other) const { return Key() < other.Key(); }
};

struct Alias {
  std::string name;
  Location location;
  Condition condition;

  auto Key() const { return std::tie(name, location, condition.text()); }
  bool operator==(const Alias& other) const { return Key() == other.Key(); }
  bool operator<(const Alias& other) const { return Key() < other.Key(); }
};

using Details = std::map<std::string, std::string, std::less<>>;

// What one chain call says: {key "FCompute<cpu>", value "UnaryOp::Compute<cpu, relu>"}.
struct FieldValue {
  std::string key;    // may be empty
  std::string value;  // token text with single spaces where needed; {...} for braces
  Condition condition;
  Details details = {};    // {"option", "Variadic"}: what the dialect names
  Location location = {};  // where it is added to an operator that is registered elsewhere

  auto Key() const { return std::tie(key, value, details, condition.text(), location); }
  bool operator==(const FieldValue& other) const { return Key() == other.Key(); }
  bool operator<(const FieldValue& other) const { return Key() < other.Key(); }
};

// Field -> its values in the order of the chain that gives them.
using Fields = std::map<std::string, std::vector<FieldValue>>;

// An operator as it was from one version on, for frameworks that keep the older ones.
struct OperatorVersion {
  int since = 0;
  std::vector<Site> sites;  // sorted
  Fields fields;
};

// What exempts operators that only code registers which never runs.
inline constexpr const char* kUnreachable = "unreachable";

struct Operator {
  std::string name;
  std::string exempt;           // name of the dialect's filter that says it needs no class,
                                // kUnreachable or ""
  std::vector<Site> sites;      // sorted
  std::vector<Alias> aliases;   // sorted
  Fields fields;                // "num_inputs", "type_inference", ...
  std::vector<Kernel> kernels;  // sorted
  int since = 0;                // the version that sites and fields are of; 0: it has none
  std::vector<OperatorVersion> earlier;  // older versions, ascending

  // Whether no code that registers it ever runs.
  bool IsUnreachable() const;
  // Whether it exists: some site's condition holds there, or may.
  bool ExistsIn(const Configuration& configuration) const;
  // Whether it exists in some configuration at all.
  bool CanExist() const;
};

// The stage of incomplete records about a precision list that the framework keeps itself.
inline constexpr const char* kListStage = "list";

// A registration, or a whole file, that could not be read. The scan is then incomplete: exit 3.
struct Incomplete {
  Location location;
  std::string stage;   // "registration", "file", "worker", ...
  std::string detail;  // what is the matter, and the remedy

  auto operator<=>(const Incomplete&) const = default;
};

// A registration with a computed name that the dialect knows and explains.
struct DynamicRegistration {
  Location location;
  std::string expression;
  std::string reason;

  auto operator<=>(const DynamicRegistration&) const = default;
};

// An operator of the sources that the configuration a manifest is of does not have.
struct AbsentOperator {
  std::string name;
  Location location;  // of its first site
  Condition condition;

  auto Key() const { return std::tie(name, location, condition.text()); }
  bool operator==(const AbsentOperator& other) const { return Key() == other.Key(); }
  bool operator<(const AbsentOperator& other) const { return Key() < other.Key(); }
};

// What a registration adds to an operator that no source registers: a misspelled name, mostly.
struct UnmatchedValue {
  std::string op;
  std::string field;
  FieldValue value;

  auto Key() const { return std::tie(op, field, value); }
  bool operator==(const UnmatchedValue& other) const { return Key() == other.Key(); }
  bool operator<(const UnmatchedValue& other) const { return Key() < other.Key(); }
};

// "#ifndef MACRO / #define MACRO 0": what the sources take a macro to be that no build names.
struct MacroDefault {
  std::string macro;
  Location location;

  auto operator<=>(const MacroDefault&) const = default;
};

// A name that something is given.
struct GivenName {
  std::string name;
  Location location;
};

// Something that is given names where registrations stand, and leads to no sink.
struct UnrecognizedRegistry {
  std::string kind;                 // "macro", "YAML key"
  std::string name;                 // of the macro, function, class, decorator or key
  std::string dialect;              // the shipped one of which it is a sink; empty: of none
  int names = 0;                    // how many different ones it is given
  std::vector<GivenName> examples;  // the first of these, by place

  auto Key() const { return std::tie(kind, name); }
  bool operator<(const UnrecognizedRegistry& other) const { return Key() < other.Key(); }
};

struct Manifest {
  std::string dialect;
  std::string configuration;  // the one it was filtered by; "union": none
  Configurations configurations;
  std::string default_configuration;
  std::vector<MacroDefault>
      defaults;  // sorted; of macros in conditions that some build leaves open
  Relations relations;
  std::vector<Operator> operators;        // sorted by name
  std::vector<AbsentOperator> absent;     // sorted; without exempt ones
  std::vector<UnmatchedValue> unmatched;  // sorted; of values that have a place of their own
  std::vector<DynamicRegistration> dynamic;
  std::vector<Incomplete> incomplete;
  std::vector<UnrecognizedRegistry> unrecognized;  // sorted; packed, but in no file
  int files = 0;                                   // translation units looked at
  std::string text;                                // the bytes read; set by the reader only

  const Operator* Find(std::string_view name) const;
  // Whether all was read: only then is an operator that is not here not there.
  bool IsWhole() const { return incomplete.empty(); }
  // What is known of that build: what the configuration says, and that macros with a default in the
  // sources which it does not name are not defined. None: there is no such configuration, as of
  // "union".
  std::optional<Configuration> KnownOf(const std::string& configuration) const;
};

// Canonical JSON: same manifest, same bytes.
std::string WriteManifest(const Manifest& manifest);

std::optional<Manifest> ReadManifest(const Source& source, const std::string& path,
                                     Diagnostics& diagnostics);
std::optional<Manifest> ParseManifest(std::string path, std::string text, Diagnostics& diagnostics);

// The manifest as bytes between our own programs and in the cache, ten times cheaper than JSON:
// everything but its text. Only for the same build on both sides; never kept by users.
std::string PackManifest(const Manifest& manifest);

// None where the bytes are not what PackManifest of this version wrote.
std::optional<Manifest> UnpackManifest(std::string_view bytes);

}  // namespace opledger
