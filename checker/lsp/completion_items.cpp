// Takes fields and values from the shipped schemas.
// SPDX-License-Identifier: Apache-2.0
#include "checker/lsp/completion_items.h"

#include <algorithm>
#include <set>

#include "checker/candidates/operator_line.h"
#include "checker/index/operator_facts.h"
#include "checker/lsp/json_place.h"
#include "checker/lsp/message.h"

namespace opledger {
namespace {

constexpr std::size_t kMaxItems = 1000;
constexpr int kDeepestSchema = 8;

// CompletionItemKind of the protocol.
enum class ItemKind { kFunction = 3, kProperty = 10, kEnumMember = 20 };

struct Item {
  std::string label;
  ItemKind kind = ItemKind::kProperty;
  std::string detail;
  std::string documentation;
  char group = '0';  // sort key; '0' is shown first
};

// The schemas for a value: the schema itself, what it refers to, and its alternatives.
using Schemas = std::vector<const JsonValue*>;

void AddAlternatives(const JsonValue& root, const JsonValue& schema, int depth, Schemas& all) {
  if (depth > kDeepestSchema) return;
  all.push_back(&schema);
  constexpr std::string_view kDefinitions = "#/$defs/";
  const std::string& reference = TextAt(schema, {"$ref"});
  if (reference.starts_with(kDefinitions)) {
    const std::string name = reference.substr(kDefinitions.size());
    AddAlternatives(root, ValueAt(root, {"$defs", name}), depth + 1, all);
  }
  for (const char* const key : {"anyOf", "oneOf", "allOf"}) {
    for (const JsonValue& each : ValueAt(schema, {key}).items) {
      AddAlternatives(root, each, depth + 1, all);
    }
  }
}

Schemas SchemasAt(const JsonValue& root, const std::vector<std::string>& keys) {
  Schemas schemas;
  AddAlternatives(root, root, 0, schemas);
  for (const std::string& key : keys) {
    Schemas below;
    for (const JsonValue* const schema : schemas) {
      const JsonValue* next = key.empty() ? schema->Find("items") : nullptr;
      if (!key.empty()) {
        next = ValueAt(*schema, {"properties"}).Find(key);
        if (next == nullptr) next = schema->Find("additionalProperties");
      }
      if (next != nullptr) AddAlternatives(root, *next, 0, below);
    }
    schemas = std::move(below);
  }
  return schemas;
}

class Completer {
 public:
  Completer(const ProjectCheck* check, const std::string& path, const JsonPlace& place)
      : check_(check), place_(place) {
    if (check == nullptr || !check->opened) return;
    for (const ListIndex& list : check->checked.index->lists()) {
      if (list.list->path == path) list_ = &list;
    }
  }

  std::vector<Item> Run(const JsonValue& schema) {
    const Schemas schemas = SchemasAt(schema, place_.keys);
    for (const JsonValue* const each : schemas) {
      if (place_.is_key) {
        AddFields(*each);
      } else {
        for (const JsonValue& value : ValueAt(*each, {"enum"}).items) {
          Add({value.string, ItemKind::kEnumMember, {}, {}});
        }
      }
    }
    if (list_ != nullptr && !place_.is_key) AddOfProject();
    return std::move(items_);
  }

 private:
  void Add(Item item) {
    if (!item.label.empty() && known_.insert(item.label).second) items_.push_back(std::move(item));
  }

  void AddFields(const JsonValue& schema) {
    const std::vector<std::string>& there = place_.keys_there;
    const auto is_there = [&](const std::string& key) {
      return std::find(there.begin(), there.end(), key) != there.end();
    };
    for (const JsonMember& member : ValueAt(schema, {"properties"}).members) {
      if (is_there(member.key)) continue;
      const char group = member.key.starts_with('$') ? '9' : '0';
      Add({member.key, ItemKind::kProperty, {}, TextAt(member.value, {"description"}), group});
    }
    for (const JsonValue& name : ValueAt(schema, {"propertyNames", "enum"}).items) {
      if (!is_there(name.string)) Add({name.string, ItemKind::kEnumMember, {}, {}});
    }
  }

  void AddOfProject() {
    if (NamesOperator(place_)) AddOperators();
    const std::vector<std::string>& keys = place_.keys;
    if (keys.size() == 1 && keys[0] == "framework") {
      Add({manifest().dialect, ItemKind::kEnumMember, "the dialect of this project", {}});
    }
    if (keys.size() == 1 && keys[0] == "configuration") {
      for (const auto& [name, defines] : manifest().configurations) {
        Add({name, ItemKind::kEnumMember, {}, {}});
      }
    }
    const bool in_entry = keys.size() >= 3 && keys[0] == PolicyName(Policy::kConditional);
    if (in_entry) AddAttributes();
  }

