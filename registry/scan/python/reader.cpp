// Decides which files are evaluated in which order, and turns their calls into facts; see python.h.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "registry/scan/facts/schema_text.h"
#include "registry/scan/python/calls.h"
#include "registry/scan/python/module_table.h"
#include "registry/scan/python/python.h"
#include "registry/scan/python/registrations.h"
#include "registry/scan/python/signature.h"
#include "registry/scan/python/word_index.h"
#include "registry/scan/tree/tree.h"
#include "registry/text/glob.h"
#include "registry/text/text.h"

namespace opledger::scan {
namespace {

constexpr std::string_view kLibrary = "library";  // module of functions that are named like methods
constexpr std::string_view kMain = "main";        // not called by imports
constexpr char kParameter[] = "<parameter>";      // value of a parameter before a call
constexpr std::string_view kPartial = "<partial ";
constexpr std::string_view kInferSchema = "torch.library.infer_schema";
constexpr std::string_view kOldInferSchema = "torch._library.infer_schema.infer_schema";
constexpr std::size_t kMaxFrames = 16;  // nested calls from one module into another
constexpr int kMaxRounds = 64;          // wrappers of wrappers, each in a module read before

std::string LastPart(const std::string& name) { return name.substr(name.rfind('.') + 1); }

// Returns whether the argument is, or contains, a schema: "exp(Tensor self) -> Tensor".
bool SaysSchema(const PythonTree& tree, PythonId argument) {
  const PythonKind kind = tree.Kind(argument);
  const bool text =
      kind == PythonKind::kString || kind == PythonKind::kBinary || kind == PythonKind::kFormat;
  const std::string_view spelling = tree.Spelling(argument);
  const std::size_t open = spelling.find('(');
  return text && open != std::string_view::npos && spelling.find("->", open) != spelling.npos;
}

// Returns the name of the outermost function or class around the place; "" if there is none.
std::string OutermostName(const PythonEvaluator& evaluator, PythonId place) {
  const PythonTree& tree = evaluator.tree();
  return std::string(tree[evaluator.Outermost(tree[place].begin)].text);
}

// Returns whether a function of another library may call its arguments at import time.
bool MayCall(const std::string& function) {
  static const std::set<std::string_view> kNever = {"wraps",
                                                    "update_wrapper",
                                                    "signature",
                                                    "getsource",
                                                    "isfunction",
                                                    "iscoroutinefunction",
                                                    "unwrap",
                                                    "cast",
                                                    "cache",
                                                    "lru_cache",
                                                    "register_pytree_node"};
  return !function.starts_with("atexit.") && !function.starts_with("logging.") &&
         !kNever.contains(std::string_view(function).substr(function.rfind('.') + 1));
}

// Returns whether the text is a name such as "aten::add.out"; other results are not names.
bool IsOperatorName(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return IsWordCharacter(c) || c == ':' || c == '.' || c == '-' || c == '/' ||
           static_cast<unsigned char>(c) >= 0x80;
  });
}

// A call of a function of this or another module whose body is being evaluated.
struct Frame {
  PythonEvaluator* evaluator = nullptr;
  PythonId call = 0;
  PythonArguments arguments;
};

