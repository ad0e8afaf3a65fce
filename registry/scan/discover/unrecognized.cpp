// Groups uses the same way as `opledger init`.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/discover/unrecognized.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include "registry/manifest/operator_names.h"
#include "registry/platform/platform.h"
#include "registry/scan/discover/data_uses.h"
#include "registry/scan/discover/python_uses.h"
#include "registry/scan/outline/registration_words.h"
#include "registry/text/glob.h"

namespace opledger::scan {
namespace {

constexpr std::size_t kFewestNames = 3;
constexpr std::size_t kExamples = 3;
constexpr std::size_t kLargestDialect = 1 << 20;  // bytes

// Returns whether the name is specific to one framework, unlike "REGISTER_LAYER".
bool IsTelling(const Sink& sink) {
  const std::vector<std::string> words = WordsOf(sink.macro);
  const bool general = words.size() < 2 || NamesRegistration(words.front()) ||
                       words.front() == "declare" || words.front() == "def";
  return !sink.is_call && !sink.identity && !sink.variable && !general;
}

bool NamesAny(std::string_view text, const std::set<std::string>& macros) {
  return std::any_of(macros.begin(), macros.end(), [&](const std::string& macro) {
    return text.find('"' + macro + '"') != std::string_view::npos;
  });
}

// Maps those of the macros that another shipped dialect reads to the name of that dialect.
// Functions and methods are ignored, since their names are ambiguous. A dialect that names none of
// the macros is not parsed.
std::map<std::string, std::string> SinksOfOthers(const Dialect& dialect,
                                                 const std::set<std::string>& macros) {
  const Source source = DiskSource();
  std::map<std::string, std::string> sinks;
  Diagnostics ignored;
  for (const std::string& name : ShippedDialects(ignored)) {
    if (name == dialect.name || name == dialect.extends || name == "opledger") continue;
    const std::string path = DataDirectory() + "/dialects/" + name + ".json";
    const auto text = source.Read(path, kLargestDialect, Reach::kAnywhere);
    if (!text || !NamesAny(*text, macros)) continue;
    const std::optional<Dialect> other = FindDialect(source, name, Reach::kAnywhere, ignored);
    if (!other) continue;
    for (const Sink& sink : other->sinks) {
      if (IsTelling(sink) && !dialect.IsSink(sink.macro)) sinks.emplace(sink.macro, name);
    }
    for (const std::string& word : other->detect) {
      if (RegistrationWeight(word) >= kRegisters) sinks.emplace(word, name);
    }
  }
  return sinks;
}

// Instances of a template receive the names of types.
bool AreTypes(const Candidate& candidate) {
  static const std::set<std::string> kTypes = {
      "bool",      "char",         "int",      "uint",     "float",   "double",  "half",
      "long",      "int8",         "int16",    "int32",    "int64",   "uint8",   "uint16",
      "uint32",    "uint64",       "int8_t",   "int16_t",  "int32_t", "int64_t", "uint8_t",
      "uint16_t",  "uint32_t",     "uint64_t", "bfloat16", "float16", "float32", "float64",
      "complex64", "complex128",   "string",   "tstring",  "qint8",   "quint8",  "qint32",
      "__half",    "__nv_bfloat16"};
  const auto count = std::count_if(
      candidate.values.begin(), candidate.values.end(),
      [](const auto& value) { return kTypes.contains(UnqualifiedName(value.first)); });
  return static_cast<std::size_t>(count) * 2 >= candidate.values.size();
}

// An exception with a reason also applies to what another dialect reads.
bool IsExceptedWithReason(const Dialect& dialect, const std::string& name,
                          const std::string& path) {
  return std::any_of(
      dialect.not_registrations.begin(), dialect.not_registrations.end(),
      [&](const NotRegistration& rule) { return !rule.reason.empty() && rule.Holds(name, path); });
}

// Returns whether at least half of the names are known operators.
bool IsExplained(const Candidate& candidate, const OperatorNames& known) {
  const auto count = std::count_if(candidate.values.begin(), candidate.values.end(),
                                   [&](const auto& value) { return known.Has(value.first); });
  return static_cast<std::size_t>(count) * 2 >= candidate.values.size();
}

// Returns whether the Python section of the dialect names the function or method.
bool ReadsInPython(const Dialect& dialect, const NamedUse& use) {
  const std::string function = use.module + '.' + use.name;
  const auto is = [&](const auto& sink) {
    return sink.function == function || sink.function.ends_with('.' + use.name);
  };
  const PythonDialect& python = dialect.python;
  return std::any_of(python.sinks.begin(), python.sinks.end(), is) ||
         std::any_of(python.receivers.begin(), python.receivers.end(), [&](const auto& each) {
           return is(each) || std::any_of(each.methods.begin(), each.methods.end(),
                                          [&](const PythonSink& method) {
                                            return method.function == use.name;
                                          });
         });
}

}  // namespace

std::vector<NamedUse> UsesWithoutSink(const MacroIndex& index, const SourceTree& tree,
                                      const Dialect& dialect, int file) {
  const SourceFile& source = tree.files()[file];
  std::vector<NamedUse> uses = source.outline.named_uses;
  if (uses.empty()) return uses;
  const NameSet& leading = index.LeadingIn(file);
  std::erase_if(uses, [&](const NamedUse& use) {
    if (use.inside) return true;
    const auto leads = [&](const std::string& name) {
      return leading.contains(name) || dialect.IsSink(name) || index.IsOfOtherDialect(name, file);
    };
    const bool method = use.form == NamedForm::kMethod;
    const bool of_scope =
        method && std::any_of(dialect.scope_methods.begin(), dialect.scope_methods.end(),
                              [&](const auto& each) { return each.method == use.name; });
    return leads(use.name) || (method && leads(use.module)) || of_scope;
  });
  return uses;
}

Digest DigestOf(const std::vector<NamedUse>& uses) {
  if (uses.empty()) return {};
  DigestBuilder builder;
  for (const NamedUse& use : uses) {
    builder.Add(use.name).Add(use.module);
    for (const std::string& argument : use.arguments) builder.Add(argument);
  }
  return builder.Finish();
}

void UnrecognizedUses::Add(const std::string& path, std::string_view text,
                           std::vector<NamedUse> uses) {
  if (GlobMatchAny(dialect_.exclude, path)) return;
  table_.Add(path, LineIndex(text), {std::move(uses), {}});
}

void UnrecognizedUses::AddPython(const std::string& path, const std::string& text) {
  FileUses found = FindPythonUses(path, text);
  std::erase_if(found.uses, [&](const NamedUse& use) {
    return use.inside || !NamesRegistration(use.name) || ReadsInPython(dialect_, use) ||
           std::any_of(dialect_.others.begin(), dialect_.others.end(), [&](const auto& other) {
             return other->HasSource(path) && ReadsInPython(*other, use);
           });
  });
  if (!found.uses.empty()) Add(path, text, std::move(found.uses));
}

void UnrecognizedUses::AddYaml(const std::string& path, std::string_view text) {
  const bool of_another =
      std::any_of(dialect_.others.begin(), dialect_.others.end(),
                  [&](const auto& other) { return !DataFilesAt(*other, path).empty(); });
  if (of_another) return;
  FileUses found = FindYamlUses(text);
  std::erase_if(found.uses,
                [](const NamedUse& use) { return RegistrationWeight(use.name) < kRegisters; });
  if (!found.uses.empty()) Add(path, text, std::move(found.uses));
}

std::vector<UnrecognizedRegistry> UnrecognizedUses::Take(const Manifest& manifest) {
  std::vector<UnrecognizedRegistry> unrecognized;
  const std::vector<Candidate> candidates = table_.Take(1);
  std::set<std::string> macros;
  for (const Candidate& candidate : candidates) {
    if (candidate.form == NamedForm::kMacro) macros.insert(candidate.name);
  }
  std::map<std::string, std::string> others;
  if (!macros.empty()) others = SinksOfOthers(dialect_, macros);
  const OperatorNames known(manifest);
  for (const Candidate& candidate : candidates) {
    const auto other = others.find(candidate.name);
    const std::string& path = candidate.files.begin()->first;
    const bool of_other = other != others.end() && candidate.form == NamedForm::kMacro &&
                          !IsExceptedWithReason(dialect_, candidate.name, path);
    if (!of_other &&
        (candidate.values.size() < kFewestNames || dialect_.IsExcepted(candidate.name, path) ||
         AreTypes(candidate) || IsExplained(candidate, known))) {
      continue;
    }
    UnrecognizedRegistry& registry = unrecognized.emplace_back();
    registry.kind = KindOf(candidate.form);
    registry.name = candidate.name;
    if (of_other) registry.dialect = other->second;
    registry.names = static_cast<int>(candidate.values.size());
    for (const auto& [name, place] : candidate.values) registry.examples.push_back({name, place});
    std::sort(registry.examples.begin(), registry.examples.end(),
              [](const auto& a, const auto& b) { return a.location < b.location; });
    registry.examples.resize(std::min(registry.examples.size(), kExamples));
  }
  std::sort(unrecognized.begin(), unrecognized.end());
  return unrecognized;
}

std::string UnrecognizedText(const std::vector<UnrecognizedRegistry>& unrecognized) {
  if (unrecognized.empty()) return {};
  std::string text = "receive names but are not read\n";
  for (const UnrecognizedRegistry& registry : unrecognized) {
    char number[32];
    std::snprintf(number, sizeof number, "  %7d  ", registry.names);
    text += number + registry.kind + ' ' + Printable(registry.name) + '\n';
  }
  return text;
}

}  // namespace opledger::scan
