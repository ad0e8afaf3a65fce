// operators.json: canonical bytes, strict reading, and round trips.
// SPDX-License-Identifier: Apache-2.0
#include "registry/manifest/manifest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/registry/scratch_folder.h"

namespace opledger {
namespace {

// clang-format off
constexpr const char* kSample = R"manifest({
 "schema": "opledger-operators/1",
 "dialect": "mxnet",
 "configuration": "union",
 "configurations": {
  "cpu": {"undefined":["USE_CUDA","USE_Y"]},
  "gpu": {"USE_CUDA":"1","USE_X":""}
 },
 "default_configuration": "gpu",
 "defaults": [
  {"macro":"USE_Y","path":"src/base.h","line":2,"column":9,"end_line":2,"end_column":14}
 ],
 "files": 7,
 "operators": [
  {"name":"abs","aliases":[],"sites":[{"path":"src/a.cc","line":3,"column":18,"end_line":3,"end_column":21,"condition":"","macro":"REGISTER","call":{"line":3,"column":1,"end_line":3,"end_column":22}}]},
  {"name":"exp","exempt":"backward","aliases":["_exp","e"],"alias_sites":[{"alias":"_exp","path":"src/a.cc","line":9,"column":3,"end_line":9,"end_column":9},{"alias":"e","path":"src/a.cc","line":9,"column":12,"end_line":9,"end_column":15,"condition":"defined(OLD)"}],"sites":[{"path":"src/a.cc","line":8,"column":5,"end_line":8,"end_column":8,"condition":"USE_CUDA == 1","macro":"REGISTER","call":{"path":"src/b.cc","line":2,"column":1,"end_line":2,"end_column":9}}],"fields":{"attribute":[{"key":"FCompute<cpu>","value":"Exp"},{"key":"FCompute<gpu>","value":"ExpGpu","condition":"USE_CUDA == 1"}],"num_inputs":[{"value":"1"}]},"kernels":[{"device":"cpu","types":{"":["float32"]},"path":"src/k.cc","line":4,"column":1,"end_line":4,"end_column":9},{"device":"cuda","label":"jit","types":{"T":["float16","float32"],"U":"Types()"},"details":{"isa":"x"},"path":"src/k.cc","line":5,"column":1,"end_line":5,"end_column":9,"condition":"USE_CUDA == 1"}]}
 ],
 "absent": [
  {"name":"tan","path":"src/a.cc","line":12,"column":5,"end_line":12,"end_column":8,"condition":"USE_Z"}
 ],
 "dynamic": [
  {"path":"src/c.cc","line":4,"column":2,"end_line":4,"end_column":14,"expression":"name.c_str()","reason":"plug-ins"}
 ],
 "incomplete": [
  {"path":"src/d.cc","line":0,"column":0,"end_line":0,"end_column":0,"stage":"file","detail":"out of memory"}
 ]
}
)manifest";
// clang-format on

Manifest ParsedManifest(const std::string& text) {
  Diagnostics diagnostics;
  std::optional<Manifest> manifest = ParseManifest("operators.json", text, diagnostics);
  EXPECT_EQ(RenderDiagnostics(diagnostics), "");
  return manifest.value_or(Manifest());
}

