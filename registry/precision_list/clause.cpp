// Reads and evaluates clauses.
// SPDX-License-Identifier: Apache-2.0
#include "registry/precision_list/clause.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "registry/text/suggestion.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

using JsonKind = JsonValue::Kind;

constexpr std::string_view kDimension = "dimension ";
constexpr const char* kProperties =
    "use \"rank\", \"elements\", \"dimension N\" (from 0, or "
    "from -1 for the last) or \"initializer\"";

std::optional<int> DimensionOf(std::string_view property) {
  if (!property.starts_with(kDimension)) return std::nullopt;
  const std::string_view digits = property.substr(kDimension.size());
  int number = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (read.ec != std::errc() || read.ptr != digits.data() + digits.size()) return std::nullopt;
  return number;
}

bool IsProperty(std::string_view text) {
  return text == "rank" || text == "elements" || text == "initializer" ||
         DimensionOf(text).has_value();
}

class ClauseReader {
 public:
  ClauseReader(const JsonDocument& document, JsonFields& fields, Diagnostics& diagnostics)
      : document_(document), fields_(fields), diagnostics_(diagnostics) {}

  Clause Read(bool& ok) {
    ReadSubject();
    ReadComparison();
    if (const JsonValue* then = fields_.Require("then"); then != nullptr) {
      ok_ = ReadOutcome(document_, *then, "then", clause_.then, diagnostics_) && ok_;
      clause_.then_location = document_.At(then->span);
    }
    ok = ok && ok_;
    return std::move(clause_);
  }

 private:
  void Error(Span span, std::string message, std::string hint = {}) {
    ErrorAt(document_, span, std::move(message), std::move(hint), diagnostics_);
    ok_ = false;
  }

  void ReadSubject() {
    const JsonValue* input = fields_.Take("input");
    const JsonValue* property = fields_.Take("property");
    const JsonValue* attribute =
        input == nullptr ? fields_.Require("attribute") : fields_.Take("attribute");
    subject_ = input != nullptr ? input : attribute;
    if (subject_ == nullptr) ok_ = false;
    if (subject_ != nullptr) clause_.location = document_.At(subject_->span);
    if (input != nullptr) {
      ReadInput(*input, property);
      if (attribute != nullptr) {
        Error(attribute->span, "'attribute' and 'input' cannot be combined",
              "use a clause for each");
      }
    } else if (property != nullptr) {
      Error(property->span, "'property' requires 'input'",
            "name an input with \"input\", or remove 'property': it does not apply to attributes");
    } else if (attribute != nullptr &&
               (attribute->kind != JsonKind::kString || attribute->string.empty())) {
      Error(attribute->span, "'attribute' must be the name of an attribute");
    } else if (attribute != nullptr) {
      clause_.attribute = attribute->string;
    }
  }

  void ReadInput(const JsonValue& input, const JsonValue* property) {
    if (input.kind == JsonKind::kString && !input.string.empty()) {
      clause_.input = input.string;
    } else if (input.kind == JsonKind::kInteger && input.integer >= 0) {
      clause_.input = std::to_string(input.integer);
    } else {
      Error(input.span, "'input' must be a name or a nonnegative index");
    }
    if (property == nullptr) {
      Error(input.span, "'input' requires 'property'", kProperties);
    } else if (property->kind != JsonKind::kString || !IsProperty(property->string)) {
      Error(property->span, "'property' is not a property of an input", kProperties);
    } else {
      clause_.property = property->string;
    }
  }

  void ReadComparison() {
    const JsonValue* values = fields_.Take("values");
    const JsonValue* range = fields_.Take("range");
    const JsonValue* least = fields_.Take("at_least");
    const JsonValue* most = fields_.Take("at_most");
    const JsonValue* bound = least != nullptr ? least : most;
    if (values != nullptr && range != nullptr) {
      Error(range->span, "'values' and 'range' cannot be combined", "keep one, or use two clauses");
    } else if (bound != nullptr && (values != nullptr || range != nullptr)) {
      Error(bound->span,
            std::string(least != nullptr ? "'at_least'" : "'at_most'") +
                " cannot be combined with " + (values != nullptr ? "'values'" : "'range'"),
            "keep one, or use two clauses");
    } else if (values != nullptr) {
      ReadValues(*values);
    } else if (range != nullptr) {
      ReadRange(*range);
    } else if (bound != nullptr) {
      ReadBounds(least, most);
    } else if (subject_ != nullptr) {
      Error(subject_->span, "the condition has no comparison",
            "add 'values', 'range', 'at_least' or 'at_most'");
    }
    if (clause_.property == "initializer" && clause_.is_range) {
      Error(subject_->span, "property 'initializer' is not a number",
            "use \"values\": [\"true\"] or [\"false\"]");
    }
  }