  const Manifest& manifest() const { return check_->checked.index->manifest(); }

  void AddOperators() {
    const std::string label = list_->label;
    for (const Operator& op : manifest().operators) {
      Item item = {op.name, ItemKind::kFunction, "no policy in " + label, DescribeOperator(op)};
      if (const EntryUse* const use = list_->Find(op.name)) {
        item.detail = std::string(PolicyName(use->entry->policy)) + " in " + label;
        item.group = '1';
      } else if (!op.exempt.empty() || !list_->Exists(op) || list_->RunsOnlyElsewhere(op) ||
                 list_->IsUndecided(op)) {
        const bool absent = op.exempt.empty() && !list_->Exists(op);
        item.detail = absent ? "not in configuration " + list_->configuration : "needs no policy";
        item.group = '2';
      }
      Add(std::move(item));
    }
  }

  // Offers the attributes of the operator named earlier in this object.
  void AddAttributes() {
    const auto text = [&](std::string_view key) -> std::string {
      for (const auto& [name, value] : place_.before) {
        if (name == key) return value;
      }
      return {};
    };
    const Operator* const op = check_->checked.index->Resolve(text("op"));
    if (op == nullptr) return;
    const OperatorAttributes attributes = ReadOperatorAttributes(*op);
    if (place_.keys.back() == "attribute") {
      for (const auto& [name, values] : attributes) {
        Add({name, ItemKind::kEnumMember, "attribute of " + Printable(op->name), {}});
      }
    }
  }

  const ProjectCheck* check_;
  const JsonPlace& place_;
  const ListIndex* list_ = nullptr;
  std::vector<Item> items_;
  std::set<std::string> known_;
};

// What a completion replaces: the written part of the word up to its closing quote, unless that
// quote begins the next word.
struct Replaced {
  Span span;
  std::string behind;  // text to insert after it
};

Replaced ReplacedAt(const JsonPlace& place, std::string_view text, std::size_t offset) {
  if (!place.in_string) return {place.span, {}};
  const std::size_t begin = place.span.begin + 1;
  const std::size_t end = place.closed ? place.span.end - 1 : place.span.end;
  const std::string_view rest = text.substr(offset, end - offset);
  const bool whole = place.closed && rest.find_first_of(" ,[]{}:") == std::string_view::npos;
  return whole ? Replaced{{begin, end}, {}} : Replaced{{begin, offset}, "\""};
}

bool BeginsAs(std::string_view label, std::string_view prefix) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  };
  return label.size() >= prefix.size() &&
         std::equal(prefix.begin(), prefix.end(), label.begin(), same);
}

std::string Inserted(const Item& item, const JsonPlace& place, const Replaced& replaced) {
  std::string quoted = JsonQuote(item.label);
  return place.in_string ? quoted.substr(1, quoted.size() - 2) + replaced.behind : quoted;
}

}  // namespace

std::string CompletionList(const ProjectCheck* check, const std::string& path,
                           std::string_view text, Position position, PositionEncoding encoding,
                           const JsonValue& schema) {
  const DocumentLines lines(text, encoding);
  const std::size_t offset = lines.OffsetOf(position);
  const JsonPlace place = JsonPlaceAt(text, offset);
  std::vector<Item> items = Completer(check, path, place).Run(schema);
  const Replaced replaced = ReplacedAt(place, text, offset);
  const std::size_t begin = std::min(replaced.span.begin, offset);
  const std::string_view prefix = text.substr(begin, offset - begin);
  std::erase_if(items, [&](const Item& item) { return !BeginsAs(item.label, prefix); });
  std::stable_sort(items.begin(), items.end(),
                   [](const Item& a, const Item& b) { return a.group < b.group; });
  const bool cut = items.size() > kMaxItems;
  if (cut) items.resize(kMaxItems);
  return JsonText([&](JsonWriter& json) {
    json.BeginObject();
    json.Field("isIncomplete", cut);
    json.Records("items", items, [&](const Item& item) {
      json.Field("label", item.label);
      json.Field("kind", static_cast<int>(item.kind));
      if (!item.detail.empty()) json.Field("detail", item.detail);
      if (!item.documentation.empty()) json.Field("documentation", item.documentation);
      json.Field("sortText", item.group + item.label);
      json.Field("filterText", item.label);
      json.BeginObject("textEdit");
      WriteRange(json, "range", lines.RangeOf(replaced.span));
      json.Field("newText", Inserted(item, place, replaced));
      json.EndObject();
    });
    json.EndObject();
  });
}

}  // namespace opledger