TEST(Manifest, ReadsEveryField) {
  const Manifest manifest = ParsedManifest(kSample);
  EXPECT_EQ(manifest.dialect, "mxnet");
  EXPECT_EQ(manifest.configuration, "union");
  EXPECT_EQ(manifest.configurations.at("gpu"),
            (Configuration{{{"USE_CUDA", "1"}, {"USE_X", ""}}, {}}));
  EXPECT_EQ(manifest.KnownOf("gpu"),
            (Configuration{{{"USE_CUDA", "1"}, {"USE_X", ""}}, {"USE_Y"}}));
  EXPECT_EQ(manifest.KnownOf("union"), std::nullopt);
  ASSERT_EQ(manifest.absent.size(), 1u);
  EXPECT_EQ(manifest.absent[0].condition.text(), "USE_Z");
  EXPECT_EQ(manifest.default_configuration, "gpu");
  EXPECT_EQ(manifest.files, 7);
  EXPECT_EQ(manifest.text, kSample);
  const Operator* exp = manifest.Find("exp");
  ASSERT_NE(exp, nullptr);
  EXPECT_EQ(exp->exempt, "backward");
  ASSERT_EQ(exp->aliases.size(), 2u);
  EXPECT_EQ(exp->aliases[1].name, "e");
  EXPECT_EQ(exp->aliases[1].location, (Location{"src/a.cc", 9, 12, 9, 15}));
  EXPECT_EQ(exp->aliases[1].condition, Condition::Defined("OLD"));
  ASSERT_EQ(exp->sites.size(), 1u);
  EXPECT_EQ(exp->sites[0].location, (Location{"src/a.cc", 8, 5, 8, 8}));
  EXPECT_EQ(exp->sites[0].call, (Location{"src/b.cc", 2, 1, 2, 9}));
  EXPECT_EQ(exp->sites[0].macro, "REGISTER");
  EXPECT_EQ(exp->fields.at("attribute")[1].value, "ExpGpu");
  ASSERT_EQ(exp->kernels.size(), 2u);
  EXPECT_EQ(exp->kernels[0].types.at("").dtypes, std::vector<std::string>{"float32"});
  EXPECT_EQ(exp->kernels[1].label, "jit");
  EXPECT_EQ(exp->kernels[1].types.at("U").unread, "Types()");
  EXPECT_EQ(exp->kernels[1].details.at("isa"), "x");
  EXPECT_EQ(exp->kernels[1].location, (Location{"src/k.cc", 5, 1, 5, 9}));
  EXPECT_EQ(exp->kernels[1].condition.text(), "USE_CUDA == 1");
  EXPECT_EQ(manifest.Find("abs")->sites[0].call, (Location{"src/a.cc", 3, 1, 3, 22}));
  EXPECT_EQ(manifest.Find("absx"), nullptr);
  EXPECT_EQ(manifest.dynamic[0].expression, "name.c_str()");
  EXPECT_EQ(manifest.incomplete[0].detail, "out of memory");
}

TEST(Manifest, WritesTheSameBytes) { EXPECT_EQ(WriteManifest(ParsedManifest(kSample)), kSample); }

TEST(Manifest, Existence) {
  const Manifest manifest = ParsedManifest(kSample);
  EXPECT_TRUE(manifest.Find("abs")->ExistsIn({}));
  EXPECT_FALSE(manifest.Find("exp")->ExistsIn(manifest.configurations.at("cpu")));
  EXPECT_TRUE(manifest.Find("exp")->ExistsIn(manifest.configurations.at("gpu")));
  EXPECT_TRUE(manifest.Find("exp")->CanExist());
  Operator dead;
  EXPECT_FALSE(dead.CanExist());
  dead.sites.push_back({.location = {}, .call = {}, .macro = "", .condition = Condition::Never()});
  EXPECT_FALSE(dead.CanExist());
}

TEST(Manifest, ByHandItMayBeShort) {
  const Manifest manifest = ParsedManifest(
      R"({"schema": "opledger-operators/1", "dialect": "own", "operators": [
          {"name": "b", "sites": [{"path": "x.cc", "line": 1, "column": 1}]},
          {"name": "a", "aliases": ["z", "y", "z"], "sites": []}]})");
  EXPECT_EQ(manifest.configuration, "union");
  ASSERT_EQ(manifest.operators.size(), 2u);
  EXPECT_EQ(manifest.operators[0].name, "a");
  ASSERT_EQ(manifest.operators[0].aliases.size(), 2u);
  EXPECT_EQ(manifest.operators[0].aliases[0].name, "y");
  EXPECT_EQ(manifest.operators[1].sites[0].call.path, "x.cc");
  const std::string written = WriteManifest(manifest);
  EXPECT_EQ(WriteManifest(ParsedManifest(written)), written);
}

