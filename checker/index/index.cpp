// Builds the index in one pass over the manifest and one over each list.
// SPDX-License-Identifier: Apache-2.0
#include "checker/index/index.h"

#include <algorithm>
#include <set>

#include "checker/index/renames.h"
#include "registry/files/sha256.h"
#include "registry/text/suggestion.h"

namespace opledger {
namespace {

constexpr char kUnion[] = "union";
constexpr std::size_t kLargestDigested = std::size_t{1} << 30;  // bytes, as for the largest source

// Returns the list's own label, with its path if several lists share the label, and with a number
// if the same file is given again.
std::string UniqueLabel(const CheckInput& input, const PrecisionList& list) {
  std::string label = list.Label();
  int sharing = 0;
  int number = 0;
  for (const PrecisionList& other : input.lists) {
    if (other.Label() != label) continue;
    ++sharing;
    if (other.path == list.path && &other <= &list) ++number;
  }
  if (sharing == 1) return label;
  return label + " (" + list.path + (number > 1 ? ", " + std::to_string(number) : "") + ')';
}

// The only place that decides which operators need a policy.
bool NeedsClass(const Operator& op, const ListIndex& index) {
  return op.exempt.empty() && index.Find(op.name) == nullptr && index.Exists(op) &&
         !index.RunsOnlyElsewhere(op) && !index.IsUndecided(op);
}

}  // namespace

const EntryUse* ListIndex::Find(std::string_view name) const {
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

bool ListIndex::Holds(const ListEntry& entry) const {
  if (entry.condition.IsAlways()) return true;
  return known ? entry.condition.MayHoldIn(*known, entry.location.path)
               : entry.condition.CanBeTrue();
}

bool ListIndex::Exists(const Operator& op) const {
  return known ? op.ExistsIn(*known) : op.CanExist();
}

bool ListIndex::RunsOnlyElsewhere(const Operator& op) const {
  return list->without_kernel.contains(op.name);
}

bool ListIndex::IsUndecided(const Operator& op) const {
  if (Find(op.name) != nullptr) return false;
  return list->undecided.contains(op.name) || OtherType(op) != nullptr;
}

const FixedCast* ListIndex::OtherType(const Operator& op) const {
  const auto found = std::find_if(list->other_type.begin(), list->other_type.end(),
                                  [&](const FixedCast& cast) { return cast.op == op.name; });
  return found == list->other_type.end() ? nullptr : &*found;
}

std::string CheckedConfiguration(const CheckInput& input, const PrecisionList& list) {
  if (!input.configuration.empty()) return input.configuration;
  if (!list.configuration.empty()) return list.configuration;
  if (!input.manifest.default_configuration.empty()) return input.manifest.default_configuration;
  return kUnion;
}

CheckIndex::CheckIndex(const CheckInput& input)
    : manifest_(input.manifest),
      suppressions_(input.suppressions),
      before_(nullptr),
      today_(input.today),
      evidence_(input.evidence),
      source_(input.source) {
  for (const Suppression& each : suppressions_) {
    if (each.problem.empty()) by_line_.emplace(std::pair(each.location.path, each.line), &each);
  }
  IndexManifest();
  lists_.reserve(input.lists.size());
  for (const PrecisionList& list : input.lists) IndexList(input, list);
  CompareWith(input.before);
}

void CheckIndex::IndexManifest() {
  by_name_.reserve(manifest_.operators.size());
  for (const Operator& op : manifest_.operators) {
    if (!op.CanExist()) continue;
    by_name_.emplace(op.name, &op);
    for (const Alias& alias : op.aliases) {
      by_alias_.try_emplace(alias.name, &op, &alias);
    }
  }
}

const Operator* CheckIndex::Primary(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

std::vector<const Suppression*> CheckIndex::SuppressionsOf(const Finding& finding) const {
  std::vector<const Suppression*> found;
  if (by_line_.empty()) return found;
  const auto add = [&](const Location& place) {
    const auto [begin, end] = by_line_.equal_range({place.path, place.line});
    for (auto each = begin; each != end; ++each) {
      if (each->second->Names(finding.rule)) found.push_back(each->second);
    }
  };
  add(finding.location);
  if (const Operator* const op = Primary(finding.op)) {
    for (const Site& site : op->sites) {
      add(site.location);
      add(site.call);
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::string CheckIndex::DigestOf(const std::string& path) const {
  if (source_ == nullptr || path.empty()) return {};
  const std::optional<std::string> bytes = source_->Read(path, kLargestDigested, Reach::kAnywhere);
  if (!bytes) return {};
  std::string text;  // with the line ends that git stores
  text.reserve(bytes->size());
  for (std::size_t i = 0; i < bytes->size(); ++i) {
    const bool crlf = (*bytes)[i] == '\r' && i + 1 < bytes->size() && (*bytes)[i + 1] == '\n';
    if (!crlf) text += (*bytes)[i];
  }
  return Sha256Hex(text);
}

void CheckIndex::CompareWith(const CheckIndex* before) {
  before_ = before;
  renames_.clear();
  if (before != nullptr) renames_ = FindRenames(*before, *this);
}

const Operator* CheckIndex::Former(const Operator& op) const {
  if (before_ == nullptr) return nullptr;
  if (const Operator* const same = before_->Resolve(op.name)) return same;
  const auto renamed = renames_.find(&op);
  return renamed == renames_.end() ? nullptr : renamed->second;
}

bool CheckIndex::NeedsEntry(const Operator& op, const ListIndex& list) const {
  if (!list.list->unlisted) return true;
  if (before_ == nullptr || before_->Resolve(op.name) != nullptr) return false;
  const Operator* const former = Former(op);
  if (former == nullptr) return true;
  // A renamed operator needs an entry if it had one.
  return std::any_of(before_->lists().begin(), before_->lists().end(), [&](const ListIndex& old) {
    return old.label == list.label && old.Find(former->name) != nullptr;
  });
}

const Operator* CheckIndex::Resolve(std::string_view name) const {
  if (const Operator* op = Primary(name)) return op;
  const auto found = by_alias_.find(name);
  return found == by_alias_.end() ? nullptr : found->second.first;
}

void CheckIndex::AddUses(const std::vector<ListEntry>& entries, bool inherited,
                         ListIndex& index) const {
  const std::size_t own = index.uses.size();
  std::unordered_map<std::string_view, EntryUse*> last_of;  // names that were repeated
  for (const ListEntry& entry : entries) {
    const Operator* op = Resolve(entry.op);
    const std::string_view name = op != nullptr ? std::string_view(op->name) : entry.op;
    if (!index.Holds(entry)) {
      index.uses.push_back({&entry, op, nullptr, nullptr});
      continue;
    }
    const auto [known, is_new] = index.by_name.try_emplace(name, nullptr);
    // An entry of the file overrides an inherited one, even if one of them uses an alias.
    if (inherited && !is_new && known->second < index.uses.data() + own) continue;
    const bool by_alias = op != nullptr && op->name != entry.op;
    index.uses.push_back({&entry, op, nullptr, by_alias ? by_alias_.at(entry.op).second : nullptr});
    EntryUse* const use = &index.uses.back();
    if (is_new) {
      known->second = use;
      continue;
    }
    EntryUse*& last = last_of.try_emplace(name, known->second).first->second;
    last->next = use;
    last = use;
  }
}

void CheckIndex::IndexList(const CheckInput& input, const PrecisionList& list) {
  ListIndex& index = lists_.emplace_back();
  index.list = &list;
  index.label = UniqueLabel(input, list);
  index.reference = input.lists_by_path || index.label != list.Label() ? list.path : index.label;
  index.configuration = CheckedConfiguration(input, list);
  index.known = manifest_.KnownOf(index.configuration);

  index.uses.reserve(list.entries.size() + list.inherited.size());
  index.by_name.reserve(list.entries.size() + list.inherited.size());
  AddUses(list.entries, false, index);
  AddUses(list.inherited, true, index);

  for (const EntryUse& use : index.uses) {
    if (use.op != nullptr) continue;
    const bool first = index.Find(use.entry->op) == &use;
    if (first || !index.Holds(*use.entry)) index.stale.push_back(&use);
  }
  for (const Operator& op : manifest_.operators) {
    // If some of the list could not be read, the operator may be in that part.
    if (!list.whole) break;
    if (Primary(op.name) == &op && NeedsClass(op, index)) index.unclassified.push_back(&op);
  }
  FindGluedEntries(*this, index);
  FindNearMisses(index);
}

bool CheckConfigurations(const CheckInput& input, Diagnostics& diagnostics) {
  const Manifest& manifest = input.manifest;
  if (!manifest.configuration.empty() && manifest.configuration != kUnion) {
    return diagnostics.Error({},
                             "the manifest holds configuration '" + manifest.configuration +
                                 "' only, so stale entries cannot be found",
                             "scan again with --configuration union");
  }
  std::vector<std::string> names = {kUnion};
  for (const auto& [name, defines] : manifest.configurations) names.push_back(name);
  std::set<std::string> reported;
  for (const PrecisionList& list : input.lists) {
    const std::string filtered = CheckedConfiguration(input, list);
    if (std::find(names.begin(), names.end(), filtered) != names.end()) continue;
    if (!reported.insert(filtered).second) continue;
    const bool from_list = input.configuration.empty() && !list.configuration.empty();
    diagnostics.Error({from_list ? list.path : "", 0, 0, 0, 0},
                      "unknown configuration '" + filtered + "'", ChoiceHint(filtered, names));
  }
  return reported.empty();
}

}  // namespace opledger
