// Reading one entry of a precision list: a name, an object, or an object with conditions.
// SPDX-License-Identifier: Apache-2.0
#include "registry/lists/list_entry_reader.h"

#include "registry/json/json_fields.h"
#include "registry/text/suggestion.h"
#include "registry/text/utf8.h"

namespace opledger {
namespace {

using JsonKind = JsonValue::Kind;

// A name nobody can register, because no compiler would pass it: empty, or with control characters.
std::string NameProblem(std::string_view name) {
  if (name.empty()) return "the operator name is empty";
  for (std::size_t i = 0; i < name.size();) {
    const Utf8Character character = DecodeUtf8(name, i);
    if (IsControl(character.code_point)) return "the operator name holds a control character";
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
              "write {\"op\": ..., \"attribute\": ..., \"values\": [...], \"then\": \"fp32\"}");
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
        Error(input.span, "an input must be a name or an index from 0");
      }
    }
  }

  void ReadConditions(JsonFields& fields) {
    if (entry_.policy != Policy::kConditional) {
      RefuseConditions(fields);
      return;
    }
    if (const JsonValue* otherwise = fields.Take("otherwise"); otherwise != nullptr) {
      entry_.otherwise = ReadOutcome(*otherwise, "otherwise");
    }
    const JsonValue* clauses = fields.Take("clauses");
    if (clauses == nullptr) {
      entry_.clauses.push_back(ReadClause(fields));
      return;
    }
    for (const char* key : {"attribute", "values", "range", "then"}) {
      const JsonMember* member = FindMember(item_, key);
      fields.Take(key);
      if (member == nullptr) continue;
      Error(member->key_span, std::string("'") + key + "' beside 'clauses'",
            "move it into a clause");
    }
    if (clauses->kind != JsonKind::kArray || clauses->items.empty()) {
      Error(clauses->span, "'clauses' must be an array of at least one object");
      return;
    }
    for (const JsonValue& item : clauses->items) {
      JsonFields clause(document_, item, "clause", diagnostics_);
      entry_.clauses.push_back(ReadClause(clause));
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
    for (const char* key : {"attribute", "values", "range", "then", "otherwise", "clauses"}) {
      fields.Take(key);
      const JsonMember* member = FindMember(item_, key);
      if (member == nullptr) continue;
      Error(member->key_span,
            std::string("'") + key + "' in an entry of '" + PolicyName(entry_.policy) + "'",
            "move the entry to 'conditional'");
    }
  }

  Policy ReadOutcome(const JsonValue& value, std::string_view key) {
    const std::string field(key);
    if (value.kind != JsonKind::kString) {
      Error(value.span, "'" + field + "' must be a string, not " + JsonKindName(value.kind));
      return Policy::kFp32;
    }
    const std::optional<Policy> policy = ParsePolicy(value.string);
    if (policy == Policy::kConditional) {
      Error(value.span, "'" + field + "' may not be 'conditional': conditions do not nest",
            "use 'clauses' for several conditions of one operator");
    } else if (!policy) {
      Error(value.span, "'" + value.string + "' is no value of '" + field + "'",
            ChoiceHint(value.string, {"target", "fp32", "widest", "either"}));
    }
    return policy.value_or(Policy::kFp32);
  }

  Clause ReadClause(JsonFields& fields) {
    Clause clause;
    const JsonValue* attribute = fields.Require("attribute");
    if (attribute != nullptr &&
        (attribute->kind != JsonKind::kString || attribute->string.empty())) {
      Error(attribute->span, "'attribute' must be the name of an attribute");
    } else if (attribute != nullptr) {
      clause.attribute = attribute->string;
      clause.location = document_.At(attribute->span);
    }
    const JsonValue* values = fields.Take("values");
    const JsonValue* range = fields.Take("range");
    if (values != nullptr && range != nullptr) {
      Error(range->span, "both 'values' and 'range'", "keep one, or use two clauses");
    } else if (values != nullptr) {
      ReadValues(*values, clause);
    } else if (range != nullptr) {
      ReadRange(*range, clause);
    } else if (attribute != nullptr) {
      Error(attribute->span, "the condition has neither 'values' nor 'range'");
    }
    if (const JsonValue* then = fields.Require("then"); then != nullptr) {
      clause.then = ReadOutcome(*then, "then");
      clause.then_location = document_.At(then->span);
    }
    return clause;
  }

  void ReadValues(const JsonValue& values, Clause& clause) {
    if (values.kind != JsonKind::kArray || values.items.empty()) {
      Error(values.span, "'values' must be an array of at least one string");
      return;
    }
    for (const JsonValue& value : values.items) {
      if (value.kind == JsonKind::kString) {
        clause.values.push_back(value.string);
      } else {
        Error(value.span,
              std::string("'values' must hold strings, not ") + JsonKindName(value.kind),
              "write the value as it stands in the model, in quotes");
      }
    }
  }

  void ReadRange(const JsonValue& range, Clause& clause) {
    clause.is_range = true;
    const auto read_bound = [&](const JsonValue& bound, std::optional<double>& result) {
      const bool number = bound.kind == JsonKind::kInteger || bound.kind == JsonKind::kFloat;
      if (number) result = bound.number;
      if (!number && bound.kind != JsonKind::kNull) {
        Error(bound.span, "a bound of 'range' must be a number or null");
      }
    };
    if (range.kind != JsonKind::kArray || range.items.size() != 2) {
      Error(range.span, "'range' must be [minimum, maximum], null for an open end");
      return;
    }
    const bool was_ok = ok_;
    ok_ = true;
    read_bound(range.items[0], clause.minimum);
    read_bound(range.items[1], clause.maximum);
    if (ok_ && !clause.minimum && !clause.maximum) {
      Error(range.span, "'range' has no bound", "give one, or drop the condition");
    } else if (ok_ && clause.minimum && clause.maximum && *clause.minimum > *clause.maximum) {
      Error(range.span, "the minimum of 'range' is above its maximum");
    }
    ok_ = ok_ && was_ok;
  }

  const JsonDocument& document_;
  const JsonValue& item_;
  Diagnostics& diagnostics_;
  ListEntry entry_;
  bool ok_ = true;
};

}  // namespace

const std::vector<std::string>& ReasonNames() {
  static const std::vector<std::string> kReasons = {"numeric", "no-kernel", "loss", "structure"};
  return kReasons;
}

std::optional<ListEntry> ReadListEntry(const JsonDocument& document, const JsonValue& item,
                                       Policy policy, Diagnostics& diagnostics) {
  return EntryReader(document, item, policy, diagnostics).Read();
}

}  // namespace opledger
