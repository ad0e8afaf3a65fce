// Runs one step of a scan in steps. Each step reads the files that the one before wrote.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <set>
#include <sstream>

#include "registry/project/cache_folder.h"
#include "registry/scan/commands/build_output.h"
#include "registry/scan/commands/commands.h"
#include "registry/scan/commands/outlines_file.h"
#include "registry/scan/commands/unit_part.h"
#include "registry/scan/facts/facts_file.h"
#include "registry/scan/macros/unresolved_macros.h"
#include "registry/scan/tree/compile_database.h"
#include "registry/scan/tree/file_list.h"
#include "registry/scan/tree/outline_all.h"
#include "registry/scan/tree/scan_context.h"
#include "registry/scan/tree/set_readers.h"
#include "registry/scan/unit/unit.h"
#include "registry/text/sort_unique.h"

namespace opledger::scan {
namespace {

// Content of the part file of a unit that registers nothing.
constexpr std::string_view kIdle = "idle\n";

class Step {
 public:
  Step(const BuildStepArguments& arguments, const Source& here, const ScanContext& context,
       Diagnostics& diagnostics)
      : arguments_(arguments),
        here_(here),
        dialect_(context.dialect),
        context_(context),
        tree_(context.source, context.dialect.include_directories),
        diagnostics_(diagnostics) {}

  bool List();
  bool Outline();
  bool Index();
  bool Facts();

 private:
  bool Write(const std::string& path, std::string_view bytes) {
    return WriteIfChanged(path, bytes, diagnostics_);
  }
  bool WriteDepfile(const std::vector<std::string>& inputs) {
    return arguments_.depfile.empty() ||
           Write(arguments_.depfile, Depfile(arguments_.output, inputs));
  }
  Digest Basis() const;
  UnitList Units();
  bool WriteTreeFacts(const MacroIndex& index, std::vector<Incomplete> incomplete);
  bool WriteParts(const MacroIndex& index);
  std::optional<std::string> Read(const std::string& path);
  std::string FactsOf(const UnitIndex& part, std::vector<std::string>& inputs);
  bool AsIndexed(const UnitIndex& part);

