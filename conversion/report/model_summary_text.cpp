// A model's summary for people: columns as wide as what stands in them.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "conversion/report/model_summary.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

constexpr std::size_t kShown = 20;  // inputs, outputs, inner graphs

using Row = std::vector<std::string>;

// Rows below each other, the last column as it is.
std::string Columns(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line = " ";
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += " " + row[i];
      if (i + 1 < row.size()) line += std::string(widths[i] - row[i].size() + 1, ' ');
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string Types(const OperatorSummary& op) {
  std::string text;
  for (const auto& [type, nodes] : op.types) {
    text += (text.empty() ? "" : ", ") + type;
    if (op.types.size() > 1) text += " x" + std::to_string(nodes);
  }
  return text;
}

template <typename Pairs>
std::string Border(const char* title, const Pairs& pairs) {
  std::vector<Row> rows;
  for (const auto& [name, type] : pairs) {
    if (rows.size() < kShown) rows.push_back({Printable(name), type});
  }
  std::string text = std::string(title) + "\n" + Columns(rows);
  if (pairs.size() > kShown) {
    text += "  and " + std::to_string(pairs.size() - kShown) + " more\n";
  }
  return pairs.empty() ? std::string() : text;
}

std::string Operators(const ModelSummary& summary) {
  std::vector<std::pair<std::string, const OperatorSummary*>> order;
  for (const auto& [name, op] : summary.operators) order.emplace_back(name, &op);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second->nodes > b.second->nodes; });
  std::vector<Row> rows;
  std::size_t unlisted = 0;
  for (const auto& [name, op] : order) {
    const bool without = op->policy.empty() && op->note.empty();
    unlisted += without ? 1 : 0;
    rows.push_back({Printable(name), std::to_string(op->nodes), Types(*op),
                    without              ? "UNLISTED"
                    : op->policy.empty() ? "-"
                                         : op->policy,
                    op->place.line == 0 ? "" : "line " + std::to_string(op->place.line), op->note});
  }
  std::string text = "operators, and what " + summary.list + " says\n" + Columns(rows);
  if (unlisted > 0) {
    text += "  " + Counted(unlisted, "operator") + " in no list: unlisted ones keep their types\n";
  }
  return text;
}

}  // namespace

std::string RenderSummaryText(const ModelSummary& summary) {
  std::string text = summary.model + ": " + summary.format + ", " +
                     std::to_string(summary.file_bytes) + " bytes, " +
                     Counted(summary.nodes, "node") + "\n";
  std::vector<Row> rows;
  for (const auto& [domain, version] : summary.opsets) {
    rows.push_back({Printable(domain), std::to_string(version)});
  }
  if (!rows.empty()) text += "opsets\n" + Columns(rows);
  text += Border("inputs", summary.inputs) + Border("outputs", summary.outputs);
  text += Operators(summary);
  rows.clear();
  for (const auto& [types, nodes] : summary.casts) rows.push_back({types, std::to_string(nodes)});
  if (!rows.empty()) text += "casts of its own\n" + Columns(rows);
  rows.clear();
  for (const auto& [type, parameters] : summary.parameters) {
    rows.push_back({type, Counted(parameters.tensors, "tensor"),
                    Counted(parameters.numbers, "number"), Counted(parameters.bytes, "byte")});
  }
  if (!rows.empty()) text += "parameters and constants\n" + Columns(rows);
  rows.clear();
  for (const auto& [file, bytes] : summary.external) {
    rows.push_back({Printable(file), Counted(bytes, "byte")});
  }
  if (!rows.empty()) text += "external data\n" + Columns(rows);
  std::vector<std::pair<std::string, std::string>> scopes;
  for (const auto& [name, nodes] : summary.scopes)
    scopes.emplace_back(name, Counted(nodes, "node"));
  return text + Border("inner graphs and functions", scopes);
}

}  // namespace opledger
