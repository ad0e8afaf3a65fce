// Runs the passes of a conversion, from reading the file to writing the report. Work that depends
// on the format is in the format's row of conversion/formats/formats.cpp.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/passes.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <vector>

#include "conversion/formats/formats.h"
#include "conversion/label/said_types.h"
#include "conversion/model/graph/types.h"
#include "conversion/model/half/half.h"
#include "conversion/place/place.h"
#include "conversion/report/border_text.h"
#include "conversion/report/explanation.h"
#include "registry/files/output_files.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

// The state that the passes share.
struct Conversion {
  SourceFile file;
  const Format& format;
  const Settings& settings;
  const ConvertOptions& options;
  std::string& text;
  Diagnostics& diagnostics;
  std::unique_ptr<ModelConversion> model;
  Preparation done;
  std::vector<NodeLabel> labels;
  Plan plan;
  Explanation explanation;
  bool nothing_low = false;
};

bool ReadModel(Conversion& c) { return c.model->Read(std::move(c.file)); }

bool CheckFiles(Conversion& c) {
  const ConvertOptions& options = c.options;
  const std::string path = c.format.model_path(options.output);
  FilesInUse in_use = {
      {options.model, options.params},
      InputFiles(options.inputs, options.inputs_from),
      options.output.empty() ? std::vector<std::string>() : c.model->NamedFiles(path)};
  std::vector<std::string>& read = in_use.read;
  const std::vector<std::string>& bases = c.settings.list().bases;
  const std::vector<std::string> data = c.model->NamedFiles(options.model);
  read.insert(read.end(), {options.list, options.profile});
  read.insert(read.end(), bases.begin(), bases.end());
  read.insert(read.end(), data.begin(), data.end());
  std::vector<OutputFile> outputs = {{"--sidecar", options.sidecar}};
  for (const std::string& report : options.reports) outputs.push_back({"--report", report});
  for (OutputFile& file : ModelFiles(c.format, options.output, options.params, options.in_place)) {
    outputs.push_back(std::move(file));
  }
  return CheckOutputFiles(in_use, outputs, c.diagnostics);
}

// Runs a step that removes nodes if its option is `given`. Records the option in `took_explained`
// if the step removed the node of --explain.
bool Prepare(Conversion& c, bool given, const char* option,
             bool (ModelConversion::*step)(Preparation&)) {
  const auto explained = [&] {
    return !c.options.explain.empty() && HasNode(c.model->graph(), c.options.explain);
  };
  if (!given) return true;
  const bool before = explained();
  if (!((*c.model).*step)(c.done)) return false;
  if (before && !explained()) c.done.took_explained = option;
  return true;
}

bool InlineCalls(Conversion& c) {
  return Prepare(c, c.options.inline_functions, "--inline-functions",
                 &ModelConversion::InlineFunctions);
}

bool TypeModel(Conversion& c) { return c.model->FindTypes(); }

bool MergeNodes(Conversion& c) {
  return Prepare(c, c.options.merge_duplicates, "--cse", &ModelConversion::MergeDuplicates);
}

bool RaiseVersion(Conversion& c) { return c.model->RaiseOpset(c.done); }

bool FuseChains(Conversion& c) {
  return Prepare(c, c.options.fuse, "--fuse", &ModelConversion::Fuse);
}

// Raising the opset and fusing chains can create duplicate nodes.
bool MergeAgain(Conversion& c) {
  const bool changed = c.done.opset || c.done.fused_chains.value_or(0) != 0;
  return Prepare(c, c.options.merge_duplicates && changed, "--cse",
                 &ModelConversion::MergeDuplicates);
}

bool MakeLabels(Conversion& c) {
  c.labels = c.model->Label();
  return CheckUnlisted(c.settings, c.model->graph(), c.labels, c.diagnostics);
}

