// JSON-RPC 2.0: reads messages, and writes requests, notifications and responses as JSON text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include "registry/json/json.h"
#include "registry/json/json_write.h"

namespace opledger {

// Error codes of JSON-RPC and of the protocol.
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
  std::string id;  // JSON text; empty if there is none
  std::string method;
  JsonDocument document;  // the whole message
  bool failed = false;    // a response with an error
  // For kInvalid.
  ErrorCode code = ErrorCode::kInvalidRequest;
  std::string problem;

  const JsonValue& Params() const;  // a null value if there are none
};

// Parses one message. If it is invalid, returns a message of kind kInvalid that says why.
Message ParseMessage(std::string text);

// Returns the value at nested keys, or a null value if there is none.
const JsonValue& ValueAt(const JsonValue& value, std::initializer_list<std::string_view> keys);
// Return "" or false if there is no such value.
const std::string& TextAt(const JsonValue& value, std::initializer_list<std::string_view> keys);
bool FlagAt(const JsonValue& value, std::initializer_list<std::string_view> keys);

using WriteJson = std::function<void(JsonWriter&)>;

// Returns one line of JSON text.
std::string JsonText(const WriteJson& write);

// `id`, `result` and `params` are JSON text.
std::string ResponseText(std::string_view id, std::string_view result);
std::string ErrorText(std::string_view id, ErrorCode code, std::string_view message);
std::string NotificationText(std::string_view method, std::string_view params);
std::string RequestText(std::string_view id, std::string_view method, std::string_view params);

}  // namespace opledger
