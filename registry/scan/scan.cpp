// Runs the steps of a scan, and defines the keys under which facts are cached.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/scan.h"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "registry/manifest/manifest.h"
#include "registry/project/cache_folder.h"
#include "registry/scan/cache/build_identity.h"
#include "registry/scan/cache/cache.h"
#include "registry/scan/commands/commands.h"
#include "registry/scan/discover/unrecognized.h"
#include "registry/scan/facts/facts_file.h"
#include "registry/scan/ledger/unread_files.h"
#include "registry/scan/macros/macros.h"
#include "registry/scan/macros/unresolved_macros.h"
#include "registry/scan/merge/merge.h"
#include "registry/scan/python/other_files.h"
#include "registry/scan/python/python.h"
#include "registry/scan/rescan.h"
#include "registry/scan/snapshot.h"
#include "registry/scan/tree/compile_database.h"
#include "registry/scan/tree/file_list.h"
#include "registry/scan/tree/outline_all.h"
#include "registry/scan/tree/set_readers.h"
#include "registry/scan/unit/facts_cache.h"
#include "registry/scan/unit/unit.h"
#include "registry/scan/workers/progress.h"
#include "registry/scan/workers/workers.h"
#include "registry/text/glob.h"
#include "registry/text/sort_unique.h"

namespace opledger::scan {
namespace {

constexpr std::size_t kMaxChanged = 64;
constexpr int kMaxRevalidated = 16;

int ProcessorsToUse() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
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

// A snapshot covers the sources of the dialect. Other paths need a scan.
bool Covers(const Snapshot& snapshot, const std::vector<std::string>& paths) {
  return std::all_of(paths.begin(), paths.end(), [&](const std::string& path) {
    return std::any_of(snapshot.files.begin(), snapshot.files.end(), [&](const auto& file) {
      return file.is_unit && (path.empty() || file.path == path ||
                              (file.path.starts_with(path) && file.path[path.size()] == '/'));
    });
  });
}

// The key of what all units share: tool, dialect, configurations, mode.
Digest BaseKey(const Dialect& dialect, const ScanOptions& options) {
  DigestBuilder key;
  key.Add(BuildIdentity()).Add(dialect.text).Add(options.exhaustive ? "exhaustive" : "fast");
  AddConfigurations(dialect, key);
  return key.Finish();
}

class Scanner {
 public:
  Scanner(const Source& source, const Dialect& dialect, const ScanOptions& options,
          const CompileDatabase* database, ScanTiming& timing)
      : dialect_(dialect),
        options_(options),
        timing_(timing),
        base_key_(BaseKey(dialect, options)),
        limits_{options.jobs > 0 ? options.jobs : ProcessorsToUse(), options.seconds,
                static_cast<std::size_t>(options.megabytes)},
        cache_(options.cache ? CacheFolderOf(kScanCache) : std::string()),
        tree_(source, IncludeDirectories(dialect, database)),
        database_(database),
        facts_(cache_, tree_, base_key_),
        merge_(dialect, options.fields),
        unrecognized_(dialect) {}

  std::optional<ScanResult> Run(Diagnostics& diagnostics);

 private:
  std::map<std::string, CommandLine> Units(std::vector<std::string>& folders,
                                           Diagnostics& diagnostics);
  void CollectFacts(const MacroIndex& index);
  void Add(int unit, const Facts& facts);
  void Add(Incomplete incomplete);
  void AddTree(const MacroIndex& index);
  void AddPython();
  void AddYaml();
  void AddUnread(const MacroIndex& index);
  void CountOthers(const MacroIndex& index, ScanResult& result);
  void Watch(const std::string& path, std::string_view text);
  void AddUses(const MacroIndex& index);
  void Explain(const Facts& facts);
  bool IsInShard(const std::string& path) const {
    return options_.shard.IsNone() || options_.shard.Owns(path);
  }
  std::string ShardFacts();
  Digest SnapshotKey() const;
  std::string SnapshotName(const std::string& kind) const;
  std::optional<ScanResult> FromSnapshot();
  std::optional<ScanResult> FromSnapshot(const std::string& name);
  void SaveSnapshot(const MacroIndex& index, std::vector<std::string> folders,
                    const std::string& packed);
  void Accept(const MacroIndex& index, int unit, std::string_view answer,
              const std::string& failure);

