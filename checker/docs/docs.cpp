// The table of documentation formats, and their input, made from the manifest and the lists.
// SPDX-License-Identifier: Apache-2.0
#include "checker/docs/docs.h"

#include <algorithm>

#include "checker/index/operator_facts.h"

namespace opledger {
namespace {

OperatorInList StatusIn(const Operator& op, const ListIndex& index) {
  OperatorInList status;
  if (const EntryUse* const first = index.Find(op.name)) {
    status.status = ListStatus::kClassified;
    status.entry = first->entry;
    for (const EntryUse* use = first->next; use != nullptr; use = use->next) {
      status.repeated.push_back(use->entry);
    }
  } else if (!op.exempt.empty()) {
    status.status = ListStatus::kExempt;
  } else if (!index.Exists(op) || index.RunsOnlyElsewhere(op)) {
    status.status = ListStatus::kAbsent;
  } else if (index.IsUndecided(op)) {
    status.status = ListStatus::kUndecided;
  } else if (index.list->unlisted) {
    status.status = ListStatus::kUnlisted;
    status.unlisted = index.list->runs_unlisted.value_or(*index.list->unlisted);
  }
  return status;
}

// Counts as `check` does: an exempt operator counts as exempt in every configuration, even if it
// has an entry.
void Count(const Operator& op, const OperatorInList& status, ListDocs& list) {
  const bool undecided = status.status == ListStatus::kUndecided;
  const bool none = status.entry == nullptr && (undecided || list.index->RunsOnlyElsewhere(op));
  if (!op.exempt.empty()) {
    ++list.exempt;
  } else if (!list.index->Exists(op) || none) {
    return;
  } else if (status.entry != nullptr) {
    ++list.by_policy[status.entry->policy];
    ++list.coverage.decided;
  } else if (status.status == ListStatus::kUnlisted) {
    ++list.coverage.by_default;
  } else {
    ++list.coverage.open;
  }
}

void AddAttributes(OperatorDocs& docs) {
  OperatorAttributes known;
  bool read = false;
  for (const OperatorInList& status : docs.lists) {
    if (status.entry == nullptr) continue;
    for (const Clause& clause : status.entry->clauses) {
      if (!read) known = ReadOperatorAttributes(*docs.op);
      read = true;
      const auto found = known.find(clause.attribute);
      if (found == known.end() || found->second.empty()) continue;
      docs.attributes[clause.attribute] = {found->second.begin(), found->second.end()};
    }
  }
}

}  // namespace

bool OperatorDocs::IsUnclassified() const {
  return std::any_of(lists.begin(), lists.end(), [](const OperatorInList& each) {
    return each.status == ListStatus::kUnclassified;
  });
}

bool OperatorDocs::IsExempt() const {
  return !op->exempt.empty() &&
         std::none_of(lists.begin(), lists.end(), [](const OperatorInList& each) {
           return each.status == ListStatus::kClassified;
         });
}

std::string StatusWord(const OperatorInList& status) {
  switch (status.status) {
    case ListStatus::kClassified:
      return PolicyName(status.entry->policy);
    case ListStatus::kUnclassified:
      return "unclassified";
    case ListStatus::kUnlisted:
      return PolicyName(status.unlisted);
    case ListStatus::kExempt:
      return "exempt";
    case ListStatus::kUndecided:
      return "undecided";
    case ListStatus::kAbsent:
      return "absent";
  }
  return {};
}

Docs MakeDocs(const CheckIndex& index, const SourceLink& link) {
  Docs docs;
  docs.dialect = index.manifest().dialect;
  docs.link = link;
  docs.incomplete = static_cast<int>(index.manifest().incomplete.size());
  for (const ListIndex& list : index.lists()) {
    ListDocs& each = docs.lists.emplace_back();
    each.index = &list;
    if (list.list->unlisted) {
      each.coverage.default_policy =
          PolicyName(list.list->runs_unlisted.value_or(*list.list->unlisted));
    }
    for (const EntryUse& use : list.uses) {
      if (use.op == nullptr) each.stale.push_back(use.entry);
    }
  }
  for (const Operator& op : index.manifest().operators) {
    if (index.Primary(op.name) != &op) continue;
    OperatorDocs& each = docs.operators.emplace_back();
    each.op = &op;
    each.inputs = OperatorInputs(op);
    if (each.inputs.empty()) each.input_count = InputCount(op);
    each.kernels = OperatorKernels(op);
    for (ListDocs& list : docs.lists) {
      each.lists.push_back(StatusIn(op, *list.index));
      Count(op, each.lists.back(), list);
    }
    AddAttributes(each);
  }
  return docs;
}

// Each is defined in the file of its name in this folder.
extern const DocsFormat kMdDocs;
extern const DocsFormat kHtmlDocs;
extern const DocsFormat kJsonDocs;
extern const DocsFormat kSvgDocs;

const std::vector<DocsFormat>& DocsFormats() {
  static const std::vector<DocsFormat> formats = {kMdDocs, kHtmlDocs, kJsonDocs, kSvgDocs};
  return formats;
}

std::vector<std::string> DocsFormatNames() {
  std::vector<std::string> names;
  for (const DocsFormat& format : DocsFormats()) names.emplace_back(format.name);
  return names;
}

const DocsFormat* FindDocsFormat(std::string_view name) {
  for (const DocsFormat& format : DocsFormats()) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

const DocsFormat* FindDocsFormatOfFile(std::string_view path) {
  for (const DocsFormat& format : DocsFormats()) {
    if (path.ends_with(format.extension)) return &format;
  }
  return nullptr;
}

}  // namespace opledger
