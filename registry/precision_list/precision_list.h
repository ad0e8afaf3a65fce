// A precision list: for one framework and one 16-bit type, the policy of every operator.
//   {"framework": "mxnet", "target_dtype": "float16", "configuration": "gpu",
//    "target": ["Convolution"], "fp32": [{"op": "exp", "reason": "numeric"}],
//    "conditional": [{"op": "LeakyReLU", "attribute": "act_type", "values": ["selu"],
//                     "then": "fp32", "otherwise": "either"}]}
// In: that file (schemas/precision-list.schema.json). Out: entries; resolve.h: what a node must be.
// May include: registry/json, registry/source, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "registry/json/json.h"
#include "registry/precision_list/policy.h"
#include "registry/source/source.h"
#include "registry/text/dtype.h"
#include "registry/text/interned.h"

namespace opledger {

// One condition of a conditional entry: the attribute's value is among `values`, or within the
// closed range. Several clauses of one entry are tried in order; the first that holds decides.
struct Clause {
  std::string attribute;
  std::vector<std::string> values;
  std::optional<double> minimum;  // of "range": [minimum, maximum], null = open
  std::optional<double> maximum;
  bool is_range = false;
  Policy then = Policy::kFp32;
  Location location;  // of the clause's attribute name
  Location then_location;
};

struct ListEntry {
  std::string op;
  Policy policy = Policy::kEither;
  InternedString reason;  // "", "numeric", "no-kernel", "loss" or "structure"
  std::string note;
  std::optional<Dtype> accumulate;
  std::vector<std::string> keep_fp32_inputs;  // names, or indices as decimal text
  InternedString evidence;
  std::vector<Clause> clauses;         // of a conditional entry
  Policy otherwise = Policy::kEither;  // of a conditional entry
  Location location;                   // of the operator's name, quotes included
  Span item;                           // the whole array item in its file
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
  // Of a model, single nodes by name: those that stay in float32, and those that may run in either
  // type whatever the list says of their operators.
  std::vector<std::string> fp32_nodes;
  std::vector<std::string> either_nodes;
  std::optional<std::int64_t> opset;  // of the model that these nodes were found in
  // Its text, and a tree in which an array of entries keeps the first item only.
  JsonDocument document;

  // "float16", or "float16-cpu" with a device: how messages name a list.
  std::string Label() const;
};

// What the `reason` of an entry can be.
const std::vector<std::string>& ReasonNames();

// Reads a list and the ones it extends (a base outside the source's root is an error, as is a
// cycle). Duplicate operators are no error here: the checker finds them.
std::optional<PrecisionList> ReadPrecisionList(const Source& source, const std::string& path,
                                               Diagnostics& diagnostics);

// The same without following `extends`.
std::optional<PrecisionList> ReadListAlone(const Source& source, const std::string& path,
                                           Reach reach, Diagnostics& diagnostics);

// The same for text in memory.
std::optional<PrecisionList> ParsePrecisionList(std::string path, std::string text,
                                                Diagnostics& diagnostics);

}  // namespace opledger
