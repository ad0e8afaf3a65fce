// Reads precision lists and the lists that they extend.
// SPDX-License-Identifier: Apache-2.0
#include "registry/precision_list/precision_list.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <set>

#include "registry/json/json_fields.h"
#include "registry/json/json_items.h"
#include "registry/text/utf8.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;
using JsonKind = JsonValue::Kind;

// Returns why a name cannot be registered (it is empty or contains control characters, which
// compilers reject), or an empty string if it can.
std::string NameProblem(std::string_view name) {
  if (name.empty()) return "the operator name is empty";
  for (std::size_t i = 0; i < name.size();) {
    const Utf8Character character = DecodeUtf8(name, i);
    if (IsControl(character.code_point)) return "the operator name contains a control character";
    i += character.length == 0 ? 1 : character.length;
  }
  return {};
}

class EntryReader {
 public:
  EntryReader(const JsonDocument& document, const JsonValue& item, Policy policy,
              Diagnostics& diagnostics)
      : document_(document), item_(item), diagnostics_(diagnostics) {
    entry_.policy = policy;
    entry_.item = item.span;
  }

  std::optional<ListEntry> Read() {
    if (item_.kind == JsonKind::kString) {
      ReadName(item_);
      if (entry_.policy == Policy::kConditional) {
        Error(item_.span, "a conditional entry must be an object with conditions",
              "use {\"op\": ..., \"attribute\": ..., \"values\": [...], \"then\": \"fp32\"}");
      }
    } else if (item_.kind == JsonKind::kObject) {
      ReadObject();
    } else {
      Error(item_.span,
            std::string("an entry must be a name or an object, not ") + JsonKindName(item_.kind));
    }
    if (!ok_) return std::nullopt;
    return std::move(entry_);
  }

 private:
  void Error(Span span, std::string message, std::string hint = {}) {
    ErrorAt(document_, span, std::move(message), std::move(hint), diagnostics_);
    ok_ = false;
  }

  void ReadName(const JsonValue& value) {
    entry_.op = value.string;
    entry_.location = document_.At(value.span);
    const std::string problem = NameProblem(value.string);
    if (!problem.empty()) Error(value.span, problem);
  }

  void ReadObject() {
    JsonFields fields(document_, item_, "entry", diagnostics_);
    const JsonValue* op = fields.Require("op");
    if (op != nullptr && op->kind == JsonKind::kString) {
      ReadName(*op);
    } else if (op != nullptr) {
      Error(op->span, std::string("'op' must be a string, not ") + JsonKindName(op->kind));
    }
    entry_.reason = fields.Choice("reason", ReasonNames());
    entry_.note = fields.String("note");
    entry_.evidence = fields.String("evidence");
    const std::string accumulate = fields.Choice("accumulate", DtypeNames());
    if (!accumulate.empty()) entry_.accumulate = ParseDtype(accumulate);
    const std::string output = fields.Choice("output", DtypeNames());
    if (!output.empty()) entry_.output = ParseDtype(output);
    ReadKeptInputs(fields.Take("keep_fp32_inputs"));
    ReadConditions(fields);
    ok_ = fields.Finish() && ok_;
  }

  void ReadKeptInputs(const JsonValue* value) {
    if (value == nullptr) return;
    if (value->kind != JsonKind::kArray) {
      Error(value->span,
            std::string("'keep_fp32_inputs' must be an array, not ") + JsonKindName(value->kind));
      return;
    }
    for (const JsonValue& input : value->items) {
      if (input.kind == JsonKind::kString && !input.string.empty()) {
        entry_.keep_fp32_inputs.push_back(input.string);
      } else if (input.kind == JsonKind::kInteger && input.integer >= 0) {
        entry_.keep_fp32_inputs.push_back(std::to_string(input.integer));
      } else {
        Error(input.span, "an input must be a name or a nonnegative index");
      }
    }
  }

  void ReadConditions(JsonFields& fields) {
    if (entry_.policy != Policy::kConditional) {
      RefuseConditions(fields);
      return;
    }
    if (const JsonValue* otherwise = fields.Take("otherwise"); otherwise != nullptr) {
      ok_ = ReadOutcome(document_, *otherwise, "otherwise", entry_.otherwise, diagnostics_) && ok_;
    }
    const JsonValue* clauses = fields.Take("clauses");
    if (clauses == nullptr) {
      entry_.clauses.push_back(ReadClause(document_, fields, diagnostics_, ok_));
      return;
    }
    for (const std::string_view key : kConditionFields) {
      if (key == "otherwise" || key == "clauses") continue;
      const JsonMember* member = FindMember(item_, key);
      fields.Take(key);
      if (member == nullptr) continue;
      Error(member->key_span, "'" + std::string(key) + "' cannot be combined with 'clauses'",
            "move it into a clause");
    }
    if (clauses->kind != JsonKind::kArray || clauses->items.empty()) {
      Error(clauses->span, "'clauses' must be an array of at least one object");
      return;
    }
    for (const JsonValue& item : clauses->items) {
      JsonFields clause(document_, item, "clause", diagnostics_);
      entry_.clauses.push_back(ReadClause(document_, clause, diagnostics_, ok_));
      ok_ = clause.Finish() && ok_;
    }
  }

