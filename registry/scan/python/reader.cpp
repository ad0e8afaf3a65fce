// The order in which files are evaluated, and what is made of their calls; see python.h.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "registry/scan/facts/schema_text.h"
#include "registry/scan/python/calls.h"
#include "registry/scan/python/module_table.h"
#include "registry/scan/python/python.h"
#include "registry/scan/python/registrations.h"
#include "registry/scan/python/signature.h"
#include "registry/scan/tree/tree.h"
#include "registry/text/glob.h"
#include "registry/text/text.h"

namespace opledger::scan {
namespace {

// How an object of another module is named here: "<object 3>(" and ")".
constexpr std::string_view kObject = "<object ";
constexpr std::string_view kLibrary = "library";  // the module of functions named as methods are
constexpr std::string_view kPartial = "<partial ";
constexpr std::string_view kInferSchema = "torch.library.infer_schema";
constexpr std::string_view kOldInferSchema = "torch._library.infer_schema.infer_schema";
constexpr std::size_t kMostFrames = 16;
constexpr int kMostRounds = 8;  // a wrapper of a wrapper of ...

std::string LastPart(const std::string& name) { return name.substr(name.rfind('.') + 1); }

// "exp(Tensor self) -> Tensor"
bool SaysSchema(const PythonTree& tree, PythonId argument) {
  const PythonNode& node = tree[argument];
  const std::size_t open = node.text.find('(');
  return node.kind == PythonKind::kString && open != std::string_view::npos && open > 0 &&
         node.text.find("->", open) != std::string_view::npos;
}

// "aten::add.out"; what else comes out was not meant to be a name.
bool IsOperatorName(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return IsWordCharacter(c) || c == ':' || c == '.' || c == '-' || c == '/' ||
           static_cast<unsigned char>(c) >= 0x80;
  });
}

// A call of a module's own or another module's function, while its body is evaluated.
struct Frame {
  PythonEvaluator* evaluator = nullptr;
  PythonId call = 0;
  PythonArguments arguments;
};

// What functools.partial made.
struct Partial {
  PythonEvaluator* evaluator = nullptr;  // that has the function
  PythonValue function;
  PythonArguments arguments;
};

class Reader {
 public:
  Reader(const Source& source, const Dialect& dialect, const PythonTexts& texts)
      : source_(source), dialect_(dialect), texts_(texts), table_(texts, hooks_) {
    hooks_.call = [this](PythonEvaluator& evaluator, const std::string& function, PythonId place,
                         const PythonArguments& arguments) {
      return OnCall(evaluator, function, place, arguments);
    };
    hooks_.imported = [this](PythonEvaluator& evaluator, const std::string& name, PythonId place) {
      return OnImported(evaluator, name, place);
    };
    hooks_.starred = [this](PythonEvaluator& evaluator, const std::string& module) {
      return OnStarred(evaluator, module);
    };
    for (std::string& word : LeadingWords(dialect.python)) words_.insert(std::move(word));
    for (const PythonReceiver& receiver : dialect.python.receivers) {
      for (const PythonSink& method : receiver.methods) methods_.insert(method.function);
    }
  }

  std::map<std::string, Facts> Run();

