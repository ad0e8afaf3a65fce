// opledger-scan: extracts operators.json from source. `opledger scan` runs it.
// SPDX-License-Identifier: Apache-2.0
#if __has_include(<malloc.h>)
#include <malloc.h>
#endif
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>

#include "registry/dialect/cpp_lists.h"
#include "registry/files/files.h"
#include "registry/files/output_files.h"
#include "registry/manifest/absence.h"
#include "registry/manifest/manifest.h"
#include "registry/platform/command_line.h"
#include "registry/platform/process_limits.h"
#include "registry/project/version.h"
#include "registry/scan/commands/commands.h"
#include "registry/scan/discover/discover.h"
#include "registry/scan/discover/unrecognized.h"
#include "registry/scan/outline/find_cpp_lists.h"
#include "registry/scan/outline/find_macro_lists.h"
#include "registry/scan/outline/find_yaml_lists.h"
#include "registry/scan/scan.h"
#include "registry/scan/tree/detect_dialects.h"
#include "registry/scan/tree/scan_context.h"
#include "registry/source/disk_tree.h"
#include "registry/text/text.h"

namespace {

using opledger::Diagnostics;

struct Arguments {
  opledger::scan::ScanContextRequest request;
  opledger::scan::ScanOptions options;
  std::string mode = "fast";
  std::string output;
  std::string verify;
  std::vector<std::string> among;
  std::string explain;
  std::vector<std::string> defines;
  std::string shard;
  bool no_cache = false;
  bool quiet = false;
  bool timing = false;
  bool detect = false;
  bool glance = false;
  bool discover = false;
  bool allow_empty = false;
  bool source = false;
  std::string string_lists;
  std::vector<std::string> for_check;
};

constexpr const char* kExamples =
    "Examples:\n"
    "  opledger scan -o operators.json\n"
    "      scans the source tree of opledger.json or of the current folder\n"
    "  opledger scan --dialect mxnet --configuration gpu src\n"
    "      prints what src registers in one configuration of MXNet\n"
    "Exit status: 0 done, 1 differences (--verify), 2 could not scan, 3 incomplete: not everything "
    "could be read.";

// Options for what is written or printed.
void DeclareResult(CLI::App& app, Arguments& arguments) {
  opledger::UnderHeading(app, "Results");
  app.add_option(
         "-o,--output", arguments.output,
         "Output file; {dialect} in it is replaced by the dialect's name; default: standard "
         "output, or nothing with --verify or --explain")
      ->type_name("FILE");
  app.add_option("--verify", arguments.verify,
                 "Compare with a JSON array of names: print recall, precision and differences, and "
                 "exit with 1 if there are any")
      ->type_name("FILE");
  app.add_option("--among", arguments.among,
                 "With --verify: only operators registered in these files (globs) have to be in "
                 "the list")
      ->allow_extra_args(false)
      ->type_name("GLOB");
  app.add_option("--explain", arguments.explain,
                 "Explain how each candidate in this file was read, or why it was not")
      ->type_name("FILE");
  app.add_option("--shard", arguments.shard,
                 "Write the facts of shard K of N, to be merged by `opledger merge`")
      ->type_name("K/N");
}

void DeclareCost(CLI::App& app, Arguments& arguments) {
  opledger::UnderHeading(app, "Time and memory");
  app.add_option("-j", arguments.options.jobs, "Worker processes; default: one per processor")
      ->type_name("N");
  app.add_flag("--statistics", arguments.options.statistics,
               "Print to standard error how each use of a name that leads to a registration was "
               "classified");
  app.add_flag("--timing", arguments.timing, "Print the time of each step to standard error");
  app.add_option("--file-seconds", arguments.options.seconds,
                 "Limit of processor time for one file, in seconds")
      ->type_name("N");
  app.add_option("--file-megabytes", arguments.options.megabytes,
                 "Limit of memory for one file, in megabytes")
      ->type_name("N");
}

// Options for other programs of opledger, which no help shows.
void DeclareInternal(CLI::App& app, Arguments& arguments) {
  app.add_option(
         "--for-check", arguments.for_check,
         "For opledger check: write the root on the first line, then the packed manifest with "
         "only these fields of operators ('*': all); print nothing on standard error")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group("");
  app.add_flag("--allow-empty", arguments.allow_empty,
               "For opledger check: accept a tree without operators")
      ->group("");
  app.add_flag("--source", arguments.source,
               "For opledger check: read the packed tree from standard input")
      ->group("");
  app.add_option("--string-lists", arguments.string_lists,
                 "For opledger: pack the lists (cpp, x-macro or yaml) of standard input")
      ->group("");
  app.add_flag("--glance", arguments.glance,
               "For opledger: print each matching dialect, the number of its files that register "
               "operators, and the first one, each followed by a NUL; then 'whole' or 'part'")
      ->group("");
  app.add_flag(
         "--discover", arguments.discover,
         "For opledger init: print what looks like registration, and a dialect that reads it, as "
         "JSON")
      ->group("");
}

void Declare(CLI::App& app, Arguments& arguments) {
  app.footer(kExamples);
  app.add_option("PATH", arguments.request.paths,
                 "Files and folders to scan; default: the whole source tree")
      ->type_name("");
  opledger::UnderHeading(app, "Reading the sources");
  app.add_option("--dialect", arguments.request.dialect,
                 "Dialect: the name of a shipped dialect, or a file")
      ->type_name("NAME|FILE");
  app.add_option("--configuration", arguments.options.configuration,
                 "Only operators that exist in this configuration; default: union, all of them")
      ->type_name("NAME");
  opledger::TakesOneOf(
      app.add_option(
             "--mode", arguments.mode,
             "fast, or exhaustive (full headers; slow); both evaluate names that are not constants")
          ->type_name("MODE"),
      {"fast", "exhaustive"});
  app.add_option("-p", arguments.options.build, "Folder with compile_commands.json")
      ->type_name("BUILD");
  app.add_option("-D", arguments.defines, "Define a macro: X or X=Y")
      ->allow_extra_args(false)
      ->type_name("X=Y");
  app.add_flag("--no-cache", arguments.no_cache,
               "Read everything again instead of using the cache");
  DeclareResult(app, arguments);
  app.add_flag("--detect-dialect", arguments.detect, "Print the matching dialects and exit");
  DeclareCost(app, arguments);
  DeclareInternal(app, arguments);
}

constexpr const char* kMergeExamples =
    "Examples:\n"
    "  opledger scan --shard 1/2 -o 1.facts\n"
    "  opledger scan --shard 2/2 -o 2.facts\n"
    "  opledger merge 1.facts 2.facts -o operators.json\n"
    "      the same as a scan in one run\n"
    "  opledger merge 1.facts 2.facts --expect 2 --configuration gpu\n"
    "      prints only the operators of one configuration\n"
    "Exit status: 0 done, 2 could not merge, 3 incomplete, or a shard is missing, damaged or from "
    "another scan.";

void Declare(CLI::App& app, opledger::scan::MergeArguments& arguments) {
  app.footer(kMergeExamples);
  app.add_option("FACTS", arguments.request.files,
                 "The files of `opledger scan --shard K/N -o FACTS`, in any order")
      ->type_name("");
  app.add_option("-o,--output", arguments.output, "The output file; default: standard output")
      ->type_name("FILE");
  app.add_option("--expect", arguments.request.expect,
                 "Number of shards; default: as recorded in the files")
      ->check(CLI::Range(1, 1 << 30).description(""))
      ->type_name("N");
  app.add_option("--configuration", arguments.request.configuration,
                 "Only operators that exist in this configuration; default: union, all of them")
      ->type_name("NAME");
  app.add_option("-D", arguments.defines, "Define a macro: X or X=Y")
      ->allow_extra_args(false)
      ->type_name("X=Y");
  app.add_option(
         "--dialect", arguments.context.dialect,
         "Dialect of the scan; default: that of the project file, otherwise that of the facts")
      ->type_name("NAME|FILE");
  app.add_option("--units", arguments.request.unit_folder, "For builds: the folder of UNIT.facts")
      ->group("");
}

// See registry/scan/commands/commands.h.
void Declare(CLI::App& app, opledger::scan::BuildStepArguments& arguments) {
  app.add_flag("--list-units,--outline,--facts");
  app.add_option("FILE", arguments.files);
  app.add_option("--index", arguments.indexed);
  app.add_option("-o,--output", arguments.output);
  app.add_option("--depfile", arguments.depfile);
  app.add_option("--tree", arguments.tree);
  app.add_option("--parts", arguments.parts);
  app.add_option("--part", arguments.part);
  app.add_option("--only", arguments.only);
  app.add_option("--mode", arguments.mode)->check(CLI::IsMember({"fast", "exhaustive"}));
  app.add_option("--dialect", arguments.context.dialect);
  app.add_option("-j", arguments.limits.workers)->check(CLI::Range(1, 1 << 16));
  app.add_option("--file-seconds", arguments.limits.seconds);
  app.add_option("--file-megabytes", arguments.limits.megabytes);
}

int Fail(const Diagnostics& diagnostics) {
  std::fputs(RenderDiagnostics(diagnostics).c_str(), stderr);
  return diagnostics.incomplete() ? 3 : 2;
}

// Converts a path as typed to one relative to the root. Reports an error and returns nullopt if it
// is not inside.
std::optional<std::string> RelativePath(const opledger::Source& here, const std::string& root,
                                        const std::string& path, Diagnostics& diagnostics) {
  const std::optional<bool> there = here.Exists(path, diagnostics);
  if (!there) return std::nullopt;
  if (!*there) {
    diagnostics.Error({path}, "no such file or folder");
    return std::nullopt;
  }
  const std::filesystem::path real = here.Canonical(path);
  if (real.empty()) {
    ReportUnread(path, errno, 0, diagnostics);
    return std::nullopt;
  }
  std::string relative = real.lexically_relative(root).string();
  if (relative == "..") relative = "../";
  if (relative.starts_with("../")) {
    diagnostics.Error({path}, "the path is outside the root " + root,
                      "all paths of one scan must lie in one source tree");
    return std::nullopt;
  }
  return relative == "." ? "" : relative;
}

bool RelativePaths(const opledger::Source& here, const std::string& root, Arguments& arguments,
                   Diagnostics& diagnostics) {
  for (const std::string& path : arguments.request.paths) {
    std::optional<std::string> relative = RelativePath(here, root, path, diagnostics);
    if (relative) arguments.options.paths.push_back(*relative);
  }
  if (!arguments.explain.empty()) {
    std::optional<std::string> relative = RelativePath(here, root, arguments.explain, diagnostics);
    arguments.options.explain = relative.value_or("");
  }
  return !diagnostics.has_errors();
}

// Reports an error and returns false if the output is a file that the scan reads: a source or
// header of the tree, or a file that determines how these are read.
bool CheckOutput(const opledger::Source& here, const opledger::scan::ScanContext& context,
                 const Arguments& arguments, Diagnostics& diagnostics) {
  const std::string& output = arguments.output;
  if (output.empty() || output == "-") return true;
  std::vector<std::string> read = context.files;
  read.push_back(arguments.verify);
  read.insert(read.end(), arguments.among.begin(), arguments.among.end());
  const std::string path = here.Canonical(output);
  const bool is_code =
      opledger::IsCode(path) || context.dialect.HasExtension(path) || path.ends_with(".py");
  if (is_code && here.Examine(output).kind == opledger::PathKind::kFile &&
      path.starts_with(context.source.root() + '/')) {
    read.push_back(output);
  }
  return CheckOutputFiles({{}, std::move(read), {}}, {{"-o", output}}, diagnostics);
}

void PrintTiming(const opledger::scan::ScanTiming& timing) {
  std::fprintf(stderr,
               "list %.3f s, outlines %.3f s (%d of %d files read), index %.3f s, facts %.3f s "
               "(%d of %d units preprocessed, %d with full headers), merge %.3f s%s\n",
               timing.list, timing.outline, timing.outlined, timing.files, timing.index,
               timing.facts, timing.scanned, timing.units, timing.full_headers, timing.merge,
               timing.from_snapshot ? "; the rest from the last scan" : "");
}

// Writes the root on a line of its own and then the packed manifest, for opledger check.
int HandOver(const Arguments& arguments, const std::string& root, const std::string& packed,
             bool complete, Diagnostics& diagnostics) {
  const std::string text = root + "\n" + packed;
  const std::string output = arguments.output.empty() ? "-" : arguments.output;
  if (!opledger::WriteFile(output, text, diagnostics)) return Fail(diagnostics);
  return complete ? 0 : 3;
}

// Prints how many operators of the sources the configuration lacks and, with --statistics, which.
void TellAbsent(const opledger::Manifest& manifest, const Arguments& arguments) {
  if (manifest.absent.empty() || arguments.quiet) return;
  const bool all = arguments.options.statistics;
  std::string text =
      opledger::AbsentCount(manifest.absent.size(), manifest.configuration) + (all ? ":\n" : "");
  for (const opledger::AbsentOperator& absent : manifest.absent) {
    if (all) text += "  " + opledger::AbsenceLine(absent, manifest, manifest.configuration) + "\n";
  }
  std::fputs((all ? text : text + " (see --statistics)\n").c_str(), stderr);
}

// Writes what was asked for and returns the exit status.
int Report(const opledger::Manifest& manifest, const Arguments& arguments,
           Diagnostics& diagnostics) {
  const bool verify = !arguments.verify.empty();
  if ((!verify && arguments.explain.empty()) || !arguments.output.empty()) {
    std::string text = WriteManifest(manifest);
    std::string output = arguments.output.empty() ? "-" : arguments.output;
    if (!WriteFile(output, text, diagnostics)) return Fail(diagnostics);
  }
  const int status = manifest.incomplete.empty() ? 0 : 3;
  std::optional<opledger::scan::Verdict> verdict;
  if (verify) {
    verdict = opledger::scan::Verify(manifest, arguments.verify, arguments.among, diagnostics);
    if (!verdict) return Fail(diagnostics);
    std::fputs(verdict->text.c_str(), stdout);
  }
  for (const opledger::Incomplete& incomplete : manifest.incomplete) {
    diagnostics.Warning(incomplete.location, incomplete.detail);
  }
  std::fputs(RenderDiagnostics(diagnostics).c_str(), stderr);
  TellAbsent(manifest, arguments);
  return status == 0 && verdict && !verdict->equal ? 1 : status;
}

int StringLists(const std::string& format, Diagnostics& diagnostics) {
  constexpr std::size_t kMaxListBytes = std::size_t{16} << 20U;
  const std::optional<std::string> text = opledger::ReadToEnd(STDIN_FILENO, kMaxListBytes);
  if (!text) {
    diagnostics.Error({}, "--string-lists: standard input cannot be read");
    return Fail(diagnostics);
  }
  const auto find = format == "x-macro" ? opledger::scan::FindMacroLists
                    : format == "yaml"  ? opledger::scan::FindYamlLists
                                        : opledger::scan::FindCppLists;
  const std::string packed = opledger::PackCppLists(find(*text));
  std::fwrite(packed.data(), 1, packed.size(), stdout);
  return 0;
}

// Returns the fields that a check asks for, and those that determine on which devices an operator
// runs. Empty means all.
std::set<std::string> FieldsForCheck(const std::vector<std::string>& asked,
                                     const opledger::Dialect& dialect) {
  std::set<std::string> fields(asked.begin(), asked.end());
  if (fields.empty() || fields.contains("*")) return {};
  fields.insert(dialect.device_kernels.field);
  fields.insert(dialect.device_kernels.unless_field);
  fields.insert(dialect.autocast_kernels.field);
  fields.erase("");
  return fields;
}

// Parses --shard. Reports an error and returns false if it is invalid, or combined with options
// that need a whole scan.
bool ReadShard(Arguments& arguments, Diagnostics& diagnostics) {
  if (arguments.shard.empty()) return true;
  std::optional<opledger::scan::Shard> shard = opledger::scan::Shard::Parse(arguments.shard);
  if (!shard) {
    diagnostics.Error({}, "--shard: '" + arguments.shard + "' is not K/N with K from 1 to N");
    return false;
  }
  arguments.options.shard = *shard;
  if (!arguments.options.defines.empty() || arguments.options.configuration != "union") {
    diagnostics.Error({}, "a shard contains the facts of all configurations",
                      "pass --configuration and -D to `opledger merge`");
  }
  if (!arguments.verify.empty() || !arguments.explain.empty() || !arguments.for_check.empty()) {
    diagnostics.Error({}, "--verify and --explain need a whole scan, not a shard");
  }
  return !diagnostics.has_errors();
}

// Returns whether the path is one of the roots or below one.
bool IsBelow(const std::string& path, const std::vector<std::string>& roots) {
  return std::any_of(roots.begin(), roots.end(), [&](const std::string& root) {
    return root.empty() || path == root || (path.starts_with(root) && path[root.size()] == '/');
  });
}

// Keeps only what is registered, or could not be read, below the paths.
void Narrow(opledger::Manifest& manifest, const std::vector<std::string>& paths) {
  if (paths.empty()) return;
  const auto elsewhere = [&](const auto& record) { return !IsBelow(record.location.path, paths); };
  std::erase_if(manifest.operators, [&](const opledger::Operator& op) {
    return std::all_of(op.sites.begin(), op.sites.end(), elsewhere);
  });
  std::erase_if(manifest.dynamic, elsewhere);
  std::erase_if(manifest.incomplete, elsewhere);
  std::erase_if(manifest.absent, elsewhere);
}

// Returns the tree that paths refer to: the current folder on disk, or what --source provides.
std::optional<opledger::Source> ReadHere(const Arguments& arguments, Diagnostics& diagnostics) {
  constexpr std::size_t kMaxGivenBytes = std::size_t{1} << 30;
  if (!arguments.source) return opledger::CurrentSource(diagnostics);
  const std::optional<std::string> bytes = opledger::ReadToEnd(STDIN_FILENO, kMaxGivenBytes);
  std::optional<opledger::Source> source;
  if (bytes) source = opledger::UnpackSource(*bytes);
  if (!source) {
    diagnostics.Error({}, "--source: standard input was not written by opledger",
                      "install both programs from one build");
  }
  return source;
}

// A single -D would override a macro that files of one build define differently.
void DropDefines(const opledger::Dialect& dialect, opledger::Defines& defines,
                 Diagnostics& diagnostics) {
  for (const opledger::BuildName& name : dialect.build_names) {
    const auto found = defines.find(name.macro);
    if (name.values.size() < 2 || found == defines.end()) continue;
    diagnostics.Add({opledger::Severity::kWarning,
                     {},
                     "'-D " + name.macro + "=" + found->second +
                         "' is ignored: files of the build define it as " +
                         opledger::Join(name.values, " or "),
                     "set it for each folder in \"build_names\" of a dialect that extends '" +
                         dialect.name + "'",
                     {}});
    defines.erase(found);
  }
}

constexpr std::string_view kDialectPlace = "{dialect}";

// Inserts the name of the dialect, which may depend on the sources, into that of the output.
bool NameOutput(const std::string& dialect, std::string& output, Diagnostics& diagnostics) {
  const std::size_t place = output.find(kDialectPlace);
  if (place == std::string::npos) return true;
  if (dialect.find('/') != std::string::npos || dialect.starts_with('.')) {
    return diagnostics.Error({}, "'" + dialect + "' cannot be part of a file name",
                             "choose it with --dialect, and the file with -o");
  }
  output.replace(place, kDialectPlace.size(), dialect);
  return true;
}

// Runs what needs no dialect: --glance, --detect-dialect, --discover, --string-lists. Returns
// nullopt if none of them was asked for.
std::optional<int> RunWithoutDialect(const opledger::Source& here, const Arguments& arguments,
                                     Diagnostics& diagnostics) {
  if (arguments.glance) {
    const opledger::scan::Glance glance = opledger::scan::GlanceAt(here.At(here.Canonical(".")));
    for (const opledger::scan::SeenDialect& each : glance.dialects) {
      std::printf("%s%c%zu%c%s%c", each.name.c_str(), 0, each.files, 0, each.first.c_str(), 0);
    }
    std::fputs(glance.whole ? "whole" : "part", stdout);
    return 0;
  }
  if (arguments.detect) {
    const std::string folder = arguments.request.paths.empty() ? "." : arguments.request.paths[0];
    const opledger::Source anchor = here.At(here.Canonical(folder));
    for (const std::string& name : opledger::scan::DetectDialects(anchor)) std::puts(name.c_str());
    return 0;
  }
  if (arguments.discover) {
    const std::vector<opledger::scan::Candidate> candidates = opledger::scan::Discover(here);
    const std::string name =
        opledger::scan::NameIn(std::filesystem::path(here.Canonical(".")).filename().string());
    std::fputs(opledger::scan::DiscoveryJson(name.empty() ? "own" : name, candidates).c_str(),
               stdout);
    return 0;
  }
  if (!arguments.string_lists.empty()) return StringLists(arguments.string_lists, diagnostics);
  return std::nullopt;
}

int Run(Arguments& arguments) {
  Diagnostics diagnostics;
  const std::optional<opledger::Source> here = ReadHere(arguments, diagnostics);
  if (!here) return Fail(diagnostics);
  if (const auto done = RunWithoutDialect(*here, arguments, diagnostics)) return *done;
  auto context = opledger::scan::FindScanContext(*here, arguments.request, diagnostics);
  if (!context) return Fail(diagnostics);
  if (!NameOutput(context->dialect.name, arguments.output, diagnostics)) return Fail(diagnostics);
  const std::string& root = context->source.root();
  opledger::scan::ScanOptions& options = arguments.options;
  options.exhaustive = arguments.mode == "exhaustive";
  options.cache = !arguments.no_cache;
  options.fields = FieldsForCheck(arguments.for_check, context->dialect);
  options.progress =
      !arguments.quiet && (isatty(STDERR_FILENO) == 1 || opledger::DiagnosticsAreJson());
  options.defines = opledger::scan::DefinesOf(arguments.defines);
  DropDefines(context->dialect, options.defines, diagnostics);
  if (!ReadShard(arguments, diagnostics)) return Fail(diagnostics);
  if (!RelativePaths(*here, root, arguments, diagnostics) ||
      !CheckOutput(*here, *context, arguments, diagnostics)) {
    return Fail(diagnostics);
  }
  opledger::scan::ScanTiming timing;
  // Not freed: the process ends soon, and freeing a manifest takes a tenth of a short run.
  auto& result = *new std::optional<opledger::scan::ScanResult>(
      opledger::scan::Scan(context->source, context->dialect, options, timing, diagnostics));
  if (!result) return Fail(diagnostics);
  if (arguments.timing) PrintTiming(timing);
  if (arguments.options.statistics) {
    std::string text =
        opledger::scan::BalanceText(result->balance) + opledger::scan::OutsideText(result->outside);
    if (result->manifest) text += opledger::scan::UnrecognizedText(result->manifest->unrecognized);
    std::fputs(text.c_str(), stderr);
  }
  if (!result->facts.empty()) {
    // Merging reports what is incomplete in the facts.
    const std::string output = arguments.output.empty() ? "-" : arguments.output;
    if (!WriteFile(output, result->facts, diagnostics)) return Fail(diagnostics);
    std::fputs(RenderDiagnostics(diagnostics).c_str(), stderr);
    return 0;
  }
  std::fputs(result->explanation.c_str(), stdout);
  const bool for_check = !arguments.for_check.empty();
  std::optional<opledger::Manifest>& manifest = result->manifest;
  if (!manifest && for_check) return HandOver(arguments, root, result->packed, true, diagnostics);
  if (!manifest) manifest = opledger::UnpackManifest(result->packed);
  if (!manifest) return Fail(diagnostics);
  const bool nothing = manifest->operators.empty() && manifest->incomplete.empty();
  if (nothing && !arguments.allow_empty) {
    diagnostics.Error({}, "no operator found in " + std::to_string(manifest->files) + " files",
                      "is " + (for_check ? "this" : root) + " the root of the source tree, and '" +
                          context->dialect.name + "' its dialect?");
    return Fail(diagnostics);
  }
  if (for_check) {
    if (result->packed.empty()) result->packed = PackManifest(*manifest);
    return HandOver(arguments, root, result->packed, manifest->incomplete.empty(), diagnostics);
  }
  Narrow(*manifest, options.paths);
  return Report(*manifest, arguments, diagnostics);
}

// Scans each dialect of the project, which gives a manifest each. Returns the worst exit status, in
// the order 2, 3, 1, 0.
int RunEach(const std::vector<std::string>& dialects, const Arguments& arguments) {
  const bool apart = arguments.output.find(kDialectPlace) != std::string::npos;
  if (!apart && arguments.explain.empty()) {
    Diagnostics diagnostics;
    diagnostics.Error({},
                      "the project has several dialects, each with its own manifest: " +
                          opledger::Join(dialects, ", "),
                      "choose one with --dialect NAME, or write all with -o '{dialect}.json'");
    return Fail(diagnostics);
  }
  int worst = 0;
  const auto rank = [](int status) { return status == 2 ? 4 : status; };
  for (const std::string& dialect : dialects) {
    Arguments own = arguments;
    own.request.dialect = dialect;
    if (own.options.statistics) std::fprintf(stderr, "dialect %s:\n", dialect.c_str());
    const int status = Run(own);
    if (rank(status) > rank(worst)) worst = status;
  }
  return worst;
}

// Scans for one dialect, or for each dialect of the project.
int RunScan(Arguments& arguments) {
  const bool for_opledger = arguments.detect || arguments.discover || arguments.source ||
                            !arguments.string_lists.empty() || !arguments.for_check.empty();
  Diagnostics diagnostics;
  const auto here = for_opledger ? std::nullopt : opledger::CurrentSource(diagnostics);
  if (here) {
    const auto dialects = opledger::scan::DialectsToScan(*here, arguments.request);
    if (!dialects.empty()) return RunEach(dialects, arguments);
  }
  return Run(arguments);
}

// Exits without freeing memory, which would take a tenth of the time.
[[noreturn]] void End(int status) { std::_Exit(opledger::CloseStandardOutput(status)); }

// Returns the member that holds the path of the project file.
std::string& ProjectFileOf(Arguments& arguments) { return arguments.request.project_file; }
template <typename T>
std::string& ProjectFileOf(T& arguments) {
  return arguments.context.project_file;
}

// Parses the command line. Exits if there is nothing left to do.
template <typename T>
void Parse(CLI::App& app, T& arguments, int argc, char** argv) {
  const std::string version = std::string("opledger-scan ") + opledger::Version();
  app.set_version_flag("--version", version + ", Clang " OPLEDGER_CLANG_VERSION)->group("");
  Declare(app, arguments);
  opledger::GlobalFlags flags;
  opledger::TakesGlobalFlags(app, flags);
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (const auto end = opledger::ParseCommandLine(app, words)) End(*end);
  ProjectFileOf(arguments) = flags.project_file;
  if constexpr (requires { arguments.quiet; }) arguments.quiet = flags.quiet;
  if (const auto end = opledger::EnterFolders(flags)) End(*end);
}

}  // namespace

