// Measures kernels, applies the policy rule, compares lists, and reports.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/evidence/evidence.h"

#include <cstring>
#include <filesystem>
#include <set>

#include "kernels/model/files_read.h"
#include "registry/files/files.h"
#include "registry/files/list_folder.h"
#include "registry/platform/platform.h"
#include "registry/text/name_patterns.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

bool AddsUpInFloat32(const Probe& probe) {
  const auto found = Kernels().find(probe.kernel);
  return found != Kernels().end() && found->second.front()->accumulates() == Dtype::kFloat32;
}

OperatorEvidence EvidenceOf(const Probe& probe, Dtype dtype, const MeasureOptions& options) {
  OperatorEvidence evidence = {&probe, dtype, Measure(probe, dtype, options), {}, {}};
  const Measurement& measurement = evidence.measurement;
  const bool wide = AddsUpInFloat32(probe);
  evidence.computed = Recommend(probe, measurement.domains, wide);
  evidence.stepwise =
      measurement.steps.empty() ? evidence.computed : Recommend(probe, measurement.steps, wide);
  return evidence;
}

bool MeasureAll(const CharacterizeOptions& options, Characterization& all,
                Diagnostics& diagnostics) {
  NamePatterns pattern;
  if (!pattern.Add(options.operators)) {
    diagnostics.Error({}, "--operators " + options.operators + " is not a regular expression",
                      "it may match anywhere in a kernel's name: '^Reduce', 'Exp|Log'");
    return false;
  }
  std::vector<Dtype> dtypes = {Dtype::kFloat16, Dtype::kBfloat16};
  if (!options.target_dtype.empty()) dtypes = {*ParseDtype(options.target_dtype)};
  const MeasureOptions how = {{options.kernels == "reference"}, options.speed};
  std::set<std::string_view> probed;
  for (const Probe& probe : Probes()) {
    probed.insert(probe.kernel);
    if (!pattern.Match(probe.kernel)) continue;
    for (const Dtype dtype : dtypes) all.operators.push_back(EvidenceOf(probe, dtype, how));
  }
  for (const auto& [name, entries] : Kernels()) {
    const bool wanted = pattern.Match(std::string(name));
    if (!wanted || probed.count(name) != 0) continue;
    all.unmeasured.emplace(name, WhyNotMeasured(name));
  }
  if (!all.operators.empty()) return true;
  diagnostics.Error({}, "no measured kernel matches '" + options.operators + "'",
                    "`opledger run --list-kernels text` lists the kernels");
  return false;
}

// Lists of all frameworks, sorted by name.
std::vector<std::string> AllShippedLists(Diagnostics& diagnostics) {
  const FolderNames frameworks = NamesIn((fs::path(DataDirectory()) / "lists").string());
  if (frameworks.error != 0) {
    diagnostics.Error(
        {}, std::string("cannot list the shipped lists: ") + std::strerror(frameworks.error));
  }
  std::vector<std::string> lists;
  for (const std::string& framework : frameworks.names) {
    for (std::string& list : ShippedLists(framework, diagnostics)) lists.push_back(std::move(list));
  }
  return lists;
}

bool AgreeWith(const std::string& path, const std::string& shown, Characterization& all,
               Diagnostics& diagnostics) {
  const auto list = ReadWrittenList(DiskSource(), path, diagnostics);
  if (!list) return false;
  NamedAgreement named = {shown, Agree(all.operators, *list)};
  if (named.agreement.named != 0) all.agreements.push_back(std::move(named));
  return true;
}

}  // namespace

int Characterize(const CharacterizeOptions& options, std::string& text, Diagnostics& diagnostics) {
  FilesInUse files;
  files.read = options.list.empty() ? AllShippedLists(diagnostics) : ListFiles(options.list);
  if (diagnostics.has_errors()) return 2;
  if (!CheckOutputFiles(files, {{"-o", options.output}}, diagnostics)) return 2;
  Characterization all;
  if (!MeasureAll(options, all, diagnostics)) return 2;
  if (!options.list.empty()) {
    if (!AgreeWith(options.list, options.list, all, diagnostics)) return 2;
  } else {
    for (const std::string& path : AllShippedLists(diagnostics)) {
      const fs::path file(path);
      const std::string shown = (file.parent_path().filename() / file.filename()).string();
      if (!AgreeWith(path, shown, all, diagnostics)) return 2;
    }
  }
  text = CharacterizationText(all, options);
  if (options.output.empty()) return 0;
  return WriteFile(options.output, EvidenceJson(all, options), diagnostics) ? 0 : 2;
}

}  // namespace opledger