 private:
  std::string ProjectText() const;
  bool IsWanted(std::string_view text) const;
  void NoteInitials();
  bool NamesHolder(std::string_view text, std::string_view function) const;
  void AddHandingOn(const PythonModule& module, const std::string& name);
  bool StandsForSink(const PythonModule& module, const PythonValue& value) const;
  void AddRenamed(PythonModule& module);
  std::optional<PythonValue> CallPartial(PythonEvaluator& evaluator, const std::string& function,
                                         PythonId place, const PythonArguments& arguments);
  void Evaluate(PythonModule& module);
  void EvaluateWhole(PythonModule& module);
  std::string WhyUnread(PythonModule& module, PythonId call) const;
  bool BookUses(PythonModule& module, bool report);
  bool IsSchemaMethod(const std::string& name) const;
  std::optional<PythonValue> OnCall(PythonEvaluator& evaluator, const std::string& function,
                                    PythonId place, const PythonArguments& arguments);
  PythonMeaning MeaningOf(const std::string& from, const std::string& name);
  std::optional<PythonValue> OnImported(PythonEvaluator& evaluator, const std::string& name,
                                        PythonId place);
  std::vector<std::pair<std::string, std::string>> OnStarred(PythonEvaluator& evaluator,
                                                             const std::string& module);
  std::optional<PythonValue> Follow(PythonEvaluator& evaluator, const PythonMeaning& meaning,
                                    PythonId place, const PythonArguments& arguments);
  std::optional<PythonValue> CallObjectOf(PythonEvaluator& evaluator, const std::string& object,
                                          const std::string& method, PythonId place,
                                          const PythonArguments& arguments);
  std::optional<PythonValue> CallObject(PythonEvaluator& evaluator, const std::string& function,
                                        PythonId place, const PythonArguments& arguments);
  PythonArguments Adopted(PythonEvaluator& into, const PythonArguments& arguments, PythonId at);
  PythonValue Brought(PythonEvaluator& evaluator, PythonModule& from, const PythonValue& value,
                      PythonId place);
  std::string InferredSchema(const PythonEvaluator& evaluator,
                             const PythonArguments& arguments) const;
  PythonValue Take(PythonEvaluator& evaluator, PythonCall call, PythonId place,
                   PythonArguments arguments);
  std::string Register(PythonEvaluator& evaluator, const PythonCall& call, PythonId place,
                       const PythonArguments& arguments);
  void NameUnknown(PythonEvaluator& evaluator, const PythonCall& call,
                   const PythonRegistration& registration, PythonId place);
  void HandsOn(PythonEvaluator& evaluator, PythonId place);
  void Suspect(PythonEvaluator& evaluator, const std::string& function, PythonId place,
               const PythonArguments& arguments);
  Location PlaceOf(const PythonEvaluator& evaluator, const PythonRegistration& registration,
                   PythonId place) const;
  std::vector<Frame> FramesOfRoot(const PythonEvaluator& evaluator) const;
  PythonEvaluator& RootOf(PythonEvaluator& evaluator) {
    return stack_.empty() ? evaluator : *stack_.front().evaluator;
  }
  Facts& FactsOf(PythonEvaluator& evaluator, const Location& place) {
    return table_.Of(RootOf(evaluator))->facts[std::string(place.path)];
  }

  const Source& source_;
  const Dialect& dialect_;
  const PythonTexts& texts_;
  PythonHooks hooks_;
  PythonModuleTable table_;
  using Words = std::set<std::string, std::less<>>;
  Words words_;       // without one of them a file registers nothing
  Words methods_;     // of objects
  Words handing_on_;  // functions of the tree that hand a parameter on to a sink, sinks renamed
  // Of these, by name, the modules that have them, as an import names them last; "": a package.
  std::map<std::string, Words, std::less<>> holders_;
  std::vector<Partial> partials_;
  std::array<bool, 256> initials_ = {};                         // of all these words
  std::vector<std::pair<PythonModule*, PythonValue>> objects_;  // of other modules
  std::vector<Frame> stack_;  // calls from one module into another
  std::map<std::string, Facts> result_;
};

// Where a project says what it is called.
std::string Reader::ProjectText() const {
  std::string text = source_.root().substr(source_.root().rfind('/') + 1);
  for (const char* path : {"pyproject.toml", "setup.py", "setup.cfg"}) {
    if (const std::optional<std::string> bytes = ReadSource(source_, path)) text += ' ' + *bytes;
  }
  return text;
}

// Whether it has a word of these as a whole, or calls a method of these.
bool Reader::IsWanted(std::string_view text) const {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!IsWordCharacter(text[i])) continue;
    const std::size_t begin = i;
    while (i < text.size() && IsWordCharacter(text[i])) ++i;
    const std::string_view word = text.substr(begin, i - begin);
    if (!initials_[static_cast<unsigned char>(word[0])]) continue;
    const bool method = methods_.find(word) != methods_.end();
    const bool called = begin > 0 && text[begin - 1] == '.' && i < text.size() && text[i] == '(';
    if (method && called) return true;
    if (words_.find(word) != words_.end() && (!method || ContainsWord(text, kLibrary))) return true;
    if (handing_on_.find(word) != handing_on_.end() && NamesHolder(text, word)) return true;
  }
  return false;
}

