// The order of a scan, and the keys under which facts are cached.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/scan.h"

#include <sched.h>

#include <chrono>

#include "registry/scan/cache.h"
#include "registry/scan/compile_database.h"
#include "registry/scan/file_list.h"
#include "registry/scan/macro_index.h"
#include "registry/scan/merge.h"
#include "registry/scan/outline_all.h"
#include "registry/scan/progress.h"
#include "registry/scan/scan_unit.h"
#include "registry/scan/suspects.h"
#include "registry/scan/worker_pool.h"
#include "registry/suggestion.h"

namespace opledger::scan {
namespace {

// Part of every key: facts of another tool are no facts of this one.
constexpr std::string_view kFactsVersion = "facts/2";

int ProcessorsToUse() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

std::string Joined(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return all;
}

double Since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<std::string> IncludeDirectories(const Dialect& dialect,
                                            const CompileDatabase* database) {
  std::vector<std::string> all = dialect.include_directories;
  if (database != nullptr) {
    all.insert(all.end(), database->include_directories.begin(),
               database->include_directories.end());
  }
  return all;
}

class Scanner {
 public:
  Scanner(const Dialect& dialect, const ScanOptions& options, const CompileDatabase* database,
          ScanTiming& timing)
      : dialect_(dialect),
        options_(options),
        timing_(timing),
        limits_{options.jobs > 0 ? options.jobs : ProcessorsToUse(), options.seconds,
                static_cast<std::size_t>(options.megabytes)},
        cache_(options.cache ? DefaultCacheFolder() : std::string()),
        tree_(options.root, IncludeDirectories(dialect, database)),
        database_(database),
        merge_(dialect, options.fields) {
    DigestBuilder key;
    key.Add(kFactsVersion).Add(dialect.text).Add(options.exhaustive ? "exhaustive" : "fast");
    base_key_ = key.Finish();
  }

  std::optional<Manifest> Run(Diagnostics& diagnostics);

 private:
  std::map<std::string, Defines> Units(Diagnostics& diagnostics);
  void CollectFacts(const MacroIndex& index);
  std::vector<int> UnitsToScan(const MacroIndex& index) const;
  Digest FactsKey(int unit) const;
  Digest ReachDigest(const MacroIndex& index, int unit) const;
  bool FromCache(const MacroIndex& index, int unit);
  void Accept(const MacroIndex& index, int unit, std::string_view answer,
              const std::string& failure);

