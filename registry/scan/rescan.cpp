// Takes the outlines of all headers from the cache, so that the index is that of a full scan as far
// as the changed units see it. Operators that these named, or name now, are merged again from the
// facts of all files that register them. All other operators stay as they are.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/rescan.h"

#include <algorithm>
#include <set>

#include "registry/manifest/manifest.h"
#include "registry/scan/discover/unrecognized.h"
#include "registry/scan/merge/merge.h"
#include "registry/scan/tree/include_rounds.h"
#include "registry/scan/tree/outline_all.h"
#include "registry/scan/unit/facts_cache.h"
#include "registry/scan/unit/unit.h"

namespace opledger::scan {
namespace {

class Rescanner {
 public:
  Rescanner(const RescanContext& context, const Snapshot& snapshot, const Changes& changes)
      : context_(context),
        snapshot_(snapshot),
        changes_(changes),
        tree_(context.source, context.dialect.include_directories),
        facts_(context.cache, tree_, context.base_key) {}

  std::optional<Manifest> Run(ScanTiming& timing);

 private:
  bool RestoreTree(ScanTiming& timing);
  bool ScanChanged(const MacroIndex& index, ScanTiming& timing);
  bool IsPlain(int unit, const Facts& facts);
  std::optional<Manifest> MergeAgain();
  bool AddContributions(Merge& merge);