  const Dialect& dialect_;
  const ScanOptions& options_;
  ScanTiming& timing_;
  Digest base_key_;
  PoolLimits limits_;
  Cache cache_;
  SourceTree tree_;
  const CompileDatabase* database_;  // null: every file of the sources is a unit
  FactsCache facts_;
  Merge merge_;
  Snapshot snapshot_;
  std::vector<Registration> explained_;  // registrations with a location in ScanOptions::explain
  bool cacheable_ = true;                // the digests cover everything that the result depends on
  std::set<std::string> python_;
  std::set<std::string> yaml_;
  std::set<std::string> unread_code_;  // in the folders of sources, without a unit's extension
  std::set<std::string> outside_;      // compiled by the build but not among the sources
  UnrecognizedUses unrecognized_;
  std::vector<Digest> uses_;  // uses that lead to no sink, by file of the tree
  std::vector<Snapshot::File> watched_;
  bool registers_python_ = false;
  std::map<std::string, FileFacts> records_;  // of the shard, if one was requested
};

void Scanner::Accept(const MacroIndex& index, int unit, std::string_view answer,
                     const std::string& failure) {
  std::optional<Facts> facts = ParseFacts(answer);
  if (!failure.empty() || !facts) {
    Location location;
    location.path = tree_.files()[unit].path;
    Add({location, "worker", failure.empty() ? "the worker sent no facts" : failure});
    return;
  }
  facts_.Put(index, unit, *facts, answer);
  timing_.full_headers += facts->full_headers;
  Add(unit, *facts);
}

void Scanner::Add(Incomplete incomplete) {
  if (options_.shard.IsNone()) {
    merge_.Add(std::move(incomplete));
  } else if (IsInShard(incomplete.location.path)) {
    records_[incomplete.location.path].facts.incomplete.push_back(std::move(incomplete));
  }
}

void Scanner::Add(int unit, const Facts& facts) {
  if (!options_.shard.IsNone()) {
    Facts& known = records_[tree_.files()[unit].path].facts;
    std::vector<Incomplete> incomplete = std::move(known.incomplete);
    known = facts;
    known.incomplete.insert(known.incomplete.end(), incomplete.begin(), incomplete.end());
    return;
  }
  for (const Registration& registration : facts.registrations) {
    std::vector<int>& files = snapshot_.registered_by[registration.name];
    if (files.empty() || files.back() != unit) files.push_back(unit);
  }
  if (!facts.dynamic.empty() || facts.HasOwnDefault(tree_.files()[unit].path)) {
    snapshot_.irregular.push_back(unit);
  }
  cacheable_ = cacheable_ && !facts.uncacheable;
  Explain(facts);
  merge_.Add(facts);
}

void Scanner::Explain(const Facts& facts) {
  for (const Registration& registration : facts.registrations) {
    const Site& site = registration.site;
    bool there = site.location.path == options_.explain || site.call.path == options_.explain;
    if (there && !options_.explain.empty()) explained_.push_back(registration);
  }
}

// Adds what Python files register. All are in the snapshot, so that a change causes a full scan.
void Scanner::AddPython() {
  if (python_.empty()) return;
  PythonTexts texts;
  for (const std::string& path : python_) {
    std::optional<std::string> text = ReadSource(tree_.source(), path);
    if (!text) {
      Add({{path}, "file", WhyUnread(errno)});
      cacheable_ = false;
      continue;
    }
    Watch(path, *text);
    if (text->ends_with('\0')) text->pop_back();
    if (IsOtherPython(path)) {
      if (GlobMatchAny(dialect_.python.exclude, path)) continue;
      if (auto found = FindInOtherPython(dialect_.python, path, *text)) Add(std::move(*found));
      continue;
    }
    if (!GlobMatchAny(dialect_.python.exclude, path)) unrecognized_.AddPython(path, *text);
    texts.emplace(path, std::move(*text));
  }
  std::map<std::string, Facts> python = ReadPython(tree_.source(), dialect_, texts);
  registers_python_ = !python.empty();
  for (auto& [path, facts] : python) {
    if (options_.shard.IsNone()) {
      Explain(facts);
      merge_.Add(facts);
    } else if (IsInShard(path)) {
      records_[path].facts = std::move(facts);
    }
  }
}

// Adds a file that is not in the tree to the snapshot. If it changes, a full scan is needed.
void Scanner::Watch(const std::string& path, std::string_view text) {
  Snapshot::File file;
  file.path = path;
  file.stamp = tree_.source().Examine(path).stamp;
  file.content = DigestOf(text);
  watched_.push_back(std::move(file));
}

// Reads YAML files that the dialect does not read but that may list operators. All are in the
// snapshot, as Python files are.
void Scanner::AddYaml() {
  for (const std::string& path : yaml_) {
    const std::optional<std::string> text = ReadSource(tree_.source(), path);
    if (!text) continue;
    Watch(path, *text);
    unrecognized_.AddYaml(path, *text);
  }
}

// Reports files that may register but are not read. Those in folders of sources are in the
// snapshot.
void Scanner::AddUnread(const MacroIndex& index) {
  std::vector<Incomplete> incomplete;
  AddConfigurationMacros(index, tree_, dialect_, incomplete);
  for (const std::string& path : outside_) {
    const std::string where = path.starts_with('/') ? "root; scan it by itself, or name it"
                                                    : "sources; name it in \"sources\", or";
    if (tree_.Known(path) >= 0) continue;
    if (tree_.source().Examine(path).kind == PathKind::kAbsent) {
      incomplete.push_back(
          {{path},
           "file",
           "the file is in compile_commands.json but does not exist, so what it registers "
           "is not known; build it first, or name it in \"exclude\""});
      continue;
    }
    AddUnreadFile(index, tree_, dialect_, path,
                  "the file, which compile_commands.json names, is outside the " + where +
                      " in \"exclude\" with a reason",
                  incomplete);
  }
  for (const std::string& path : unread_code_) {
    const std::optional<std::string> text = ReadSource(tree_.source(), path);
    if (text) Watch(path, *text);
    if (tree_.Known(path) >= 0) continue;  // included by another file
    const std::string name = path.substr(path.rfind('/') + 1);
    const std::string why =
        IsSourceTemplate(path)
            ? "the file is a template, and the files generated from it were not read; scan those, "
              "and add the template to \"exclude\""
            : "the dialect reads no files named '*" + name.substr(name.rfind('.')) +
                  "'; add the extension to its \"extensions\" and \"sources\", or the file to "
                  "\"exclude\"";
    AddUnreadFile(index, tree_, dialect_, path, why, incomplete);
  }
  for (Incomplete& each : incomplete) Add(std::move(each));
}

// Collects C++ uses that look like registrations but lead to no sink.
void Scanner::AddUses(const MacroIndex& index) {
  for (int file = 0; file < static_cast<int>(tree_.files().size()); ++file) {
    const std::string& path = tree_.files()[file].path;
    std::vector<NamedUse> uses = UsesWithoutSink(index, tree_, dialect_, file);
    uses_.push_back(DigestOf(uses));
    if (uses.empty()) continue;
    const std::optional<std::string> text = ReadSource(tree_.source(), path);
    if (text) unrecognized_.Add(path, *text, std::move(uses));
  }
}

void Scanner::CollectFacts(const MacroIndex& index) {
  std::vector<int> pending;
  std::vector<std::string> requests;
  for (int unit : index.FilesToScan()) {
    if (!IsInShard(tree_.files()[unit].path)) continue;
    if (std::optional<Facts> known = facts_.Find(index, unit)) {
      Add(unit, *known);
      continue;
    }
    pending.push_back(unit);
    requests.push_back(std::to_string(unit));
  }
  timing_.scanned = static_cast<int>(pending.size());
  Progress progress(options_.progress, "scanning", pending.size());
  UnitScanner scanner{
      tree_, index, dialect_, options_.exhaustive, {options_.seconds / 2, options_.megabytes}};
  WorkerPool pool(
      LimitsOfUnits(tree_, limits_),
      [&](std::string_view request) {
        return SerializeFacts(scanner.Scan(std::stoi(std::string(request))));
      },
      [&] { cache_.Save(); });
  pool.Run(requests, [&](std::size_t task, std::string_view answer, const std::string& failure) {
    Accept(index, pending[task], answer, failure);
    progress.Step();
  });
}

// Returns the translation units with their command lines.
std::map<std::string, CommandLine> Scanner::Units(std::vector<std::string>& folders,
                                                  Diagnostics& diagnostics) {
  std::map<std::string, CommandLine> units;
  if (database_ == nullptr) {
    UnitList list = ListUnits(tree_.source(), options_.paths, dialect_, diagnostics);
    for (const std::string& path : list.units) units[path].defines = options_.defines;
    for (const auto& [path, why] : list.unread) Add({{path}, "file", why});
    cacheable_ = cacheable_ && !list.extended && list.unread.empty();
    folders = std::move(list.folders);
    python_ = std::move(list.python);
    yaml_ = std::move(list.yaml);
    unread_code_ = std::move(list.unread_code);
    return units;
  }
  cacheable_ = false;
  ChosenUnits chosen = ChooseUnits(database_->units, tree_.source(), options_.paths, dialect_);
  units = std::move(chosen.units);
  outside_ = std::move(chosen.outside);
  for (auto& [path, command] : units) {
    for (const auto& [name, value] : options_.defines) command.defines[name] = value;
  }
  for (const auto& [path, why] : chosen.missing) Add({{path}, "file", why});
  for (const auto& [path, why] : database_->unread) {
    const std::string inside = tree_.PathInTree(path);
    if (units.contains(inside)) Add({{inside}, "file", why});
  }
  return units;
}

// The key of everything that the result depends on except the files.
Digest Scanner::SnapshotKey() const {
  DigestBuilder key;
  key.Add("snapshot/5").Add(tree_.root()).Add(base_key_).Add(options_.configuration);
  for (const auto& [name, value] : options_.defines) key.Add("-D").Add(name).Add(value);
  for (const std::string& field : options_.fields) key.Add("field").Add(field);
  key.Add(DialectDigest(dialect_));
  for (const BuildName& name : dialect_.build_names) {
    key.Add("build name").Add(name.macro).Add(name.path).Add(name.value);
    for (const std::string& value : name.values) key.Add(value);
  }
  return key.Finish();
}

// Each kind of tree has its own snapshot. Otherwise an edit in progress, such as a new #include,
// would cause a full scan at every keystroke, and a staged file one at every commit.
std::string Scanner::SnapshotName(const std::string& kind) const {
  return "snapshot-" + kind + "-" + SnapshotKey().Hex();
}

// Returns the result if a snapshot has it, or if only a few units have changed since.
std::optional<ScanResult> Scanner::FromSnapshot() {
  const bool whole = options_.explain.empty() && options_.shard.IsNone() && !options_.statistics;
  if (database_ != nullptr || !options_.cache || !whole) return std::nullopt;
  const std::string kind = tree_.source().files()->Kind();
  // The index resembles a revision, and text being edited resembles the saved files.
  for (const std::string& other : {kind, std::string(kind == "index" ? "revision" : "disk")}) {
    if (std::optional<ScanResult> known = FromSnapshot(SnapshotName(other))) return known;
  }
  return std::nullopt;
}

std::optional<ScanResult> Scanner::FromSnapshot(const std::string& name) {
  std::optional<Snapshot> snapshot = ParseSnapshot(cache_.ReadIndex(name));
  if (!snapshot || !Covers(*snapshot, options_.paths)) return std::nullopt;
  const Changes changes = ChangesSince(*snapshot, tree_);
  if (changes.unknown || changes.changed.size() > kMaxChanged) return std::nullopt;
  if (changes.revalidated > kMaxRevalidated && tree_.source().files()->IsDisk()) {
    snapshot->taken = snapshot_.taken;
    cache_.WriteIndex(name, SerializeSnapshot(*snapshot));
  }
  timing_.files = static_cast<int>(snapshot->files.size());
  timing_.units = static_cast<int>(std::count_if(snapshot->files.begin(), snapshot->files.end(),
                                                 [](const auto& file) { return file.is_unit; }));
  timing_.from_snapshot = true;
  if (changes.changed.empty()) return ScanResult{std::nullopt, std::move(snapshot->manifest)};
  // Python files may add to what the unit registers
  if (snapshot->registers_python) return std::nullopt;
  std::optional<Manifest> manifest =
      Rescan({tree_.source(), dialect_, options_, limits_, base_key_, cache_}, *snapshot, changes,
             timing_);
  if (!manifest) return std::nullopt;
  cache_.Flush();
  return ScanResult{std::move(manifest), {}};
}

void Scanner::SaveSnapshot(const MacroIndex& index, std::vector<std::string> folders,
                           const std::string& packed) {
  std::optional<std::vector<std::string>> searched = tree_.SearchedFolders(IsIgnoredName);
  if (!searched) return;
  folders.insert(folders.end(), searched->begin(), searched->end());
  for (const std::string& folder : dialect_.include_directories) {
    folders.push_back(NormalPath(folder));
  }
  SortUnique(folders);
  for (std::string& folder : folders) {
    std::optional<DirectoryState> state = StateOf(tree_, std::move(folder));
    if (!state) return;
    snapshot_.directories.push_back(std::move(*state));
  }
  for (const SourceFile& file : tree_.files()) {
    Digest surface;
    if (file.is_unit && !file.included) surface = SurfaceOf(file.outline);
    const Digest& uses = uses_[snapshot_.files.size()];
    snapshot_.files.push_back({file.path, file.stamp, file.content, surface, uses, file.is_unit,
                               file.included, file.include_files});
    for (const AttributeSet& set : file.outline.attribute_sets) {
      snapshot_.attribute_sets.push_back(set);
    }
    const std::vector<KernelFunction>& functions = file.outline.kernel_functions;
    if (!functions.empty()) snapshot_.kernel_functions.emplace_back(file.path, functions);
    const std::vector<Definition>& definitions = file.outline.definitions;
    if (!definitions.empty()) snapshot_.definitions.emplace_back(file.path, definitions);
  }
  snapshot_.registers_python = registers_python_;
  snapshot_.files.insert(snapshot_.files.end(), watched_.begin(), watched_.end());
  snapshot_.active_headers = index.active_headers();
  snapshot_.attached_headers = index.attached_headers();
  snapshot_.manifest = packed;
  cache_.WriteIndex(SnapshotName(tree_.source().files()->Kind()), SerializeSnapshot(snapshot_));
}

// Adds what files contain besides registrations.
void Scanner::AddTree(const MacroIndex& index) {
  for (const SourceFile& file : tree_.files()) {
    const Outline& outline = file.outline;
    if (!options_.shard.IsNone()) {
      if (outline.attribute_sets.empty() && outline.definitions.empty() &&
          outline.kernel_functions.empty()) {
        continue;
      }
      if (!IsInShard(file.path)) continue;
      records_[file.path].attribute_sets = outline.attribute_sets;
      records_[file.path].definitions = outline.definitions;
      records_[file.path].kernel_functions = outline.kernel_functions;
      continue;
    }
    for (const AttributeSet& set : outline.attribute_sets) merge_.Add(set);
    if (!outline.definitions.empty()) merge_.Add(file.path, outline.definitions);
    merge_.Add(file.path, outline.kernel_functions);
  }
  for (Incomplete& suspicious : UnresolvedMacros(index, tree_, dialect_))
    Add(std::move(suspicious));
  for (const auto& [header, why] : index.unread()) Add({{tree_.files()[header].path}, "file", why});
}

std::string Scanner::ShardFacts() {
  FactsHeader header = HeaderFor(dialect_, options_.exhaustive);
  header.shard = options_.shard;
  header.tree = TreeDigest(tree_);
  header.units = timing_.units + static_cast<int>(python_.size());
  FactsFileWriter writer(header);
  for (auto& [path, record] : records_) {
    record.path = path;
    if (int file = tree_.Known(path); file >= 0) record.content = tree_.files()[file].content;
    record.facts.Normalise();
    if (!record.IsEmpty()) writer.Add(record);
  }
  return writer.Finish();
}

// Adds mentions in macros and outside the sources to the balance.
void Scanner::CountOthers(const MacroIndex& index, ScanResult& result) {
  result.balance.definition += DefinitionsIn(index, tree_);
  result.outside = FindOutside(tree_, dialect_, index.leading());
  result.balance.excepted += result.outside.excluded;
  for (const auto& [folder, count] : result.outside.folders) result.balance.outside += count;
}

std::optional<ScanResult> Scanner::Run(Diagnostics& diagnostics) {
  snapshot_.taken = NowNanoseconds();
  auto start = std::chrono::steady_clock::now();
  if (std::optional<ScanResult> known = FromSnapshot()) return known;
  timing_ = {};
  std::vector<std::string> folders;
  std::map<std::string, CommandLine> units = Units(folders, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  timing_.units = static_cast<int>(units.size());
  timing_.list = Since(start);

  start = std::chrono::steady_clock::now();
  std::vector<Incomplete> unreadable;
  timing_.outlined = OutlineAll(tree_, units, dialect_, cache_, limits_, unreadable).outlined;
  for (Incomplete& incomplete : unreadable) Add(std::move(incomplete));
  timing_.files = static_cast<int>(tree_.files().size());
  timing_.outline = Since(start);

  start = std::chrono::steady_clock::now();
  NameReaders(tree_);
  MacroIndex index(tree_, dialect_);
  timing_.index = Since(start);

  start = std::chrono::steady_clock::now();
  CollectFacts(index);
  AddPython();
  AddTree(index);
  AddUnread(index);
  timing_.facts = Since(start);

  start = std::chrono::steady_clock::now();
  cache_.Flush();
  ScanResult result;
  if (!options_.shard.IsNone()) {
    result.facts = ShardFacts();
    timing_.merge = Since(start);
    return result;
  }
  result.manifest = merge_.Finish(options_.configuration, options_.defines);
  result.manifest->files = timing_.units + static_cast<int>(python_.size());
  AddYaml();
  AddUses(index);
  result.manifest->unrecognized = unrecognized_.Take(*result.manifest);
  result.balance = merge_.balance();
  if (options_.statistics) CountOthers(index, result);
  if (cacheable_ && options_.cache && result.manifest->incomplete.empty() &&
      !result.manifest->operators.empty()) {
    result.packed = PackManifest(*result.manifest);
    SaveSnapshot(index, std::move(folders), result.packed);
  }
  if (!options_.explain.empty()) {
    result.explanation =
        ExplainFile(index, tree_, dialect_, *result.manifest, options_.explain, explained_);
  }
  timing_.merge = Since(start);
  return result;
}

}  // namespace

std::optional<ScanResult> Scan(const Source& source, const Dialect& dialect,
                               const ScanOptions& options, ScanTiming& timing,
                               Diagnostics& diagnostics) {
  if (!CheckConfiguration(dialect, options.configuration, diagnostics)) return std::nullopt;
  std::optional<CompileDatabase> database;
  if (!options.build.empty()) {
    database = ReadCompileDatabase(source, options.build, diagnostics);
    if (!database) return std::nullopt;
  }
  // Not freed, because the end of the process frees it faster: much of it is shared with workers,
  // so freeing would copy pages first.
  static auto* from_snapshot = new std::vector<std::unique_ptr<Scanner>>;
  from_snapshot->push_back(
      std::make_unique<Scanner>(source, dialect, options, database ? &*database : nullptr, timing));
  return from_snapshot->back()->Run(diagnostics);
}

}  // namespace opledger::scan