// Whether the text names a module that has the function.
bool Reader::NamesHolder(std::string_view text, std::string_view function) const {
  const auto holders = holders_.find(function);
  return holders != holders_.end() &&
         std::any_of(holders->second.begin(), holders->second.end(), [&](const auto& module) {
           return module.empty() || ContainsWord(text, module);
         });
}

void Reader::AddHandingOn(const PythonModule& module, const std::string& name) {
  std::string holder = table_.names().NameOf(module.path);
  const bool package = module.path.ends_with("__init__.py");
  handing_on_.insert(name);
  holders_[name].insert(package ? "" : holder.substr(holder.rfind('.') + 1));
}

// Whether a value of the module is a sink, or something that hands on to one.
bool Reader::StandsForSink(const PythonModule& module, const PythonValue& value) const {
  if (value.kind == PythonValue::Kind::kClass) {
    return module.evaluator->IsObject(value) && handing_on_.contains(value.text);
  }
  if (value.kind == PythonValue::Kind::kFunction) {
    const PythonId around = module.evaluator->Outermost((*module.tree)[value.place].begin);
    return around != 0 && handing_on_.find((*module.tree)[around].text) != handing_on_.end();
  }
  return value.IsUnknown() && !value.text.empty() &&
         (handing_on_.contains(LastPart(value.text)) || value.text.starts_with(kPartial) ||
          FindPythonCall(dialect_.python, value.text).has_value());
}

// Names of the module that mean a sink, or a function that hands on to one, by an import.
void Reader::AddRenamed(PythonModule& module) {
  for (const std::string& name : module.evaluator->GlobalNames()) {
    const PythonBinding* const binding = module.evaluator->Global(name);
    if (StandsForSink(module, binding->value) && !words_.contains(name)) {
      AddHandingOn(module, name);
    }
  }
}

void Reader::NoteInitials() {
  for (const auto* words : {&words_, &methods_, &handing_on_}) {
    for (const std::string& word : *words) initials_[static_cast<unsigned char>(word[0])] = true;
  }
}

std::map<std::string, Facts> Reader::Run() {
  table_.NameProject(ProjectText());
  std::set<std::string> done;
  Words fresh;  // found in the round before
  for (int round = 0; round < kMostRounds; ++round) {
    const auto known = holders_;
    NoteInitials();
    for (const auto& entry : texts_) {
      const std::string& path = entry.first;
      const std::string& text = entry.second;
      if (GlobMatchAny(dialect_.python.exclude, path) || !IsWanted(text)) continue;
      PythonModule* const module = table_.Parse(path);
      if (module == nullptr) continue;
      const bool again = done.contains(path);
      const bool calls_new = std::any_of(fresh.begin(), fresh.end(), [&](const std::string& word) {
        return ContainsWord(text, word) && NamesHolder(text, word);
      });
      if (again && !calls_new) continue;
      done.insert(path);
      if (module->tree) EvaluateWhole(*module);
    }
    if (holders_ == known) break;
    fresh.clear();
    for (const auto& [name, holders] : holders_) {
      const auto before = known.find(name);
      if (before == known.end() || before->second != holders) fresh.insert(name);
    }
  }
  for (const std::string& path : done) {
    PythonModule& module = *table_.Parse(path);
    if (!module.tree) {
      const Diagnostic& first = module.diagnostics.all().front();
      result_[path].incomplete.push_back({first.location, "file", first.message});
      continue;
    }
    if (!module.whole) Evaluate(module);
    BookUses(module, true);
    for (auto& [file, facts] : module.facts) {
      Facts& all = result_[file];
      for (Registration& each : facts.registrations) all.registrations.push_back(std::move(each));
      for (Dynamic& each : facts.dynamic) all.dynamic.push_back(std::move(each));
      for (Incomplete& each : facts.incomplete) all.incomplete.push_back(std::move(each));
    }
  }
  for (auto& [path, facts] : result_) {
    facts.balance.registered = static_cast<int>(facts.registrations.size());
    facts.balance.incomplete = static_cast<int>(facts.dynamic.size() + facts.incomplete.size());
    facts.Normalise();
  }
  return std::move(result_);
}

void Reader::EvaluateWhole(PythonModule& module) {
  Evaluate(module);
  if (module.imports || (!module.lacks_values && !BookUses(module, false))) return;
  module.imports = true;
  Evaluate(module);
}