  void ReadValues(const JsonValue& values) {
    if (values.kind != JsonKind::kArray || values.items.empty()) {
      Error(values.span, "'values' must be an array of at least one string");
      return;
    }
    const bool truth = clause_.property == "initializer";
    for (const JsonValue& value : values.items) {
      if (value.kind != JsonKind::kString) {
        Error(value.span,
              std::string("'values' must hold strings, not ") + JsonKindName(value.kind),
              "write the value as in the model, in quotes");
      } else if (truth && value.string != "true" && value.string != "false") {
        Error(value.span, "'" + value.string + "' is not a value of property 'initializer'",
              "use \"true\" or \"false\"");
      } else {
        clause_.values.push_back(value.string);
      }
    }
  }

  bool ReadBound(const JsonValue& bound, const char* field, bool open,
                 std::optional<double>& result) {
    const bool number = bound.kind == JsonKind::kInteger || bound.kind == JsonKind::kFloat;
    if (number) result = bound.number;
    if (number || (open && bound.kind == JsonKind::kNull)) return true;
    if (open) Error(bound.span, "a bound of 'range' must be a number or null");
    if (!open) {
      Error(bound.span,
            "'" + std::string(field) + "' must be a number, not " + JsonKindName(bound.kind),
            "use a number without quotes");
    }
    return false;
  }

  void ReadRange(const JsonValue& range) {
    clause_.is_range = true;
    if (range.kind != JsonKind::kArray || range.items.size() != 2) {
      Error(range.span, "'range' must be [minimum, maximum]; null means unbounded");
      return;
    }
    const bool minimum = ReadBound(range.items[0], "range", true, clause_.minimum);
    const bool maximum = ReadBound(range.items[1], "range", true, clause_.maximum);
    if (!minimum || !maximum) return;
    if (!clause_.minimum && !clause_.maximum) {
      Error(range.span, "'range' has no bound", "add a bound, or remove the condition");
    } else if (clause_.minimum && clause_.maximum && *clause_.minimum > *clause_.maximum) {
      Error(range.span, "the minimum of 'range' exceeds its maximum");
    }
  }

  void ReadBounds(const JsonValue* least, const JsonValue* most) {
    clause_.is_range = true;
    if (least != nullptr) ReadBound(*least, "at_least", false, clause_.minimum);
    if (most != nullptr) ReadBound(*most, "at_most", false, clause_.maximum);
    if (least == nullptr || !clause_.minimum || !clause_.maximum) return;
    if (*clause_.minimum > *clause_.maximum) {
      Error(least->span, "'at_least' exceeds 'at_most'",
            "no value satisfies both; correct one of them");
    }
  }

  const JsonDocument& document_;
  JsonFields& fields_;
  Diagnostics& diagnostics_;
  const JsonValue* subject_ = nullptr;
  Clause clause_;
  bool ok_ = true;
};

// Parses all of `text` as a number, with a decimal point in every locale.
std::optional<double> ParseNumber(std::string_view text) {
  text = Trimmed(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const char* end = text.data() + text.size();
  const std::from_chars_result parsed = std::from_chars(text.data(), end, number);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != end || std::isnan(number)) {
    return std::nullopt;
  }
  return number;
}

// Parses "3", "[3, 3]", "(3, 3)" or "(3,)". Returns an empty vector if anything is not a number.
std::vector<double> Numbers(std::string_view text) {
  text = Trimmed(text);
  const bool list = text.size() >= 2 && ((text.front() == '[' && text.back() == ']') ||
                                         (text.front() == '(' && text.back() == ')'));
  if (list) text = Trimmed(text.substr(1, text.size() - 2));
  if (list && text.ends_with(',')) text.remove_suffix(1);
  std::vector<double> numbers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = list ? std::min(text.find(',', begin), text.size()) : text.size();
    const auto number = ParseNumber(text.substr(begin, end - begin));
    if (!number) return {};
    numbers.push_back(*number);
    begin = end + 1;
  }
  return numbers;
}

