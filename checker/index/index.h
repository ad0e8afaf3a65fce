// What the rules look things up in: the manifest by name and alias, each list by operator, which
// entries name nothing and which operators no entry names.
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

// What the rules look at.
struct CheckInput {
  const Manifest& manifest;
  const std::vector<PrecisionList>& lists;
  std::string configuration;             // --configuration; empty: each list's own
  std::set<std::string> turned_on = {};  // rules that are off by default
  bool lists_by_path = false;  // suggested commands name a list by its path, not by its label
  std::vector<Suppression> suppressions = {};  // of all source files
  const CheckIndex* before = nullptr;          // of the revision that is compared with
  std::string today = {};                      // the day on which their ends are checked
  const Evidence* evidence = nullptr;          // what was measured; nullptr: nothing
  const Source* source = nullptr;              // the files that were scanned; nullptr: not at hand
};

// One entry of a list and the operator it names.
struct EntryUse {
  const ListEntry* entry = nullptr;
  const Operator* op = nullptr;    // nullptr: no operator of that name exists in any configuration
  const EntryUse* next = nullptr;  // of the same name, in the same list
  const Alias* alias = nullptr;    // of `op`, by which the entry names it; nullptr: by its own name
};

// A stale entry that is the misspelling of an unclassified operator.
struct NearMiss {
  const EntryUse* use = nullptr;
  const Operator* op = nullptr;
  std::string meant;  // the operator's name, or the alias that is nearest
};

// A stale entry that is the names of several operators, written without a comma.
struct GluedPart {
  const Operator* op = nullptr;
  std::string name;  // as it is written there: its own, or an alias
};
struct GluedEntry {
  const EntryUse* use = nullptr;
  std::vector<GluedPart> parts;
  int unlisted = 0;  // of them
};

struct ListIndex {
  const PrecisionList* list = nullptr;
  std::string label;                   // unique among the lists checked together
  std::string reference;               // how a command names it: its label, or its path
  std::string configuration;           // the one it is checked in; "union" for all together
  std::optional<Configuration> known;  // of the build it is checked in; none: union
  std::vector<EntryUse> uses;          // in file order; then what a base adds
  // What is named, by the operator's primary name or the entry's own -> the first of `uses`.
  std::unordered_map<std::string_view, EntryUse*> by_name;
  // First of each name; near misses and glued entries left out, here and in `unclassified`.
  std::vector<const EntryUse*> stale;
  std::vector<const Operator*> unclassified;
  std::vector<NearMiss> near_misses;
  std::vector<GluedEntry> glued;

  // The first entry that names this operator, which leads to the others; nullptr: none does.
  const EntryUse* Find(std::string_view name) const;
  bool Exists(const Operator& op) const;  // in the configuration it is checked in
  // Whether it has kernels, but none for the list's device.
  bool LacksKernel(const Operator& op) const;
  // Whether the sources have a rule for it that is no entry: one whose casts are not known, or one
  // for another type.
  bool IsUndecided(const Operator& op) const;
  // Returns the autocast rule in the sources that casts the operator to another 16-bit type, or
  // nullptr if there is none.
  const FixedCast* OtherType(const Operator& op) const;
  // Whether an entry counts there: a row of the framework's own list may have a condition.
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
  // Those about the finding, in their order: of its rule, and at its place or any place that
  // registers its operator. Also those that have ended; none that is written wrongly.
  std::vector<const Suppression*> SuppressionsOf(const Finding& finding) const;
  const std::string& today() const { return today_; }
  const Evidence* evidence() const { return evidence_; }  // nullptr: none was given
  // SHA-256 of a file that was scanned, its lines ending in LF, in hexadecimal digits; empty: it
  // cannot be read.
  std::string DigestOf(const std::string& path) const;
  // Of the revision that is compared with; nullptr: of none.
  const CheckIndex* before() const { return before_; }
  // Whether an operator that the list does not name is to stand there: each one or, where the
  // framework runs it under a policy all the same, one that the revision compared with has not.
  bool NeedsEntry(const Operator& op, const ListIndex& list) const;
  // It must outlive this.
  void CompareWith(const CheckIndex* before);
  // By operators of this one, those of the revision compared with that they were called
  // (renames.h).
  const std::map<const Operator*, const Operator*>& renames() const { return renames_; }
  // The operator that a name of this one means in the revision compared with, by its name of then;
  // nullptr: it had none.
  const Operator* Former(const Operator& op) const;

  // The operator a name means: by its primary name first, else by an alias (of several owners, the
  // first). nullptr where there is none that can exist.
  const Operator* Resolve(std::string_view name) const;
  // By primary name only.
  const Operator* Primary(std::string_view name) const;

 private:
  void IndexManifest();
  void IndexList(const CheckInput& input, const PrecisionList& list);
  void AddUses(const std::vector<ListEntry>& entries, bool inherited, ListIndex& index) const;

  const Manifest& manifest_;
  std::vector<Suppression> suppressions_;
  std::multimap<std::pair<InternedString, int>, const Suppression*> by_line_;  // of code
  const CheckIndex* before_;
  std::map<const Operator*, const Operator*> renames_;
  std::string today_;
  const Evidence* evidence_;
  const Source* source_;
  std::unordered_map<std::string_view, const Operator*> by_name_;
  std::unordered_map<std::string_view, std::pair<const Operator*, const Alias*>> by_alias_;
  std::vector<ListIndex> lists_;
};

// The configuration a list is checked in: --configuration, the list's own, the manifest's default,
// else "union".
std::string CheckedConfiguration(const CheckInput& input, const PrecisionList& list);

// Whether every configuration that would be checked in is known; names the ones that are not. A
// manifest filtered by one configuration cannot say what is stale, and is refused too.
bool CheckConfigurations(const CheckInput& input, Diagnostics& diagnostics);

// Finds stale entries that split into names of operators, of which no entry names one at least, and
// takes them and those operators out of `stale` and `unclassified`.
void FindGluedEntries(const CheckIndex& check, ListIndex& index);

// Pairs stale entries with the unclassified operators they misspell, nearest first, each used once,
// and takes both out of `stale` and `unclassified`.
void FindNearMisses(ListIndex& index);

}  // namespace opledger
