// Errors for malformed lists and project files, with line and column. A `^` in the text is removed
// and marks the place of the first error.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "registry/precision_list/precision_list.h"
#include "registry/project/project.h"
#include "tests/registry/scratch_folder.h"

namespace opledger {
namespace {

struct Case {
  const char* text;
  const char* message;
  const char* hint;
};

std::string WithoutMark(const Case& test) {
  std::string text = test.text;
  const std::size_t mark = text.find('^');
  return mark == std::string::npos ? text : text.erase(mark, 1);
}

void ExpectFirstError(const Case& test, const Diagnostics& diagnostics) {
  SCOPED_TRACE(test.text);
  ASSERT_FALSE(diagnostics.all().empty());
  const Diagnostic& first = diagnostics.all().front();
  EXPECT_EQ(first.severity, Severity::kError);
  EXPECT_EQ(first.message, test.message);
  EXPECT_EQ(first.hint, test.hint);
  const std::string text = test.text;
  const std::size_t mark = text.find('^');
  if (mark == std::string::npos) {
    EXPECT_EQ(first.location.line, 0);
    return;
  }
  const std::string before = text.substr(0, mark);
  const std::size_t start = before.rfind('\n') + 1;
  EXPECT_EQ(first.location.line, 1 + std::count(before.begin(), before.end(), '\n'));
  EXPECT_EQ(first.location.column, static_cast<int>(mark - start) + 1);
  EXPECT_FALSE(first.source_line.empty());
  EXPECT_NE(RenderDiagnostics(diagnostics).find('^'), std::string::npos);
}

// clang-format off
const Case kLists[] = {
    {"", "the file is empty", ""},
    {"^[]", "the precision list must be an object, not an array", ""},
    {"^\"x\"", "the precision list must be an object, not a string", ""},
    {R"(^{"target_dtype":"float16","fp32":[]})", "this precision list has no field 'framework'", ""},
    {R"({"framework":^"","target_dtype":"float16","fp32":[]})", "'framework' is empty", ""},
    {R"({"framework":^7,"target_dtype":"float16","fp32":[]})", "'framework' must be a string, not an integer", ""},
    {R"(^{"framework":"f","fp32":[]})", "this precision list has no field 'target_dtype'", ""},
    {R"({"framework":"f","target_dtype":^"float32","fp32":[]})", "'float32' is not a value of 'target_dtype'",
     "did you mean 'float16'?"},
    {R"({"framework":"f","target_dtype":^"fp16","fp32":[]})", "'fp16' is not a value of 'target_dtype'",
     "it can be float16 or bfloat16"},
    {R"({"framework":"f","target_dtype":^"bfloat61","fp32":[]})", "'bfloat61' is not a value of 'target_dtype'",
     "did you mean 'bfloat16'?"},
    {R"(^{"framework":"f","target_dtype":"float16"})", "this precision list has no entries",
     "add \"target\", \"fp32\", \"widest\", \"conditional\" or \"either\", or declare "
     "in \"derived_from\" where the framework maintains its list"},
    {"{\"framework\":\"f\",\"target_dtype\":\"float16\",\n  ^\"targt\":[], \"fp32\":[]}",
     "unknown field 'targt' in this precision list", "did you mean 'target'?"},
    {R"({"framework":"f","target_dtype":"float16","fp32":[],^"frobnicate":1})",
     "unknown field 'frobnicate' in this precision list", ""},
    {R"({"framework":"f","target_dtype":"float16","fp32":^{}})", "'fp32' must be an array, not an object", ""},
    {R"({"framework":"f","target_dtype":"float16","fp32":["a",^7]})",
     "an entry must be a name or an object, not an integer", ""},
    {R"({"framework":"f","target_dtype":"float16","fp32":[^null]})",
     "an entry must be a name or an object, not null", ""},
    {R"({"framework":"f","target_dtype":"float16","fp32":["a",^""]})", "the operator name is empty", ""},
    {R"({"framework":"f","target_dtype":"float16","fp32":[^"a\nb"]})",
     "the operator name contains a control character", ""},
    {R"({"framework":"f","target_dtype":"float16","fp32":[^"a\u0000"]})",
     "the operator name contains a control character", ""},
    {R"({"framework":"f","target_dtype":"float16","fp32":[{"op":^""}]})", "the operator name is empty", ""},
    {R"({"framework":"f","target_dtype":"float16","fp32":[^{"reason":"loss"}]})",
     "this entry has no field 'op'", ""},
    {R"({"framework":"f","target_dtype":"float16","fp32":[{"op":^["a"]}]})", "'op' must be a string, not an array",
     ""},
    {R"({"framework":"f","target_dtype":"float16","fp32":[{"op":"a","reason":^"numerics"}]})",
     "'numerics' is not a value of 'reason'", "did you mean 'numeric'?"},
    {R"({"framework":"f","target_dtype":"float16","fp32":[{"op":"a","reason":^"slow"}]})",
     "'slow' is not a value of 'reason'", "it can be numeric, no-kernel, loss or structure"},
    {R"({"framework":"f","target_dtype":"float16","fp32":[{"op":"a","accumulate":^"flaot32"}]})",
     "'flaot32' is not a value of 'accumulate'", "did you mean 'float32'?"},
    {R"({"framework":"f","target_dtype":"float16","fp32":[{"op":"a","note":^3}]})",
     "'note' must be a string, not an integer", ""},
    {R"({"framework":"f","target_dtype":"float16","fp32":[{"op":"a",^"resaon":"loss"}]})",
     "unknown field 'resaon' in this entry", "did you mean 'reason'?"},
    {R"({"framework":"f","target_dtype":"float16","fp32":[{"op":"a","evidence":^{}}]})",
     "'evidence' must be a string, not an object", ""},
    {R"({"framework":"f","target_dtype":"float16","target":[{"op":"a","keep_fp32_inputs":^"x"}]})",
     "'keep_fp32_inputs' must be an array, not a string", ""},
    {R"({"framework":"f","target_dtype":"float16","target":[{"op":"a","keep_fp32_inputs":[0,^-1]}]})",
     "an input must be a name or a nonnegative index", ""},
    {R"({"framework":"f","target_dtype":"float16","target":[{"op":"a","keep_fp32_inputs":[^""]}]})",
     "an input must be a name or a nonnegative index", ""},
    {R"({"framework":"f","target_dtype":"float16","fp32":[{"op":"a",^"attribute":"x","values":["1"],"then":"fp32"}]})",
     "'attribute' is not allowed in an entry of 'fp32'", "move the entry to 'conditional'"},
    {R"({"framework":"f","target_dtype":"float16","either":[{"op":"a",^"clauses":[]}]})",
     "'clauses' is not allowed in an entry of 'either'", "move the entry to 'conditional'"},
    {R"({"framework":"f","target_dtype":"float16","conditional":[^"a"]})",
     "a conditional entry must be an object with conditions",
     "use {\"op\": ..., \"attribute\": ..., \"values\": [...], \"then\": \"fp32\"}"},
    {R"({"framework":"f","target_dtype":"float16","conditional":[^{"op":"a","values":["1"],"then":"fp32"}]})",
     "this entry has no field 'attribute'", ""},
    {R"({"framework":"f","target_dtype":"float16","conditional":[^{"op":"a","attribute":"x","values":["1"]}]})",
     "this entry has no field 'then'", ""},
    {R"({"framework":"f","target_dtype":"float16","conditional":[{"op":"a","attribute":^"x","then":"fp32"}]})",
     "the condition has no comparison",
     "add 'values', 'range', 'at_least' or 'at_most'"},
    {R"({"framework":"f","target_dtype":"float16","conditional":[{"op":"a","attribute":"x","at_least":^"3","then":"fp32"}]})",
     "'at_least' must be a number, not a string", "use a number without quotes"},
    {R"({"framework":"f","target_dtype":"float16","conditional":[{"op":"a","attribute":"x","at_least":^3,"range":[1,2],"then":"fp32"}]})",
     "'at_least' cannot be combined with 'range'", "keep one, or use two clauses"},
    {R"({"framework":"f","target_dtype":"float16","conditional":[{"op":"a","input":^true,"property":"rank","at_least":3,"then":"fp32"}]})",
     "'input' must be a name or a nonnegative index", ""},
    {R"({"framework":"f","target_dtype":"float16","conditional":[{"op":"a","input":0,"property":^"dimension x","at_least":3,"then":"fp32"}]})",
     "'property' is not a property of an input",
     "use \"rank\", \"elements\", \"dimension N\" (from 0, or from -1 for the last) or \"initializer\""},
    {R"({"framework":"f","target_dtype":"float16","conditional":[{"op":"a","attribute":^"","values":["1"],"then":"fp32"}]})",
     "'attribute' must be the name of an attribute", ""},
    {R"({"framework":"f","target_dtype":"float16","conditional":[{"op":"a","attribute":"x","values":["1"],"range":^[1,2],"then":"fp32"}]})",
     "'values' and 'range' cannot be combined", "keep one, or use two clauses"},
    {R"({"framework":"f","target_dtype":"float16","conditional":[{"op":"a","attribute":"x","values":^[],"then":"fp32"}]})",
     "'values' must be an array of at least one string", ""},
    {R"({"framework":"f","target_dtype":"float16","conditional":[{"op":"a","attribute":"x","values":["1",^2],"then":"fp32"}]})",
     "'values' must hold strings, not an integer", "write the value as in the model, in quotes"},
    {R"({"framework":"f","target_dtype":"float16","conditional":[{"op":"a","attribute":"x","range":^[1],"then":"fp32"}]})",
     "'range' must be [minimum, maximum]; null means unbounded", ""},
    {R"({"framework":"f","target_dtype":"float16","conditional":[{"op":"a","attribute":"x","range":[^"1",2],"then":"fp32"}]})",
     "a bound of 'range' must be a number or null", ""},
    {R"({"framework":"f","target_dtype":"float16","conditional":[{"op":"a","attribute":"x","range":^[null,null],"then":"fp32"}]})",
     "'range' has no bound", "add a bound, or remove the condition"},
    {R"({"framework":"f","target_dtype":"float16","conditional":[{"op":"a","attribute":"x","range":^[2,1.5],"then":"fp32"}]})",
     "the minimum of 'range' exceeds its maximum", ""},
    {R"({"framework":"f","target_dtype":"float16","conditional":[{"op":"a","attribute":"x","values":["1"],"then":^"conditional"}]})",
     "'then' cannot be 'conditional': conditions do not nest", "use 'clauses' for several conditions of one operator"},
    {R"({"framework":"f","target_dtype":"float16","conditional":[{"op":"a","attribute":"x","values":["1"],"then":"fp32","otherwise":^"conditional"}]})",
     "'otherwise' cannot be 'conditional': conditions do not nest", "use 'clauses' for several conditions of one operator"},
    {R"({"framework":"f","target_dtype":"float16","conditional":[{"op":"a","attribute":"x","values":["1"],"then":^"taget"}]})",
     "'taget' is not a value of 'then'", "did you mean 'target'?"},
    {R"({"framework":"f","target_dtype":"float16","conditional":[{"op":"a","attribute":"x","values":["1"],"then":^"low"}]})",
     "'low' is not a value of 'then'", "it can be target, fp32, widest or either"},
    {R"({"framework":"f","target_dtype":"float16","conditional":[{"op":"a","attribute":"x","values":["1"],"then":^1}]})",
     "'then' must be a string, not an integer", ""},
    {R"({"framework":"f","target_dtype":"float16","conditional":[{"op":"a","clauses":^[]}]})",
     "'clauses' must be an array of at least one object", ""},
    {R"({"framework":"f","target_dtype":"float16","conditional":[{"op":"a","clauses":[^"x"]}]})",
     "the clause must be an object, not a string", ""},
    {R"({"framework":"f","target_dtype":"float16","conditional":[{"op":"a",^"then":"fp32","clauses":[{"attribute":"x","values":["1"],"then":"fp32"}]}]})",
     "'then' cannot be combined with 'clauses'", "move it into a clause"},
    {R"({"framework":"f","target_dtype":"float16","conditional":[{"op":"a","clauses":[{"attribute":"x","values":["1"],"then":"fp32",^"otherwise":"target"}]}]})",
     "unknown field 'otherwise' in this clause", ""},
    {R"({"framework":"f","target_dtype":"float16","extends":^[],"fp32":[]})", "'extends' must be a string, not an array", ""},
    {"{\"framework\":\"f\",\"target_dtype\":\"float16\",\"fp32\":[\"a\"],\n ^\"fp32\":[\"b\"]}",
     "duplicate field 'fp32', first at 1:43", "remove one of the two"},
    {"{\"framework\":\"f\",\"target_dtype\":\"float16\",\n\"fp32\":[\n\"a\"\n^\"b\"]}",
     "expected ',' or ']', not a string", "put a comma before it"},
    {"{\"framework\":\"f\",\"fp32\":[\"a\",^]}", "expected a value, not ']'", "remove the comma before it"},
};

const Case kProjects[] = {
    {"^7", "the project file must be an object, not an integer", ""},
    {R"({^"dialekt":"mxnet"})", "unknown field 'dialekt' in this project file", "did you mean 'dialect'?"},
    {R"({"dialect":^""})", "'dialect' is empty", ""},
    {R"({"dialect":^"../d.json"})", "'../d.json' is outside the project",
     "use a path relative to the folder of opledger.json"},
    {R"({"dialect":^["mxnet"]})", "'dialect' must be a string, not an array", ""},
    {R"({"sources":^"src/**"})", "'sources' must be an array of strings, not a string", ""},
    {R"({"sources":["src/**",^"/usr/**"]})", "'/usr/**' is outside the project",
     "use a path relative to the folder of opledger.json"},
    {R"({"exclude":[^"a/../../b"]})", "'a/../../b' is outside the project",
     "use a path relative to the folder of opledger.json"},
    {R"({"include_directories":[^""]})", "the path is empty", ""},
    {R"({"lists":[^"../lists/a.json"]})", "'../lists/a.json' is outside the project",
     "use a path relative to the folder of opledger.json"},
    {R"({"lists":[^{}]})", "'lists' must hold strings, not an object", ""},
    {R"({"configurations":^[]})", "'configurations' must be an object, not an array", ""},
    {R"({"configurations":{^"":{}}})", "the name of the configuration is empty", ""},
    {R"({"configurations":{"gpu":^"USE_CUDA"}})", "a configuration must be an object of macros, not a string", ""},
    {R"({"configurations":{"gpu":{^"USE CUDA":1}}})", "'USE CUDA' is not the name of a macro", ""},
    {R"({"configurations":{"gpu":{"undefined":^"A"}}})", "'undefined' must be an array of macros, not a string", ""},
    {R"({"configurations":{"gpu":{"undefined":[^"A B"]}}})", "'undefined' must hold names of macros", ""},
    {R"({"configurations":{"gpu":^{"A":1,"undefined":["A"]}}})",
     "'A' is both defined and undefined in one configuration", "keep one of the two"},
    {R"({"configurations":{"gpu":{"A":^true}}})", "the value of a macro must be a string or an integer, not a boolean",
     ""},
    {R"({"severities":{"stale-entry":^"eror"}})", "'eror' is not a value of 'stale-entry'", "did you mean 'error'?"},
    {R"({"severities":{"stale-entry":^"fatal"}})", "'fatal' is not a value of 'stale-entry'",
     "it can be error, warning, note or off"},
    {R"({"severities":{"stale-entry":^0}})", "'stale-entry' must be a string, not an integer", ""},
    {R"({"severities":^"off"})", "'severities' must be an object, not a string", ""},
    {R"({"ignore":[^{"rule":"stale-entry"}]})", "this ignore rule has no field 'reason'", ""},
    {R"({"ignore":[{"rule":"stale-entry","reason":^""}]})", "'reason' is empty", ""},
    {R"({"ignore":[^{"reason":"everything"}]})", "this ignore rule would suppress all findings",
     "add 'rule', 'operator' or 'path'"},
    {R"({"ignore":[{"rule":"x",^"op":"a","reason":"r"}]})", "unknown field 'op' in this ignore rule", ""},
    {R"({"ignore":[^"stale-entry"]})", "the ignore rule must be an object, not a string", ""},
    {R"({"guidelines":[^1]})", "'guidelines' must hold strings, not an integer", ""},
    {R"({"guidelines":^{}})", "'guidelines' must be an array of strings, not an object", ""},
    {R"({"default_configuration":^1})", "'default_configuration' must be a string, not an integer", ""},
    {"{\"lists\": [\n  \"a.json\",\n^] }", "expected a value, not ']'", "remove the comma before it"},
};
// clang-format on

TEST(Malformed, PrecisionLists) {
  for (const Case& test : kLists) {
    Diagnostics diagnostics;
    EXPECT_FALSE(ParsePrecisionList("list.json", WithoutMark(test), diagnostics)) << test.text;
    ExpectFirstError(test, diagnostics);
  }
}

TEST(Malformed, ProjectFiles) {
  const ScratchFolder folder;
  for (const Case& test : kProjects) {
    Diagnostics diagnostics;
    const std::string path = folder.Write("opledger.json", WithoutMark(test));
    EXPECT_FALSE(ReadProjectFile(DiskSource(), path, diagnostics)) << test.text;
    ExpectFirstError(test, diagnostics);
  }
}

// One run reports all errors.
TEST(Malformed, EveryMistakeIsReported) {
  Diagnostics diagnostics;
  const std::string text =
      R"({"framework":"","target_dtype":"x","fp32":["",{"op":"a","reason":"b","nte":1},3],"y":0})";
  EXPECT_FALSE(ParsePrecisionList("list.json", text, diagnostics));
  EXPECT_EQ(diagnostics.all().size(), 7u) << RenderDiagnostics(diagnostics);
}

}  // namespace
}  // namespace opledger
