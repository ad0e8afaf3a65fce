// The documentation of a framework's operators: what each list says of each, and why. One file per
// format, listed in docs.cpp. Same manifest and lists, same bytes: no time, no host. Every format
// escapes what it shows: names and paths come from untrusted code.
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

// What a list says of an operator. Where an entry names it, that counts, whatever else is true.
enum class ListStatus {
  kClassified,
  kUnclassified,
  kUnlisted,   // without an entry, under the policy that the list says of such operators
  kExempt,     // needs no class
  kUndecided,  // the sources have a rule for it, which is not understood or for another type
  kAbsent,     // does not exist in the configuration that the list is checked in
};

struct OperatorInList {
  ListStatus status = ListStatus::kUnclassified;
  const ListEntry* entry = nullptr;        // the one that counts, or nullptr: not kClassified
  Policy unlisted = Policy::kEither;       // of kUnlisted: the policy that holds
  std::vector<const ListEntry*> repeated;  // further entries of the list for the same operator
};

struct OperatorDocs {
  const Operator* op = nullptr;
  std::vector<OperatorInList> lists;  // in the order of Docs::lists
  std::vector<std::string> inputs;    // as OperatorInputs gives them
  std::string input_count;            // "2 inputs", where their names are not known
  std::vector<DeviceTypes> kernels;
  // Of the attributes in conditional entries, those whose values are known.
  std::map<std::string, std::vector<std::string>> attributes;

  bool IsUnclassified() const;  // in some list
  // Whether no list has an entry for it, and it needs none.
  bool IsExempt() const;
};

struct ListDocs {
  const ListIndex* index = nullptr;
  // Operators that exist in the list's configuration; exempt ones only in `exempt`.
  std::map<Policy, int> by_policy;  // by entries alone
  Coverage coverage;
  int exempt = 0;
  std::vector<const ListEntry*> stale;  // name no operator, in file order

  int Total() const { return coverage.decided + coverage.by_default + coverage.open + exempt; }
};

struct Docs {
  std::string dialect;
  SourceLink link;
  std::string revision;  // of the sources, as the user says; may be empty
  std::vector<ListDocs> lists;
  std::vector<OperatorDocs> operators;  // those that can exist, by name
  int incomplete = 0;                   // places that the scan could not read
};

// The records point into the index and what that points into.
Docs MakeDocs(const CheckIndex& index, const SourceLink& link);

// "target", "unclassified", "undecided", "exempt" or "absent": how a standing is written.
std::string StatusWord(const OperatorInList& status);

struct DocsFile {
  std::string name;  // "operators.md": for a folder; made of [A-Za-z0-9._-] only
  std::string text;
};

struct DocsFormat {
  const char* name;
  const char* extension;  // ".md"
  const char* summary;    // one line, for help texts
  std::vector<DocsFile> (*render)(const Docs& docs);
};

const std::vector<DocsFormat>& DocsFormats();
const DocsFormat* FindDocsFormat(std::string_view name);
std::vector<std::string> DocsFormatNames();
const DocsFormat* FindDocsFormatOfFile(std::string_view path);  // by its extension

}  // namespace opledger