bool PlaceNodes(Conversion& c) {
  if (!c.options.storage_only) return c.model->Place(c.labels, c.plan);
  if (!CheckStorageOptions(c.options, c.diagnostics) || !c.model->CheckStorage()) return false;
  LabelForStorage(c.labels);
  c.plan = MakeStoragePlan(c.model->graph(), c.labels, c.options,
                           [&](ValueId value) { return c.model->CanStoreLow(value); });
  return true;
}

bool CheckVersion(Conversion& c) { return !c.plan.Changes() || c.model->CheckCasts(); }

bool MakeEdits(Conversion& c) {
  c.model->Edit(c.plan);
  return true;
}

void WarnOfNothing(Conversion& c) {
  c.nothing_low = true;
  // Excluding every node is deliberate if the run is for --opset, --fuse, --cse or
  // --inline-functions.
  const bool meant = !c.done.Text().empty() &&
                     std::all_of(c.labels.begin(), c.labels.end(), [](const NodeLabel& label) {
                       return label.rule == LabelRule::kExcluded;
                     });
  if (meant) return;
  c.diagnostics.Warning({.path = c.options.model},
                        WhyNothingIsLow(c.model->graph(), c.labels, c.settings.target()),
                        "--report FILE.html shows the reason for each node");
}

// Describes the effect of --small-constants clamp. Returns an empty string if it was not given.
std::string RaisedText(Conversion& c) {
  if (!c.options.RaisesSmall()) return {};
  std::uint64_t numbers = 0;
  std::uint64_t parameters = 0;
  for (ValueId id = 0; id < static_cast<ValueId>(c.plan.values.size()); ++id) {
    if (!c.plan.values[id].WrittenLow()) continue;
    const auto rounding = c.model->Rounding(id);
    if (!rounding || rounding->raised == 0) continue;
    numbers += rounding->raised;
    ++parameters;
  }
  if (numbers == 0) return "  --small-constants clamp: no element had to be raised\n";
  char smallest[32];
  std::snprintf(smallest, sizeof smallest, "%.3g", SmallestOf(c.settings.target()));
  return "  --small-constants clamp: " + Counted(numbers, "element") + " of " +
         Counted(parameters, "parameter") + " raised to " + smallest + "\n";
}

bool SummariseRun(Conversion& c) {
  c.text = Printable(c.options.model) + ": ";
  if (c.options.storage_only) {
    c.text += Counted(c.plan.casts, "parameter") + " stored in " + c.options.target_dtype +
              ", computed in float32\n" + c.done.Text() + RaisedText(c);
    return true;
  }
  const auto low = std::count(c.plan.low.begin(), c.plan.low.end(), true);
  const std::string advice = c.model->Advice(c.labels);
  if (low == 0) WarnOfNothing(c);
  c.text += std::to_string(low) + " of " + std::to_string(c.plan.low.size()) + " nodes in " +
            c.options.target_dtype + ", " + Counted(c.plan.casts, "cast") +
            c.model->ParameterText() + "\n" + c.done.Text() + RaisedText(c) + advice +
            UnsaidTypes(c.model->graph(), c.labels, c.plan.low);
  if (c.options.io_types == "low") {
    c.text += BorderText(c.model->graph(), c.plan, c.options.target_dtype);
  }
  if (const std::size_t unread = c.plan.unread_casts.size(); unread != 0) {
    c.text += "  " + Counted(unread, "cast") +
              " of the original model removed, because nothing reads " +
              (unread == 1 ? "it" : "them") + " any more\n";
  }
  return true;
}

bool ExplainPlan(Conversion& c) {
  if (c.options.reports.empty() && c.options.explain.empty()) return true;
  const std::vector<TensorSize> sizes = c.model->Sizes();
  const Graph& graph = c.model->graph();
  const ReportInput input = {c.options.model,  c.format.model.name, &graph, &c.labels,
                             &c.plan,          &c.settings.list(),  &sizes, &c.done,
                             c.model->Steps(), c.model->OpenInput()};
  // Values that cannot be read are reported as unknown. Other passes report the errors.
  const auto values = [&] {
    Diagnostics nobody;
    return c.model->Values(c.labels, nobody).value_or(std::vector<ValueSummary>());
  };
  return c.explanation.Make(
      input, c.options, [&](ValueId value) { return c.model->Rounding(value); }, values, c.text,
      c.diagnostics);
}

