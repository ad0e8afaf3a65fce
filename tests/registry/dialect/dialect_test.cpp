// Dialect files: their meaning, and the errors for malformed ones.
// SPDX-License-Identifier: Apache-2.0
#include "registry/dialect/dialect.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace opledger {
namespace {

namespace fs = std::filesystem;

std::optional<Dialect> Read(const std::string& text, Diagnostics& diagnostics) {
  fs::path path = fs::temp_directory_path() / ("dialect-" + std::to_string(getpid()) + ".json");
  std::ofstream(path) << text;
  std::optional<Dialect> dialect =
      ReadDialect(DiskSource(path.parent_path()), path.filename(), Reach::kBelow, diagnostics);
  fs::remove(path);
  return dialect;
}

TEST(Dialect, ReadsEveryPart) {
  Diagnostics diagnostics;
  auto dialect = Read(R"({
    "$comment": "anywhere",
    "name": "small", "description": "d", "root_markers": ["include/small.h"],
    "sources": ["src/**"], "exclude": ["src/old/**"], "extensions": [".cxx"],
    "include_directories": ["include"],
    "sinks": [{"macro": "REG", "parameters": 2, "name": 1, "form": "string", "prefix": "p."},
              {"macro": "make", "call": true, "receiver": "Registry->", "paths": ["x/**"]}],
    "known_dynamic": [{"path": "src/a.cxx", "expression": "name", "reason": "plug-ins"}],
    "chain": [{"method": "alias", "field": "alias"},
              {"method": "set", "field": "attributes", "key": 0, "value": 1}],
    "key_fields": {"$comment": "c", "FInfer": "type_inference"},
    "string_lists": ["input_names"],
    "attribute_sets": {"declare": "PARAM", "field": "FIELD", "value": "add", "reference": "::F"
}
, "suspicious" : {"containing" : "REG", "except" : [ "REGION", "REG_X*" ]},
                 "exempt" : [ {"name" : "grad", "suffix" : "_grad"} ],
                            "drop" : [ {"name" : "test", "prefix" : "Test"} ],
                                     "configurations"
    : {"$comment" : "c", "cpu" : {}, "gpu" : {"$comment" : "c", "CUDA" : 1, "V" : "x"}},
      "default_configuration" : "gpu",
                                "path_conditions"
    : [ {"path" : "**/*.cu", "condition" : "CUDA == 1"} ],
      "unlisted" : "stays float32"
})",
                      diagnostics);
  ASSERT_TRUE(dialect.has_value()) << RenderDiagnostics(diagnostics);
  ASSERT_EQ(dialect->sinks.size(), 2U);
  EXPECT_EQ(dialect->sinks[0].name, 1);
  EXPECT_EQ(dialect->sinks[0].form, NameForm::kString);
  EXPECT_TRUE(dialect->sinks[1].is_call);
  EXPECT_EQ(dialect->configurations.size(), 2U);
  EXPECT_EQ(dialect->configurations["gpu"], (Configuration{{{"CUDA", "1"}, {"V", "x"}}, {}}));
  ASSERT_EQ(dialect->key_fields.size(), 1U);
  EXPECT_EQ(dialect->path_conditions[0].condition.text(), "CUDA == 1");
  EXPECT_TRUE(dialect->exempt[0].Matches("conv_grad"));
  EXPECT_FALSE(dialect->exempt[0].Matches("grad_conv"));
  EXPECT_TRUE(dialect->drop[0].Matches("TestAdd"));
}

TEST(Dialect, ShippedOnesRead) {
  for (const std::string& name : {std::string("mxnet"), std::string("tensorflow")}) {
    Diagnostics diagnostics;
    auto dialect = ReadDialect(DiskSource(OPLEDGER_SOURCE_DIR "/registry/dialects"), name + ".json",
                               Reach::kBelow, diagnostics);
    ASSERT_TRUE(dialect.has_value()) << RenderDiagnostics(diagnostics);
    EXPECT_EQ(dialect->name, name);
    EXPECT_FALSE(diagnostics.has_errors());
  }
}

struct Malformed {
  const char* text;
  int line;
  int column;
  const char* message;
};