  static const JsonMember* FindMember(const JsonValue& object, std::string_view key) {
    for (const JsonMember& member : object.members) {
      if (member.key == key) return &member;
    }
    return nullptr;
  }

  void RefuseConditions(JsonFields& fields) {
    for (const std::string_view key : kConditionFields) {
      fields.Take(key);
      const JsonMember* member = FindMember(item_, key);
      if (member == nullptr) continue;
      Error(member->key_span,
            "'" + std::string(key) + "' is not allowed in an entry of '" +
                PolicyName(entry_.policy) + "'",
            "move the entry to 'conditional'");
    }
  }

  const JsonDocument& document_;
  const JsonValue& item_;
  Diagnostics& diagnostics_;
  ListEntry entry_;
  bool ok_ = true;
};

// The value of "unlisted" that is not a policy.
constexpr const char* kRequired = "required";

// Limits chains of lists, which a hostile repository could make arbitrarily deep.
constexpr std::size_t kMaximumChain = 32;

// Converts entries to records as they are read, in file order, because a tree of a million entries
// would be large.
struct EntriesRead {
  std::vector<ListEntry> entries;
  bool ok = true;

  TakeItem Taker(Diagnostics& diagnostics) {
    return [this, &diagnostics](const JsonDocument& document, std::string_view key,
                                const JsonValue& item) {
      const std::optional<Policy> policy = ParsePolicy(key);
      if (!policy) return false;
      std::optional<ListEntry> entry = EntryReader(document, item, *policy, diagnostics).Read();
      ok = ok && entry.has_value();
      if (entry) Add(std::move(*entry), document.text.size());
      return true;
    };
  }

 private:
  // Reserves memory by estimating the number of entries from the text read so far. Doubling the
  // capacity could nearly double the memory of a large list.
  void Add(ListEntry entry, std::size_t text_size) {
    constexpr std::size_t kMany = 1024;
    const std::size_t size = entries.size();
    if (size == entries.capacity() && size >= kMany) {
      const double share = static_cast<double>(entry.item.begin) / static_cast<double>(text_size);
      const auto all = static_cast<std::size_t>(static_cast<double>(size) / share);
      entries.reserve(std::max(all + all / 64, size + size / 2));
    }
    entries.push_back(std::move(entry));
  }
};

// Checks that there are arrays of entries and that they are arrays.
void CheckArrays(const JsonDocument& document, JsonFields& fields) {
  bool found = false;
  for (const Policy policy : kPolicies) fields.Take(PolicyName(policy));
  for (const JsonMember& member : document.root.members) {
    if (!ParsePolicy(member.key)) continue;
    found = true;
    if (member.value.kind != JsonValue::Kind::kArray) {
      fields.Error(member.value.span,
                   "'" + member.key + "' must be an array, not " + JsonKindName(member.value.kind));
    }
  }
  const bool derived = document.root.Find("derived_from") != nullptr ||
                       document.root.Find("unlisted") != nullptr;  // such a list needs no entries
  if (!found && !derived && document.root.kind == JsonValue::Kind::kObject) {
    fields.Error({document.root.span.begin, document.root.span.begin + 1},
                 "this precision list has no entries",
                 "add \"target\", \"fp32\", \"widest\", \"conditional\" or \"either\", or declare "
                 "in \"derived_from\" where the framework maintains its list");
  }
}

std::vector<ListEntry> ReadAnnotations(const JsonDocument& document, JsonFields& fields,
                                       Diagnostics& diagnostics, bool& ok) {
  std::vector<ListEntry> annotations;
  for (const JsonValue& item : fields.Objects("annotations")) {
    std::optional<ListEntry> entry =
        EntryReader(document, item, Policy::kEither, diagnostics).Read();
    ok = ok && entry.has_value();
    if (entry) annotations.push_back(std::move(*entry));
  }
  return annotations;
}

std::vector<RemovedEntry> ReadRemoved(const JsonDocument& document, JsonFields& fields,
                                      Diagnostics& diagnostics, bool& ok) {
  std::vector<RemovedEntry> removed;
  std::vector<std::string> policies;
  for (const Policy policy : kPolicies) policies.emplace_back(PolicyName(policy));
  for (const JsonValue& item : fields.Objects("removed")) {
    JsonFields of(document, item, "removed entry", diagnostics);
    RemovedEntry entry;
    entry.op = of.RequiredString("op");
    of.Require("policy");
    entry.policy = ParsePolicy(of.Choice("policy", policies)).value_or(Policy::kFp32);
    entry.note = of.RequiredString("note");
    entry.location = document.At(item.span);
    ok = of.Finish() && ok;
    removed.push_back(std::move(entry));
  }
  return removed;
}