  const BuildStepArguments& arguments_;
  const Source& here_;
  const Dialect& dialect_;
  const ScanContext& context_;
  SourceTree tree_;
  Diagnostics& diagnostics_;
};

Digest Step::Basis() const {
  return DigestBuilder().Add(ToolName()).Add(DialectDigest(dialect_)).Add(arguments_.mode).Finish();
}

std::optional<std::string> Step::Read(const std::string& path) {
  std::optional<std::string> bytes = ReadBuilt(path);
  if (!bytes) diagnostics_.Error({.path = path}, "cannot read the file");
  return bytes;
}

// Returns the units of the tree, limited to those in the file of --only if there is one.
UnitList Step::Units() {
  UnitList list = ListUnits(tree_.source(), {}, dialect_, diagnostics_);
  for (const auto& [path, why] : list.unread) diagnostics_.Error({.path = path}, why);
  if (arguments_.only.empty()) return list;
  const std::optional<std::string> text = Read(arguments_.only);
  if (!text) return list;
  std::set<std::string> wanted;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) wanted.insert(tree_.Absolute(line));
  std::erase_if(list.units,
                [&](const std::string& unit) { return !wanted.contains(tree_.Absolute(unit)); });
  if (list.units.empty()) {
    diagnostics_.Error({.path = arguments_.only}, "the file names no unit of the source tree",
                       "the \"sources\" of the dialect or the project file define the units");
  }
  return list;
}

// Prints what a build needs when it is configured: the units, and the folders and files that
// determine them.
bool Step::List() {
  const UnitList list = Units();
  std::string text;
  const auto add = [&](const std::string& what, const std::string& path) {
    text += what + " " + path + "\n";
    if (Printable(path) == path) return;
    diagnostics_.Error({.path = path}, "the path has characters that a build file cannot contain",
                       "rename it, or exclude it in the project file");
  };
  add("root", tree_.root());
  for (const std::string& unit : list.units) add("unit", unit);
  for (const std::string& folder : list.folders) add("folder", tree_.Absolute(folder));
  for (const std::string& file : context_.files) add("file", file);
  if (!diagnostics_.has_errors()) std::fputs(text.c_str(), stdout);
  return !diagnostics_.has_errors();
}

bool Step::Outline() {
  Cache cache(CacheFolderOf(kScanCache));
  std::vector<Incomplete> incomplete;  // ignored, because the outlines record the same
  std::vector<std::string> inputs;
  if (arguments_.files.empty()) {
    const UnitList list = Units();
    if (diagnostics_.has_errors()) return false;
    std::map<std::string, CommandLine> units;
    for (const std::string& path : list.units) units[path];
    OutlineAll(tree_, units, dialect_, cache, arguments_.limits, incomplete);
    inputs = list.folders;
    // A missing header may appear in any folder that was searched.
    auto searched = tree_.SearchedFolders([](std::string_view) { return false; });
    if (searched) inputs.insert(inputs.end(), searched->begin(), searched->end());
  } else {
    std::map<std::string, CommandLine> listed;
    for (const std::string& path : arguments_.files) listed[tree_.Absolute(path)];
    const auto units = ChooseUnits(listed, tree_.source(), {}, dialect_).units;
    OutlineThese(tree_, arguments_.files, dialect_, cache, arguments_.limits, incomplete);
    for (SourceFile& file : tree_.files()) file.is_unit = units.contains(file.path);
  }
  for (const auto& [path, error] : tree_.unexamined()) {
    ReportUnread(path, error, 0, diagnostics_);
  }
  if (diagnostics_.has_errors()) return false;
  cache.Flush();
  for (const SourceFile& file : tree_.files()) inputs.push_back(file.path);
  inputs.insert(inputs.end(), context_.files.begin(), context_.files.end());
  for (std::string& input : inputs) input = NormalPath(tree_.Absolute(input));
  std::erase_if(inputs, [&](const std::string& path) {
    return tree_.source().Examine(path).kind == PathKind::kAbsent;
  });
  SortUnique(inputs);
  return Write(arguments_.output, WriteOutlines(tree_, dialect_)) && WriteDepfile(inputs);
}

bool Step::WriteTreeFacts(const MacroIndex& index, std::vector<Incomplete> incomplete) {
  for (Incomplete& suspicious : UnresolvedMacros(index, tree_, dialect_)) {
    incomplete.push_back(std::move(suspicious));
  }
  std::map<std::string, FileFacts> records;
  FactsHeader header = HeaderFor(dialect_, arguments_.mode == "exhaustive");
  header.tree = TreeDigest(tree_);
  for (const SourceFile& file : tree_.files()) {
    header.units += file.is_unit;
    records[file.path].content = file.content;
    records[file.path].attribute_sets = file.outline.attribute_sets;
    records[file.path].definitions = file.outline.definitions;
    records[file.path].kernel_functions = file.outline.kernel_functions;
  }
  for (Incomplete& each : incomplete) {
    records[each.location.path].facts.incomplete.push_back(std::move(each));
  }
  for (int unit : index.FilesToScan()) {
    FileFacts& record = records[tree_.files()[unit].path];
    record.awaits = true;
    record.part = UnitPart(index, tree_, Basis(), unit);
    record.reach = ReachOf(index, tree_, unit);
  }
  FactsFileWriter writer(header);
  for (auto& [path, record] : records) {
    record.path = path;
    record.facts.Normalise();
    if (!record.IsEmpty()) writer.Add(record);
  }
  return Write(arguments_.tree, writer.Finish());
}

bool Step::WriteParts(const MacroIndex& index) {
  std::map<std::string, std::string> parts;
  std::string headers;
  for (const SourceFile& file : tree_.files()) {
    if (file.is_unit) parts[file.path] = kIdle;
  }
  for (int unit : index.FilesToScan()) {
    const std::string& path = tree_.files()[unit].path;
    const std::string part = UnitPart(index, tree_, Basis(), unit).Hex() + "\n";
    if (tree_.files()[unit].is_unit) {
      parts[path] = part;
    } else {
      headers += path + " " + part;
    }
  }
  for (const auto& [path, part] : parts) {
    if (!Write(arguments_.parts + "/" + path + ".part", part)) return false;
  }
  // The headers that register operators by themselves.
  return Write(arguments_.parts + "/headers.part", headers.empty() ? kIdle : headers);
}

bool Step::Index() {
  std::vector<SourceFile> files;
  for (const std::string& path : arguments_.indexed) {
    std::optional<std::string> bytes = Read(path);
    if (!bytes) return false;
    if (!ReadOutlines(*bytes, dialect_, files)) {
      diagnostics_.Error(
          {.path = path},
          "the file is damaged, or was written by another program or for another dialect",
          "recreate the outlines");
      return false;
    }
  }
  std::vector<Incomplete> incomplete;
  MakeTree(tree_, std::move(files), incomplete);
  NameReaders(tree_);
  const MacroIndex index(tree_, dialect_);
  return Write(arguments_.output, WriteIndex(tree_, index, dialect_)) &&
         (arguments_.tree.empty() || WriteTreeFacts(index, std::move(incomplete))) &&
         (arguments_.parts.empty() || WriteParts(index));
}

// Returns whether the files that full headers were read from are unchanged since the index was
// made.
bool Step::AsIndexed(const UnitIndex& part) {
  for (std::size_t file = 0; file < tree_.files().size(); ++file) {
    const SourceFile& source = tree_.files()[file];
    if (!part.reached[file] || source.content == Digest()) continue;
    std::optional<std::string> text = ReadSource(tree_.source(), source.path);
    if (text && DigestOf(*text) == source.content) continue;
    diagnostics_.Error({source.path}, "the file changed since the index was made",
                       "recreate the index");
    return false;
  }
  return true;
}

// Returns the facts file of the units. Reports an error and returns an empty string if a unit could
// not be read.
std::string Step::FactsOf(const UnitIndex& part, std::vector<std::string>& inputs) {
  const bool exhaustive = arguments_.mode == "exhaustive";
  const PoolLimits limits = LimitsOfUnits(tree_, arguments_.limits);
  UnitScanner scanner{tree_,
                      *part.index,
                      dialect_,
                      exhaustive,
                      {limits.seconds / 2, static_cast<int>(limits.megabytes)}};
  std::map<std::string, FileFacts> records;
  std::vector<std::string> requests;
  for (int unit : part.units) requests.push_back(std::to_string(unit));
  bool headers = false;
  WorkerPool pool(limits, [&](std::string_view request) {
    return SerializeFacts(scanner.Scan(std::stoi(std::string(request))));
  });
  pool.Run(requests, [&](std::size_t task, std::string_view answer, const std::string& failure) {
    const int unit = part.units[task];
    const SourceFile& source = tree_.files()[unit];
    std::optional<scan::Facts> facts = ParseFacts(answer);
    if (!failure.empty() || !facts) {
      diagnostics_.Error({source.path}, failure.empty() ? "the worker sent no facts" : failure);
      return;
    }
    headers = headers || facts->full_headers;
    FileFacts& record = records[source.path];
    record.path = source.path;
    record.content = source.content;
    record.part = UnitPart(*part.index, tree_, Basis(), unit);
    if (facts->full_headers) record.reach = ReachOf(*part.index, tree_, unit);
    record.facts = std::move(*facts);
  });
  if (diagnostics_.has_errors() || (headers && !AsIndexed(part))) return {};
  FactsFileWriter writer(HeaderFor(dialect_, exhaustive));
  for (const auto& [path, record] : records) writer.Add(record);
  for (int unit : part.units) inputs.push_back(tree_.Absolute(tree_.files()[unit].path));
  for (std::size_t file = 0; headers && file < tree_.files().size(); ++file) {
    if (part.reached[file]) inputs.push_back(tree_.Absolute(tree_.files()[file].path));
  }
  return writer.Finish();
}

bool Step::Facts() {
  std::vector<std::string> inputs;
  if (!arguments_.part.empty()) inputs.push_back(here_.Absolute(arguments_.part));
  for (const std::string& path : arguments_.files) inputs.push_back(tree_.Absolute(path));
  if (!arguments_.part.empty() && ReadBuilt(arguments_.part) == kIdle) {
    FactsFileWriter writer(HeaderFor(dialect_, arguments_.mode == "exhaustive"));
    return Write(arguments_.output, writer.Finish()) && WriteDepfile(inputs);
  }
  std::optional<std::string> bytes = Read(arguments_.indexed.front());
  if (!bytes) return false;
  std::optional<UnitIndex> part = ReadIndex(*bytes, dialect_, arguments_.files, tree_);
  if (!part) {
    diagnostics_.Error(
        {.path = arguments_.indexed.front()},
        "the file is damaged, was written by another program or for another dialect, or does not "
        "have this unit",
        "recreate the index");
    return false;
  }
  const std::string facts = FactsOf(*part, inputs);
  return !facts.empty() && Write(arguments_.output, facts) && WriteDepfile(inputs);
}

}  // namespace

int RunBuildStep(BuildStepArguments& arguments) {
  Diagnostics diagnostics;
  const Source here = DiskSource();
  const std::optional<ScanContext> context = FindScanContext(here, arguments.context, diagnostics);
  bool done = false;
  if (context) {
    Step step(arguments, here, *context, diagnostics);
    switch (arguments.step) {
      case BuildStep::kList:
        done = step.List();
        break;
      case BuildStep::kOutline:
        done = step.Outline();
        break;
      case BuildStep::kIndex:
        done = step.Index();
        break;
      case BuildStep::kFacts:
        done = step.Facts();
        break;
    }
  }
  std::fputs(RenderDiagnostics(diagnostics).c_str(), stderr);
  if (done) return 0;
  return context && arguments.step == BuildStep::kFacts ? 3 : 2;
}

}  // namespace opledger::scan
