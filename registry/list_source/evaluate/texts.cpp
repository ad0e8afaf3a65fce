// Evaluates strings with constant parts; see evaluator.h.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "registry/list_source/evaluate/evaluator.h"

namespace opledger {
namespace {

bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
char Upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }

std::string Replaced(const std::string& text, const std::string& from, const std::string& to) {
  std::string out;
  std::size_t begin = 0;
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, begin)) {
    out.append(text, begin, at - begin).append(to);
    begin = at + from.size();
    if (out.size() > 100000) return out;  // longer than any string that is evaluated
  }
  return out.append(text, begin);
}

constexpr std::string_view kSpaces = " \t\n\r\f\v";

}  // namespace

bool PythonEvaluator::AppendFormatted(const PythonValue& value, std::string_view conversion,
                                      std::string& out) {
  if (value.IsString()) {
    const bool quoted = conversion == "r" || conversion == "a";
    const bool plain =
        IsAscii(value.text) && std::none_of(value.text.begin(), value.text.end(), [](char c) {
          return c < ' ' || c == '\'' || c == '\\' || c == 127;
        });
    if (quoted && !plain) return false;
    out += quoted ? "'" + value.text + "'" : value.text;
    return true;
  }
  long long number = 0;
  if (PythonInteger(value, number)) {
    out += std::to_string(number);
    return true;
  }
  if (value.kind != Kind::kConstant || value.text == "...") return false;
  out += value.text;
  return true;
}

PythonValue PythonEvaluator::Format(PythonId id) {
  std::string out;
  for (const PythonId piece : tree_.Children(id)) {
    if (tree_.Kind(piece) == PythonKind::kString) {
      if (tree_[piece].unknown) return Unknown(id, "a string with an unknown escape");
      out += tree_[piece].text;
      continue;
    }
    const PythonValue value = Evaluate(tree_.Child(piece, 0));
    const bool specified = tree_.Child(piece, 1) != 0;
    if (specified || value.IsUnknown() || !AppendFormatted(value, tree_[piece].text, out)) {
      return Unknown(id, "a string with computed parts");
    }
    if (out.size() > 65536) break;
  }
  PythonValue text = Text(std::move(out), id);
  text.joined = tree_[id].joined;
  return text;
}

PythonValue PythonEvaluator::Percent(const PythonValue& format, const PythonValue& values,
                                     PythonId place) {
  std::vector<PythonValue> given = {values};
  if (values.IsContainer()) {
    const PythonContainer& tuple = *values.container;
    if (tuple.kind != ContainerKind::kTuple || !tuple.problems.empty()) {
      return Unknown(place, "a string with computed parts");
    }
    given.clear();
    for (const PythonElement& element : tuple.elements) given.push_back(element.value);
  }
  std::string out;
  std::size_t next = 0;
  const std::string& text = format.text;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const char kind = ++i < text.size() ? text[i] : '?';
    if (kind == '%') {
      out += '%';
      continue;
    }
    const bool fits = next < given.size() && (kind == 's' || kind == 'd' || kind == 'r') &&
                      (kind != 'd' || given[next].kind == Kind::kNumber) &&
                      AppendFormatted(given[next], kind == 'r' ? "r" : "s", out);
    if (!fits || out.size() > 65536) return Unknown(place, "a string with computed parts");
    ++next;
  }
  return next == given.size() ? Text(std::move(out), place)
                              : Unknown(place, "a string with computed parts");
}

// Supports {}, {0} and {name} without format specifications.
PythonValue PythonEvaluator::FormatMethod(const std::string& format, PythonId call) {
  const Arguments arguments = ReadArguments(call);
  PythonValue unknown = Unknown(call, "a string with computed parts");
  if (!arguments.known) return unknown;
  std::string out;
  std::size_t next = 0;
  for (std::size_t i = 0; i < format.size(); ++i) {
    const char c = format[i];
    const bool doubled = i + 1 < format.size() && format[i + 1] == c;
    if ((c != '{' && c != '}') || doubled) {
      out += c;
      if (c == '{' || c == '}') ++i;
      continue;
    }
    const std::size_t end = format.find('}', i);
    if (c == '}' || end == std::string::npos || out.size() > 65536) return unknown;
    const std::string field = format.substr(i + 1, end - i - 1);
    const bool number = field.find_first_not_of("0123456789") == std::string::npos;
    if (number && field.size() > 3) return unknown;
    const std::size_t index = field.empty() ? next++ : number ? std::stoul(field) : 0;
    const PythonValue* const value = !number ? arguments.Keyword(field)
                                     : index < arguments.positional.size()
                                         ? &arguments.positional[index]
                                         : nullptr;
    if (value == nullptr || value->IsUnknown() || !AppendFormatted(*value, "", out)) return unknown;
    i = end;
  }
  return Text(std::move(out), call);
}