// Reads the fields about the framework's own list. Reads `derived_from` first, because the others
// depend on it.
void ReadDerivation(const JsonDocument& document, JsonFields& fields, PrecisionList& list,
                    Diagnostics& diagnostics, bool& ok) {
  if (const JsonValue* const origins = fields.Take("derived_from")) {
    ok = ReadListOrigins(document, *origins, list.derived_from, diagnostics) && ok;
  }
  list.annotations = ReadAnnotations(document, fields, diagnostics, ok);
  list.removed = ReadRemoved(document, fields, diagnostics, ok);
  list.complete = fields.Boolean("complete", false);
  for (const auto& [key, files] :
       {std::pair("documented_in", &list.documented_in), std::pair("tested_in", &list.tested_in)}) {
    const JsonValue* const array = fields.Take(key);
    if (array != nullptr) ok = ReadNamingFiles(document, *array, key, *files, diagnostics) && ok;
  }
  if (!list.derived_from.empty() || !list.extends.empty()) return;
  for (const char* key : {"annotations", "removed", "complete"}) {
    const JsonValue* const value = document.root.Find(key);
    if (value == nullptr) continue;
    fields.Error(value->span, std::string("'") + key + "' requires 'derived_from'",
                 "it refers to rows of the framework's own list; use entries instead");
  }
}

std::optional<PrecisionList> ListOf(std::optional<JsonDocument> document, EntriesRead read,
                                    Diagnostics& diagnostics) {
  if (!document) return std::nullopt;
  PrecisionList list;
  list.path = document->path;
  JsonFields fields(*document, document->root, "precision list", diagnostics);
  list.framework = fields.RequiredString("framework");
  list.device = fields.String("device");
  list.configuration = fields.String("configuration");
  list.extends = fields.String("extends");
  const std::string unlisted =
      fields.Choice("unlisted", {kRequired, "target", "fp32", "widest", "either"});
  list.says_unlisted = !unlisted.empty();
  list.unlisted = ParsePolicy(unlisted);
  list.registered_elsewhere = fields.Strings("registered_elsewhere");
  list.fp32_nodes = fields.Strings("fp32_nodes");
  list.target_nodes = fields.Strings("target_nodes");
  list.widest_nodes = fields.Strings("widest_nodes");
  list.either_nodes = fields.Strings("either_nodes");
  constexpr std::int64_t kMaxOpset = 10'000;
  if (const auto opset = fields.Integer("opset", 0, 1, kMaxOpset); opset != 0) list.opset = opset;
  fields.Require("target_dtype");
  const std::string dtype = fields.Choice("target_dtype", {"float16", "bfloat16"});
  list.target_dtype = ParseDtype(dtype).value_or(Dtype::kFloat16);
  CheckArrays(*document, fields);
  ReadDerivation(*document, fields, list, diagnostics, read.ok);
  if (!fields.Finish() || !read.ok) return std::nullopt;
  list.entries = std::move(read.entries);
  list.document = std::move(*document);
  return list;
}

// Follows `extends` and records the lists it has seen, to detect cycles.
class ChainReader {
 public:
  ChainReader(const Source& source, const std::string& path, Diagnostics& diagnostics)
      : source_(source), root_(source), diagnostics_(diagnostics) {
    // A list from elsewhere, such as a shipped one, may extend lists in its own folder.
    if (source.Holds(path) || errno != 0) {
      reach_ = Reach::kBelow;
    } else {
      root_ = source.At(fs::path(source.Absolute(path)).parent_path().string());
    }
  }

