// A precision list: the policy of every operator for one framework and one 16-bit type.
//   {"framework": "mxnet", "target_dtype": "float16", "configuration": "gpu",
//    "target": ["Convolution"], "fp32": [{"op": "exp", "reason": "numeric"}],
//    "conditional": [{"op": "LeakyReLU", "attribute": "act_type", "values": ["selu"],
//                     "then": "fp32", "otherwise": "either"}]}
// In: that file (schemas/precision-list.schema.json). Out: entries; resolve.h: the label of a node.
// May include: registry/condition, registry/json, registry/source, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "registry/condition/condition.h"
#include "registry/json/json.h"
#include "registry/precision_list/clause.h"
#include "registry/precision_list/derived_from.h"
#include "registry/precision_list/naming_file.h"
#include "registry/precision_list/policy.h"
#include "registry/source/source.h"
#include "registry/text/dtype.h"
#include "registry/text/interned.h"

namespace opledger {

struct ListEntry {
  std::string op;
  Policy policy = Policy::kEither;
  InternedString reason;  // "", "numeric", "no-kernel", "loss" or "structure"
  std::string note;
  std::optional<Dtype> accumulate;
  std::optional<Dtype> output;                // the type of its output while it runs in 16 bits
  std::vector<std::string> keep_fp32_inputs;  // names, or indices as decimal text
  InternedString evidence;
  std::vector<Clause> clauses;         // of conditional entries
  Policy otherwise = Policy::kEither;  // of conditional entries
  Location location;                   // of the operator's name, quotes included
  Span item;                           // the whole array item in its file
  InternedString source;  // the framework's own list that contains it; empty: an entry of this file
  Condition condition;    // of the row in that list: the condition on the build
};

// One of the framework's own lists, from which a precision list is derived.
struct SourceList {
  InternedString name;  // "FP32_FUNCS"; for registrations, the place that contains them
  Policy policy = Policy::kEither;
  Location location;  // of the name, where it is defined
};

// An entry that is no longer in the file that the list is derived from, and why.
struct RemovedEntry {
  std::string op;
  Policy policy = Policy::kFp32;  // its former policy
  std::string note;
  Location location;
};

// An entry of the list's own file that contradicts the framework's list.
struct OverriddenEntry {
  ListEntry entry;
  ListEntry row;  // takes effect
};

// An operator that the sources cast to a fixed type, even if autocast uses another.
struct FixedCast {
  std::string op;
  std::string dtype;
  Location location;
  Condition condition;
};

// Nodes to which a list gives a policy by name.
struct NodePolicy {
  const char* field;  // "target_nodes"
  Policy policy;
  const std::vector<std::string>* names;
};

struct PrecisionList {
  std::string path;  // as shown
  std::string framework;
  Dtype target_dtype = Dtype::kFloat16;
  std::string device;         // may be empty
  std::string configuration;  // may be empty: the dialect's default
  std::string extends;        // path relative to this file; may be empty
  // The policy that the framework applies to operators without an entry; nullopt: every operator
  // needs an entry.
  std::optional<Policy> unlisted;
  bool says_unlisted = false;        // in this file; otherwise the base's value applies
  std::vector<std::string> bases;    // paths of the lists that it extends, directly or indirectly
  std::vector<ListEntry> entries;    // of this file, in file order
  std::vector<ListEntry> inherited;  // entries of the bases that no entry of this file replaces
  // Globs of operators that other sources may register. Their entries are not stale here.
  std::vector<std::string> registered_elsewhere;
  // Nodes of a model by name: those that stay in float32, and those with another policy regardless
  // of their operators' entries.
  std::vector<std::string> fp32_nodes;
  std::vector<std::string> target_nodes;
  std::vector<std::string> widest_nodes;
  std::vector<std::string> either_nodes;
  std::optional<std::int64_t> opset;  // of the model that contains these nodes
  // Where the framework maintains the list; empty: this file has all entries. The rows found there
  // become `entries` before those of this file (registry/list_source/derive.h).
  std::vector<ListOrigin> derived_from;
  std::vector<ListEntry> annotations;         // what this file adds to these rows
  std::vector<ListEntry> unused_annotations;  // those without a row
  std::vector<RemovedEntry> removed;
  bool complete = false;  // the file must not have entries without a row
  // The list that it extends, if any list in the chain is derived.
  std::shared_ptr<PrecisionList> base;
  std::vector<SourceList> source_lists;  // in the order in which they were read
  std::vector<OverriddenEntry> overridden;
  std::vector<ListEntry> unsourced;  // if `complete`: entries of this file without a row
  bool whole = true;                 // false if part of the sources of the list could not be read
  // Path -> text of the files that contain the rows.
  std::map<InternedString, std::shared_ptr<const std::string>> source_texts;
  // Pages and tests of the framework that name operators, and the operators they name (read by
  // registry/list_source/names).
  std::vector<NamingFile> documented_in;
  std::vector<NamingFile> tested_in;
  std::vector<NamedOperators> documented;
  std::vector<NamedOperators> tested;
  // The policy that the framework actually applies to operators without an entry, regardless of
  // `unlisted`; nullopt: unknown.
  std::optional<Policy> runs_unlisted;
  // Operators that have kernels, but none for `device`. They need no entry.
  std::set<std::string> without_kernel;
  // Operators with an autocast rule whose casts are unknown: neither classified nor unclassified.
  std::set<std::string> undecided;
  std::string rule_text;  // code that gives an operator a policy in the sources; contains "{name}"
  // Operators that the sources cast to a type other than `target_dtype`.
  std::vector<FixedCast> other_type;
  // The text of the file and its tree, in which arrays of entries have only their first item.
  JsonDocument document;

  // Returns "float16", or "float16-cpu" with a device, for messages.
  std::string Label() const;
  // Returns all node policies except 'fp32', with their fields.
  std::vector<NodePolicy> NodePolicies() const;
  // Returns whether this list or one that it extends is derived from the framework's sources.
  bool IsDerived() const { return !derived_from.empty() || base != nullptr; }
};

// Returns the possible values of an entry's `reason`.
const std::vector<std::string>& ReasonNames();

// Reads a list and those that it extends. A base outside the source's root and a cycle are errors.
// Duplicate operators are not errors here; the checker finds them.
std::optional<PrecisionList> ReadPrecisionList(const Source& source, const std::string& path,
                                               Diagnostics& diagnostics);

// Like ReadPrecisionList, without sources from which entries could be derived: a derived list is an
// error.
std::optional<PrecisionList> ReadWrittenList(const Source& source, const std::string& path,
                                             Diagnostics& diagnostics);

// Sets the inherited entries of `list`: those of `base` that it does not name itself.
void InheritEntries(const PrecisionList& base, PrecisionList& list);

// Like ReadPrecisionList, but does not follow `extends`.
std::optional<PrecisionList> ReadListAlone(const Source& source, const std::string& path,
                                           Reach reach, Diagnostics& diagnostics);

// Like ReadListAlone, for text in memory.
std::optional<PrecisionList> ParsePrecisionList(std::string path, std::string text,
                                                Diagnostics& diagnostics);

}  // namespace opledger
