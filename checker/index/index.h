// Indexes the input of rules: the manifest by name and alias, each list by operator, entries
// without an operator, and operators without an entry.
//   entry "_npi_absolute" -> operator "abs" (by alias), twice in float16
// May include: checker/findings, registry/files, registry/manifest, registry/precision_list,
// registry/source, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "checker/findings/suppression.h"
#include "registry/manifest/manifest.h"
#include "registry/precision_list/precision_list.h"
#include "registry/source/source.h"

namespace opledger {

class CheckIndex;
struct Evidence;

// The input of rules.
struct CheckInput {
  const Manifest& manifest;
  const std::vector<PrecisionList>& lists;
  std::string configuration;             // --configuration; empty: that of each list
  std::set<std::string> turned_on = {};  // rules that are off by default
  bool lists_by_path = false;            // suggested commands name lists by path instead of label
  std::vector<Suppression> suppressions = {};  // in all source files
  const CheckIndex* before = nullptr;          // index of the revision compared with, or nullptr
  std::string today = {};                      // date that end dates are compared with
  const Evidence* evidence = nullptr;          // measurements, or nullptr
  const Source* source = nullptr;              // the scanned files, or nullptr if not available
};

// An entry of a list and the operator that it names.
struct EntryUse {
  const ListEntry* entry = nullptr;
  const Operator* op = nullptr;    // nullptr: no such operator in any configuration
  const EntryUse* next = nullptr;  // next entry with the same name in the list
  const Alias* alias = nullptr;    // alias of `op` that the entry uses; nullptr: the primary name
};

// A stale entry that misspells an unclassified operator.
struct NearMiss {
  const EntryUse* use = nullptr;
  const Operator* op = nullptr;
  std::string meant;  // the nearest name: the operator's name or an alias
};

// A part of a stale entry that consists of several operator names without commas between them.
struct GluedPart {
  const Operator* op = nullptr;
  std::string name;  // as written: the name or an alias
};
struct GluedEntry {
  const EntryUse* use = nullptr;
  std::vector<GluedPart> parts;
  int unlisted = 0;  // number of parts without an entry
};

struct ListIndex {
  const PrecisionList* list = nullptr;
  std::string label;                   // unique among the lists checked together
  std::string reference;               // label or path for use in commands
  std::string configuration;           // the configuration to check in, or "union"
  std::optional<Configuration> known;  // known facts of the configuration; nullopt for "union"
  std::vector<EntryUse> uses;          // in file order, then the inherited ones
  // The first use by the operator's primary name, or by the entry's name if it names no operator.
  std::unordered_map<std::string_view, EntryUse*> by_name;
  // The first entry of each name. Near misses and glued entries are in neither `stale` nor
  // `unclassified`.
  std::vector<const EntryUse*> stale;
  std::vector<const Operator*> unclassified;
  std::vector<NearMiss> near_misses;
  std::vector<GluedEntry> glued;

  // Returns the first entry that names the operator, which links to the others, or nullptr.
  const EntryUse* Find(std::string_view name) const;
  bool Exists(const Operator& op) const;  // in the list's configuration
  // Returns whether the operator has kernels, but none for the list's device.
  bool RunsOnlyElsewhere(const Operator& op) const;
  // Returns whether the sources have a rule for the operator that is not an entry: its casts are
  // not known, or it is for another type.
  bool IsUndecided(const Operator& op) const;
  // Returns the autocast rule in the sources that casts the operator to another 16-bit type, or
  // nullptr if there is none.
  const FixedCast* OtherType(const Operator& op) const;
  // Returns whether the entry applies in the list's configuration. Rows of a framework's list may
  // have conditions.
  bool Holds(const ListEntry& entry) const;
  const Configuration* Known() const { return known ? &*known : nullptr; }
};

class CheckIndex {
 public:
  explicit CheckIndex(const CheckInput& input);
  CheckIndex(const CheckIndex&) = delete;
  CheckIndex& operator=(const CheckIndex&) = delete;

  const Manifest& manifest() const { return manifest_; }
  const std::vector<ListIndex>& lists() const { return lists_; }
  const std::vector<Suppression>& suppressions() const { return suppressions_; }
  // Returns the suppressions of the finding's rule at its place or at any registration of its
  // operator, in source order. Includes expired ones, but not those with a problem.
  std::vector<const Suppression*> SuppressionsOf(const Finding& finding) const;
  const std::string& today() const { return today_; }
  const Evidence* evidence() const { return evidence_; }  // nullptr if there is none
  // Returns the SHA-256 of a scanned file with LF line ends in hexadecimal, or "" if it cannot be
  // read.
  std::string DigestOf(const std::string& path) const;
  // Returns the index of the revision compared with, or nullptr.
  const CheckIndex* before() const { return before_; }
  // Returns whether an operator without an entry needs one. If the list has a default policy, only
  // operators that are new since the revision compared with do.
  bool NeedsEntry(const Operator& op, const ListIndex& list) const;
  // `before` must outlive this object.
  void CompareWith(const CheckIndex* before);
  // Maps renamed operators to their former operators in the revision compared with (renames.h).
  const std::map<const Operator*, const Operator*>& renames() const { return renames_; }
  // Returns the operator of the revision compared with that `op` was, by its former name, or
  // nullptr if it is new.
  const Operator* Former(const Operator& op) const;

  // Returns the operator with this primary name, otherwise the first with this alias, or nullptr if
  // no operator that can exist has the name.
  const Operator* Resolve(std::string_view name) const;
  // Looks up primary names only.
  const Operator* Primary(std::string_view name) const;

 private:
  void IndexManifest();
  void IndexList(const CheckInput& input, const PrecisionList& list);
  void AddUses(const std::vector<ListEntry>& entries, bool inherited, ListIndex& index) const;

  const Manifest& manifest_;
  std::vector<Suppression> suppressions_;
  std::multimap<std::pair<InternedString, int>, const Suppression*> by_line_;  // by line of code
  const CheckIndex* before_;
  std::map<const Operator*, const Operator*> renames_;
  std::string today_;
  const Evidence* evidence_;
  const Source* source_;
  std::unordered_map<std::string_view, const Operator*> by_name_;
  std::unordered_map<std::string_view, std::pair<const Operator*, const Alias*>> by_alias_;
  std::vector<ListIndex> lists_;
};

// Returns the configuration to check a list in: --configuration, otherwise the list's own,
// otherwise the manifest's default, otherwise "union".
std::string CheckedConfiguration(const CheckInput& input, const PrecisionList& list);

// Reports an error for each unknown configuration. Also rejects a manifest of a single
// configuration, because it cannot show which entries are stale.
bool CheckConfigurations(const CheckInput& input, Diagnostics& diagnostics);

// Finds stale entries that split into names of operators, at least one of which has no entry.
// Removes them and the operators from `stale` and `unclassified`.
void FindGluedEntries(const CheckIndex& check, ListIndex& index);

// Pairs stale entries with unclassified operators that they misspell, nearest first, each used
// once. Removes both from `stale` and `unclassified`.
void FindNearMisses(ListIndex& index);

}  // namespace opledger
