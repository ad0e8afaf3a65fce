// JSON-RPC 2.0: requests, notifications and responses as JSON text; the fields of those that were
// read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include "registry/json/json.h"
#include "registry/json/json_write.h"

namespace opledger {

// Of JSON-RPC, and of the protocol above it.
enum class ErrorCode {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kServerNotInitialized = -32002,
  kRequestCancelled = -32800,
};

struct Message {
  enum class Kind { kRequest, kNotification, kResponse, kInvalid };
  Kind kind = Kind::kInvalid;
  std::string id;  // JSON text; empty: there is none
  std::string method;
  JsonDocument document;  // all of it
  bool failed = false;    // of a response: it is an error
  // Of kInvalid.
  ErrorCode code = ErrorCode::kInvalidRequest;
  std::string problem;

  const JsonValue& Params() const;  // null where there are none
};

Message ParseMessage(std::string text);

// The value at the keys, one below the other; a null where it is not there.
const JsonValue& ValueAt(const JsonValue& value, std::initializer_list<std::string_view> keys);
// The same of a text or a flag; empty or false where it is none.
const std::string& TextAt(const JsonValue& value, std::initializer_list<std::string_view> keys);
bool FlagAt(const JsonValue& value, std::initializer_list<std::string_view> keys);

using WriteJson = std::function<void(JsonWriter&)>;

// One line of JSON text.
std::string JsonText(const WriteJson& write);

// `id`, `result` and `params` are JSON text.
std::string ResponseText(std::string_view id, std::string_view result);
std::string ErrorText(std::string_view id, ErrorCode code, std::string_view message);
std::string NotificationText(std::string_view method, std::string_view params);
std::string RequestText(std::string_view id, std::string_view method, std::string_view params);

}  // namespace opledger
