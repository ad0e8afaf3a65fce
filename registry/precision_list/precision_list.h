// A precision list: for one framework and one 16-bit type, the policy of every operator.
//   {"framework": "mxnet", "target_dtype": "float16", "configuration": "gpu",
//    "target": ["Convolution"], "fp32": [{"op": "exp", "reason": "numeric"}],
//    "conditional": [{"op": "LeakyReLU", "attribute": "act_type", "values": ["selu"],
//                     "then": "fp32", "otherwise": "either"}]}
// In: that file (schemas/precision-list.schema.json). Out: entries; resolve.h: what a node must be.
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
  std::optional<Dtype> output;                // the type of what it gives while it runs in 16 bits
  std::vector<std::string> keep_fp32_inputs;  // names, or indices as decimal text
  InternedString evidence;
  std::vector<Clause> clauses;         // of a conditional entry
  Policy otherwise = Policy::kEither;  // of a conditional entry
  Location location;                   // of the operator's name, quotes included
  Span item;                           // the whole array item in its file
  InternedString source;  // the framework's own list that has it; empty: an entry of this file
  Condition condition;    // of the row there: what the build must be
};

// One of the framework's own lists, as the file holds it that a precision list is derived from.
struct SourceList {
  InternedString name;  // "FP32_FUNCS"; of registrations, what they stand in
  Policy policy = Policy::kEither;
  Location location;  // of the name, where it is defined
};

// An entry that is gone from the file that the list is derived from, and why.
struct RemovedEntry {
  std::string op;
  Policy policy = Policy::kFp32;  // that it had
  std::string note;
  Location location;
};

// An entry of the list's own file that the framework's list contradicts.
struct OverriddenEntry {
  ListEntry entry;
  ListEntry row;  // which holds
};

// An operator that the sources cast to one type, also where autocast is in another.
struct FixedCast {
  std::string op;
  std::string dtype;
  Location location;
  Condition condition;
};

// Nodes that a list has by name under a policy.
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
  // The policy under which the framework runs an operator without an entry; none: every operator
  // needs an entry.
  std::optional<Policy> unlisted;
  bool says_unlisted = false;        // in this file; else what it extends says
  std::vector<std::string> bases;    // paths of the lists it extends, and those that they do
  std::vector<ListEntry> entries;    // of this file, in file order
  std::vector<ListEntry> inherited;  // from the base that no entry of this file names again
  // Globs of operators that other sources may register: their entries are not stale here.
  std::vector<std::string> registered_elsewhere;
  // Of a model, single nodes by name: those that stay in float32, and those that have another
  // policy whatever the list says of their operators.
  std::vector<std::string> fp32_nodes;
  std::vector<std::string> target_nodes;
  std::vector<std::string> widest_nodes;
  std::vector<std::string> either_nodes;
  std::optional<std::int64_t> opset;  // of the model that these nodes were found in
  // Where the framework keeps the list; empty: this file has all entries. The rows found there
  // become `entries` (registry/list_source/derive.h), in front of those of this file.
  std::vector<ListOrigin> derived_from;
  std::vector<ListEntry> annotations;  // what this file adds to rows found there
  std::vector<RemovedEntry> removed;
  bool complete = false;                 // the file may have no entry that the rows do not have
  std::shared_ptr<PrecisionList> base;   // what it extends, if a list on the way is derived
  std::vector<SourceList> source_lists;  // in the order in which they were read
  std::vector<OverriddenEntry> overridden;
  std::vector<ListEntry> unsourced;  // if `complete`: entries of this file without a row
  bool whole = true;                 // false: part of where it is kept could not be read
  // The texts of the files that rows stand in, by path.
  std::map<InternedString, std::shared_ptr<const std::string>> source_texts;
  // Pages and tests of the framework that name operators, and what they say, which
  // registry/list_source/names looks up.
  std::vector<NamingFile> documented_in;
  std::vector<NamingFile> tested_in;
  std::vector<NamedOperators> documented;
  std::vector<NamedOperators> tested;
  // The policy under which the framework runs an operator without an entry, whatever `unlisted`
  // says; none: nobody knows.
  std::optional<Policy> runs_unlisted;
  // Operators that have kernels, but none for `device`: they need no entry.
  std::set<std::string> without_kernel;
  // Operators with an autocast rule whose casts are not known: neither classified nor unclassified.
  std::set<std::string> undecided;
  std::string rule_text;  // what gives an operator a policy in the sources; "{name}" stands for it
  std::vector<FixedCast> other_type;  // what the sources cast to another type than `target_dtype`
  // Its text, and a tree in which an array of entries keeps the first item only.
  JsonDocument document;

  // "float16", or "float16-cpu" with a device: how messages name a list.
  std::string Label() const;
  // The node policies but 'fp32', each by the field that has it.
  std::vector<NodePolicy> NodePolicies() const;
  // Whether it, or a list that it extends, is kept by the framework.
  bool IsDerived() const { return !derived_from.empty() || base != nullptr; }
};

// What the `reason` of an entry can be.
const std::vector<std::string>& ReasonNames();

// Reads a list and the ones it extends (a base outside the source's root is an error, as is a
// cycle). Duplicate operators are no error here: the checker finds them.
std::optional<PrecisionList> ReadPrecisionList(const Source& source, const std::string& path,
                                               Diagnostics& diagnostics);

// The same for those who have no sources to derive entries from: a derived list is an error.
std::optional<PrecisionList> ReadWrittenList(const Source& source, const std::string& path,
                                             Diagnostics& diagnostics);

// Takes the entries of what `list` extends that it does not name itself.
void InheritEntries(const PrecisionList& base, PrecisionList& list);

// The same without following `extends`.
std::optional<PrecisionList> ReadListAlone(const Source& source, const std::string& path,
                                           Reach reach, Diagnostics& diagnostics);

// The same for text in memory.
std::optional<PrecisionList> ParsePrecisionList(std::string path, std::string text,
                                                Diagnostics& diagnostics);

}  // namespace opledger
