// Normalizes types and defaults of attributes:
//   dmlc::optional<int> axis ... .set_default(dmlc::optional<int>())
//     -> {type: int or None, default: None}
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/merge/set_fields.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "registry/text/glob.h"
#include "registry/text/text.h"

namespace opledger::scan {
namespace {

// "mxnet::Tuple<std::string>" -> "Tuple<string>"; quoted text is kept.
std::string WithoutNamespaces(const std::string& written) {
  std::string text;
  bool quoted = false;
  for (std::size_t at = 0; at < written.size(); ++at) {
    if (written[at] == '"' && (at == 0 || written[at - 1] != '\\')) quoted = !quoted;
    if (quoted || written.compare(at, 2, "::") != 0) {
      text += written[at];
      continue;
    }
    while (!text.empty() && IsWordCharacter(text.back())) text.pop_back();
    ++at;
  }
  return text;
}

// Returns the argument of "NAME<...>"; "" for any other type.
std::string ArgumentOf(const std::string& name, const std::string& type) {
  if (name.empty() || !type.starts_with(name + "<") || !type.ends_with('>')) return {};
  return type.substr(name.size() + 1, type.size() - name.size() - 2);
}

// "1e-8f" -> "1e-8"; keeps 0x1f.
std::string PlainNumber(const std::string& text) {
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  const bool number = sign < text.size() && std::isdigit(static_cast<unsigned char>(text[sign]));
  if (!number || text.find_first_of("xX") != std::string::npos) return text;
  return text.substr(0, text.find_last_not_of("fFlLuU") + 1);
}

// "{1.f,2}", "Tuple<float>({1.f,2})" -> "[1.,2]"; returns "" if the text is not a list.
std::string List(const std::string& text) {
  const std::size_t open = text.find('{');
  const bool list = open != std::string::npos && (text.ends_with('}') || text.ends_with("})")) &&
                    (open == 0 || text.find('(') >= open - 1);
  if (!list) return {};
  const std::string_view inside(text.data() + open + 1, text.rfind('}') - open - 1);
  return "[" +
         Join(SplitAt(inside, ','), ",",
              [](std::string_view one) { return PlainNumber(std::string(one)); }) +
         "]";
}

// Removes the quotes of a string or character. Returns whether there were any.
bool Unquote(std::string& text) {
  const bool string = text.size() >= 2 && (text.front() == '"' || text.front() == '\'') &&
                      text.back() == text.front();
  if (string) text = text.substr(1, text.size() - 2);
  return string;
}

}  // namespace

std::string SetFields::Type(const std::string& written) const {
  std::string type = WithoutNamespaces(written);
  if (auto known = how_.types.find(type); known != how_.types.end()) return known->second;
  const std::size_t open = type.find('<');
  if (open == std::string::npos) return type;
  const auto shown = how_.types.find(type.substr(0, open) + "<*>");
  const std::string argument = ArgumentOf(type.substr(0, open), type);
  if (shown == how_.types.end() || argument.empty()) return type;
  std::string text = shown->second;
  const std::size_t at = text.find("{}");
  return at == std::string::npos ? text : text.replace(at, 2, Type(argument));
}

std::string SetFields::Default(const std::string& written) const {
  std::string text = WithoutNamespaces(written);
  const std::size_t open = text.find('(');
  const bool optional = open != std::string::npos && text.ends_with(')') &&
                        !ArgumentOf(how_.optional, text.substr(0, open)).empty();
  if (optional) text = text.substr(open + 1, text.size() - open - 2);
  if (optional && text.empty()) return how_.none;
  if (Unquote(text)) return text;
  for (const auto& [pattern, shown] : how_.defaults) {
    if (GlobMatch(pattern, text)) return shown;
  }
  if (std::string list = List(text); !list.empty()) return list;
  return PlainNumber(text);
}

std::vector<const AttributeSet*> SetFields::Of(const std::string& name,
                                               const std::vector<Site>& sites) const {
  std::vector<const AttributeSet*> all;
  std::vector<const AttributeSet*> own;
  std::vector<const AttributeSet*> seen;
  const auto found = sets_.find(name);
  if (found == sets_.end()) return all;
  for (const AttributeSet& set : found->second) {
    all.push_back(&set);
    const auto holds = [&](auto from, auto to) {
      return std::any_of(sites.begin(), sites.end(), [&](const Site& site) {
        return std::binary_search(from, to, site.location.path);
      });
    };
    const auto& readers = set.readers;
    if (readers.empty()) continue;
    if (holds(readers.begin(), readers.begin() + 1)) own.push_back(&set);
    if (holds(readers.begin() + 1, readers.end())) seen.push_back(&set);
  }
  if (!own.empty()) return own;
  return seen.empty() ? all : seen;
}

// `declared`: the attribute as each of the sets declares it.
FieldValue SetFields::Field(const std::vector<const Attribute*>& declared,
                            const std::vector<Site>& sites, const Condition& condition) const {
  FieldValue field;
  field.key = declared.front()->name;
  field.condition = condition;
  std::set<std::string> values;
  bool open = false;  // a macro adds unknown values
  for (const Attribute* attribute : declared) {
    std::vector<AttributeSet::Value> allowed = attribute->values;
    for (const std::string& macro : attribute->macros) {
      const std::vector<const AttributeSet*> sets = Of(macro, sites);
      open = open || sets.empty();
      for (const AttributeSet* set : sets) {
        for (const Attribute& of : set->attributes) {
          allowed.insert(allowed.end(), of.values.begin(), of.values.end());
        }
      }
    }
    std::string initial = Default(attribute->initial);
    for (const AttributeSet::Value& value : allowed) {
      values.insert(value.name);
      if (!value.constant.empty() && value.constant == attribute->initial) initial = value.name;
    }
    const std::string type = WithoutNamespaces(attribute->type);
    if (!allowed.empty() && !ArgumentOf(how_.optional, type).empty()) values.insert(how_.none);
    if (!attribute->type.empty()) field.details.try_emplace("type", Type(attribute->type));
    if (how_.initial.empty()) continue;
    if (attribute->initial.empty()) {
      field.details.try_emplace("required", "true");
    } else {
      field.details.try_emplace("default", initial);
    }
  }
  if (open) values.clear();
  for (const std::string& one : values) field.value += (field.value.empty() ? "" : ", ") + one;
  return field;
}

void SetFields::Resolve(const std::vector<Site>& sites, std::vector<FieldValue>& values) const {
  const std::string& reference = how_.reference;
  const auto refers = [&](const FieldValue& value) {
    return !reference.empty() && value.value.ends_with(reference);
  };
  if (std::none_of(values.begin(), values.end(), refers)) return;
  std::vector<FieldValue> resolved;
  for (FieldValue& value : values) {
    std::vector<const AttributeSet*> sets;
    if (refers(value)) {
      std::string name = value.value.substr(0, value.value.size() - reference.size());
      if (const std::size_t scope = name.rfind("::"); scope != std::string::npos) {
        name.erase(0, scope + 2);
      }
      sets = Of(name, sites);
    }
    if (sets.empty()) {
      resolved.push_back(std::move(value));
      continue;
    }
    std::map<std::string, std::vector<const Attribute*>> attributes;
    for (const AttributeSet* set : sets) {
      for (const Attribute& of : set->attributes) attributes[of.name].push_back(&of);
    }
    for (const auto& [name, declared] : attributes) {
      resolved.push_back(Field(declared, sites, value.condition));
    }
  }
  values = std::move(resolved);
}

}  // namespace opledger::scan