void Reader::Evaluate(PythonModule& module) {
  const std::vector<Frame> outer = std::exchange(stack_, {});
  table_.Restart(module);
  module.evaluator->RunUncalled();
  module.whole = true;
  for (const std::string& name : module.handing_on) AddHandingOn(module, name);
  AddRenamed(module);
  stack_ = outer;
}

// Modules that this loads are evaluated as if nothing else were.
PythonMeaning Reader::MeaningOf(const std::string& from, const std::string& name) {
  const std::vector<Frame> outer = std::exchange(stack_, {});
  PythonMeaning meaning = table_.Meaning(from, name);
  stack_ = outer;
  return meaning;
}

std::optional<PythonValue> Reader::OnImported(PythonEvaluator& evaluator, const std::string& name,
                                              PythonId place) {
  PythonModule* const module = table_.Of(evaluator);
  if (module == nullptr || name.find('(') != std::string::npos || name == "<parameter>") {
    return std::nullopt;
  }
  if (!module->imports) return std::nullopt;
  const PythonMeaning meaning = MeaningOf(module->path, name);
  if (meaning.kind == PythonMeaning::Kind::kValue) {
    const PythonValue value = evaluator.Adopt(meaning.value, place);
    if (!value.IsUnknown()) return value;
  }
  if (meaning.kind == PythonMeaning::Kind::kForeign && meaning.name != name) {
    return evaluator.UnknownAt(place, meaning.name);
  }
  return std::nullopt;
}

std::vector<std::pair<std::string, std::string>> Reader::OnStarred(PythonEvaluator& evaluator,
                                                                   const std::string& module) {
  PythonModule* const here = table_.Of(evaluator);
  if (here == nullptr) return {};
  const std::vector<Frame> outer = std::exchange(stack_, {});
  auto names = table_.Starred(here->path, module);
  stack_ = outer;
  const auto add = [&](const std::string& function) {
    const std::string last = LastPart(function);
    if (function == module + "." + last) names.emplace_back(last, function);
  };
  for (const PythonSink& sink : dialect_.python.sinks) add(sink.function);
  for (const PythonReceiver& receiver : dialect_.python.receivers) add(receiver.function);
  return names;
}

std::optional<PythonValue> Reader::OnCall(PythonEvaluator& evaluator, const std::string& function,
                                          PythonId place, const PythonArguments& arguments) {
  PythonModule* const here = table_.Of(evaluator);
  if (here == nullptr) return std::nullopt;
  const auto take = [&](const std::string& name) -> std::optional<PythonValue> {
    const auto call = FindPythonCall(dialect_.python, name);
    if (!call) return std::nullopt;
    here->callees.insert(place);
    return Take(evaluator, *call, place, arguments);
  };
  if (auto taken = take(function)) return taken;
  if (function.starts_with(kObject)) {
    here->callees.insert(place);
    return CallObject(evaluator, function, place, arguments);
  }
  if (function == "functools.partial" && !arguments.positional.empty()) {
    partials_.push_back({&evaluator, arguments.positional.front(), arguments});
    partials_.back().arguments.positional.erase(partials_.back().arguments.positional.begin());
    return evaluator.UnknownAt(
        place, std::string(kPartial) + std::to_string(partials_.size() - 1) + ">()");
  }
  if (function.starts_with(kPartial)) return CallPartial(evaluator, function, place, arguments);
  if (function == kInferSchema || function == kOldInferSchema) {
    return evaluator.TextAt(InferredSchema(evaluator, arguments), place);
  }
  const std::string last = LastPart(function);
  const std::string owner = function.substr(0, function.size() - last.size());
  const bool of_object =
      owner.ends_with('.') && handing_on_.contains(LastPart(owner.substr(0, owner.size() - 1)));
  if (!words_.contains(last) && !methods_.contains(last) && !handing_on_.contains(last) &&
      !of_object) {
    return std::nullopt;
  }
  if (of_object) {
    if (auto value =
            CallObjectOf(evaluator, owner.substr(0, owner.size() - 1), last, place, arguments)) {
      return value;
    }
  }
  const PythonMeaning meaning = MeaningOf(here->path, function);
  if (meaning.kind == PythonMeaning::Kind::kForeign) {
    if (auto taken = take(meaning.name)) return taken;
    if (meaning.name.starts_with(kPartial)) {
      here->callees.insert(place);
      return CallPartial(evaluator, meaning.name, place, arguments);
    }
  } else if (meaning.kind == PythonMeaning::Kind::kValue) {
    here->callees.insert(place);
    return Follow(evaluator, meaning, place, arguments);
  }
  Suspect(evaluator, function, place, arguments);
  return std::nullopt;
}