// Returns "LINE:COLUMN MESSAGE" of the first error in the sample after one replacement.
std::string Problem(const std::string& from, const std::string& to) {
  std::string text = kSample;
  const std::size_t place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  text.replace(place, from.size(), to);
  Diagnostics diagnostics;
  EXPECT_FALSE(ParseManifest("operators.json", text, diagnostics)) << to;
  if (diagnostics.all().empty()) return "none";
  const Diagnostic& first = diagnostics.all().front();
  return std::to_string(first.location.line) + ":" + std::to_string(first.location.column) + " " +
         first.message;
}

TEST(Manifest, Malformed) {
  EXPECT_EQ(Problem("operators/1", "operators/2"),
            "2:12 'opledger-operators/2' is newer than this program, which supports "
            "'opledger-operators/1'");
  EXPECT_EQ(Problem("operators/1", "report/1"), "2:12 'schema' must be \"opledger-operators/1\"");
  EXPECT_EQ(Problem("\"files\"", "\"fils\""), "13:2 unknown field 'fils' in this operators file");
  EXPECT_EQ(Problem("\"files\": 7", "\"files\": 4294967296"),
            "13:11 'files' must be from 0 to 2147483647");
  EXPECT_EQ(Problem("\"files\": 7", "\"files\": -1"), "13:11 'files' must be from 0 to 2147483647");
  EXPECT_EQ(Problem("\"line\":3", "\"line\":\"3\""),
            "15:65 'line' must be an integer, not a string");
  EXPECT_EQ(Problem("\"name\":\"abs\"", "\"name\":\"\""), "15:11 'name' is empty");
  EXPECT_EQ(Problem("\"name\":\"abs\",", ""), "15:3 this operator has no field 'name'");
  EXPECT_EQ(Problem("\"name\":\"exp\"", "\"name\":\"abs\""),
            "16:11 operator 'abs' is listed twice");
  EXPECT_EQ(Problem("\"macro\":\"REG", "\"makro\":\"REG"),
            "15:123 unknown field 'makro' in this site");
  EXPECT_EQ(Problem("\"operators\": [", "\"operators\": 1, \"x\": ["),
            "14:15 'operators' must be an array, not an integer");
  EXPECT_EQ(Problem("\"operators\": [", "\"dynamics\": ["),
            "1:1 this operators file has no field 'operators'");
  EXPECT_EQ(Problem("[\"_exp\",\"e\"]", "[\"_exp\"]"), "16:154 alias 'e' is not in 'aliases'");
  EXPECT_EQ(Problem("{\"USE_CUDA\":\"1\"", "{\"USE_CUDA\":true"),
            "7:22 the value of a macro must be a string or an integer, not a boolean");
}

TEST(Manifest, ReadsFiles) {
  const ScratchFolder folder;
  Diagnostics diagnostics;
  EXPECT_TRUE(ReadManifest(DiskSource(), folder.Write("operators.json", kSample), diagnostics));
  EXPECT_FALSE(ReadManifest(DiskSource(), folder.Path("absent.json"), diagnostics));
  EXPECT_EQ(diagnostics.all().size(), 1u);
}

// Random manifests: written text is read back as the same value, which is written as the same
// bytes.
class RandomManifest {
 public:
  explicit RandomManifest(unsigned seed) : random_(seed) {}

  Manifest Make() {
    Manifest manifest;
    manifest.dialect = "d" + Text();
    manifest.configuration = Text();
    for (unsigned i = Pick(3); i > 0; --i) {
      Configuration& one = manifest.configurations["c" + Text()];
      one.defines["M" + std::to_string(i)] = Text();
      if (Pick(2) == 0) one.undefined.insert("N" + std::to_string(i));
    }
    manifest.default_configuration = Text();
    manifest.files = static_cast<int>(Pick(100000));
    for (unsigned i = 0, count = Pick(6); i < count; ++i) {
      manifest.operators.push_back(MakeOperator("op" + std::to_string(i) + Text()));
    }
    for (unsigned i = Pick(3); i > 0; --i) {
      manifest.dynamic.push_back({{Text(), Int(), Int(), 0, 0}, Text(), Text()});
      manifest.incomplete.push_back({{Text(), Int(), Int(), 0, 0}, Text(), Text()});
    }
    std::sort(manifest.dynamic.begin(), manifest.dynamic.end());
    std::sort(manifest.incomplete.begin(), manifest.incomplete.end());
    return manifest;
  }

