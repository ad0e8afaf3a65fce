// Documents the operators of a framework: the policy in each list, and why. Each format has a file
// and a line in docs.cpp. The output depends on manifest and lists only, not on time or host. Every
// format must escape names and paths, which come from untrusted code.
// May include: checker/candidates, checker/findings, checker/index, checker/project,
// checker/terminal, registry/dialect, registry/files, registry/json, registry/manifest,
// registry/platform, registry/precision_list, registry/project, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "checker/index/coverage.h"
#include "checker/index/index.h"
#include "checker/index/operator_facts.h"
#include "checker/terminal/source_link.h"

namespace opledger {

// The status of an operator in a list. An entry takes precedence over everything else.
enum class ListStatus {
  kClassified,
  kUnclassified,
  kUnlisted,   // no entry; the list says under which policy these run
  kExempt,     // needs no policy
  kUndecided,  // the sources have a rule that is not understood, or is for another type
  kAbsent,     // does not exist in the configuration of the list
};

struct OperatorInList {
  ListStatus status = ListStatus::kUnclassified;
  const ListEntry* entry = nullptr;        // the first one; nullptr unless kClassified
  Policy unlisted = Policy::kEither;       // for kUnlisted: the policy that applies
  std::vector<const ListEntry*> repeated;  // further entries for the same operator
};

struct OperatorDocs {
  const Operator* op = nullptr;
  std::vector<OperatorInList> lists;  // in the order of Docs::lists
  std::vector<std::string> inputs;    // from OperatorInputs()
  std::string input_count;            // "2 inputs" if their names are not known
  std::vector<DeviceTypes> kernels;
  // Attributes of conditional entries whose values are known.
  std::map<std::string, std::vector<std::string>> attributes;

  bool IsUnclassified() const;  // in at least one list
  // Returns whether the operator is exempt and no list has an entry for it.
  bool IsExempt() const;
};

struct ListDocs {
  const ListIndex* index = nullptr;
  // Operators that exist in the configuration of the list. Exempt ones count only in `exempt`.
  std::map<Policy, int> by_policy;  // from entries only
  Coverage coverage;
  int exempt = 0;
  std::vector<const ListEntry*> stale;  // entries without an operator, in file order

  int Total() const { return coverage.decided + coverage.by_default + coverage.open + exempt; }
};

struct Docs {
  std::string dialect;
  SourceLink link;
  std::string revision;  // revision of the sources; may be empty
  std::vector<ListDocs> lists;
  std::vector<OperatorDocs> operators;  // sorted by name
  int incomplete = 0;                   // places that the scan could not read
};

// The result points into `index`, which must outlive it.
Docs MakeDocs(const CheckIndex& index, const SourceLink& link);

// Returns "target", "unclassified", "undecided", "exempt", "absent" and so on.
std::string StatusWord(const OperatorInList& status);

struct DocsFile {
  std::string name;  // such as "operators.md"; contains [A-Za-z0-9._-] only
  std::string text;
};

struct DocsFormat {
  const char* name;
  const char* extension;  // such as ".md"
  const char* summary;    // one line, for help
  std::vector<DocsFile> (*render)(const Docs& docs);
};

const std::vector<DocsFormat>& DocsFormats();
// Returns nullptr if there is no such format.
const DocsFormat* FindDocsFormat(std::string_view name);
std::vector<std::string> DocsFormatNames();
const DocsFormat* FindDocsFormatOfFile(std::string_view path);  // by extension; may be nullptr

}  // namespace opledger