PythonArguments Reader::Adopted(PythonEvaluator& into, const PythonArguments& arguments,
                                PythonId at) {
  PythonArguments adopted;
  adopted.known = arguments.known;
  for (const PythonValue& each : arguments.positional) {
    adopted.positional.push_back(into.Adopt(each, at));
  }
  for (const auto& [name, value] : arguments.keywords) {
    adopted.keywords.emplace_back(name, into.Adopt(value, at));
  }
  return adopted;
}

// A value of another module, which stays there if it is an object.
PythonValue Reader::Brought(PythonEvaluator& evaluator, PythonModule& from,
                            const PythonValue& value, PythonId place) {
  if (value.kind != PythonValue::Kind::kClass) return evaluator.Adopt(value, place);
  objects_.emplace_back(&from, value);
  return evaluator.UnknownAt(place,
                             std::string(kObject) + std::to_string(objects_.size() - 1) + ">()");
}

// Into a function or class of another module.
std::optional<PythonValue> Reader::Follow(PythonEvaluator& evaluator, const PythonMeaning& meaning,
                                          PythonId place, const PythonArguments& arguments) {
  using Kind = PythonValue::Kind;
  PythonEvaluator& other = *meaning.module->evaluator;
  const bool callable = meaning.value.kind == Kind::kFunction || meaning.value.kind == Kind::kClass;
  if (!callable || &other == &evaluator || stack_.size() > kMostFrames) return std::nullopt;
  const PythonId at = meaning.value.place;
  stack_.push_back({&evaluator, place, arguments});
  const PythonArguments adopted = Adopted(other, arguments, at);
  PythonValue value = other.CallFrom(meaning.value, adopted, evaluator.when());
  // A decorator of the other module, which is applied there.
  if (value.kind == Kind::kFunction && evaluator.decorated() != 0) {
    PythonArguments function;
    const std::string name(evaluator.tree()[evaluator.decorated()].text);
    function.positional.push_back(other.UnknownAt(at, "<function " + name + ">"));
    value = other.CallFrom(value, function, evaluator.when());
  }
  stack_.pop_back();
  return Brought(evaluator, *meaning.module, value, place);
}

// A method of an object that another module has.
std::optional<PythonValue> Reader::CallObjectOf(PythonEvaluator& evaluator,
                                                const std::string& object,
                                                const std::string& method, PythonId place,
                                                const PythonArguments& arguments) {
  PythonModule* const here = table_.Of(evaluator);
  const PythonMeaning meaning = MeaningOf(here->path, object);
  const bool is_object = meaning.kind == PythonMeaning::Kind::kValue &&
                         meaning.value.kind == PythonValue::Kind::kClass &&
                         meaning.module->evaluator->IsObject(meaning.value);
  if (!is_object || stack_.size() > kMostFrames) return std::nullopt;
  here->callees.insert(place);
  objects_.emplace_back(meaning.module, meaning.value);
  return CallObject(evaluator,
                    std::string(kObject) + std::to_string(objects_.size() - 1) + ">()." + method,
                    place, arguments);
}

std::optional<PythonValue> Reader::CallPartial(PythonEvaluator& evaluator,
                                               const std::string& function, PythonId place,
                                               const PythonArguments& arguments) {
  const std::size_t number = std::stoul(function.substr(kPartial.size()));
  if (number >= partials_.size() || !function.ends_with(">()")) return std::nullopt;
  const PythonValue callee = partials_[number].function;
  PythonArguments all = partials_[number].arguments;
  all.known = all.known && arguments.known;
  all.positional.insert(all.positional.end(), arguments.positional.begin(),
                        arguments.positional.end());
  all.keywords.insert(all.keywords.begin(), arguments.keywords.begin(), arguments.keywords.end());
  if (callee.kind == PythonValue::Kind::kFunction) {
    PythonEvaluator* const owner = partials_[number].evaluator;
    if (owner == &evaluator) return evaluator.CallAt(callee, all, place);
    PythonMeaning meaning;
    meaning.kind = PythonMeaning::Kind::kValue;
    meaning.module = table_.Of(*owner);
    meaning.value = callee;
    return Follow(evaluator, meaning, place, all);
  }
  if (!callee.IsUnknown() || callee.text.empty()) return std::nullopt;
  return OnCall(evaluator, callee.text, place, all);
}