 private:
  unsigned Pick(unsigned count) { return static_cast<unsigned>(random_() % count); }
  int Int() { return static_cast<int>(Pick(2) == 0 ? Pick(9) : random_() >> 1); }

  std::string Text() {
    static const char* const kParts[] = {"a", "\"", "\\", "\n", "\xC3\xA9", "<cpu>", "\x7f", ", "};
    std::string text;
    for (unsigned i = Pick(5); i > 0; --i) text += kParts[Pick(8)];
    return text;
  }

  Location Place() { return {"p" + Text(), Int(), Int(), Int(), Int()}; }

  Condition RandomCondition() {
    static const char* const kTexts[] = {"", "0", "A == 1", "defined(B) && !C", "A > 2 || B < 1"};
    return Condition::FromExpression(kTexts[1 + Pick(4)])
        .And(Pick(2) == 0 ? Condition() : Condition::Defined("X"));
  }

  Condition MaybeCondition() { return Pick(2) == 0 ? Condition() : RandomCondition(); }

  Operator MakeOperator(std::string name) {
    Operator op;
    op.name = std::move(name);
    op.exempt = Text();
    for (unsigned i = Pick(3); i > 0; --i)
      op.sites.push_back({Place(), Place(), Text(), MaybeCondition()});
    for (Site& site : op.sites) {
      if (Pick(2) == 0) site.call.path = site.location.path;
    }
    for (unsigned i = Pick(4); i > 0; --i) {
      const bool placed = Pick(2) == 0;
      op.aliases.push_back({"alias" + std::to_string(i), placed ? Place() : Location(),
                            placed ? MaybeCondition() : Condition()});
    }
    for (unsigned i = Pick(3); i > 0; --i) {
      std::vector<FieldValue>& values = op.fields[Text() + std::to_string(i)];
      for (unsigned j = Pick(3); j > 0; --j) values.push_back({Text(), Text(), MaybeCondition()});
    }
    for (unsigned i = Pick(3); i > 0; --i) op.kernels.push_back(MakeKernel());
    std::sort(op.kernels.begin(), op.kernels.end());
    std::sort(op.sites.begin(), op.sites.end());
    std::sort(op.aliases.begin(), op.aliases.end());
    return op;
  }

  Kernel MakeKernel() {
    Kernel kernel{"d" + Text(), Text(), {}, {}, Place(), MaybeCondition()};
    for (unsigned i = Pick(3); i > 0; --i) {
      KernelTypes& types = kernel.types[Text() + std::to_string(i)];
      if (Pick(3) == 0) {
        types.unread = "u" + Text();
      } else {
        types.dtypes = {"a" + Text(), "b" + Text()};
      }
      kernel.details[Text() + std::to_string(i)] = Text();
    }
    return kernel;
  }

  std::mt19937 random_;
};

TEST(Manifest, RandomRoundTrips) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    const Manifest manifest = RandomManifest(seed).Make();
    const std::string text = WriteManifest(manifest);
    const Manifest read = ParsedManifest(text);
    ASSERT_EQ(WriteManifest(read), text);
    ASSERT_EQ(read.operators.size(), manifest.operators.size());
    for (std::size_t i = 0; i < read.operators.size(); ++i) {
      const Operator& a = read.operators[i];
      const Operator& b = manifest.operators[i];
      ASSERT_TRUE(a.name == b.name && a.exempt == b.exempt && a.sites == b.sites &&
                  a.aliases == b.aliases && a.fields == b.fields && a.kernels == b.kernels)
          << text;
    }
    ASSERT_TRUE(read.dynamic == manifest.dynamic && read.incomplete == manifest.incomplete);
    ASSERT_EQ(read.configurations, manifest.configurations);
  }
}

}  // namespace
}  // namespace opledger