PythonValue PythonEvaluator::Split(const std::string& text, PythonId call) {
  const Arguments arguments = ReadArguments(call);
  const std::vector<PythonValue>& given = arguments.positional;
  const bool plain = arguments.known && arguments.keywords.empty() && given.size() <= 1 &&
                     (given.empty() || (given[0].IsString() && !given[0].text.empty()));
  if (!plain || !IsAscii(text)) return Unknown(call, "a call or attribute");
  PythonContainer& parts = NewContainer(ContainerKind::kList, call);
  std::size_t begin = 0;
  while (begin <= text.size()) {
    if (given.empty()) begin = std::min(text.find_first_not_of(kSpaces, begin), text.size());
    if (given.empty() && begin == text.size()) break;
    std::size_t end =
        given.empty() ? text.find_first_of(kSpaces, begin) : text.find(given[0].text, begin);
    end = std::min(end, text.size());
    Append(parts, Text(text.substr(begin, end - begin), call), {});
    begin = end + (given.empty() ? 1 : given[0].text.size());
  }
  return Of(parts);
}

PythonValue PythonEvaluator::Join(const std::string& separator, PythonId call) {
  const Arguments arguments = ReadArguments(call);
  PythonContainer parts;
  const bool known = arguments.known && arguments.positional.size() == 1 &&
                     Iterate(arguments.positional[0], call, parts) && parts.problems.empty() &&
                     (parts.ordered || parts.elements.size() < 2);
  if (!known) return Unknown(call, "a string with computed parts");
  std::string out;
  for (std::size_t i = 0; i < parts.elements.size(); ++i) {
    const PythonElement& part = parts.elements[i];
    if (!part.value.IsString() || !part.feature.IsAlways() || out.size() > 65536) {
      return Unknown(call, "a string with computed parts");
    }
    out += (i > 0 ? separator : "") + part.value.text;
  }
  return Text(std::move(out), call);
}

// Evaluates methods whose arguments are all strings.
std::optional<PythonValue> PythonEvaluator::Trimmed(const std::string& text,
                                                    std::string_view method,
                                                    const std::vector<PythonValue>& given,
                                                    PythonId call) {
  const bool left = method == "strip" || method == "lstrip";
  const bool right = method == "strip" || method == "rstrip";
  if ((left || right) && given.size() <= 1 && IsAscii(text)) {
    const std::string_view set = given.empty() ? kSpaces : std::string_view(given[0].text);
    if (!IsAscii(set)) return std::nullopt;
    std::size_t begin = left ? text.find_first_not_of(set) : 0;
    if (begin == std::string::npos) begin = text.size();
    std::size_t end = text.size();
    while (right && end > begin && set.find(text[end - 1]) != std::string_view::npos) --end;
    return Text(text.substr(begin, end - begin), call);
  }
  if (given.size() != 1) return std::nullopt;
  const std::string& other = given[0].text;
  if (method == "startswith") return Bool(text.starts_with(other), call);
  if (method == "endswith") return Bool(text.ends_with(other), call);
  if (method == "removeprefix") {
    return Text(text.starts_with(other) ? text.substr(other.size()) : text, call);
  }
  if (method == "removesuffix") {
    const bool ends = text.ends_with(other);
    return Text(ends ? text.substr(0, text.size() - other.size()) : text, call);
  }
  return std::nullopt;
}

PythonValue PythonEvaluator::TextMethod(const PythonValue& text, std::string_view method,
                                        PythonId call) {
  if (method == "format") return FormatMethod(text.text, call);
  if (method == "split") return Split(text.text, call);
  if (method == "join") return Join(text.text, call);
  const Arguments arguments = ReadArguments(call);
  const std::vector<PythonValue>& given = arguments.positional;
  const bool strings = std::all_of(given.begin(), given.end(),
                                   [](const PythonValue& each) { return each.IsString(); });
  if (!arguments.known || !arguments.keywords.empty() || !strings) {
    return Unknown(call, "a call or attribute");
  }
  if (method == "replace" && given.size() == 2 && !given[0].text.empty()) {
    return Text(Replaced(text.text, given[0].text, given[1].text), call);
  }
  const bool cases = method == "lower" || method == "upper" || method == "capitalize";
  if (cases && given.empty() && IsAscii(text.text)) {
    std::string out = text.text;
    for (char& c : out) c = method == "upper" ? Upper(c) : Lower(c);
    if (method == "capitalize" && !out.empty()) out[0] = Upper(out[0]);
    return Text(std::move(out), call);
  }
  const std::optional<PythonValue> trimmed = Trimmed(text.text, method, given, call);
  return trimmed ? *trimmed : Unknown(call, "a call or attribute");
}

}  // namespace opledger
