// Every symbol of the test data is read, and written with the same bytes; edits are formatted as
// MXNet's writer, or the writer of the file, would.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/mxnet/mxnet_symbol.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "conversion/model/mxnet/mxnet_symbol_edits.h"
#include "registry/json/json.h"
#include "tests/test_data.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

constexpr char kMissing[] = "missing: models of mxnet; ci/test-data gets what is missing";

fs::path Data() {
  static const fs::path data = TestData("models mxnet");
  return data;
}

std::optional<MxnetSymbol> Read(const fs::path& path) {
  Diagnostics diagnostics;
  auto file = SourceFile::Open(path.string(), diagnostics);
  if (!file) return std::nullopt;
  auto symbol = ReadMxnetSymbol(std::move(*file), diagnostics);
  EXPECT_TRUE(symbol) << RenderDiagnostics(diagnostics);
  return symbol;
}

std::optional<MxnetSymbol> ReadText(std::string text, std::string* said = nullptr) {
  Diagnostics diagnostics;
  auto symbol =
      ReadMxnetSymbol(SourceFile::FromText("a-symbol.json", std::move(text)), diagnostics);
  EXPECT_EQ(symbol.has_value(), !diagnostics.has_errors());
  if (said != nullptr) *said = RenderDiagnostics(diagnostics);
  return symbol;
}

bool IsSymbol(const fs::path& path) {
  return path.extension() == ".json" && path.filename() != "expected.json";
}

// Returns the MXNet version that wrote a symbol, such as 10901; 800 if the file has none.
std::int64_t VersionIn(const JsonValue& symbol) {
  const JsonValue* attributes = symbol.Find("attrs");
  const JsonValue* version = attributes == nullptr ? nullptr : attributes->Find("mxnet_version");
  return version == nullptr ? 800 : version->items.at(1).integer;
}

// Counts the operators of a symbol and its subgraphs.
std::size_t OperatorsIn(const JsonValue& symbol) {
  std::size_t count = 0;
  for (const JsonValue& node : symbol.Find("nodes")->items) {
    count += node.Find("op")->string != "null" ? 1 : 0;
    const JsonValue* subgraphs = node.Find("subgraphs");
    if (subgraphs == nullptr) continue;
    for (const JsonValue& inner : subgraphs->items) count += OperatorsIn(inner);
  }
  return count;
}

TEST(MxnetSymbolTest, KeepsTheBytes) {
  if (Data().empty()) GTEST_SKIP() << kMissing;
  std::size_t operators = 0;
  std::size_t expected = 0;
  std::size_t scopes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(Data())) {
    if (!IsSymbol(entry.path())) continue;
    auto symbol = Read(entry.path());
    ASSERT_TRUE(symbol) << entry.path();
    EditList edits = MxnetSymbolEdits(*symbol).Finish();
    EXPECT_EQ(EditedText(symbol->file, edits), symbol->file.bytes()) << entry.path();
    operators += symbol->graph.nodes.size();
    Diagnostics diagnostics;
    const auto document = ReadJson(entry.path().string(), diagnostics);
    ASSERT_TRUE(document) << entry.path();
    expected += OperatorsIn(document->root);
    scopes += symbol->scopes.size();
    EXPECT_EQ(symbol->version, VersionIn(document->root)) << entry.path();
  }
  EXPECT_EQ(operators, expected);
  EXPECT_GT(scopes, 0U);
}

// Inserts a cast after every operator: only indices change and nodes are added, and removing the
// nodes again restores the file.
TEST(MxnetSymbolTest, FormatsNewNodes) {
  if (Data().empty()) GTEST_SKIP() << kMissing;
  for (const auto& path : fs::recursive_directory_iterator(Data())) {
    if (!IsSymbol(path.path())) continue;
    auto symbol = Read(path.path());
    ASSERT_TRUE(symbol);
    MxnetSymbolEdits changes(*symbol);
    std::size_t added = 0;
    for (ScopeId scope = 0; scope < static_cast<ScopeId>(symbol->scopes.size()); ++scope) {
      const MxnetScope& place = symbol->scopes[scope];
      for (std::size_t head = 0; head < place.heads.size(); ++head) {
        const int entry = place.heads[head].entry;
        const int cast = changes.Add(scope, {"amp_cast", "\"c" + std::to_string(added++) + "\"",
                                             "dtype", "float32", entry, place.heads[head].output});
        changes.RerouteHead(scope, head, cast);
      }
    }
    EditList edits = changes.Finish();
    const std::string text = EditedText(symbol->file, edits);
    const auto again = ReadText(text);
    ASSERT_TRUE(again) << path.path();
    EXPECT_EQ(again->graph.nodes.size(), symbol->graph.nodes.size() + added);
    const auto lines = [](std::string_view all) {
      return std::count(all.begin(), all.end(), '\n');
    };
    EXPECT_EQ(text.find('\n') == std::string::npos, lines(symbol->file.bytes()) == 0);
    EXPECT_GT(text.size(), symbol->file.bytes().size());
  }
}

