// Prints a suite as tables of runs, plans, shapes and memory, and its bars.
// SPDX-License-Identifier: Apache-2.0
#include <functional>

#include "kernels/bench/ratios.h"
#include "kernels/compare/table_text.h"
#include "registry/text/diagnostics.h"
#include "registry/text/short_number.h"

namespace opledger {
namespace {

using Row = std::vector<std::string>;

std::string Cell(const std::optional<double>& value, double unit = 1) {
  return value ? ShortNumber(*value / unit) : "-";
}

// Returns the geometric mean over the family's models, divided by `unit`.
std::string Cell(const MeasuredFamily& family, double unit,
                 const std::function<std::optional<double>(const MeasuredModel&)>& of) {
  std::vector<std::optional<double>> all;
  for (const MeasuredModel& model : family.models) all.push_back(of(model));
  return Cell(GeometricMean(all), unit);
}

using OfTiming = std::optional<double> (*)(const Timing&);

std::string Cell(const MeasuredFamily& family, double unit, const std::string& what, OfTiming of) {
  return Cell(family, unit, [&](const MeasuredModel& model) {
    const Timing* timing = model.Find(what);
    return timing == nullptr ? std::nullopt : of(*timing);
  });
}

std::optional<double> RunOf(const Timing& timing) { return Median(timing.runs); }
std::optional<double> PlanOf(const Timing& timing) { return timing.plan; }
std::optional<double> MemoryOf(const Timing& timing) { return timing.memory; }

// One row for each family and one of means: `cells` cells, then the ratios.
std::string Table(const BenchReport& report, Row head, std::size_t cells,
                  const std::vector<std::string_view>& ratios,
                  const std::function<Row(const MeasuredFamily&)>& cells_of) {
  std::vector<Row> rows = {std::move(head)};
  for (const MeasuredFamily& family : report.families) {
    Row row = {Printable(family.name)};
    for (std::string& cell : cells_of(family)) row.push_back(std::move(cell));
    for (const std::string_view ratio : ratios) row.push_back(Cell(RatioOf(family, ratio)));
    rows.push_back(std::move(row));
  }
  Row means = {"geometric mean"};
  means.resize(1 + cells);
  for (const std::string_view ratio : ratios) means.push_back(Cell(MeanRatio(report, ratio)));
  rows.push_back(std::move(means));
  return TableText(rows);
}

std::string RunsText(const BenchReport& report) {
  const Row head = {"",        "ONNX Runtime", "float32",
                    "float16", "bfloat16",     "float32",
                    "float16", "bfloat16",     "float16 / own float32"};
  return "one run, CPU ms; parts of ONNX Runtime's\n" +
         Table(report, head, 4, {"float32", "float16", "bfloat16", "float16/float32"},
               [](const MeasuredFamily& family) -> Row {
                 return {Cell(family, 1e-3, "ONNX Runtime", RunOf),
                         Cell(family, 1e-3, "float32", RunOf),
                         Cell(family, 1e-3, "float16 by list", RunOf),
                         Cell(family, 1e-3, "bfloat16 by list", RunOf)};
               });
}

std::string PlansText(const BenchReport& report) {
  const Row head = {"", "ONNX Runtime", "ours", "part"};
  return "from the file until it can run, CPU ms\n" +
         Table(report, head, 2, {"planning"}, [](const MeasuredFamily& family) -> Row {
           return {Cell(family, 1e-3, "ONNX Runtime", PlanOf),
                   Cell(family, 1e-3, "float32", PlanOf)};
         });
}

std::string ShapesText(const BenchReport& report) {
  const Row head = {"",          "seen, us", "new, ms", "cold, ms", "run with a seen one / run",
                    "new / cold"};
  return "the plan of shapes seen before, of new ones, and cold\n" +
         Table(report, head, 3, {"seen-shape", "new-shape"},
               [](const MeasuredFamily& family) -> Row {
                 using Costs = const MeasuredModel&;
                 return {Cell(family, 1e-6,
                              [](Costs model) {
                                return model.shapes ? std::optional(model.shapes->seen)
                                                    : std::nullopt;
                              }),
                         Cell(family, 1e-3,
                              [](Costs model) {
                                return model.shapes ? model.shapes->fresh : std::nullopt;
                              }),
                         Cell(family, 1e-3, [](Costs model) {
                           return model.shapes ? model.shapes->cold : std::nullopt;
                         })};
               });
}

std::string MemoryTable(const BenchReport& report) {
  const Row head = {"", "ONNX Runtime", "float32", "float16", "bfloat16", "float32's part"};
  constexpr double kMebibyte = 1 << 20;
  return "memory above the process's start, MiB at most\n" +
         Table(report, head, 4, {"memory"}, [](const MeasuredFamily& family) -> Row {
           return {Cell(family, kMebibyte, "ONNX Runtime", MemoryOf),
                   Cell(family, kMebibyte, "float32", MemoryOf),
                   Cell(family, kMebibyte, "float16 by list", MemoryOf),
                   Cell(family, kMebibyte, "bfloat16 by list", MemoryOf)};
         });
}

std::string Verdict(const BarResult& result) {
  if (!result.counts) return "for other machines";
  if (!result.measured) return "not measured";
  if (!result.missed()) return "met";
  std::string text = "missed";
  for (const auto& [family, ratio] : result.above) {
    text += (&family == &result.above.front().first ? ": " : ", ") + Printable(family) + " " +
            ShortNumber(ratio);
  }
  return text;
}

std::string BarsText(const BenchReport& report) {
  if (report.bars.empty()) return {};
  std::vector<Row> rows = {{"", "mean", "at most", "each at most", ""}};
  for (const BarResult& result : JudgeBars(report)) {
    const Bar& bar = *result.bar;
    rows.push_back({bar.ratio + (bar.where.empty() ? "" : " with " + Printable(bar.where)),
                    Cell(result.mean), bar.mean ? ShortNumber(*bar.mean) : "",
                    bar.each ? ShortNumber(*bar.each) : "", Verdict(result)});
  }
  return "bars\n" + TableText(rows);
}

// Lists what did not run, and why.
std::string ProblemsText(const BenchReport& report) {
  std::string text;
  for (const MeasuredFamily& family : report.families) {
    for (const MeasuredModel& model : family.models) {
      for (const Timing& timing : model.timings) {
        if (timing.ran()) continue;
        text += Printable(model.path) + ", " + timing.what + ": " +
                Printable(timing.problem + timing.same_as_float32) + "\n";
      }
    }
  }
  return text;
}

}  // namespace

std::string SuiteText(const BenchReport& report) {
  return MachineText(report) + RunsText(report) + PlansText(report) + ShapesText(report) +
         MemoryTable(report) + ProblemsText(report) + BarsText(report);
}

}  // namespace opledger
