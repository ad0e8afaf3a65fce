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
  Location location;  // the name in the source, otherwise the macro call
  Location call;      // the outermost macro call, or the sink itself
  std::string macro;  // the macro called there
  Condition condition;
  bool unreachable = false;  // whether its code never runs

  // Unreachable sites come last, so that the first is an actual registration.
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

// The result of one chain call: {key "FCompute<cpu>", value "UnaryOp::Compute<cpu, relu>"}.
struct FieldValue {
  std::string key;    // may be empty
  std::string value;  // token text with single spaces where needed; {...} for braces
  Condition condition;
  Details details = {};    // {"option", "Variadic"}: as named by the dialect
  Location location = {};  // where it is added to an operator registered elsewhere

  auto Key() const { return std::tie(key, value, details, condition.text(), location); }
  bool operator==(const FieldValue& other) const { return Key() == other.Key(); }
  bool operator<(const FieldValue& other) const { return Key() < other.Key(); }
};

// Field -> its values, in the order of the chain calls.
using Fields = std::map<std::string, std::vector<FieldValue>>;

// An operator as of an earlier version, for frameworks that keep earlier versions.
struct OperatorVersion {
  int since = 0;
  std::vector<Site> sites;  // sorted
  Fields fields;
};

// The reason for exempting operators that are registered only by code that never runs.
inline constexpr const char* kUnreachable = "unreachable";

struct Operator {
  std::string name;
  std::string exempt;           // name of the dialect's filter that exempts it from classification,
                                // kUnreachable or ""
  std::vector<Site> sites;      // sorted
  std::vector<Alias> aliases;   // sorted
  Fields fields;                // "num_inputs", "type_inference", ...
  std::vector<Kernel> kernels;  // sorted
  int since = 0;                // the version of sites and fields; 0: not versioned
  std::vector<OperatorVersion> earlier;  // older versions, ascending

  // Returns whether the operator is registered only by code that never runs.
  bool IsUnreachable() const;
  // Returns whether the operator exists in the configuration: the condition of some site is true or
  // open.
  bool ExistsIn(const Configuration& configuration) const;
  // Returns whether the operator exists in any configuration.
  bool CanExist() const;
};

// The stage of incomplete records about a precision list that the framework maintains itself.
inline constexpr const char* kListStage = "list";

// A registration, or a whole file, that could not be read. The scan is then incomplete: exit status
// 3.
struct Incomplete {
  Location location;
  std::string stage;   // "registration", "file", "worker", ...
  std::string detail;  // the problem and the remedy

  auto operator<=>(const Incomplete&) const = default;
};

// A registration with a computed name that the dialect explains.
struct DynamicRegistration {
  Location location;
  std::string expression;
  std::string reason;

  auto operator<=>(const DynamicRegistration&) const = default;
};

// An operator that is in the sources but not in the manifest's configuration.
struct AbsentOperator {
  std::string name;
  Location location;  // of its first site
  Condition condition;

  auto Key() const { return std::tie(name, location, condition.text()); }
  bool operator==(const AbsentOperator& other) const { return Key() == other.Key(); }
  bool operator<(const AbsentOperator& other) const { return Key() < other.Key(); }
};

// A value that a registration adds to an operator that is not registered, usually because of a
// misspelled name.
struct UnmatchedValue {
  std::string op;
  std::string field;
  FieldValue value;

  auto Key() const { return std::tie(op, field, value); }
  bool operator==(const UnmatchedValue& other) const { return Key() == other.Key(); }
  bool operator<(const UnmatchedValue& other) const { return Key() < other.Key(); }
};

// "#ifndef MACRO / #define MACRO 0": the default in the sources for a macro that the build does not
// define.
struct MacroDefault {
  std::string macro;
  Location location;

  auto operator<=>(const MacroDefault&) const = default;
};

// A name passed to an unrecognized registry.
struct GivenName {
  std::string name;
  Location location;
};

// A macro or function that is used like a registration but reaches no sink.
struct UnrecognizedRegistry {
  std::string kind;                 // "macro", "YAML key"
  std::string name;                 // of the macro, function, class, decorator or key
  std::string dialect;              // the shipped dialect that has it as a sink; empty: none
  int names = 0;                    // number of distinct names
  std::vector<GivenName> examples;  // the first names, by location

  auto Key() const { return std::tie(kind, name); }
  bool operator<(const UnrecognizedRegistry& other) const { return Key() < other.Key(); }
};

struct Manifest {
  std::string dialect;
  std::string configuration;  // the configuration that it was filtered by; "union": not filtered
  Configurations configurations;
  std::string default_configuration;
  std::vector<MacroDefault> defaults;  // sorted; macros in conditions that some build leaves open
  Relations relations;
  std::vector<Operator> operators;        // sorted by name
  std::vector<AbsentOperator> absent;     // sorted; excludes exempt operators
  std::vector<UnmatchedValue> unmatched;  // sorted; values that have their own location
  std::vector<DynamicRegistration> dynamic;
  std::vector<Incomplete> incomplete;
  std::vector<UnrecognizedRegistry> unrecognized;  // sorted; packed, but not written to files
  int files = 0;                                   // number of translation units read
  std::string text;                                // contents of the file; set only by the reader

  // Returns the operator whose primary name this is, or nullptr.
  const Operator* Find(std::string_view name) const;
  // Returns whether everything was read. Only then does the absence of an operator mean that it
  // does not exist.
  bool IsWhole() const { return incomplete.empty(); }
  // Returns what is known about a build: its configuration, plus macros that are undefined because
  // they have a default in the sources and the configuration does not name them. Returns nullopt if
  // there is no such configuration, as for "union".
  std::optional<Configuration> KnownOf(const std::string& configuration) const;
};

// Returns canonical JSON: equal manifests give equal bytes.
std::string WriteManifest(const Manifest& manifest);

// Return nullopt, with an error, if the file cannot be read or is not a manifest.
std::optional<Manifest> ReadManifest(const Source& source, const std::string& path,
                                     Diagnostics& diagnostics);
std::optional<Manifest> ParseManifest(std::string path, std::string text, Diagnostics& diagnostics);

// Returns everything but the text as bytes, for the cache and for exchange between opledger's
// programs. Ten times cheaper than JSON. Both sides must be the same build; never stored by users.
std::string PackManifest(const Manifest& manifest);

// Returns nullopt if the bytes were not written by PackManifest of this version.
std::optional<Manifest> UnpackManifest(std::string_view bytes);

}  // namespace opledger
