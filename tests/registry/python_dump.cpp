// Prints what opledger reads from Python files as JSON, for tests that compare it with CPython: one
// line for each file named on standard input, an object with "error", or with "tree" or "lists".
//   tree: [kind, text, begin, end, flags, [child, ...]]; null where a child is absent
// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>

#include "registry/list_source/python_list.h"
#include "registry/python/python.h"
#include "registry/text/json_quote.h"

namespace opledger {
namespace {

std::string Hex(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    out += kDigits[static_cast<unsigned char>(c) >> 4];
    out += kDigits[c & 15];
  }
  return out;
}

std::string Flags(const PythonNode& node) {
  std::string flags;
  if (node.async) flags += 'a';
  if (node.star) flags += '*';
  if (node.simple) flags += 's';
  if (node.unknown) flags += '?';
  flags.append(node.level, '.');
  return flags;
}

void WriteTree(const PythonTree& tree, PythonId id, std::string& out) {
  const PythonNode& node = tree[id];
  if (id == 0) {
    out += "null";
    return;
  }
  const bool bytes = node.kind == PythonKind::kBytes;
  out += "[\"" + std::string(PythonKindName(node.kind)) + "\"," +
         JsonQuote(bytes ? Hex(node.text) : std::string(node.text)) + "," +
         std::to_string(node.begin) + "," + std::to_string(node.end) + ",\"" + Flags(node) + "\",[";
  bool first = true;
  for (const PythonId child : tree.Children(id)) {
    if (!std::exchange(first, false)) out += ',';
    WriteTree(tree, child, out);
  }
  out += "]]";
}

std::string Errors(const Diagnostics& diagnostics) {
  for (const Diagnostic& each : diagnostics.all()) {
    if (each.severity != Severity::kError) continue;
    return "{\"error\":" +
           JsonQuote(std::to_string(each.location.line) + ":" +
                     std::to_string(each.location.column) + ": " + each.message) +
           "}";
  }
  return R"({"error":"none was reported"})";
}

std::string Tree(const std::string& path, std::string text) {
  Diagnostics diagnostics;
  const auto source = std::make_shared<const SourceText>(path, std::move(text));
  const std::optional<PythonTree> tree = ParsePython(source, diagnostics);
  if (!tree) return Errors(diagnostics);
  std::string out = "{\"tree\":";
  WriteTree(*tree, tree->root(), out);
  return out + "}";
}

void WriteValue(const LiteralValue& value, std::string& out) {
  using Kind = LiteralValue::Kind;
  static constexpr const char* kKinds[] = {"str",   "number", "constant", "list",
                                           "tuple", "set",    "dict",     "unreadable"};
  const bool bare = value.kind == Kind::kString || value.kind == Kind::kNumber ||
                    value.kind == Kind::kConstant || value.kind == Kind::kUnreadable;
  out += std::string("[\"") + kKinds[static_cast<int>(value.kind)] + "\",";
  if (bare) {
    out += JsonQuote(value.text) + "]";
    return;
  }
  out += '[';
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    if (i > 0) out += ',';
    WriteValue(value.items[i], out);
  }
  out += "]]";
}

void WriteItem(const ListItem& item, std::string& out) {
  out += "{\"value\":";
  WriteValue(item.value, out);
  if (item.key) {
    out += ",\"key\":";
    WriteValue(*item.key, out);
  }
  const Location& place = item.key ? item.key->location : item.value.location;
  out += ",\"feature\":" + JsonQuote(item.feature.text()) +
         ",\"line\":" + std::to_string(place.line) + ",\"column\":" + std::to_string(place.column) +
         ",\"literal\":" + (item.literal ? "true" : "false") + "}";
}

std::string Lists(const std::string& path, std::string text) {
  Diagnostics diagnostics;
  const std::optional<ListModule> module = ReadPythonLists(path, std::move(text), diagnostics);
  if (!module) return Errors(diagnostics);
  std::string out = "{\"lists\":[";
  for (const NamedList& list : module->lists) {
    if (out.back() == '}') out += ',';
    std::string kind;
    LiteralValue empty;
    empty.kind = list.kind;
    WriteValue(empty, kind);
    out += "{\"name\":" + JsonQuote(list.name) +
           ",\"complete\":" + (list.complete ? "true" : "false") + ",\"kind\":" + kind +
           ",\"items\":[";
    for (const ListItem& item : list.items) {
      if (out.back() == '}') out += ',';
      WriteItem(item, out);
    }
    out += "]}";
  }
  out += "],\"messages\":[";
  for (const Diagnostic& each : diagnostics.all()) {
    if (out.back() == '"') out += ',';
    out += JsonQuote(std::to_string(each.location.line) + ": " + each.message);
  }
  return out + "]}";
}

}  // namespace
}  // namespace opledger

int main(int argc, char** argv) {
  const bool lists = argc == 2 && std::string_view(argv[1]) == "lists";
  std::string path;
  while (std::getline(std::cin, path)) {
    std::ifstream file(path, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    std::cout << (lists ? opledger::Lists(path, std::move(text))
                        : opledger::Tree(path, std::move(text)))
              << "\n";
  }
  return 0;
}