int main(int argc, char** argv) {
  opledger::HoldStandardStreams();
  opledger::PrepareForLimits(argv,
                             "raise the limit of memory: ulimit -v, or take fewer workers: -j 1");
#if defined(M_TRIM_THRESHOLD)
  // Large buffers are allocated and freed for every file, so keeping their memory is faster than
  // returning it each time.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
  using opledger::scan::BuildStep;
  static const std::map<std::string, BuildStep, std::less<>> kSteps = {
      {"--list-units", BuildStep::kList},
      {"--outline", BuildStep::kOutline},
      {"--index", BuildStep::kIndex},
      {"--facts", BuildStep::kFacts}};
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (first == "--merge") {
    opledger::scan::MergeArguments arguments;
    CLI::App app("Merges the facts of a scan's shards into operators.json.", "opledger merge");
    Parse(app, arguments, argc - 1, argv + 1);
    End(RunMerge(arguments));
  }
  if (const auto step = kSteps.find(first); step != kSteps.end()) {
    opledger::scan::BuildStepArguments arguments;
    CLI::App app("A step of a scan from file to file, for builds.", "opledger-scan");
    Parse(app, arguments, argc, argv);
    arguments.step = step->second;
    End(RunBuildStep(arguments));
  }
  Arguments arguments;
  CLI::App app("Extracts every operator that C++ or Python source registers.", "opledger scan");
  Parse(app, arguments, argc, argv);
  End(RunScan(arguments));
}
