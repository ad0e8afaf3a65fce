// Format of an entry: 16 bytes (for facts that were read with full headers, the digest of all files
// they can include), then the facts.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/unit/facts_cache.h"

#include <algorithm>

#include "registry/scan/unit/unit_plan.h"

namespace opledger::scan {
namespace {

constexpr std::size_t kReachBytes = 16;

}  // namespace

Digest FactsCache::Key(int unit, const Digest& content) const {
  DigestBuilder key;
  key.Add(base_key_);
  AddCommand(tree_.files()[unit].command, key);
  key.Add(tree_.files()[unit].path).Add(content);
  if (tree_.files()[unit].included) key.Add("included");
  return key.Finish();
}

// Returns the digest of every file that the unit can include, of the headers that were not found,
// and of where they are searched. Facts read with full headers depend on all of these.
Digest FactsCache::ReachDigest(const MacroIndex& index, int unit) const {
  DigestBuilder digest;
  for (const std::string& folder : tree_.include_directories()) digest.Add("-I").Add(folder);
  for (int file = 0; file < static_cast<int>(tree_.files().size()); ++file) {
    if (!index.Reaches(unit, file)) continue;
    const SourceFile& source = tree_.files()[file];
    digest.Add(source.path).Add(source.content);
    for (std::size_t i = 0; i < source.include_files.size(); ++i) {
      if (source.include_files[i] < 0)
        digest.Add("not found").Add(source.outline.includes[i].target);
    }
  }
  return digest.Finish();
}

bool FactsCache::AreAsAsked(const Facts& facts) {
  return std::all_of(facts.asked.begin(), facts.asked.end(), [&](const AskedHeader& header) {
    const int from = tree_.Known(header.from);
    return from >= 0 && tree_.HeaderAskedFor(from, header.target, header.angled) == header.found;
  });
}

std::optional<Facts> FactsCache::Stored(int unit, const Digest& content) {
  std::optional<std::string_view> bytes = cache_.Get(Key(unit, content));
  if (!bytes || bytes->size() < kReachBytes) return std::nullopt;
  return ParseFacts(bytes->substr(kReachBytes));
}

std::optional<Facts> FactsCache::Find(const MacroIndex& index, int unit) {
  const SourceFile& source = tree_.files()[unit];
  std::optional<std::string_view> bytes = cache_.Get(Key(unit, source.content));
  if (!bytes || bytes->size() < kReachBytes) return std::nullopt;
  std::optional<Facts> facts = ParseFacts(bytes->substr(kReachBytes));
  if (!facts) return std::nullopt;
  if (MeaningDigest(index, unit, index.LeadingIn(unit), source.outline, facts->looked_up) !=
      facts->meaning) {
    return std::nullopt;
  }
  const bool reaches_others =
      facts->full_headers &&
      (ReachDigest(index, unit).View() != bytes->substr(0, kReachBytes) || !AreAsAsked(*facts));
  // A path that cannot be examined now may have been there, or not, when the facts were stored.
  if (reaches_others || !tree_.unexamined().empty()) return std::nullopt;
  return facts;
}

void FactsCache::Put(const MacroIndex& index, int unit, const Facts& facts,
                     std::string_view answer) {
  // Look up the paths here too, so that a snapshot includes them. Do not store facts if something
  // changed.
  if (!AreAsAsked(facts) || facts.uncacheable) return;
  std::string entry(facts.full_headers ? ReachDigest(index, unit).View() : Digest().View());
  cache_.Put(Key(unit, tree_.files()[unit].content), entry.append(answer));
}

}  // namespace opledger::scan
