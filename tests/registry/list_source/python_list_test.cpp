// Reading literal lists of Python modules.
// SPDX-License-Identifier: Apache-2.0
#include "registry/list_source/python_list.h"

#include <gtest/gtest.h>

namespace opledger {
namespace {

std::string Show(const LiteralValue& value) {
  using Kind = LiteralValue::Kind;
  if (value.kind == Kind::kString) return "'" + value.text + "'";
  if (value.kind == Kind::kUnreadable) return "?";
  if (value.kind == Kind::kNumber || value.kind == Kind::kConstant) return value.text;
  std::string out;
  for (const LiteralValue& item : value.items) out += (out.empty() ? "" : " ") + Show(item);
  return value.kind == Kind::kTuple  ? "(" + out + ")"
         : value.kind == Kind::kList ? "[" + out + "]"
                                     : "{" + out + "}";
}

// Returns "NAME: item@line:column, item where FEATURE"; an incomplete list ends in "...".
std::string Show(const ListModule& module) {
  std::string out;
  for (const NamedList& list : module.lists) {
    out += list.name + ":";
    for (const ListItem& item : list.items) {
      out += item.literal ? " " : " =";
      if (item.key) out += Show(*item.key) + "=";
      out += Show(item.value);
      if (!item.feature.IsAlways()) out += " if " + item.feature.text();
      out += ";";
    }
    out += list.complete ? "\n" : " ...\n";
  }
  return out;
}

struct Result {
  std::string lists;
  std::string messages;  // line:column message
};

Result Read(const std::string& text) {
  Diagnostics diagnostics;
  const std::optional<ListModule> module = ReadPythonLists("m.py", text, diagnostics);
  Result result;
  result.lists = module ? Show(*module) : "none";
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    result.messages += std::to_string(diagnostic.location.line) + ":" +
                       std::to_string(diagnostic.location.column) + " " + diagnostic.message + "\n";
  }
  return result;
}

void ExpectLists(const std::string& text, const std::string& lists) {
  const Result result = Read(text);
  EXPECT_EQ(result.lists, lists) << text;
  EXPECT_EQ(result.messages, "") << text;
}

TEST(PythonListTest, ReadsLiterals) {
  ExpectLists("A = ['a', \"b\"]\n", "A: 'a'; 'b';\n");
  ExpectLists("A = ('a', 'b',)\nB = 'c', 'd'\n", "A: 'a'; 'b';\nB: 'c'; 'd';\n");
  ExpectLists("A = ['a' 'b'\n     'c']\n", "A: 'abc';\n");
  ExpectLists("A = ['''x''', \"\"\"y\nz\"\"\", r'a\\b', u'c']", "A: 'x'; 'y\nz'; 'a\\b'; 'c';\n");
  ExpectLists("A = [('L', 'act', ['e', 's']), 1, -2.5e3, True, None]",
              "A: ('L' 'act' ['e' 's']); 1; -2.5e3; True; None;\n");
  ExpectLists("A = {'x': ['', 'y'], 'z': ()}\nB = {'p', 'q'}\n",
              "A: 'x'=['' 'y']; 'z'=();\nB: 'p'; 'q';\nA.x: ''; 'y';\nA.z:\n");
  ExpectLists("A = [  # why\n  'a',  # 'b',\n\n  # 'c'\n  'd']\n", "A: 'a'; 'd';\n");
  ExpectLists("A: List[str] = ['a']; B = ['b']\n", "A: 'a';\nB: 'b';\n");
  ExpectLists("A = [('a'), ('b',)]\n", "A: 'a'; ('b');\n");
  ExpectLists("A = []\r\nB = [ \\\r\n 'x']\r\n", "A:\nB: 'x';\n");
  ExpectLists(
      "\xEF\xBB\xBF"
      "A = ['\\x41\\u00e9\\101\\n\\q\\\\']",
      "A: 'A\xC3\xA9"
      "A\n\\q\\';\n");
}

TEST(PythonListTest, FollowsChanges) {
  ExpectLists("A = ['a']\nA.extend(['b', 'c'])\nA += ('d',)\nA.append('e')\n",
              "A: 'a'; 'b'; 'c'; 'd'; 'e';\n");
  ExpectLists("A = {}\nA.update({'x': ['y']})\nA['z'] = ['w']\n",
              "A: 'x'=['y']; 'z'=['w'];\nA.x: 'y';\nA.z: 'w';\n");
  ExpectLists("A = ['a']\nA = ['b']\n", "A: 'b';\n");
  ExpectLists("A = {'a'}\nA.add('b'); A.add('c')\n", "A: 'a'; 'b'; 'c';\n");
}

TEST(PythonListTest, KeepsFeatures) {
  ExpectLists(
      "A = ['a']\n"
      "if Features().is_enabled('ONEDNN'):\n"
      "    A.extend(['b'])\n"
      "    if Features.instance.is_enabled(\"CUDA\"): A.append('c')\n"
      "elif not x.y().is_enabled('TVM'):\n"
      "    A += ['d']\n"
      "else:\n"
      "    A += ['e']\n"
      "A.append('f')\n",
      "A: 'a'; 'b' if ONEDNN; 'c' if CUDA && ONEDNN; 'd' if !ONEDNN && !TVM; "
      "'e' if !ONEDNN && TVM; 'f';\n");
  ExpectLists(
      "if f.is_enabled('A') and (f.is_enabled('B') or not f.is_enabled('C')):\n"
      "  X = ['x']\n"
      "else:\n"
      "  X = ['y']\n",
      "X: 'x' if (!C || B) && A; 'y' if !A || !B && C;\n");
  // An assignment replaces the previous items under the condition on which it runs.
  ExpectLists("X = ['a']\nif f.is_enabled('F'):\n  X = ['b']\n", "X: 'a' if !F; 'b' if F;\n");
}

TEST(PythonListTest, IgnoresTheRest) {
  ExpectLists(
      "'''Doc.'''\n"
      "from typing import List\n"
      "import x; import y\n"
      "LEVEL = 2\n"
      "NAME = 'text'\n"
      "@decorator(a=[1])\n"
      "def f(x: int) -> Dict[str, int]:\n"
      "    return 1\n"
      "class C: pass\n"
      "register(f)(['no'])\n"
      "if __name__ == '__main__':\n"
      "    A = ['no']\n"
      "A = ['yes']\n",
      "A: 'yes';\n");
}

TEST(PythonListTest, Computes) {
  ExpectLists("A = ['a']\nB = A + [x + '2' for x in A if x != 'b'] + list({'c'})\n",
              "A: 'a';\nB: 'a'; ='a2'; 'c';\n");
  ExpectLists("A = {'a', 'b'}\nB = A - {'a'} | set(['c'])\nA.discard('b')\n",
              "A: 'a';\nB: 'b'; 'c';\n");
  ExpectLists("A = []\nfor i in range(2):\n  A.append(f'x{i}')\n", "A: ='x0'; ='x1';\n");
  ExpectLists("A = ['a', 'a']\nB = {'b', 'b'}\nC = sorted(B)\n",
              "A: 'a'; 'a';\nB: 'b'; 'b';\nC: 'b';\n");
  ExpectLists("A = ['%s_%d' % ('a', 1), '{}.b'.format('nn'), 'X'.lower()]\ndel A[0]\n",
              "A: ='nn.b'; ='x';\n");
}

TEST(PythonListTest, FindsInnerLists) {
  ExpectLists("L = {'white': ['w'], 'n': 1}\n", "L: 'white'=['w']; 'n'=1;\nL.white: 'w';\n");
  ExpectLists("class C:\n  W = ['a']\n  X = W + ['b']\n", "C.W: 'a';\nC.X: 'a'; 'b';\n");
  ExpectLists("def f():\n  names = ['a']\n  names.append('b')\n  return set(names)\n",
              "f: 'a'; 'b';\nf.names: 'a'; 'b';\n");
}

TEST(PythonListTest, RemovedItemsHaveAnInvertedCondition) {
  ExpectLists("A = ['a', 'b']\nif f.is_enabled('F'):\n  A.remove('a')\n", "A: 'a' if !F; 'b';\n");
  ExpectLists("A = {'a', 'b'}\nif f.is_enabled('F'):\n  A -= {'a'}\n", "A: 'a' if !F; 'b';\n");
}

TEST(PythonListTest, ReportsUnknownStatements) {
  const std::vector<std::array<std::string, 3>> cases = {
      {"A = ['a', f(x), 'b']\n", "A: 'a'; 'b'; ...\n",
       "1:11 a call or attribute cannot be evaluated: not a literal\n"},
      {"A = ['a', *B, 'c']\n", "A: 'a'; 'c'; ...\n",
       "1:12 the name 'B' cannot be evaluated: not a literal\n"},
      {"A = ['a', B]\n", "A: 'a'; ...\n", "1:11 the name 'B' cannot be evaluated: not a literal\n"},
      {"A = ['a' for x, y in z]\n", "A: ...\n",
       "1:22 the name 'z' cannot be evaluated: not a literal\n"},
      {"A = [f'{x}', b'y', '\\N{DASH}', 'z']\n", "A: 'z'; ...\n",
       "1:6 a string with computed parts cannot be evaluated: not a literal\n"
       "1:14 a bytes literal cannot be evaluated: not a literal\n"
       "1:20 a string with an unknown escape cannot be evaluated: not a literal\n"},
      {"A = list(B)\n", "A: ...\n", "1:10 the name 'B' cannot be evaluated: not a literal\n"},
      {"A = ['a']\nA.change('a')\n", "A: 'a'; ...\n",
       "2:1 the effect of this statement on 'A' is unknown\n"},
      {"A = ['a']\nA.extend(B)\n", "A: 'a'; ...\n",
       "2:10 the name 'B' cannot be evaluated: not a literal\n"},
      {"A = ['a']\nfor x in y:\n  A.append(x)\n", "A: 'a'; ...\n",
       "2:1 the block of this 'for' cannot be evaluated\n"},
      {"A = ['a']\nfor x in range(100000):\n  for y in 'ab':\n    A.append(x)\n    del A[:]\n",
       "A: ...\n", ""},
      {"A.extend(['a'])\n", "A: 'a'; ...\n", "1:1 'A' is not assigned in this file\n"},
      {"from b import B\nA = B + ['a']\n", "A: 'a'; ...\n",
       "2:5 the name 'B' cannot be evaluated: not a literal\n"},
      {"A = {'a': f(), **b, 'c': ['d']}\n", "A: 'c'=['d']; ...\nA.c: 'd';\n",
       "1:11 a call or attribute cannot be evaluated: not a literal\n"
       "1:18 the name 'b' cannot be evaluated: not a literal\n"},
      {"if sys.version > '3':\n  A = ['a']\n", "A: 'a' if unread(1);\n",
       "1:4 the test of this 'if' cannot be evaluated: only is_enabled('FEATURE') is supported\n"},
      {"try:\n  from b import A\nexcept ImportError:\n  A = ['a']\n", "A: 'a' if !unread(1); ...\n",
       "1:1 whether this 'try' succeeds is unknown\n"
       "2:17 the name 'A' cannot be evaluated: not a literal\n"},
  };
  for (const auto& [text, lists, messages] : cases) {
    const Result result = Read(text);
    EXPECT_EQ(result.lists, lists) << text;
    EXPECT_EQ(result.messages, messages.empty() ? result.messages : messages) << text;
    EXPECT_NE(result.messages, "") << text;
  }
}

TEST(PythonListTest, SyntaxErrorsEndTheReading) {
  for (const char* text : {"A = ['a'\n", "A = 'a\n", "A = \n", "A = '''a\n", "A = ]\n", "A = (]\n",
                           "if x.is_enabled('A'):\n    A = []\n  B = []\n"}) {
    const Result result = Read(text);
    EXPECT_EQ(result.lists, "none") << text;
    EXPECT_NE(result.messages, "") << text;
  }
}

TEST(PythonListTest, DeepNestingIsReportedNotFatal) {
  const std::string deep(100000, '[');
  EXPECT_EQ(Read("A = " + deep + std::string(100000, ']') + "\n").lists, "none");
  std::string blocks;
  for (int i = 0; i < 200; ++i) blocks += std::string(i, ' ') + "if x.is_enabled('A'):\n";
  EXPECT_EQ(Read(blocks + std::string(200, ' ') + "A = ['a']\n").lists, "none");
  std::string sums = "A = ['a']";
  for (int i = 0; i < 900; ++i) sums += " + ['b']";
  EXPECT_NE(Read(sums + "\n").lists.find("..."), std::string::npos);
}

TEST(PythonListTest, LocatesItemsAndNamesJoins) {
  Diagnostics diagnostics;
  const auto module = ReadPythonLists("m.py", "A = [\n  'one', 'two'\n  'three']\n", diagnostics);
  ASSERT_TRUE(module);
  const NamedList* list = module->Find("A");
  ASSERT_TRUE(list != nullptr && list->items.size() == 2);
  EXPECT_EQ(module->Find("B"), nullptr);
  EXPECT_EQ(list->location, (Location{"m.py", 1, 1, 1, 2}));
  EXPECT_EQ(list->items[0].value.location, (Location{"m.py", 2, 3, 2, 8}));
  EXPECT_FALSE(list->items[0].value.joined);
  EXPECT_EQ(list->items[1].value.location, (Location{"m.py", 2, 10, 3, 10}));
  EXPECT_TRUE(list->items[1].value.joined);
}

TEST(PythonListTest, CutAnywhereItNeverCrashes) {
  const std::string text =
      "A = ['a', (\"b\", {'c': -1})]\nif F().is_enabled('X'):\n  A.extend(['d'])\nelse:\n"
      "  A += ['e' for x in y]\nA['k'] = '''\\x4'''\n@d\ndef f(): pass\n";
  for (std::size_t begin = 0; begin < text.size(); ++begin) {
    for (std::size_t length = 0; begin + length <= text.size(); length += 3) {
      Diagnostics diagnostics;
      ReadPythonLists("m.py", text.substr(begin, length), diagnostics);
    }
  }
}

}  // namespace
}  // namespace opledger