std::optional<PythonValue> Reader::CallObject(PythonEvaluator& evaluator,
                                              const std::string& function, PythonId place,
                                              const PythonArguments& arguments) {
  const std::size_t number = std::stoul(function.substr(kObject.size()));
  const std::size_t dot = function.find(").");
  if (dot == std::string::npos || number >= objects_.size() || stack_.size() > kMostFrames) {
    return std::nullopt;
  }
  const auto [module, object] = objects_[number];
  PythonEvaluator& other = *module->evaluator;
  stack_.push_back({&evaluator, place, arguments});
  const PythonValue value = other.CallMethodFrom(
      object, function.substr(dot + 2), Adopted(other, arguments, object.place), evaluator.when());
  stack_.pop_back();
  return Brought(evaluator, *module, value, place);
}

// "(Tensor x) -> Tensor" of the function that is given, here or where all began.
std::string Reader::InferredSchema(const PythonEvaluator& evaluator,
                                   const PythonArguments& arguments) const {
  const PythonEvaluator* owner = &evaluator;
  PythonId function = 0;
  const auto consider = [&](const PythonEvaluator& of, const PythonValue& value) {
    if (function != 0 || value.kind != PythonValue::Kind::kFunction) return;
    owner = &of;
    function = value.place;
  };
  for (const PythonValue& each : arguments.positional) consider(evaluator, each);
  if (!stack_.empty()) {
    const Frame& frame = stack_.front();
    for (const PythonValue& each : frame.arguments.positional) consider(*frame.evaluator, each);
    for (const auto& [name, each] : frame.arguments.keywords) consider(*frame.evaluator, each);
    if (function == 0) {
      owner = frame.evaluator;
      function = owner->decorated();
    }
  }
  if (function == 0 || owner->tree().Kind(function) != PythonKind::kFunction) return "()";
  std::string inputs;
  std::string outputs;
  for (const FieldFact& field : SignatureFields(owner->tree(), function, {})) {
    std::string& text = field.field == "inputs" ? inputs : outputs;
    text += (text.empty() ? "" : ", ") + field.value.value;
    if (!field.value.key.empty()) text += " " + field.value.key;
  }
  return "(" + inputs + ") -> (" + outputs + ")";
}

// A call of a sink; makes the object that its result is.
PythonValue Reader::Take(PythonEvaluator& evaluator, PythonCall call, PythonId place,
                         PythonArguments arguments) {
  // define(lib, "schema"): the older form of a method.
  if (call.sink != nullptr && call.object.empty() && !arguments.positional.empty()) {
    const PythonValue& first = arguments.positional.front();
    const bool object = first.IsUnknown() && first.text.ends_with(')');
    const auto method =
        object ? FindPythonCall(dialect_.python, first.text + "." + LastPart(call.sink->function))
               : std::nullopt;
    if (method) {
      call = *method;
      arguments.positional.erase(arguments.positional.begin());
    }
  }
  std::string name;
  if (call.sink != nullptr) {
    name = Register(evaluator, call, place, arguments);
  }
  const bool makes = call.receiver != nullptr && call.object.empty();
  if (!makes) return evaluator.UnknownAt(place, "");
  const PythonReceiver& receiver = *call.receiver;
  const PythonValue* const of = ArgumentOf(receiver.name, arguments);
  if (!receiver.is_operator) name = of != nullptr && of->IsString() ? of->text : "";
  if (of != nullptr && !of->IsString()) table_.Of(evaluator)->lacks_values = true;
  const PythonValue* const key = ArgumentOf(receiver.key, arguments);
  return evaluator.UnknownAt(
      place, ObjectName(receiver, name, key != nullptr && key->IsString() ? key->text : ""));
}