// Returns the property of the input as text, or nullopt if unknown.
std::optional<std::string> PropertyText(const InputFacts& input, const std::string& property) {
  if (property == "initializer") return input.initializer ? "true" : "false";
  if (!input.dimensions) return std::nullopt;
  const auto& dimensions = *input.dimensions;
  const auto rank = static_cast<int>(dimensions.size());
  if (property == "rank") return std::to_string(rank);
  if (const auto number = DimensionOf(property)) {
    const int at = *number < 0 ? *number + rank : *number;
    // The dimension does not exist, so no condition holds.
    if (at < 0 || at >= rank) return std::string();
    if (!dimensions[at]) return std::nullopt;
    return std::to_string(*dimensions[at]);
  }
  std::uint64_t elements = 1;
  for (const auto& dimension : dimensions) {
    if (!dimension ||
        __builtin_mul_overflow(elements, static_cast<std::uint64_t>(*dimension), &elements)) {
      return std::nullopt;
    }
  }
  return std::to_string(elements);
}

}  // namespace

std::string Clause::Subject() const {
  return input.empty() ? attribute : property + " of input " + input;
}

Clause ReadClause(const JsonDocument& document, JsonFields& fields, Diagnostics& diagnostics,
                  bool& ok) {
  return ClauseReader(document, fields, diagnostics).Read(ok);
}

bool ReadOutcome(const JsonDocument& document, const JsonValue& value, const std::string& field,
                 Policy& policy, Diagnostics& diagnostics) {
  const auto fail = [&](std::string message, std::string hint = {}) {
    return ErrorAt(document, value.span, std::move(message), std::move(hint), diagnostics);
  };
  if (value.kind != JsonKind::kString) {
    return fail("'" + field + "' must be a string, not " + JsonKindName(value.kind));
  }
  const std::optional<Policy> read = ParsePolicy(value.string);
  if (read && read != Policy::kConditional) {
    policy = *read;
    return true;
  }
  if (read) {
    fail("'" + field + "' cannot be 'conditional': conditions do not nest",
         "use 'clauses' for several conditions of one operator");
  } else {
    fail("'" + value.string + "' is not a value of '" + field + "'",
         ChoiceHint(value.string, {"target", "fp32", "widest", "either"}));
  }
  return false;
}

const InputFacts* NodeFacts::Find(std::string_view input) const {
  const auto named = std::find_if(inputs.begin(), inputs.end(), [&](const InputFacts& each) {
    return !each.name.empty() && each.name == input;
  });
  if (named != inputs.end()) return named->given ? &*named : nullptr;
  std::size_t index = 0;
  const auto read = std::from_chars(input.data(), input.data() + input.size(), index);
  const bool number = read.ec == std::errc() && read.ptr == input.data() + input.size();
  return number && index < inputs.size() && inputs[index].given ? &inputs[index] : nullptr;
}

ClauseAnswer AskClause(const Clause& clause, const NodeFacts& facts, std::string& value) {
  std::string text;
  if (clause.input.empty()) {
    const auto found = facts.attributes.find(clause.attribute);
    if (found == facts.attributes.end()) return ClauseAnswer::kNo;
    text = found->second;
  } else {
    const InputFacts* input = facts.Find(clause.input);
    if (input == nullptr) return ClauseAnswer::kNo;
    const auto property = PropertyText(*input, clause.property);
    value = clause.Subject();
    if (!property) return ClauseAnswer::kUnknown;
    text = *property;
  }
  value = clause.Subject() + " = " + text;
  if (!clause.is_range) {
    const bool among =
        std::find(clause.values.begin(), clause.values.end(), text) != clause.values.end();
    return among ? ClauseAnswer::kYes : ClauseAnswer::kNo;
  }
  const std::vector<double> numbers = Numbers(text);
  const bool within =
      !numbers.empty() && std::all_of(numbers.begin(), numbers.end(), [&](double number) {
        return (!clause.minimum || number >= *clause.minimum) &&
               (!clause.maximum || number <= *clause.maximum);
      });
  return within ? ClauseAnswer::kYes : ClauseAnswer::kNo;
}

}  // namespace opledger