bool WriteModel(Conversion& c) {
  return c.options.dry_run ? c.model->CheckWrite() : c.model->Write();
}

bool WriteReports(Conversion& c) { return c.explanation.Write(c.options, c.diagnostics); }

struct Pass {
  const char* name;
  const char* what;
  bool (*run)(Conversion&);
};

constexpr Pass kPasses[] = {
    {"read", "reads the file as a graph, with the position of each part in the file", ReadModel},
    {"files", "checks that no output is a file that is read", CheckFiles},
    {"inline", "--inline-functions: replaces calls by the nodes of their functions", InlineCalls},
    {"types", "finds the types of all values by the signatures of operators", TypeModel},
    {"merge", "--cse: merges nodes that compute the same", MergeNodes},
    {"opset", "--opset: raises nodes to newer versions of their operators", RaiseVersion},
    {"fuse", "--fuse: replaces chains by the operator that they compute", FuseChains},
    {"merge", "--cse: merges new nodes that compute the same", MergeAgain},
    {"label", "labels nodes by options, list and signature: what each must or may be", MakeLabels},
    {"place", "keeps nodes in float32 by ranges and options; places the rest with the fewest casts",
     PlaceNodes},
    {"casts", "checks that the model's version has the casts of the plan", CheckVersion},
    {"edit", "turns the plan into edits of the file: casts, names, types, parameters", MakeEdits},
    {"summary", "describes what was done in a line or two", SummariseRun},
    {"explain", "--explain and --report: finds the reasons", ExplainPlan},
    {"write", "writes the edited file, which is read again and typed before it takes its place",
     WriteModel},
    {"report", "--report: writes its files", WriteReports},
};

}  // namespace

std::optional<std::vector<ValueSummary>> AnalyseValues(const InspectOptions& options,
                                                       Diagnostics& diagnostics) {
  ConvertOptions convert;
  convert.model = options.model;
  convert.data_root = options.data_root;
  convert.target_dtype = options.target_dtype;
  convert.list = options.list;
  convert.params = options.params;
  convert.unlisted = "ignore";
  convert.input_ranges = options.input_ranges;
  convert.input_shapes = options.input_shapes;
  auto file = SourceFile::Open(options.model, diagnostics, options.data_root);
  if (!file) return std::nullopt;
  const Format& format = FindFormat(*file);
  Settings settings(convert);
  if (!settings.Read(format.model.name, diagnostics)) return std::nullopt;
  const auto model = format.convert(settings, diagnostics);
  Preparation done;
  if (!model->Read(std::move(*file)) || !model->FindTypes() || !model->RaiseOpset(done)) {
    return std::nullopt;
  }
  std::vector<NodeLabel> labels = model->Label();
  Plan plan;
  if (!model->Place(labels, plan)) return std::nullopt;
  return model->Values(labels, diagnostics);
}

int RunPasses(SourceFile file, const ConvertOptions& options, std::string& text,
              Diagnostics& diagnostics) {
  const Format& format = FindFormat(file);
  Settings settings(options);
  if (!settings.Read(format.model.name, diagnostics)) return 2;
  Conversion conversion = {std::move(file),
                           format,
                           settings,
                           options,
                           text,
                           diagnostics,
                           format.convert(settings, diagnostics),
                           {},
                           {},
                           {},
                           {}};
  const bool done = std::all_of(std::begin(kPasses), std::end(kPasses),
                                [&](const Pass& pass) { return pass.run(conversion); });
  if (!done) return 2;
  return options.strict && conversion.nothing_low ? 1 : 0;
}

}  // namespace opledger