// A result of functools.partial.
struct Partial {
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
    hooks_.own = [this](PythonEvaluator& evaluator, const PythonValue& callee, PythonId place,
                        const PythonArguments& arguments) {
      return OnOwn(evaluator, callee, place, arguments);
    };
    hooks_.elsewhere = [this](PythonEvaluator& evaluator, const PythonValue& callee, PythonId place,
                              const PythonArguments& arguments) {
      return OnElsewhere(evaluator, callee, place, arguments);
    };
    hooks_.method = [this](PythonEvaluator& evaluator, const PythonValue& object,
                           const PythonValue& method, PythonId place,
                           const PythonArguments& arguments) {
      return OnMethod(evaluator, object, method, place, arguments);
    };
    hooks_.assigned = [this](PythonEvaluator& evaluator, const std::string& name,
                             const PythonValue& value) { OnAssigned(evaluator, name, value); };
    hooks_.unknown = [this](PythonEvaluator& evaluator, std::string_view method,
                            const PythonArguments& arguments) {
      OnUnknown(evaluator, method, arguments);
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
  bool IsWanted(std::string_view text, const WordIndex& index) const;
  const WordIndex& IndexOf(const std::string& path, std::string_view text);
  bool NamesHolder(const WordIndex& index, std::string_view function) const;
  void AddHandingOn(const PythonModule& module, const std::string& name);
  bool StandsForSink(const PythonValue& value) const;
  void AddRenamed(PythonModule& module);
  std::optional<PythonValue> CallPartial(PythonEvaluator& evaluator, const std::string& function,
                                         PythonId place, const PythonArguments& arguments);
  void Evaluate(PythonModule& module);
  void EvaluateWhole(PythonModule& module);
  bool UsesHandingOnAsValue(const PythonModule& module) const;
  static bool DecoratesFresh(const PythonModule& module,
                             const std::set<std::string, std::less<>>& fresh);
  std::string WhyUnread(PythonModule& module, PythonId call) const;
  bool BookUses(PythonModule& module, bool report);
  bool IsLeading(const PythonModule& module, PythonId id) const;
  void Book(const PythonModule& module);
  bool IsSchemaMethod(const std::string& name) const;
  std::optional<PythonValue> OnCall(PythonEvaluator& evaluator, const std::string& function,
                                    PythonId place, const PythonArguments& arguments);
  PythonMeaning MeaningOf(const std::string& from, const std::string& name);
  std::optional<PythonValue> OnImported(PythonEvaluator& evaluator, const std::string& name,
                                        PythonId place);
  std::vector<std::pair<std::string, std::string>> OnStarred(PythonEvaluator& evaluator,
                                                             const std::string& module);
  std::string NameOf(const PythonValue& definition) const;
  bool HandsOn(const PythonValue& definition) const;
  bool GivesHandingOn(const PythonArguments& arguments) const;
  std::optional<PythonValue> OnMethod(PythonEvaluator& evaluator, const PythonValue& object,
                                      const PythonValue& method, PythonId place,
                                      const PythonArguments& arguments);
  void OnUnknown(PythonEvaluator& evaluator, std::string_view method,
                 const PythonArguments& arguments);
  void OnAssigned(PythonEvaluator& evaluator, const std::string& name, const PythonValue& value);
  bool IsTooDeep(PythonEvaluator& evaluator, PythonId place);
  std::optional<PythonValue> OnElsewhere(PythonEvaluator& evaluator, const PythonValue& callee,
                                         PythonId place, const PythonArguments& arguments);
  std::string SinkIn(const std::string& path, const std::string& inside) const;
  std::string SinkCalled(const std::string& from, const std::string& function) const;
  std::optional<PythonCall> SinkOf(const PythonValue& definition) const;
  std::optional<PythonValue> OnOwn(PythonEvaluator& evaluator, const PythonValue& callee,
                                   PythonId place, const PythonArguments& arguments);
  std::optional<PythonValue> Follow(PythonEvaluator& evaluator, const PythonValue& callee,
                                    PythonId place, const PythonArguments& arguments);
  std::optional<PythonValue> CallObjectOf(PythonEvaluator& evaluator, const std::string& object,
                                          const std::string& method, PythonId place,
                                          const PythonArguments& arguments);
  static PythonArguments Adopted(PythonEvaluator& into, const PythonArguments& arguments,
                                 PythonId at);
  std::string InferredSchema(const PythonEvaluator& evaluator,
                             const PythonArguments& arguments) const;
  PythonValue Take(PythonEvaluator& evaluator, PythonCall call, PythonId place,
                   PythonArguments arguments);
  std::string Register(PythonEvaluator& evaluator, const PythonCall& call, PythonId place,
                       const PythonArguments& arguments);
  bool MayCast(const PythonRegistration& registration) const;
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
  Words words_;       // a file without any of these registers nothing
  Words methods_;     // of objects
  Words handing_on_;  // functions of the tree that forward a parameter to a sink, and renamed sinks
  // The modules of each function in handing_on_, by last part of the name; "" for a package.
  std::map<std::string, Words, std::less<>> holders_;
  std::vector<Partial> partials_;
  std::map<std::string, WordIndex> indices_;               // of the files, by path
  std::vector<Frame> stack_;                               // calls from one module into another
  std::map<std::string, std::set<std::string>> assigned_;  // by module: names that others assign
  std::set<std::string> changed_;                          // modules with new assigned_ names
  std::map<std::string, Facts> result_;
};

// Returns the texts in which a project names itself.
std::string Reader::ProjectText() const {
  std::string text = source_.root().substr(source_.root().rfind('/') + 1);
  for (const char* path : {"pyproject.toml", "setup.py", "setup.cfg"}) {
    if (const std::optional<std::string> bytes = ReadSource(source_, path)) text += ' ' + *bytes;
  }
  return text;
}

// Returns whether the text contains one of the leading words, or calls one of the methods.
bool Reader::IsWanted(std::string_view text, const WordIndex& index) const {
  const bool library = index.Has(kLibrary);
  const auto is_method = [&](const std::string& word) {
    return methods_.find(word) != methods_.end();
  };
  return std::any_of(words_.begin(), words_.end(),
                     [&](const std::string& word) {
                       return index.Has(word) && (library || !is_method(word));
                     }) ||
         std::any_of(methods_.begin(), methods_.end(),
                     [&](const std::string& word) {
                       return index.Has(word) &&
                              text.find('.' + word + '(') != std::string_view::npos;
                     }) ||
         std::any_of(handing_on_.begin(), handing_on_.end(), [&](const std::string& word) {
           return index.Has(word) && NamesHolder(index, word);
         });
}

const WordIndex& Reader::IndexOf(const std::string& path, std::string_view text) {
  return indices_.try_emplace(path, text).first->second;
}

// Returns whether the text names a module that has the function.
bool Reader::NamesHolder(const WordIndex& index, std::string_view function) const {
  const auto holders = holders_.find(function);
  return holders != holders_.end() &&
         std::any_of(holders->second.begin(), holders->second.end(),
                     [&](const auto& module) { return module.empty() || index.Has(module); });
}

void Reader::AddHandingOn(const PythonModule& module, const std::string& name) {
  std::string holder = table_.names().NameOf(module.path);
  const bool package = module.path.ends_with("__init__.py");
  handing_on_.insert(name);
  holders_[name].insert(package ? "" : holder.substr(holder.rfind('.') + 1));
}

// Returns whether a value of the module is a sink, or forwards to one.
bool Reader::StandsForSink(const PythonValue& value) const {
  const bool object = PythonEvaluator::IsObject(value);
  if (object || value.kind == PythonValue::Kind::kFunction) return HandsOn(value);
  if (value.IsContainer()) {
    const auto& elements = value.container->elements;
    return std::any_of(elements.begin(), elements.end(), [&](const PythonElement& element) {
      return !element.value.IsContainer() && StandsForSink(element.value);
    });
  }
  return value.IsUnknown() && !value.text.empty() &&
         (handing_on_.contains(LastPart(value.text)) || value.text.starts_with(kPartial) ||
          FindPythonCall(dialect_.python, value.text).has_value());
}

// Adds names of the module that refer to a sink, or to a function that forwards to one.
void Reader::AddRenamed(PythonModule& module) {
  for (const std::string& name : module.evaluator->GlobalNames()) {
    const PythonBinding* const binding = module.evaluator->Global(name);
    if (StandsForSink(binding->value) && !words_.contains(name)) {
      AddHandingOn(module, name);
    }
  }
}

std::map<std::string, Facts> Reader::Run() {
  table_.NameProject(ProjectText());
  std::set<std::string> done;
  Words fresh;  // found in the previous round
  bool settled = false;
  for (int round = 0; round < kMaxRounds && !settled; ++round) {
    const auto known = holders_;
    for (const auto& entry : texts_) {
      const std::string& path = entry.first;
      const std::string& text = entry.second;
      if (GlobMatchAny(dialect_.python.exclude, path)) continue;
      const WordIndex& index = IndexOf(path, text);
      if (!IsWanted(text, index)) continue;
      PythonModule* const module = table_.Parse(path);
      if (module == nullptr) continue;
      const bool again = done.contains(path);
      const bool calls_new = std::any_of(fresh.begin(), fresh.end(), [&](const std::string& word) {
        return index.Has(word) && NamesHolder(index, word);
      });
      const bool decorates = again && DecoratesFresh(*module, fresh);
      if (again && !calls_new && !decorates && !changed_.contains(path)) continue;
      done.insert(path);
      if (module->tree) EvaluateWhole(*module);
    }
    settled = holders_ == known && changed_.empty();
    fresh.clear();
    for (const auto& [name, holders] : holders_) {
      const auto before = known.find(name);
      if (before == known.end() || before->second != holders) fresh.insert(name);
    }
  }
  for (const std::string& path : done) {
    PythonModule& module = *table_.Parse(path);
    if (!settled) {
      result_[path].incomplete.push_back(
          {{path},
           "file",
           "functions of the sources wrap each other more than " + std::to_string(kMaxRounds) +
               " levels deep, so registrations may be missing; name the outer ones as sinks in the "
               "dialect"});
    }
    for (const Diagnostic& each : module.diagnostics.all()) {
      if (each.severity != Severity::kError) continue;
      result_[path].incomplete.push_back({each.location, "file", each.message});
    }
    if (!module.tree) continue;
    if (!module.whole) Evaluate(module);
    BookUses(module, true);
    Book(module);
    for (auto& [file, facts] : module.facts) {
      Facts& all = result_[file];
      for (Registration& each : facts.registrations) all.registrations.push_back(std::move(each));
      for (Dynamic& each : facts.dynamic) all.dynamic.push_back(std::move(each));
      for (Incomplete& each : facts.incomplete) all.incomplete.push_back(std::move(each));
    }
  }
  for (auto& [path, facts] : result_) facts.Normalise();
  return std::move(result_);
}

// Returns whether a function of the module that was just found to forward has decorators. Their
// results were not known before.
bool Reader::DecoratesFresh(const PythonModule& module, const Words& fresh) {
  if (!module.tree) return false;
  const PythonTree& tree = *module.tree;
  for (PythonId id = 1; id < tree.size(); ++id) {
    const bool decorated =
        tree.Kind(id) == PythonKind::kFunction && !tree.Children(tree.Child(id, 0)).empty();
    if (!decorated) continue;
    const std::string name(tree[id].text);
    if (module.handing_on.contains(name) && fresh.contains(name)) return true;
  }
  return false;
}

void Reader::EvaluateWhole(PythonModule& module) {
  Evaluate(module);
  const bool enough =
      !module.lacks_values && !UsesHandingOnAsValue(module) && !BookUses(module, false);
  if (module.imports || enough) return;
  module.imports = true;
  Evaluate(module);
}

// Returns whether a forwarding function is used other than by calling it: passed, stored, derived
// from.
bool Reader::UsesHandingOnAsValue(const PythonModule& module) const {
  const PythonTree& tree = *module.tree;
  std::set<PythonId> called;
  for (PythonId id = 1; id < tree.size(); ++id) {
    if (tree.Kind(id) == PythonKind::kCall) called.insert(tree.Child(id, 0));
    if (tree.Kind(id) == PythonKind::kDecorators) {
      for (const PythonId decorator : tree.Children(id)) called.insert(decorator);
    }
  }
  for (PythonId id = 1; id < tree.size(); ++id) {
    const PythonKind kind = tree.Kind(id);
    const bool name = kind == PythonKind::kName || kind == PythonKind::kAttribute;
    if (name && !called.contains(id) && handing_on_.contains(std::string(tree[id].text))) {
      return true;
    }
  }
  return false;
}

void Reader::Evaluate(PythonModule& module) {
  const std::vector<Frame> outer = std::exchange(stack_, {});
  table_.Restart(module);
  changed_.erase(module.path);
  const auto assigned = assigned_.find(module.path);
  if (assigned != assigned_.end()) {
    PythonEvaluator& evaluator = *module.evaluator;
    for (const std::string& name : assigned->second) {
      evaluator.SetGlobal(name, evaluator.UnknownAt(evaluator.tree().root(), kParameter));
    }
  }
  module.evaluator->RunUncalled();
  module.evaluator->ForgetProblems();
  module.whole = true;
  for (const PythonId maker : module.evaluator->makers()) {
    module.handing_on.insert(OutermostName(*module.evaluator, maker));
  }
  module.handing_on.erase("");
  for (const std::string& name : module.handing_on) AddHandingOn(module, name);
  AddRenamed(module);
  stack_ = outer;
}

// Evaluates modules that this loads as if they were evaluated alone.
PythonMeaning Reader::MeaningOf(const std::string& from, const std::string& name) {
  const std::vector<Frame> outer = std::exchange(stack_, {});
  PythonMeaning meaning = table_.Meaning(from, name);
  stack_ = outer;
  return meaning;
}

std::optional<PythonValue> Reader::OnImported(PythonEvaluator& evaluator, const std::string& name,
                                              PythonId place) {
  PythonModule* const module = table_.Of(evaluator);
  if (module == nullptr || name.find('(') != std::string::npos || name == kParameter) {
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
    const auto call = FindPythonCall(dialect_.python, WithObjects(dialect_.python, name));
    if (!call) return std::nullopt;
    here->callees.insert(place);
    return Take(evaluator, *call, place, arguments);
  };
  if (auto taken = take(function)) return taken;
  if (const std::string sink = SinkCalled(here->path, function); !sink.empty()) return take(sink);
  if (function == "functools.partial" && !arguments.positional.empty()) {
    partials_.push_back({arguments.positional.front(), arguments});
    partials_.back().arguments.positional.erase(partials_.back().arguments.positional.begin());
    return evaluator.UnknownAt(
        place, std::string(kPartial) + std::to_string(partials_.size() - 1) + ">()");
  }
  const bool names_module = function == "importlib.import_module" &&
                            !arguments.positional.empty() &&
                            arguments.positional.front().IsString();
  if (names_module) return evaluator.UnknownAt(place, arguments.positional.front().text);
  if (function.starts_with(kPartial)) return CallPartial(evaluator, function, place, arguments);
  if (function == kInferSchema || function == kOldInferSchema) {
    return evaluator.TextAt(InferredSchema(evaluator, arguments), place);
  }
  const std::string last = LastPart(function);
  const std::string owner = function.substr(0, function.size() - last.size());
  const bool of_object =
      owner.ends_with('.') && handing_on_.contains(LastPart(owner.substr(0, owner.size() - 1)));
  if (!words_.contains(last) && !methods_.contains(last) && !handing_on_.contains(last) &&
      !of_object && !GivesHandingOn(arguments)) {
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
    if (auto taken = take(NameOf(meaning.value))) return taken;
    here->callees.insert(place);
    return Follow(evaluator, meaning.value, place, arguments);
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

// Returns the name as imports spell it, "pkg.registry.Registry.register"; "" if the value is not a
// function or class.
std::string Reader::NameOf(const PythonValue& definition) const {
  using Kind = PythonValue::Kind;
  const bool named = definition.kind == Kind::kFunction || definition.kind == Kind::kClass;
  const PythonModule* const module = named ? table_.Of(*definition.home) : nullptr;
  if (module == nullptr) return {};
  const PythonTree& tree = definition.home->tree();
  const PythonId outermost = definition.home->Outermost(tree[definition.place].begin);
  std::string name = table_.names().NameOf(module->path) + ".";
  if (outermost != 0 && outermost != definition.place) {
    name += std::string(tree[outermost].text) + ".";
  }
  return name + definition.text;
}

// Returns the dialect's name of the sink `inside` the module; "" if it is not a sink. A module may
// have several names.
std::string Reader::SinkIn(const std::string& path, const std::string& inside) const {
  for (const PythonSink& sink : dialect_.python.sinks) {
    if (!sink.function.ends_with('.' + inside)) continue;
    const PythonTarget target = table_.names().Resolve(path, sink.function);
    if (target.path == path && target.rest == inside) return sink.function;
  }
  return {};
}

// Does the same for a `function` that the file `from` imports: ".registry.OPS.register".
std::string Reader::SinkCalled(const std::string& from, const std::string& function) const {
  if (!words_.contains(LastPart(function))) return {};
  const PythonTarget target = table_.names().Resolve(from, function);
  return target.path.empty() ? std::string() : SinkIn(target.path, target.rest);
}

// Returns the sink that the function or class is.
std::optional<PythonCall> Reader::SinkOf(const PythonValue& definition) const {
  const std::string name = NameOf(definition);
  if (auto call = FindPythonCall(dialect_.python, name)) return call;
  if (name.empty() || !words_.contains(definition.text)) return std::nullopt;
  const std::string& path = table_.Of(*definition.home)->path;
  const std::string sink = SinkIn(path, name.substr(table_.names().NameOf(path).size() + 1));
  return sink.empty() ? std::nullopt : FindPythonCall(dialect_.python, sink);
}

// Returns whether the function or class, or the definition around it, forwards to a sink.
bool Reader::HandsOn(const PythonValue& definition) const {
  const std::string outermost = OutermostName(*definition.home, definition.place);
  if (!outermost.empty()) return handing_on_.contains(outermost);
  const std::string_view text = definition.home->tree().Spelling(definition.place);  // a lambda
  return IsWanted(text, WordIndex(text));
}

// Returns whether one of the arguments forwards to a sink.
bool Reader::GivesHandingOn(const PythonArguments& arguments) const {
  const auto hands_on = [&](const PythonValue& value) {
    const bool definition =
        value.kind == PythonValue::Kind::kFunction || value.kind == PythonValue::Kind::kClass;
    return definition && HandsOn(value);
  };
  return std::any_of(arguments.positional.begin(), arguments.positional.end(), hands_on) ||
         std::any_of(arguments.keywords.begin(), arguments.keywords.end(),
                     [&](const auto& each) { return hands_on(each.second); });
}

std::optional<PythonValue> Reader::OnMethod(PythonEvaluator& evaluator, const PythonValue& object,
                                            const PythonValue& method, PythonId place,
                                            const PythonArguments& arguments) {
  if ((!HandsOn(method) && !GivesHandingOn(arguments)) || IsTooDeep(evaluator, place)) {
    return std::nullopt;
  }
  if (PythonModule* const here = table_.Of(evaluator)) here->callees.insert(place);
  PythonEvaluator& other = *method.home;
  stack_.push_back({&evaluator, place, arguments});
  const PythonValue value = other.CallMethodFrom(
      object, method.text, Adopted(other, arguments, method.place), evaluator.when());
  stack_.pop_back();
  return evaluator.Adopt(value, place);
}

// Reports a schema that is passed to an unknown method in a call from another module.
void Reader::OnUnknown(PythonEvaluator& evaluator, std::string_view method,
                       const PythonArguments& arguments) {
  if (stack_.empty() || arguments.positional.empty() || !IsSchemaMethod(std::string(method)))
    return;
  const PythonValue& schema = arguments.positional.front();
  PythonEvaluator& root = RootOf(evaluator);
  const bool said = schema.IsString() && schema.text.find("->") != std::string::npos;
  if (!said || root.is_uncalled()) return;
  const Location where = root.tree().At(stack_.front().call);
  FactsOf(evaluator, where)
      .incomplete.push_back(
          {where, "registration",
           "this call leads to a method '" + std::string(method) + "' of an unknown class"});
}

// Handles MODULE.NAME = value.
void Reader::OnAssigned(PythonEvaluator& evaluator, const std::string& name,
                        const PythonValue& value) {
  const PythonModule* const here = table_.Of(evaluator);
  const std::string last = LastPart(name);
  if (here == nullptr || last.size() == name.size()) return;
  const PythonMeaning meaning =
      MeaningOf(here->path, name.substr(0, name.size() - last.size() - 1));
  if (meaning.kind != PythonMeaning::Kind::kModule || meaning.module->evaluator == nullptr) return;
  PythonEvaluator& other = *meaning.module->evaluator;
  if (&other == &evaluator) return;
  if (assigned_[meaning.module->path].insert(last).second) changed_.insert(meaning.module->path);
  other.SetGlobal(last, other.Adopt(value, other.tree().root()));
}

// Returns whether calls between modules are nested too deeply, and reports that as incomplete.
bool Reader::IsTooDeep(PythonEvaluator& evaluator, PythonId place) {
  if (stack_.size() <= kMaxFrames) return false;
  const Location where = evaluator.tree().At(place);
  FactsOf(evaluator, where)
      .incomplete.push_back({where, "registration",
                             "this call goes through more than " + std::to_string(kMaxFrames) +
                                 " modules and was not followed, so what it registers is not "
                                 "known; use fewer modules in between"});
  return true;
}

// Follows a function of another module only if it may lead to a registration.
std::optional<PythonValue> Reader::OnElsewhere(PythonEvaluator& evaluator,
                                               const PythonValue& callee, PythonId place,
                                               const PythonArguments& arguments) {
  PythonModule* const here = table_.Of(evaluator);
  const auto call = SinkOf(callee);
  if (here == nullptr || (!call && !HandsOn(callee) && !GivesHandingOn(arguments))) {
    return std::nullopt;
  }
  here->callees.insert(place);
  if (call) return Take(evaluator, *call, place, arguments);
  return Follow(evaluator, callee, place, arguments);
}

// Handles a sink that is called in the module that defines it.
std::optional<PythonValue> Reader::OnOwn(PythonEvaluator& evaluator, const PythonValue& callee,
                                         PythonId place, const PythonArguments& arguments) {
  if (!words_.contains(callee.text)) return std::nullopt;
  PythonModule* const here = table_.Of(evaluator);
  const auto call = SinkOf(callee);
  if (here == nullptr || !call) return std::nullopt;
  here->callees.insert(place);
  return Take(evaluator, *call, place, arguments);
}

// Evaluates a function or class of another module.
std::optional<PythonValue> Reader::Follow(PythonEvaluator& evaluator, const PythonValue& callee,
                                          PythonId place, const PythonArguments& arguments) {
  using Kind = PythonValue::Kind;
  const bool callable = callee.kind == Kind::kFunction || callee.kind == Kind::kClass;
  if (!callable || callee.home == &evaluator || IsTooDeep(evaluator, place)) return std::nullopt;
  PythonEvaluator& other = *callee.home;
  stack_.push_back({&evaluator, place, arguments});
  const PythonArguments adopted = Adopted(other, arguments, callee.place);
  const PythonValue value = other.CallFrom(callee, adopted, evaluator.when());
  stack_.pop_back();
  // A function that wraps a forwarding function forwards, too.
  PythonModule* const made = value.kind == Kind::kFunction ? table_.Of(*value.home) : nullptr;
  if (made != nullptr && GivesHandingOn(arguments)) {
    const std::string name = OutermostName(*value.home, value.place);
    if (!name.empty() && !handing_on_.contains(name)) AddHandingOn(*made, name);
  }
  return evaluator.Adopt(value, place);
}

// Calls a method of an object of another module.
std::optional<PythonValue> Reader::CallObjectOf(PythonEvaluator& evaluator,
                                                const std::string& object,
                                                const std::string& method, PythonId place,
                                                const PythonArguments& arguments) {
  PythonModule* const here = table_.Of(evaluator);
  const PythonMeaning meaning = MeaningOf(here->path, object);
  const bool is_object = meaning.kind == PythonMeaning::Kind::kValue &&
                         meaning.value.kind == PythonValue::Kind::kClass &&
                         meaning.module->evaluator->IsObject(meaning.value);
  if (!is_object) return std::nullopt;
  const PythonBinding* const member = meaning.module->evaluator->Member(meaning.value, method);
  if (member == nullptr || member->value.kind != PythonValue::Kind::kFunction) return std::nullopt;
  here->callees.insert(place);
  return OnMethod(evaluator, meaning.value, member->value, place, arguments);
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
    if (callee.home == &evaluator) return evaluator.CallAt(callee, all, place);
    return Follow(evaluator, callee, place, all);
  }
  if (!callee.IsUnknown() || callee.text.empty()) return std::nullopt;
  return OnCall(evaluator, callee.text, place, all);
}

// Returns the inferred schema "(Tensor x) -> Tensor" of the function among the arguments of this
// call or of the first call.
std::string Reader::InferredSchema(const PythonEvaluator& evaluator,
                                   const PythonArguments& arguments) const {
  const PythonEvaluator* owner = &evaluator;
  PythonId function = 0;
  const auto consider = [&](const PythonValue& value) {
    if (function != 0 || value.kind != PythonValue::Kind::kFunction) return;
    owner = value.home;
    function = value.place;
  };
  for (const PythonValue& each : arguments.positional) consider(each);
  if (!stack_.empty()) {
    const Frame& frame = stack_.front();
    for (const PythonValue& each : frame.arguments.positional) consider(each);
    for (const auto& [name, each] : frame.arguments.keywords) consider(each);
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

// Handles a call of a sink. Returns the object that it makes.
PythonValue Reader::Take(PythonEvaluator& evaluator, PythonCall call, PythonId place,
                         PythonArguments arguments) {
  // define(lib, "schema"): the older form of a method call.
  if (call.sink != nullptr && call.object.empty() && !arguments.positional.empty()) {
    const PythonValue& first = arguments.positional.front();
    const std::string name = WithObjects(dialect_.python, first.IsUnknown() ? first.text : "");
    const auto method =
        name.ends_with(')')
            ? FindPythonCall(dialect_.python, name + "." + LastPart(call.sink->function))
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
  // Callers of the enclosing function may receive the object.
  if (evaluator.is_uncalled() || !evaluator.frames().empty()) HandsOn(evaluator, place);
  const PythonReceiver& receiver = *call.receiver;
  const PythonValue* const of = ArgumentOf(receiver.name, arguments);
  if (!receiver.is_operator) name = of != nullptr && of->IsString() ? of->text : "";
  if (of != nullptr && !of->IsString()) table_.Of(evaluator)->lacks_values = true;
  const PythonValue* const key = ArgumentOf(receiver.key, arguments);
  return evaluator.UnknownAt(
      place, ObjectName(receiver, name, key != nullptr && key->IsString() ? key->text : ""));
}

// Returns the calls in the module where evaluation began, outermost first.
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

// Returns where the name is written: in the sink's own argument, or in one of the call that led
// here.
Location Reader::PlaceOf(const PythonEvaluator& evaluator, const PythonRegistration& registration,
                         PythonId place) const {
  const bool literal = registration.said != nullptr && registration.said->IsString() &&
                       registration.said->literal && registration.said->place != 0;
  if (stack_.empty() && literal) return evaluator.tree().At(registration.said->place);
  const PythonEvaluator& root = stack_.empty() ? evaluator : *stack_.front().evaluator;
  const std::vector<Frame> frames = FramesOfRoot(evaluator);
  PythonId best = 0;
  std::size_t longest = 0;
  const auto consider_text = [&](std::string_view text, PythonId at) {
    const std::string part = SchemaName(text);
    if (part.empty() || registration.name.find(part) == std::string::npos) return;
    if (text.size() <= longest) return;
    best = at;
    longest = text.size();
  };
  const auto consider = [&](const PythonValue& value) {
    const bool written = value.IsString() && value.literal && value.place != 0;
    if (written) consider_text(value.text, value.place);
  };
  for (const Frame& frame : frames) {
    for (const PythonValue& each : frame.arguments.positional) consider(each);
    for (const auto& [name, each] : frame.arguments.keywords) consider(each);
    // For `@decorator("name")`, the call is that of the decorator's result.
    for (const PythonId part : root.tree().Children(frame.call)) {
      const bool keyword = root.tree().Kind(part) == PythonKind::kKeyword;
      const PythonId value = keyword ? root.tree().Child(part, 0) : part;
      if (root.tree().Kind(value) == PythonKind::kString) {
        consider_text(root.tree()[value].text, value);
      }
    }
  }
  if (best != 0) return root.tree().At(best);
  if (!stack_.empty()) return root.tree().At(stack_.front().call);
  if (registration.said != nullptr && registration.said->place != 0) {
    return evaluator.tree().At(registration.said->place);
  }
  return evaluator.tree().At(place);
}

// Returns the enclosing method that Python calls implicitly, such as "__init_subclass__"; "" if
// there is none.
std::string_view ImplicitMethod(const PythonTree& tree, PythonId place) {
  PythonId innermost = 0;
  for (PythonId id = 1; id < tree.size(); ++id) {
    const bool around = tree[id].begin <= tree[place].begin && tree[place].end <= tree[id].end;
    if (tree.Kind(id) != PythonKind::kFunction || !around) continue;
    if (innermost == 0 || tree[id].begin > tree[innermost].begin) innermost = id;
  }
  const std::string_view name = tree[innermost].text;
  const bool implicit = name.size() > 4 && name.starts_with("__") && name.ends_with("__");
  return implicit && name != "__init__" && name != "__call__" ? name : std::string_view();
}

// Returns whether the outermost function or class around the place is a function with parameters.
bool TakesParameters(const PythonEvaluator& evaluator, PythonId place) {
  const PythonTree& tree = evaluator.tree();
  const PythonId outermost = evaluator.Outermost(tree[place].begin);
  return tree.Kind(outermost) == PythonKind::kFunction &&
         !tree.Children(tree.Child(outermost, 2)).empty();
}

// Records that the enclosing functions and classes of the module forward to a sink, so that their
// users are read.
void Reader::HandsOn(PythonEvaluator& evaluator, PythonId place) {
  PythonModule& here = *table_.Of(evaluator);
  const auto add = [&](PythonId at) {
    const std::string name = OutermostName(evaluator, at);
    if (!name.empty() && name != kMain) here.handing_on.insert(name);
  };
  add(place);
  for (const auto& [call, arguments] : evaluator.frames()) add(call);
}

// Returns whether this adds an autocast rule, or a kernel for an autocast key.
bool Reader::MayCast(const PythonRegistration& registration) const {
  const AutocastKernels& autocast = dialect_.autocast_kernels;
  return std::any_of(
      registration.fields.begin(), registration.fields.end(), [&](const FieldFact& field) {
        return field.field == autocast.policy ||
               (field.field == autocast.field && !autocast.DeviceOf(field.value.key).empty());
      });
}

void Reader::NameUnknown(PythonEvaluator& evaluator, const PythonCall& call,
                         const PythonRegistration& registration, PythonId place) {
  const PythonTree& tree = evaluator.tree();
  table_.Of(evaluator)->lacks_values = true;
  // If it adds to an unknown operator, only an autocast rule would be missed.
  if (!call.sink->adds.empty() && !MayCast(registration)) return;
  PythonEvaluator& root = RootOf(evaluator);
  if (root.is_uncalled()) {
    // No import runs what a function with parameters computes by itself.
    const PythonId at = stack_.empty() ? place : stack_.front().call;
    if (const std::string_view method = ImplicitMethod(root.tree(), at); !method.empty()) {
      const Location where = root.tree().At(at);
      FactsOf(root, where)
          .incomplete.push_back({where, "registration",
                                 "registrations in '" + std::string(method) +
                                     "' are not read, since Python calls it implicitly"});
      return;
    }
    const bool given = registration.said != nullptr && registration.said->given;
    const bool here = stack_.empty() && (evaluator.frames().empty() || !TakesParameters(root, at));
    return given || here ? HandsOn(root, at) : void();
  }
  const Location where = PlaceOf(evaluator, registration, place);
  const PythonId said = registration.said == nullptr ? 0 : registration.said->place;
  Dynamic dynamic;
  dynamic.location = where;
  dynamic.expression = std::string(tree.Spelling(said != 0 ? said : place));
  dynamic.why = "its value cannot be determined from the source";
  if (registration.said != nullptr) {
    std::string why = evaluator.WhyUnknown(*registration.said);
    if (!why.empty()) dynamic.why = std::move(why);
  }
  const bool method = call.sink->function.find('.') == std::string::npos;
  if (method && call.object.empty()) {
    dynamic.why = "the namespace of the library is not known";
  }
  FactsOf(evaluator, where).dynamic.push_back(std::move(dynamic));
}

// Adds a registration. Returns the operator's name; "" if it is not known.
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
  table_.Of(evaluator)->registering.insert(place);
  // Other callers of these functions register, too.
  if (!evaluator.frames().empty()) HandsOn(evaluator, place);
  for (const Frame& frame : FramesOfRoot(evaluator))
    table_.Of(root)->registering.insert(frame.call);
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

// Reports an unresolved function whose name suggests a registration.
void Reader::Suspect(PythonEvaluator& evaluator, const std::string& function, PythonId place,
                     const PythonArguments& arguments) {
  const std::string last = LastPart(function);
  if (function.starts_with(kParameter)) return HandsOn(evaluator, place);
  const bool decorates = evaluator.decorated() != 0;
  if (!decorates && !RootOf(evaluator).is_uncalled() && GivesHandingOn(arguments) &&
      MayCall(function)) {
    const Location where = evaluator.tree().At(place);
    FactsOf(evaluator, where)
        .incomplete.push_back({where, "registration",
                               "a function that registers is passed to '" + function +
                                   "', and it is not known when that calls it"});
    return;
  }
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
                                 "' cannot be resolved to a function of this tree; if it registers "
                                 "nothing, list it under \"not_registrations\" in the dialect"});
}

bool Reader::IsSchemaMethod(const std::string& name) const {
  for (const PythonReceiver& receiver : dialect_.python.receivers) {
    for (const PythonSink& method : receiver.methods) {
      if (method.function == name && method.form == "schema") return true;
    }
  }
  return false;
}

// Returns why a call that seems to register was not read; "" if it was read or does not register.
std::string Reader::WhyUnread(PythonModule& module, PythonId call) const {
  const PythonTree& tree = *module.tree;
  const PythonId callee = tree.Child(call, 0);
  const std::string last(tree[callee].text);
  if (module.callees.contains(call)) return {};
  const PythonId argument = tree.Child(call, 1);
  const bool code = (last == "exec" || last == "eval") && tree.Kind(callee) == PythonKind::kName;
  const std::string_view text = tree.Spelling(argument);
  if (code && IsWanted(text, WordIndex(text))) return "code in a string is not read";
  if (IsSchemaMethod(last) && SaysSchema(tree, argument)) {
    return "the class of this method '" + last + "' is not known";
  }
  if (module.evaluator->IsCut(call)) return "calls nested this deeply are not read";
  if (tree.DottedName(callee).empty()) return {};
  if (module.evaluator->IsVisited(call) || module.evaluator->IsAbsent(call)) return {};
  const auto called = FindPythonCall(dialect_.python, module.evaluator->NameOfImport(callee));
  const PythonBinding* const own = module.evaluator->Global(last);
  const bool sink = (called && called->sink != nullptr) || (own != nullptr && SinkOf(own->value));
  if (!sink && !handing_on_.contains(last)) return {};
  return "this call of '" + last + "' was not read: it depends on a value that is not known";
}

// Returns whether evaluation missed any calls that seem to register. Reports them if `report` is
// set.
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

// Returns whether a call or decorator has a name that leads to a registration.
bool Reader::IsLeading(const PythonModule& module, PythonId id) const {
  const PythonTree& tree = *module.tree;
  const PythonId callee = tree.Kind(id) == PythonKind::kCall ? tree.Child(id, 0) : id;
  const std::string last(tree[callee].text);
  if (tree.DottedName(callee).empty()) return false;
  if (methods_.contains(last) && !words_.contains(last)) return module.callees.contains(id);
  return words_.contains(last) || handing_on_.contains(last);
}

// Counts each such call in one column of the balance.
void Reader::Book(const PythonModule& module) {
  const PythonTree& tree = *module.tree;
  Balance balance;
  const auto book = [&](PythonId id) {
    if (!IsLeading(module, id)) return;
    const Location place = tree.At(id);
    const auto is_within = [&](const Location& at) {
      return at.path == place.path && at.line >= place.line && at.line <= place.end_line;
    };
    bool unread = false;
    for (const auto& [path, facts] : module.facts) {
      for (const Dynamic& each : facts.dynamic) unread = unread || is_within(each.location);
      for (const Incomplete& each : facts.incomplete) unread = unread || is_within(each.location);
    }
    ++(module.registering.contains(id)                    ? balance.registered
       : unread                                           ? balance.incomplete
       : module.evaluator->IsAbsent(id)                   ? balance.absent
       : module.evaluator->Outermost(tree[id].begin) != 0 ? balance.definition
                                                          : balance.other);
  };
  for (PythonId id = 1; id < tree.size(); ++id) {
    if (tree.Kind(id) == PythonKind::kCall) book(id);
    if (tree.Kind(id) != PythonKind::kDecorators) continue;
    for (const PythonId decorator : tree.Children(id)) {
      if (tree.Kind(decorator) != PythonKind::kCall) book(decorator);
    }
  }
  const auto known = result_.find(module.path);
  const bool any = balance.registered + balance.incomplete + balance.other > 0;
  if (known != result_.end() || any) result_[module.path].balance += balance;
}

}  // namespace

std::map<std::string, Facts> ReadPython(const Source& source, const Dialect& dialect,
                                        const PythonTexts& texts) {
  if (dialect.python.IsNone() || texts.empty()) return {};
  return Reader(source, dialect, texts).Run();
}

}  // namespace opledger::scan
