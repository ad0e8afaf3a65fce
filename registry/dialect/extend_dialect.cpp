// Extends a dialect: lists are concatenated, and a key may have only one value.
// SPDX-License-Identifier: Apache-2.0
#include "registry/dialect/extend_dialect.h"

#include <algorithm>
#include <iterator>

#include "registry/text/text.h"

namespace opledger {
namespace {

constexpr std::string_view kOwn[] = {"$schema", "$comment", "name", "extends", "description"};
constexpr std::string_view kExtendable[] = {"root_markers",
                                            "sources",
                                            "exclude",
                                            "include_directories",
                                            "sinks",
                                            "data",
                                            "known_dynamic",
                                            "build_names",
                                            "suspicious",
                                            "exempt",
                                            "drop",
                                            "constants",
                                            "declarations",
                                            "configurations",
                                            "path_conditions",
                                            "never_defined",
                                            "identity_functions",
                                            "scope_types",
                                            "python"};

template <typename T>
void Append(std::vector<T>& to, std::vector<T> more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

class Extension {
 public:
  Extension(const JsonDocument& document, const std::string& base, Diagnostics& diagnostics)
      : document_(document), base_(base), diagnostics_(diagnostics) {}

  bool CheckKeys();
  void Add(Dialect& base, Dialect& addition);
  bool ok() const { return ok_; }

 private:
  void Error(std::string_view key, std::string message, std::string hint) {
    const JsonValue* const value = document_.root.Find(key);
    ErrorAt(document_, value == nullptr ? document_.root.span : value->span, std::move(message),
            std::move(hint), diagnostics_);
    ok_ = false;
  }
  void Conflict(std::string_view key, const std::string& name) {
    Error(key,
          "'" + name + "' is already in \"" + std::string(key) + "\" of dialect '" + base_ + "'",
          "remove it here, or write a dialect that does not extend '" + base_ + "'");
  }
  template <typename Map>
  void AddMap(std::string_view key, Map& to, Map& more) {
    for (auto& [name, value] : more) {
      if (!to.try_emplace(name, std::move(value)).second) Conflict(key, name);
    }
  }
  void AddSinks(std::vector<Sink>& to, std::vector<Sink>& more);
  void AddPython(PythonDialect& to, PythonDialect& more);

  const JsonDocument& document_;
  const std::string& base_;
  Diagnostics& diagnostics_;
  bool ok_ = true;
};

bool Extension::CheckKeys() {
  const auto has = [](const auto& keys, std::string_view key) {
    return std::find(std::begin(keys), std::end(keys), key) != std::end(keys);
  };
  for (const JsonMember& member : document_.root.members) {
    if (has(kOwn, member.key) || has(kExtendable, member.key)) continue;
    const std::vector<std::string> choices(std::begin(kExtendable), std::end(kExtendable));
    Error(member.key, "a dialect that extends another cannot have '" + member.key + "'",
          "it may add " + Join(choices, ", "));
  }
  return ok_;
}

void Extension::AddSinks(std::vector<Sink>& to, std::vector<Sink>& more) {
  const std::size_t known = to.size();
  for (Sink& sink : more) {
    const auto same = [&](const Sink& other) { return other.macro == sink.macro; };
    if (std::any_of(to.begin(), to.begin() + static_cast<std::ptrdiff_t>(known), same)) {
      Conflict("sinks", sink.macro);
    } else {
      to.push_back(std::move(sink));
    }
  }
}

void Extension::AddPython(PythonDialect& to, PythonDialect& more) {
  for (const PythonSink& sink : more.sinks) {
    const auto same = [&](const PythonSink& other) { return other.function == sink.function; };
    if (std::any_of(to.sinks.begin(), to.sinks.end(), same)) Conflict("python", sink.function);
  }
  for (const PythonReceiver& receiver : more.receivers) {
    const auto same = [&](const PythonReceiver& other) {
      return other.function == receiver.function;
    };
    if (std::any_of(to.receivers.begin(), to.receivers.end(), same)) {
      Conflict("python", receiver.function);
    }
  }
  Append(to.sinks, std::move(more.sinks));
  Append(to.receivers, std::move(more.receivers));
  Append(to.exclude, std::move(more.exclude));
  Append(to.suspicious, std::move(more.suspicious));
}

void Extension::Add(Dialect& base, Dialect& addition) {
  Append(base.root_markers, std::move(addition.root_markers));
  Append(base.sources, std::move(addition.sources));
  Append(base.exclude, std::move(addition.exclude));
  Append(base.include_directories, std::move(addition.include_directories));
  AddSinks(base.sinks, addition.sinks);
  Append(base.data, std::move(addition.data));
  Append(base.known_dynamic, std::move(addition.known_dynamic));
  Append(base.build_names, std::move(addition.build_names));
  Append(base.not_registrations, std::move(addition.not_registrations));
  Append(base.exempt, std::move(addition.exempt));
  Append(base.drop, std::move(addition.drop));
  Append(base.declarations, std::move(addition.declarations));
  Append(base.path_conditions, std::move(addition.path_conditions));
  Append(base.never_defined, std::move(addition.never_defined));
  Append(base.identity_functions, std::move(addition.identity_functions));
  Append(base.scope_types, std::move(addition.scope_types));
  AddMap("constants", base.constants, addition.constants);
  AddMap("configurations", base.configurations, addition.configurations);
  AddPython(base.python, addition.python);
  if (addition.suspicious.empty() || addition.suspicious == base.suspicious) return;
  if (!base.suspicious.empty()) Conflict("suspicious", "containing");
  base.suspicious = addition.suspicious;
}

}  // namespace

std::optional<Dialect> ExtendDialect(Dialect base, Dialect addition, const JsonDocument& document,
                                     Diagnostics& diagnostics) {
  const std::string extended = base.name;
  Extension extension(document, extended, diagnostics);
  if (extension.CheckKeys()) extension.Add(base, addition);
  if (!extension.ok()) return std::nullopt;
  base.extends = extended;
  base.name = addition.name;
  base.path = addition.path;
  base.text += addition.text;
  return base;
}

}  // namespace opledger