  const Dialect& dialect_;
  const ScanOptions& options_;
  ScanTiming& timing_;
  PoolLimits limits_;
  Digest base_key_;  // of what all units share: tool, dialect, mode
  Cache cache_;
  SourceTree tree_;
  const CompileDatabase* database_;  // none: every file of the sources
  Merge merge_;
};

// The translation units and headers that may register something.
std::vector<int> Scanner::UnitsToScan(const MacroIndex& index) const {
  std::vector<int> units;
  for (int file = 0; file < static_cast<int>(tree_.files().size()); ++file) {
    const SourceFile& source = tree_.files()[file];
    if (!source.is_unit || !source.outline.unreadable.empty()) continue;
    const NameSet& leading = index.LeadingIn(file);
    if (index.Active(file, leading) || !index.Tables(file, leading).empty()) units.push_back(file);
  }
  units.insert(units.end(), index.active_headers().begin(), index.active_headers().end());
  return units;
}

Digest Scanner::FactsKey(int unit) const {
  DigestBuilder key;
  key.Add(base_key_);
  for (const auto& [name, value] : tree_.files()[unit].defines) key.Add(name).Add(value);
  key.Add(tree_.files()[unit].path).Add(tree_.files()[unit].content);
  return key.Finish();
}

// Digest of every file the unit can include: what facts read with full headers depend on.
Digest Scanner::ReachDigest(const MacroIndex& index, int unit) const {
  DigestBuilder digest;
  for (int file = 0; file < static_cast<int>(tree_.files().size()); ++file) {
    if (!index.Reaches(unit, file)) continue;
    digest.Add(tree_.files()[file].path).Add(tree_.files()[file].content);
  }
  return digest.Finish();
}

// Cached facts hold if the names they asked for mean what they meant.
bool Scanner::FromCache(const MacroIndex& index, int unit) {
  std::optional<std::string_view> bytes = cache_.Get(FactsKey(unit));
  if (!bytes || bytes->size() < 16) return false;
  std::optional<Facts> facts = ParseFacts(bytes->substr(16));
  if (!facts) return false;
  const Outline& outline = tree_.files()[unit].outline;
  if (MeaningDigest(index, unit, index.LeadingIn(unit), outline, facts->asked) != facts->meaning) {
    return false;
  }
  if (facts->full_headers && ReachDigest(index, unit).View() != bytes->substr(0, 16)) return false;
  merge_.Add(*facts);
  return true;
}

void Scanner::Accept(const MacroIndex& index, int unit, std::string_view answer,
                     const std::string& failure) {
  std::optional<Facts> facts = ParseFacts(answer);
  if (!failure.empty() || !facts) {
    Location location;
    location.path = tree_.files()[unit].path;
    merge_.Add({location, "worker", failure.empty() ? "the worker sent no facts" : failure});
    return;
  }
  std::string entry(facts->full_headers ? ReachDigest(index, unit).View() : Digest().View());
  if (!facts->unlisted) cache_.Put(FactsKey(unit), entry.append(answer));
  timing_.full_headers += facts->full_headers;
  merge_.Add(*facts);
}

void Scanner::CollectFacts(const MacroIndex& index) {
  std::vector<int> asked;
  std::vector<std::string> requests;
  for (int unit : UnitsToScan(index)) {
    if (FromCache(index, unit)) continue;
    asked.push_back(unit);
    requests.push_back(std::to_string(unit));
  }
  timing_.scanned = static_cast<int>(asked.size());
  Progress progress(options_.progress, "scanning", asked.size());
  UnitScanner scanner{tree_, index, dialect_, options_.exhaustive};
  WorkerPool pool(
      limits_,
      [&](std::string_view request) {
        return SerializeFacts(scanner.Scan(std::stoi(std::string(request))));
      },
      [&] { cache_.Save(); });
  pool.Run(requests, [&](std::size_t task, std::string_view answer, const std::string& failure) {
    Accept(index, asked[task], answer, failure);
    progress.Step();
  });
}

// The translation units with their defines.
std::map<std::string, Defines> Scanner::Units(Diagnostics& diagnostics) {
  std::map<std::string, Defines> units;
  if (database_ == nullptr) {
    for (const std::string& path :
         ListUnits(options_.root, options_.paths, dialect_, diagnostics)) {
      units.emplace(path, Defines());
    }
    return units;
  }
  std::vector<std::string> missing;
  units = ChooseUnits(database_->units, options_.root, options_.paths, dialect_, missing);
  for (const std::string& path : missing) {
    merge_.Add({{path}, "file", "is in compile_commands.json but does not exist; is it stale?"});
  }
  return units;
}

std::optional<Manifest> Scanner::Run(Diagnostics& diagnostics) {
  auto start = std::chrono::steady_clock::now();
  std::map<std::string, Defines> units = Units(diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  timing_.units = static_cast<int>(units.size());
  timing_.list = Since(start);

  start = std::chrono::steady_clock::now();
  std::vector<Incomplete> unreadable;
  timing_.outlined = OutlineAll(tree_, units, dialect_, cache_, limits_, unreadable).outlined;
  for (Incomplete& incomplete : unreadable) merge_.Add(std::move(incomplete));
  timing_.files = static_cast<int>(tree_.files().size());
  timing_.outline = Since(start);

  start = std::chrono::steady_clock::now();
  MacroIndex index(tree_, dialect_);
  timing_.index = Since(start);

  start = std::chrono::steady_clock::now();
  CollectFacts(index);
  for (const SourceFile& file : tree_.files()) {
    for (const AttributeSet& set : file.outline.attribute_sets) merge_.Add(set);
  }
  for (Incomplete& suspect : UnexplainedSuspects(index, tree_, dialect_)) {
    merge_.Add(std::move(suspect));
  }
  timing_.facts = Since(start);

  start = std::chrono::steady_clock::now();
  cache_.Flush();
  Manifest manifest = merge_.Finish(options_.configuration, options_.defines);
  manifest.files = timing_.units;
  timing_.merge = Since(start);
  return manifest;
}

}  // namespace

std::optional<Manifest> Scan(const Dialect& dialect, const ScanOptions& options, ScanTiming& timing,
                             Diagnostics& diagnostics) {
  if (options.configuration != "union" && !dialect.configurations.contains(options.configuration)) {
    std::vector<std::string> known{"union"};
    for (const auto& [name, defines] : dialect.configurations) known.push_back(name);
    std::string hint = DidYouMean(options.configuration, known);
    if (hint.empty()) hint = "known are " + Joined(known);
    diagnostics.Error({}, "unknown configuration '" + options.configuration + "'", hint);
    return std::nullopt;
  }
  std::optional<CompileDatabase> database;
  if (!options.build.empty()) {
    database = ReadCompileDatabase(options.build, diagnostics);
    if (!database) return std::nullopt;
  }
  return Scanner(dialect, options, database ? &*database : nullptr, timing).Run(diagnostics);
}

}  // namespace opledger::scan