// The calls in the module where all began, outermost first.
std::vector<Frame> Reader::FramesOfRoot(const PythonEvaluator& evaluator) const {
  std::vector<Frame> frames;
  const PythonEvaluator& root = stack_.empty() ? evaluator : *stack_.front().evaluator;
  for (const auto& [call, arguments] : root.frames()) {
    const PythonKind kind = root.tree().Kind(call);
    if (kind != PythonKind::kFunction) frames.push_back({nullptr, call, arguments});
  }
  if (!stack_.empty()) frames.push_back(stack_.front());
  return frames;
}

// Where the name is written: the sink's own argument, or that of the call that led here.
Location Reader::PlaceOf(const PythonEvaluator& evaluator, const PythonRegistration& registration,
                         PythonId place) const {
  const bool literal = registration.said != nullptr && registration.said->IsString() &&
                       registration.said->literal && registration.said->place != 0;
  if (stack_.empty() && literal) return evaluator.tree().At(registration.said->place);
  const PythonEvaluator& root = stack_.empty() ? evaluator : *stack_.front().evaluator;
  const std::vector<Frame> frames = FramesOfRoot(evaluator);
  const PythonValue* best = nullptr;
  const auto consider = [&](const PythonValue& value) {
    if (!value.IsString() || !value.literal || value.place == 0) return;
    const std::string part = SchemaName(value.text);
    if (part.empty() || registration.name.find(part) == std::string::npos) return;
    if (best == nullptr || value.text.size() > best->text.size()) best = &value;
  };
  for (const Frame& frame : frames) {
    for (const PythonValue& each : frame.arguments.positional) consider(each);
    for (const auto& [name, each] : frame.arguments.keywords) consider(each);
  }
  if (best != nullptr) return root.tree().At(best->place);
  if (!stack_.empty()) return root.tree().At(stack_.front().call);
  if (registration.said != nullptr && registration.said->place != 0) {
    return evaluator.tree().At(registration.said->place);
  }
  return evaluator.tree().At(place);
}

// The functions and classes of the module around the place hand what they are given on to a sink:
// whoever uses them is to be read.
void Reader::HandsOn(PythonEvaluator& evaluator, PythonId place) {
  PythonModule& here = *table_.Of(evaluator);
  const auto add = [&](PythonId at) {
    const PythonId definition = evaluator.Outermost(evaluator.tree()[at].begin);
    if (definition != 0) here.handing_on.emplace(evaluator.tree()[definition].text);
  };
  add(place);
  if (!evaluator.frames().empty()) add(evaluator.frames().front().first);
}

void Reader::NameUnknown(PythonEvaluator& evaluator, const PythonCall& call,
                         const PythonRegistration& registration, PythonId place) {
  const PythonTree& tree = evaluator.tree();
  table_.Of(evaluator)->lacks_values = true;
  // A rule for an operator that nothing here is known of decides nothing.
  if (!call.sink->adds.empty() && call.sink->key.IsNone()) return;
  if (evaluator.is_uncalled() && stack_.empty()) return HandsOn(evaluator, place);
  const Location where = PlaceOf(evaluator, registration, place);
  const PythonId said = registration.said == nullptr ? 0 : registration.said->place;
  Dynamic dynamic;
  dynamic.location = where;
  dynamic.expression = std::string(tree.Spelling(said != 0 ? said : place)).substr(0, 120);
  dynamic.why = "its value does not follow from the text";
  if (registration.said != nullptr && registration.said->problem >= 0) {
    dynamic.why = evaluator.Problem(registration.said->problem).message;
  }
  const bool method = call.sink->function.find('.') == std::string::npos;
  if (method && call.object.empty()) {
    dynamic.why = "the namespace of the library is not known";
  }
  FactsOf(evaluator, where).dynamic.push_back(std::move(dynamic));
}