// Repeats MXNet's own conversion through edits of its input: yields the same bytes.
TEST(MxnetSymbolTest, WritesAsMxnetDoes) {
  if (Data().empty()) GTEST_SKIP() << kMissing;
  for (const char* name : {"float16", "float16_runtime_casts", "bfloat16"}) {
    auto from = Read(Data() / "v10901/residual-symbol.json");
    auto to = Read(Data() / ("v10901/residual_amp_" + std::string(name) + "-symbol.json"));
    ASSERT_TRUE(from && to);
    MxnetSymbolEdits changes(*from);
    const std::vector<MxnetEntry>& entries = from->scopes[0].entries;
    std::map<int, int> number;  // index there -> here, or of a new entry
    std::size_t next = 0;
    for (std::size_t i = 0; i < to->scopes[0].entries.size(); ++i) {
      const MxnetEntry& entry = to->scopes[0].entries[i];
      const JsonValue* attributes = MxnetAttributes(*entry.json);
      if (entry.json->Find("op")->string == "amp_cast") {
        number[static_cast<int>(i)] =
            changes.Add(0, {"amp_cast", '"' + entry.json->Find("name")->string + '"', "dtype",
                            attributes->Find("dtype")->string, number[entry.inputs[0].entry], 0});
        continue;
      }
      ASSERT_LT(next, entries.size());
      number[static_cast<int>(i)] = static_cast<int>(next);
      const JsonValue* dtype = attributes == nullptr ? nullptr : attributes->Find("__dtype__");
      if (dtype != nullptr) {
        changes.SetAttribute(0, static_cast<int>(next), "__dtype__", dtype->string);
      }
      for (std::size_t input = 0; input < entry.inputs.size(); ++input) {
        const int source = number[entry.inputs[input].entry];
        if (source != entries[next].inputs[input].entry) {
          changes.Reroute(0, static_cast<int>(next), input, source);
        }
      }
      ++next;
    }
    const int head = number[to->scopes[0].heads[0].entry];
    if (head != from->scopes[0].heads[0].entry) changes.RerouteHead(0, 0, head);
    EditList edits = changes.Finish();
    EXPECT_EQ(EditedText(from->file, edits), to->file.bytes()) << name;
  }
}

TEST(MxnetSymbolTest, FindsTheParts) {
  auto symbol = ReadText(R"({"nodes": [
    {"op": "null", "name": "x", "attrs": {"__dtype__": "0"}, "inputs": []},
    {"op": "null", "name": "m", "inputs": []},
    {"op": "SliceChannel", "name": "s", "param": {"num_outputs": "2", "axis": "1"},
     "attr": {"axis": "0", "a": "None"}, "inputs": [[0, 0], [1, 0, 1]], "backward_source_id": -1}],
    "arg_nodes": [0, 1], "node_row_ptr": [0, 1, 2, 4], "heads": [[2, 1]],
    "attrs": {"mxnet_version": ["int", 10901]}})");
  ASSERT_TRUE(symbol);
  const Graph& graph = symbol->graph;
  ASSERT_EQ(graph.nodes.size(), 1U);
  ASSERT_EQ(graph.values.size(), 4U);
  EXPECT_EQ(graph.values[0].type, (ValueType{ValueType::Kind::kTensor, Dtype::kFloat32}));
  EXPECT_EQ(graph.values[3].name, "s_output1");
  EXPECT_EQ(graph.scopes[0].outputs, std::vector<ValueId>{3});
  EXPECT_EQ(symbol->auxiliary, (std::vector<bool>{false, true, false, false}));
  EXPECT_EQ(graph.nodes[0].Find("axis")->text, "0");  // attr takes precedence; param only adds
  EXPECT_EQ(graph.nodes[0].Find("num_outputs")->text, "2");
  EXPECT_EQ(graph.nodes[0].Find("a"), nullptr);
  EXPECT_EQ(symbol->version, 10901);
}

TEST(MxnetSymbolTest, ReportsErrorsWithTheirPlace) {
  const std::string good = R"({"nodes": [{"op": "null", "name": "x", "inputs": []},
{"op": "relu", "name": "y", "inputs": [[0, 0, 0]]}],
"arg_nodes": [0], "node_row_ptr": [0, 1, 2], "heads": [[1, 0, 0]]})";
  ASSERT_TRUE(ReadText(good));
  const struct {
    const char* what;
    const char* by;
    const char* said;
  } cases[] = {
      {"[[0, 0, 0]]", "[[1, 0, 0]]", "2:41: error: there is no node 1 before this"},
      {"[[0, 0, 0]]", "[[-1, 0, 0]]", "2:41: error: there is no node -1"},
      {"[[0, 0, 0]]", "[[0, 0, 0, 0]]", "2:40: error: expected [node, output, version]"},
      {"[[0, 0, 0]]", "[[0, 99999999, 0]]", "2:44: error: no node has an output 99999999"},
      {"[[1, 0, 0]]", "[[2, 0, 0]]", "3:57: error: there is no node 2"},
      {"[0, 1, 2]", "[0, 1]", "3:35: error: node_row_ptr must have one more number"},
      {"[0, 1, 2]", "[0, 1, 1]", "3:42: error: node_row_ptr does not count"},
      {"[0],", "[7],", "3:15: error: arg_nodes must hold a node's number here"},
      {"\"y\",", "\"y\", \"ops\": 1,", "2:29: error: unknown field 'ops'"},
      {"\"relu\"", "3", "2:8: error: this is not a string"},
      {"\"heads\"", "\"head\"", "'heads'"},
      {"\"y\", ", "\"y\", \"attrs\": {\"a\": 1}, ", "an attribute is not a string"},
  };
  for (const auto& each : cases) {
    std::string text = good;
    text.replace(text.find(each.what), std::string_view(each.what).size(), each.by);
    std::string said;
    EXPECT_FALSE(ReadText(text, &said));
    EXPECT_NE(said.find(each.said), std::string::npos) << said << "instead of " << each.said;
  }
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(ReadText(good.substr(0, size)));
}

}  // namespace
}  // namespace opledger
