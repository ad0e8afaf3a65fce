// Reads and writes JSON-RPC. Uses the common JSON reader, which limits depth and rejects text that
// is not UTF-8.
// SPDX-License-Identifier: Apache-2.0
#include "checker/lsp/message.h"

#include <utility>

namespace opledger {
namespace {

using JsonKind = JsonValue::Kind;

const JsonValue& NoValue() {
  static const JsonValue none;
  return none;
}

Message Refused(ErrorCode code, std::string problem, std::string id = {}) {
  Message message;
  message.code = code;
  message.problem = std::move(problem);
  message.id = std::move(id);
  return message;
}

// Returns the id as JSON text, with numbers as written, or "" if it is not a valid id.
std::string IdText(const JsonDocument& document, const JsonValue& id) {
  if (id.kind == JsonKind::kString) return JsonQuote(id.string);
  if (id.kind != JsonKind::kInteger && id.kind != JsonKind::kFloat) return {};
  return document.text.substr(id.span.begin, id.span.size());
}

}  // namespace

const JsonValue& Message::Params() const { return ValueAt(document.root, {"params"}); }

Message ParseMessage(std::string text) {
  Diagnostics diagnostics;
  std::optional<JsonDocument> document = ParseJson("message", std::move(text), diagnostics);
  if (!document) return Refused(ErrorCode::kParseError, diagnostics.all().front().message);
  const JsonValue& root = document->root;
  if (root.kind != JsonKind::kObject) {
    return Refused(ErrorCode::kInvalidRequest, "a message must be an object");
  }
  const JsonValue* const id = root.Find("id");
  const JsonValue* const method = root.Find("method");
  Message message;
  if (id != nullptr) message.id = IdText(*document, *id);
  if (TextAt(root, {"jsonrpc"}) != "2.0") {
    return Refused(ErrorCode::kInvalidRequest, "'jsonrpc' must be \"2.0\"", message.id);
  }
  if (method != nullptr && method->kind != JsonKind::kString) {
    return Refused(ErrorCode::kInvalidRequest, "'method' must be a string", message.id);
  }
  if (method != nullptr && id != nullptr && message.id.empty()) {
    return Refused(ErrorCode::kInvalidRequest, "'id' must be a number or a string");
  }
  if (method == nullptr && root.Find("result") == nullptr && root.Find("error") == nullptr) {
    return Refused(ErrorCode::kInvalidRequest, "'method' is missing", message.id);
  }
  message.kind = method == nullptr ? Message::Kind::kResponse
                 : id == nullptr   ? Message::Kind::kNotification
                                   : Message::Kind::kRequest;
  if (method != nullptr) message.method = method->string;
  message.failed = root.Find("error") != nullptr;
  message.document = std::move(*document);
  return message;
}

const JsonValue& ValueAt(const JsonValue& value, std::initializer_list<std::string_view> keys) {
  const JsonValue* at = &value;
  for (const std::string_view key : keys) {
    at = at->Find(key);
    if (at == nullptr) return NoValue();
  }
  return *at;
}

const std::string& TextAt(const JsonValue& value, std::initializer_list<std::string_view> keys) {
  return ValueAt(value, keys).string;
}

bool FlagAt(const JsonValue& value, std::initializer_list<std::string_view> keys) {
  return ValueAt(value, keys).boolean;
}

std::string JsonText(const WriteJson& write) {
  std::string text;
  JsonWriter json(text);
  write(json);
  return text;
}

std::string ResponseText(std::string_view id, std::string_view result) {
  std::string text = "{\"jsonrpc\":\"2.0\",\"id\":";
  return text.append(id).append(",\"result\":").append(result).append("}");
}

std::string ErrorText(std::string_view id, ErrorCode code, std::string_view message) {
  std::string text = "{\"jsonrpc\":\"2.0\",\"id\":";
  text.append(id.empty() ? "null" : id).append(",\"error\":{\"code\":");
  text.append(std::to_string(static_cast<int>(code))).append(",\"message\":");
  return text.append(JsonQuote(Printable(message))).append("}}");
}

std::string NotificationText(std::string_view method, std::string_view params) {
  std::string text = "{\"jsonrpc\":\"2.0\",\"method\":";
  return text.append(JsonQuote(method)).append(",\"params\":").append(params).append("}");
}

std::string RequestText(std::string_view id, std::string_view method, std::string_view params) {
  std::string text = "{\"jsonrpc\":\"2.0\",\"id\":";
  text.append(id).append(",\"method\":").append(JsonQuote(method));
  return text.append(",\"params\":").append(params).append("}");
}

}  // namespace opledger