  std::optional<PrecisionList> Read(const std::string& path) {
    seen_.insert(source_.Canonical(path));
    std::optional<PrecisionList> list = ReadListAlone(source_, path, reach_, diagnostics_);
    if (!list || list->extends.empty()) return list;
    const Span written = list->document.root.Find("extends")->span;
    const auto fail = [&](std::string message, std::string hint) {
      return ErrorAt(list->document, written, std::move(message), std::move(hint), diagnostics_);
    };

    if (list->extends.front() == '/' || list->extends.find('\0') != std::string::npos) {
      return fail("'extends' must be a path relative to this file", {});
    }
    const std::string base =
        (fs::path(path).parent_path() / list->extends).lexically_normal().string();
    Diagnostics outside;
    ErrorAt(list->document, written, "'extends' points outside the root '" + root_.root() + "'",
            "copy that list into the project", outside);
    if (!root_.MustHold(source_.Absolute(base), outside.all().front(), diagnostics_)) {
      return std::nullopt;
    }
    if (seen_.contains(source_.Canonical(base)))
      return fail("'extends' forms a cycle through '" + base + "'", {});
    if (seen_.size() >= kMaximumChain) {
      return fail("more than " + std::to_string(kMaximumChain) + " lists extend each other", {});
    }
    std::optional<PrecisionList> read = Read(base);
    if (!read) return fail("the list that this one extends is invalid", {});
    if (read->framework != list->framework) {
      return fail("'" + base + "' is a list for '" + read->framework + "', but this one is for '" +
                      list->framework + "'",
                  {});
    }
    if (!list->says_unlisted) list->unlisted = read->unlisted;
    list->bases = read->bases;
    list->bases.push_back(read->path);
    InheritEntries(*read, *list);
    TakeNodes(*read, *list);
    if (list->IsDerived() || read->IsDerived()) {
      list->base = std::make_shared<PrecisionList>(std::move(*read));
    }
    return list;
  }

 private:
  // Adds the nodes of the base that the list itself does not name.
  static void TakeNodes(const PrecisionList& base, PrecisionList& list) {
    list.registered_elsewhere.insert(list.registered_elsewhere.end(),
                                     base.registered_elsewhere.begin(),
                                     base.registered_elsewhere.end());
    const auto fields = {&PrecisionList::fp32_nodes, &PrecisionList::target_nodes,
                         &PrecisionList::widest_nodes, &PrecisionList::either_nodes};
    std::set<std::string> named;
    for (const auto field : fields) named.insert((list.*field).begin(), (list.*field).end());
    for (const auto field : fields) {
      std::copy_if((base.*field).begin(), (base.*field).end(), std::back_inserter(list.*field),
                   [&](const std::string& name) { return !named.contains(name); });
    }
  }

  const Source& source_;
  Source root_;  // the folder that must contain the bases
  Reach reach_ = Reach::kAnywhere;
  Diagnostics& diagnostics_;
  std::set<std::string> seen_;
};

}  // namespace

const std::vector<std::string>& ReasonNames() {
  static const std::vector<std::string> kReasons = {"numeric", "no-kernel", "loss", "structure"};
  return kReasons;
}

std::string PrecisionList::Label() const {
  const std::string dtype = DtypeName(target_dtype);
  return device.empty() ? dtype : dtype + "-" + device;
}

std::vector<NodePolicy> PrecisionList::NodePolicies() const {
  return {{"target_nodes", Policy::kTarget, &target_nodes},
          {"widest_nodes", Policy::kWidest, &widest_nodes},
          {"either_nodes", Policy::kEither, &either_nodes}};
}

std::optional<PrecisionList> ReadPrecisionList(const Source& source, const std::string& path,
                                               Diagnostics& diagnostics) {
  return ChainReader(source, path, diagnostics).Read(path);
}

void InheritEntries(const PrecisionList& base, PrecisionList& list) {
  list.inherited.clear();
  std::set<std::string_view> named;
  for (const ListEntry& entry : list.entries) named.insert(entry.op);
  const auto take = [&](const ListEntry& entry) {
    if (named.count(entry.op) == 0) list.inherited.push_back(entry);
  };
  std::for_each(base.entries.begin(), base.entries.end(), take);
  std::for_each(base.inherited.begin(), base.inherited.end(), take);
}

std::optional<PrecisionList> ReadWrittenList(const Source& source, const std::string& path,
                                             Diagnostics& diagnostics) {
  std::optional<PrecisionList> list = ReadPrecisionList(source, path, diagnostics);
  if (!list || !list->IsDerived()) return list;
  const JsonValue* const origins = list->document.root.Find("derived_from");
  return ErrorAt(list->document, origins != nullptr ? origins->span : list->document.root.span,
                 "the entries of this list are in the framework's sources, which are not available",
                 "in a checkout of the framework, `opledger lists sync --output LIST.json` writes "
                 "a list with all of them",
                 diagnostics);
}

std::optional<PrecisionList> ReadListAlone(const Source& source, const std::string& path,
                                           Reach reach, Diagnostics& diagnostics) {
  EntriesRead entries;
  std::optional<JsonDocument> document =
      ReadJsonItems(source, path, reach, entries.Taker(diagnostics), diagnostics);
  return ListOf(std::move(document), std::move(entries), diagnostics);
}

std::optional<PrecisionList> ParsePrecisionList(std::string path, std::string text,
                                                Diagnostics& diagnostics) {
  EntriesRead entries;
  std::optional<JsonDocument> document =
      ParseJsonItems(std::move(path), std::move(text), entries.Taker(diagnostics), diagnostics);
  return ListOf(std::move(document), std::move(entries), diagnostics);
}

}  // namespace opledger