// Gives the name; empty if it is not known.
std::string Reader::Register(PythonEvaluator& evaluator, const PythonCall& call, PythonId place,
                             const PythonArguments& arguments) {
  PythonRegistration read = ReadRegistration(dialect_, call, evaluator, arguments);
  if (!arguments.known || !IsOperatorName(read.name)) read.name.clear();
  if (read.name.empty()) {
    NameUnknown(evaluator, call, read, place);
    return {};
  }
  Registration registration;
  registration.name = read.name;
  registration.adds = !call.sink->adds.empty();
  registration.site.location = PlaceOf(evaluator, read, place);
  const PythonEvaluator& root = RootOf(evaluator);
  registration.site.call =
      stack_.empty() ? evaluator.tree().At(place) : root.tree().At(stack_.front().call);
  registration.site.macro = LastPart(call.sink->function);
  registration.site.condition = evaluator.when();
  for (FieldFact& field : read.fields) {
    field.value.condition = evaluator.when();
    if (registration.adds) field.value.location = registration.site.location;
  }
  registration.fields = std::move(read.fields);
  FactsOf(evaluator, registration.site.location).registrations.push_back(std::move(registration));
  return read.name;
}

// A function that cannot be followed, of a name that registers elsewhere.
void Reader::Suspect(PythonEvaluator& evaluator, const std::string& function, PythonId place,
                     const PythonArguments& arguments) {
  const std::string last = LastPart(function);
  if (function.starts_with("<parameter>")) return HandsOn(evaluator, place);
  const bool known = handing_on_.contains(last) || GlobMatchAny(dialect_.python.suspicious, last);
  const bool names = std::any_of(arguments.positional.begin(), arguments.positional.end(),
                                 [](const PythonValue& each) { return each.IsString(); }) ||
                     std::any_of(arguments.keywords.begin(), arguments.keywords.end(),
                                 [](const auto& each) { return each.second.IsString(); });
  if (!known || !names) return;
  const Location where = evaluator.tree().At(place);
  FactsOf(evaluator, where)
      .incomplete.push_back({where, "registration",
                             "'" + last + "' looks like a registration, but '" + function +
                                 "' cannot be followed to a function of this tree; if it registers "
                                 "nothing, name it under \"not_registrations\" in the dialect"});
}

bool Reader::IsSchemaMethod(const std::string& name) const {
  for (const PythonReceiver& receiver : dialect_.python.receivers) {
    for (const PythonSink& method : receiver.methods) {
      if (method.function == name && method.form == "schema") return true;
    }
  }
  return false;
}

// Says why a call that seems to register was not read. Empty if it was read or registers nothing.
std::string Reader::WhyUnread(PythonModule& module, PythonId call) const {
  const PythonTree& tree = *module.tree;
  const PythonId callee = tree.Child(call, 0);
  const std::string last(tree[callee].text);
  if (tree.DottedName(callee).empty() || module.callees.contains(call)) return {};
  const PythonNode& first = tree[tree.Child(call, 1)];
  const bool code = (last == "exec" || last == "eval") && first.kind == PythonKind::kString;
  if (code && IsWanted(first.text)) return "code in a string is not read";
  if (IsSchemaMethod(last) && SaysSchema(tree, tree.Child(call, 1))) {
    return "what this '" + last + "' is a method of is not known";
  }
  if (module.evaluator->IsVisited(call) || module.evaluator->IsAbsent(call)) return {};
  const auto called = FindPythonCall(dialect_.python, module.evaluator->NameOfImport(callee));
  const bool sink = called && called->sink != nullptr;
  if (!sink && !handing_on_.contains(last)) return {};
  return "this call of '" + last + "' was not read: it depends on a value that is not known";
}

// Calls that evaluation did not come to; whether there are any.
bool Reader::BookUses(PythonModule& module, bool report) {
  const PythonTree& tree = *module.tree;
  bool found = false;
  for (PythonId id = 1; id < tree.size(); ++id) {
    if (tree.Kind(id) != PythonKind::kCall) continue;
    const std::string why = WhyUnread(module, id);
    if (why.empty()) continue;
    found = true;
    const Location where = tree.At(id);
    if (!report) return true;
    module.facts[std::string(where.path)].incomplete.push_back({where, "registration", why});
  }
  return found;
}

}  // namespace

std::map<std::string, Facts> ReadPython(const Source& source, const Dialect& dialect,
                                        const PythonTexts& texts) {
  if (dialect.python.IsNone() || texts.empty()) return {};
  return Reader(source, dialect, texts).Run();
}

}  // namespace opledger::scan