  const RescanContext& context_;
  const Snapshot& snapshot_;
  const Changes& changes_;
  SourceTree tree_;
  FactsCache facts_;
  std::map<int, Facts> fresh_;      // of the changed units
  std::set<std::string> affected_;  // operators
};

// Restores the files of the snapshot, with outlines of included files and of the changed units.
bool Rescanner::RestoreTree(ScanTiming& timing) {
  std::vector<SourceFile>& files = tree_.files();
  files.reserve(snapshot_.files.size());
  std::vector<int> outlined;
  for (const Snapshot::File& file : snapshot_.files) {
    SourceFile& source = files.emplace_back();
    source.path = file.path;
    source.stamp = file.stamp;
    source.content = file.content;
    source.is_unit = file.is_unit;
    if (file.is_unit) source.command.defines = context_.options.defines;
    source.included = file.included;
    source.include_files = file.include_files;
    for (int other : file.include_files) {
      if (other >= 0 && std::find(source.includes.begin(), source.includes.end(), other) ==
                            source.includes.end()) {
        source.includes.push_back(other);
      }
    }
    if (file.included) outlined.push_back(static_cast<int>(files.size()) - 1);
  }
  if (!OutlinesFromCache(tree_, outlined, context_.dialect, context_.cache)) return false;
  for (const int file : outlined) {
    if (files[file].include_files.size() != files[file].outline.includes.size()) return false;
  }
  for (std::size_t i = 0; i < changes_.changed.size(); ++i) {
    SourceFile& source = files[changes_.changed[i]];
    source.stamp = changes_.stamps[i];
    source.content = changes_.contents[i];
  }
  timing.outlined =
      OutlineAgain(tree_, changes_.changed, context_.dialect, context_.cache, context_.limits);
  for (const int unit : changes_.changed) AddCommandLine(files[unit]);
  return std::all_of(changes_.changed.begin(), changes_.changed.end(), [&](int unit) {
    return files[unit].outline.unreadable.empty() &&
           SurfaceOf(files[unit].outline) == snapshot_.files[unit].surface;
  });
}

// Returns whether the facts only have registrations with constant names. Adds their operators to
// affected_.
bool Rescanner::IsPlain(int unit, const Facts& facts) {
  if (facts.HasOwnDefault(tree_.files()[unit].path)) return false;
  if (!facts.dynamic.empty() || !facts.incomplete.empty() || facts.uncacheable) return false;
  if (!facts.header_mentions.empty()) return false;  // other units read that header, too
  for (const Registration& registration : facts.registrations) affected_.insert(registration.name);
  return true;
}

bool Rescanner::ScanChanged(const MacroIndex& index, ScanTiming& timing) {
  std::vector<int> pending;
  std::vector<std::string> requests;
  for (int unit : changes_.changed) {
    const NameSet& leading = index.LeadingIn(unit);
    if (!index.Active(unit, leading) && index.Tables(unit, leading).empty()) continue;
    if (std::optional<Facts> known = facts_.Find(index, unit)) {
      fresh_[unit] = std::move(*known);
      continue;
    }
    pending.push_back(unit);
    requests.push_back(std::to_string(unit));
  }
  timing.scanned = static_cast<int>(pending.size());
  const ScanOptions& options = context_.options;
  UnitScanner scanner{
      tree_, index, context_.dialect, options.exhaustive, {options.seconds / 2, options.megabytes}};
  WorkerPool pool(LimitsOfUnits(tree_, context_.limits), [&](std::string_view request) {
    return SerializeFacts(scanner.Scan(std::stoi(std::string(request))));
  });
  bool ok = true;
  pool.Run(requests, [&](std::size_t task, std::string_view answer, const std::string& failure) {
    std::optional<Facts> facts = ParseFacts(answer);
    ok = ok && failure.empty() && facts;
    if (!ok) return;
    timing.full_headers += facts->full_headers;
    facts_.Put(index, pending[task], *facts, answer);
    fresh_[pending[task]] = std::move(*facts);
  });
  return ok && std::all_of(fresh_.begin(), fresh_.end(),
                           [&](const auto& entry) { return IsPlain(entry.first, entry.second); });
}

// Adds the facts of all files about the affected operators. Returns false if some are not
// available.
bool Rescanner::AddContributions(Merge& merge) {
  std::set<int> contributors;
  for (const std::string& name : affected_) {
    if (auto found = snapshot_.registered_by.find(name); found != snapshot_.registered_by.end()) {
      contributors.insert(found->second.begin(), found->second.end());
    }
  }
  for (int unit : changes_.changed) contributors.erase(unit);
  auto add = [&](Facts facts) {
    std::erase_if(facts.registrations, [&](const Registration& registration) {
      return !affected_.contains(registration.name);
    });
    facts.dynamic.clear();  // already in the manifest
    merge.Add(facts);
  };
  for (int unit : contributors) {
    std::optional<Facts> facts = facts_.Stored(unit, tree_.files()[unit].content);
    if (!facts) return false;
    add(std::move(*facts));
  }
  for (auto& [unit, facts] : fresh_) add(std::move(facts));
  return true;
}

std::optional<Manifest> Rescanner::MergeAgain() {
  Merge merge(context_.dialect, context_.options.fields);
  if (!AddContributions(merge)) return std::nullopt;
  for (const AttributeSet& set : snapshot_.attribute_sets) merge.Add(set);
  for (const auto& [path, functions] : snapshot_.kernel_functions) merge.Add(path, functions);
  for (const auto& [path, definitions] : snapshot_.definitions) merge.Add(path, definitions);
  std::optional<Manifest> manifest = UnpackManifest(snapshot_.manifest);
  if (!manifest) return std::nullopt;
  Facts before;
  before.defaults = manifest->defaults;
  merge.Add(before);
  Manifest part = merge.Finish(context_.options.configuration, context_.options.defines);
  if (!part.incomplete.empty()) return std::nullopt;
  manifest->defaults = std::move(part.defaults);
  std::vector<Operator>& operators = manifest->operators;
  std::erase_if(operators, [&](const Operator& op) { return affected_.contains(op.name); });
  operators.insert(operators.end(), std::make_move_iterator(part.operators.begin()),
                   std::make_move_iterator(part.operators.end()));
  std::sort(operators.begin(), operators.end(),
            [](const Operator& a, const Operator& b) { return a.name < b.name; });
  std::vector<AbsentOperator>& absent = manifest->absent;
  std::erase_if(absent, [&](const auto& one) { return affected_.contains(one.name); });
  absent.insert(absent.end(), part.absent.begin(), part.absent.end());
  std::sort(absent.begin(), absent.end());
  return manifest;
}

std::optional<Manifest> Rescanner::Run(ScanTiming& timing) {
  // A kernel may delegate to another operator, so a change affects more than its own operator.
  if (!context_.dialect.kernels.delegate.empty()) return std::nullopt;
  for (int unit : changes_.changed) {
    const std::vector<int>& irregular = snapshot_.irregular;
    if (std::find(irregular.begin(), irregular.end(), unit) != irregular.end()) return std::nullopt;
    for (const auto& [name, units] : snapshot_.registered_by) {
      if (std::find(units.begin(), units.end(), unit) != units.end()) affected_.insert(name);
    }
  }
  if (!RestoreTree(timing)) return std::nullopt;
  MacroIndex index(tree_, context_.dialect, snapshot_.active_headers, snapshot_.attached_headers);
  const bool as_before =
      std::all_of(changes_.changed.begin(), changes_.changed.end(), [&](int unit) {
        return DigestOf(UsesWithoutSink(index, tree_, context_.dialect, unit)) ==
               snapshot_.files[unit].uses;
      });
  if (!as_before || !ScanChanged(index, timing)) return std::nullopt;
  return MergeAgain();
}

}  // namespace

std::optional<Manifest> Rescan(const RescanContext& context, const Snapshot& snapshot,
                               const Changes& changes, ScanTiming& timing) {
  // Not freed: that would take a tenth of the remaining time of the process, which ends soon.
  auto* rescanner = new Rescanner(context, snapshot, changes);
  return rescanner->Run(timing);
}

}  // namespace opledger::scan
