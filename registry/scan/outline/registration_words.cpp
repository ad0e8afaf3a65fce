// The weight of a name is the product of the weights of its words.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/outline/registration_words.h"

#include <cctype>

namespace opledger::scan {
namespace {

bool IsLetterOfWord(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsDigitOfWord(char c) { return c >= '0' && c <= '9'; }

struct WordWeight {
  std::string_view word;  // a whole word; with a final '*', a prefix
  double weight;
};

// Weights of words in the names of macros, functions, classes and keys.
constexpr WordWeight kWeights[] = {{"regist*", 4},
                                   {"reg", 3},
                                   {"op", 3},
                                   {"ops", 2},
                                   {"operator*", 3},
                                   {"layer*", 3},
                                   {"kernel*", 2},
                                   {"library", 3},
                                   {"plugin*", 2},
                                   {"creator", 2},
                                   {"func", 2},
                                   {"def", 2},
                                   {"export*", 2},
                                   {"ffi", 2},
                                   {"custom", 1.5},
                                   {"impl", 1.5},
                                   {"module", 1.2},
                                   {"handler", 1.5},
                                   {"primitive", 2},
                                   {"test*", 0.02},
                                   {"typed", 1.2},
                                   {"bench*", 0.02},
                                   {"expect*", 0.01},
                                   {"assert*", 0.01},
                                   {"check*", 0.05},
                                   {"dcheck*", 0.05},
                                   {"case", 0.1},
                                   {"flag*", 0.02},
                                   {"log*", 0.02},
                                   {"vlog*", 0.02},
                                   {"param*", 0.1},
                                   {"option*", 0.1},
                                   {"tag", 0.02},
                                   {"file", 0.1},
                                   {"include", 0.1},
                                   {"disallow", 0.01},
                                   {"copy", 0.1},
                                   {"instantiate", 0.3},
                                   {"declare", 0.6},
                                   {"fixture", 0.02},
                                   {"suite", 0.02},
                                   {"error*", 0.1},
                                   {"trace", 0.1},
                                   {"pattern", 0.3},
                                   {"pass", 0.1},
                                   {"rewriter", 0.2},
                                   {"fake", 0.1},
                                   {"annotator", 0.2},
                                   {"converter*", 0.3},
                                   {"visitor", 0.2},
                                   {"grad*", 0.5},
                                   {"solver", 0.3},
                                   {"shape*", 0.5},
                                   {"cublas", 0.1},
                                   {"enum", 0.2},
                                   {"type", 0.3},
                                   {"types", 0.2},
                                   {"name", 0.5},
                                   {"id", 0.2},
                                   {"uses", 0.02},
                                   {"run", 0.05},
                                   {"config*", 0.1},
                                   {"logger", 0.02},
                                   {"backend", 0.3},
                                   {"device*", 0.3},
                                   {"attr*", 0.3},
                                   {"node", 0.6},
                                   {"object", 0.4},
                                   {"info", 0.3},
                                   {"env*", 0.05},
                                   {"dim*", 0.1},
                                   {"version", 0.1},
                                   {"property", 0.02},
                                   {"setter", 0.01},
                                   {"staticmethod", 0.01},
                                   {"classmethod", 0.01},
                                   {"abstractmethod", 0.01},
                                   {"dataclass", 0.01},
                                   {"wraps", 0.02},
                                   {"overload", 0.02},
                                   {"pytest", 0.01},
                                   {"mark", 0.02},
                                   {"parametrize", 0.01},
                                   {"jit", 0.3},
                                   {"cache*", 0.05},
                                   {"contextmanager", 0.01},
                                   {"skip*", 0.02},
                                   {"warn*", 0.02},
                                   {"deprecated", 0.02},
                                   {"import", 0.02},
                                   {"print", 0.01}};

bool Fits(std::string_view word, std::string_view pattern) {
  if (!pattern.ends_with('*')) return word == pattern;
  return word.starts_with(pattern.substr(0, pattern.size() - 1));
}

}  // namespace

std::vector<std::string> WordsOf(std::string_view name) {
  std::vector<std::string> words(1);
  char before = '_';
  for (const char c : name) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool before_lower = (before >= 'a' && before <= 'z') || IsDigitOfWord(before);
    if (!IsLetterOfWord(c) && !IsDigitOfWord(c)) {
      words.emplace_back();
    } else {
      if (upper && before_lower) words.emplace_back();
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    before = c;
  }
  std::erase(words, std::string());
  return words;
}

double RegistrationWeight(std::string_view name) {
  double weight = 1;
  for (const std::string& word : WordsOf(name)) {
    for (const WordWeight& each : kWeights) {
      if (Fits(word, each.word)) weight *= each.weight;
    }
  }
  return weight;
}

bool NamesRegistration(std::string_view name) {
  static constexpr std::string_view kWords[] = {"regist*", "reg",     "library",
                                                "plugin*", "export*", "ffi"};
  for (const std::string& word : WordsOf(name)) {
    for (const std::string_view pattern : kWords) {
      if (Fits(word, pattern)) return true;
    }
  }
  return false;
}

}  // namespace opledger::scan