constexpr const char* kGood = R"("name": "d", "sources": ["src/**"], "sinks": [{"macro": "R"}])";

// `$` stands for a valid beginning on the first line; the error is on the second.
constexpr Malformed kMalformed[] = {
    {"[]", 1, 1, "dialect"},
    {"{$", 0, 0, ""},
    {"{$,\n\"nam\": 1}", 2, 1, "unknown field 'nam'"},
    {"{$,\n\"name\": \"e\"}", 2, 1, "name"},
    {"{$,\n\"extensions\": 7}", 2, 15, "extensions"},
    {"{$,\n\"extensions\": [7]}", 2, 16, "extensions"},
    {"{$,\n\"chain\": [{\"field\": \"alias\"}]}", 2, 11, "method"},
    {"{$,\n\"chain\": [{\"method\": \"m\"}]}", 2, 11, "field"},
    {"{$,\n\"chain\": [{\"method\": \"m\", \"field\": \"f\", \"key\": -2}]}", 2, 48, "key"},
    {"{$,\n\"chain\": [{\"method\": \"m\", \"field\": \"f\", \"vlaue\": 1}]}", 2, 41,
     "unknown field 'vlaue'"},
    {"{$,\n\"chain\": {}}", 2, 10, "chain"},
    {"{$,\n\"exempt\": [{\"name\": \"n\"}]}", 2, 12, "exactly one test"},
    {"{$,\n\"exempt\": [{\"name\": \"n\", \"prefix\": \"a\", \"suffix\": \"b\"}]}", 2, 12,
     "exactly one test"},
    {"{$,\n\"known_dynamic\": [{\"path\": \"p\", \"expression\": \"e\"}]}", 2, 19, "reason"},
    {"{$,\n\"path_conditions\": [{\"path\": \"p\"}]}", 2, 21, "condition"},
    {"{$,\n\"default_configuration\": \"gpu\"}", 2, 26, "unknown configuration 'gpu'"},
    {"{$,\n\"configurations\": {\"cpu\": []}}", 2, 27, "configuration"},
    {"{$,\n\"configurations\": {\"cpu\": {\"A\": true}}}", 2, 33, "of a macro"},
    {"{$,\n\"attribute_sets\": {\"declare\": \"D\"}}", 2, 19, "field"},
    {"{\"name\": \"d\", \"sources\": [\"s\"],\n\"sinks\": []}", 1, 1, "at least one sink"},
    {"{\"name\": \"d\",\n\"sinks\": [{\"macro\": \"R\"}]}", 1, 1, "needs sources"},
    {"{\"name\": \"d\", \"sources\": [\"s\"],\n\"sinks\": [{\"macro\": \"R\", \"form\": "
     "\"text\"}]}",
     2, 34, "unknown form 'text'"},
    {"{\"name\": \"d\", \"sources\": [\"s\"],\n\"sinks\": [{\"macro\": \"R\", \"name\": 1}]}", 2,
     11, "cannot carry the name"},
    {"{\"name\": \"d\", \"sources\": [\"s\"],\n\"sinks\": [{\"macro\": \"R\", \"parameters\": "
     "99}]}",
     2, 40, "parameters"},
};

TEST(Dialect, MalformedOnesAreRefusedWithTheirPlace) {
  for (const Malformed& malformed : kMalformed) {
    std::string text = malformed.text;
    if (std::size_t at = text.find('$'); at != std::string::npos) text.replace(at, 1, kGood);
    Diagnostics diagnostics;
    EXPECT_FALSE(Read(text, diagnostics).has_value()) << text;
    ASSERT_TRUE(diagnostics.has_errors()) << text;
    if (malformed.line == 0) continue;
    bool found = false;
    for (const Diagnostic& diagnostic : diagnostics.all()) {
      found = found || (diagnostic.location.line == malformed.line &&
                        diagnostic.location.column == malformed.column &&
                        diagnostic.message.find(malformed.message) != std::string::npos);
    }
    EXPECT_TRUE(found) << text << "\n" << RenderDiagnostics(diagnostics);
  }
}

}  // namespace
}  // namespace opledger
