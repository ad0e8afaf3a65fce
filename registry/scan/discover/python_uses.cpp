// Reads tokens only, so that code that cannot be parsed does not matter.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/discover/python_uses.h"

#include <algorithm>
#include <map>
#include <utility>

#include "registry/python/tokens.h"

namespace opledger::scan {
namespace {

using Kind = PythonToken::Kind;

// "src/package/module.py" -> "package.module": source folders are not packages.
std::string ModuleAt(std::string path) {
  for (const std::string_view folder : {"src/", "python/"}) {
    if (path.starts_with(folder)) path.erase(0, folder.size());
  }
  path.resize(path.size() - std::string_view(".py").size());
  if (path.ends_with("/__init__")) path.resize(path.size() - std::string_view("/__init__").size());
  std::replace(path.begin(), path.end(), '/', '.');
  return path;
}

// Returns the text of a string literal, or an empty string if it has a prefix or escapes.
std::string_view PythonText(std::string_view literal) {
  const bool plain = literal.size() > 2 && (literal[0] == '"' || literal[0] == '\'') &&
                     literal[1] != literal[0] && literal.find('\\') == std::string_view::npos;
  return plain ? literal.substr(1, literal.size() - 2) : std::string_view();
}

class PythonUses {
 public:
  PythonUses(const std::vector<PythonToken>& tokens, std::string module, bool is_package)
      : tokens_(tokens), module_(std::move(module)), package_(module_) {
    if (!is_package) package_.resize(std::min(package_.rfind('.'), package_.size()));
  }

  FileUses Find() {
    for (at_ = 0; At().kind != Kind::kEnd; ++at_) {
      if (At().kind == Kind::kIndent) ++depth_;
      if (At().kind == Kind::kDedent) --depth_;
      const bool begins = at_ == 0 || tokens_[at_ - 1].kind == Kind::kNewline ||
                          tokens_[at_ - 1].kind == Kind::kIndent ||
                          tokens_[at_ - 1].kind == Kind::kDedent;
      if (begins) Statement();
    }
    return std::move(found_);
  }

 private:
  const PythonToken& At(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  bool IsDefinition(std::size_t ahead) const {
    return At(ahead).text == "def" || At(ahead).text == "class";
  }

  // A dotted name.
  struct Name {
    std::string text;         // as written
    const PythonToken* last;  // its last part, or null if there is no name
  };
  // Reads the name at `ahead` and moves `ahead` past it.
  Name NameAt(std::size_t& ahead) const {
    if (At(ahead).kind != Kind::kName || IsPythonKeyword(At(ahead).text)) return {{}, nullptr};
    std::string text(At(ahead).text);
    for (; At(ahead + 1).text == "." && At(ahead + 2).kind == Kind::kName; ahead += 2) {
      text += '.' + std::string(At(ahead + 2).text);
    }
    return {std::move(text), &At(ahead++)};
  }

  // from a.b import c as d; import a.b as c
  void Import() {
    std::size_t ahead = 1;
    std::string from;
    if (At().text == "from") {
      std::size_t dots = 0;
      for (; At(ahead).text == "." || At(ahead).text == "..."; ++ahead)
        dots += At(ahead).text.size();
      if (dots > 0) from = package_;
      for (; dots > 1; --dots) from.resize(std::min(from.rfind('.'), from.size()));
      const std::string module = NameAt(ahead).text;
      from += (from.empty() || module.empty() ? "" : ".") + module;
      if (At(ahead++).text != "import") return;
      if (At(ahead).text == "(") ++ahead;
    }
    while (At(ahead).kind == Kind::kName) {
      const std::string name = NameAt(ahead).text;
      std::string bound = name;
      if (At(ahead).text == "as") {
        bound = At(ahead + 1).text;
        ahead += 2;
      } else if (from.empty()) {
        bound = name.substr(0, name.find('.'));
      }
      const bool whole = from.empty() && bound == name.substr(0, name.find('.')) && bound != name;
      bound_[bound] = whole ? bound : from.empty() ? name : from + '.' + name;
      if (At(ahead).text != ",") break;
      ++ahead;
    }
  }

  // Returns the module that the name belongs to, as far as the file's imports tell.
  std::string ModuleOf(const std::string& name) const {
    const std::size_t dot = name.find('.');
    const auto found = bound_.find(name.substr(0, dot));
    std::string whole = found == bound_.end() ? name : found->second;
    if (found != bound_.end() && dot != std::string::npos) whole += name.substr(dot);
    const std::size_t last = whole.rfind('.');
    return last == std::string::npos ? module_ : whole.substr(0, last);
  }

  void Statement() {
    if (At().text == "@") return Decorator();
    if (At().text == "from" || At().text == "import") return Import();
    if (depth_ == 0 && IsDefinition(0) && At(1).kind == Kind::kName) {
      found_.definitions.push_back({module_ + '.' + std::string(At(1).text), At(1).begin});
    }
    std::size_t ahead = 0;
    const Name name = NameAt(ahead);
    if (name.last == nullptr || At(ahead).text != "(") return;
    const bool registers = name.last->text.find("egister") != std::string_view::npos;
    if (depth_ == 0 || registers) Keep(NamedForm::kPythonCall, name, At(ahead + 1));
  }

  // The registered name is the decorator's argument, otherwise the definition below the decorator.
  void Decorator() {
    std::size_t ahead = 1;
    const Name name = NameAt(ahead);
    if (name.last == nullptr) return;
    if (At(ahead).text == "(" && At(ahead + 1).kind == Kind::kString) {
      return Keep(NamedForm::kDecorator, name, At(ahead + 1));
    }
    int brackets = 0;
    for (; At(ahead).kind != Kind::kEnd; ++ahead) {
      if (At(ahead).text == "(") ++brackets;
      if (At(ahead).text == ")") --brackets;
      if (At(ahead).kind == Kind::kNewline && brackets == 0) break;
    }
    ++ahead;
    if (At(ahead).text == "async") ++ahead;
    if (!IsDefinition(ahead) || At(ahead + 1).text.starts_with("__")) return;
    NamedUse use;
    use.form = NamedForm::kDecorator;
    use.name = name.last->text;
    use.module = ModuleOf(name.text);
    use.arguments[0] = At(ahead + 1).text;
    use.offset = At(ahead + 1).begin;
    found_.uses.push_back(std::move(use));
  }

  void Keep(NamedForm form, const Name& name, const PythonToken& argument) {
    if (argument.kind != Kind::kString) return;
    const std::string_view text = PythonText(argument.text);
    std::string value = NameIn(text);
    if (value.empty()) return;
    NamedUse use;
    use.form = form;
    use.name = name.last->text;
    use.module = ModuleOf(name.text);
    use.arguments[0] = '"' + value;
    use.schema = text.find('(') != std::string_view::npos;
    use.inside = form == NamedForm::kPythonCall && depth_ > 0;
    use.offset = name.last->begin;
    found_.uses.push_back(std::move(use));
  }

  const std::vector<PythonToken>& tokens_;
  std::string module_;
  std::string package_;                       // the base of relative imports
  std::map<std::string, std::string> bound_;  // imported name -> what it refers to
  FileUses found_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

FileUses FindPythonUses(const std::string& path, std::string text) {
  Diagnostics ignored;
  const SourceText source(path, std::move(text));
  const auto tokens = LexPythonStatements(source, ignored);
  if (!tokens) return {};
  return PythonUses(*tokens, ModuleAt(path), path.ends_with("/__init__.py")).Find();
}

}  // namespace opledger::scan
