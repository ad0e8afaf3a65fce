// The result of planners, bindings, kernels, runs and tools: ok, or a code for programs, a message
// for users and the node concerned.
//   Status status = "its axis is out of range";  if (!status.ok()) ...
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace opledger {

enum class StatusCode : std::uint8_t {
  kUnsupported,  // not supported
  kNoKernel,     // no kernel has that name
  kGivesList,    // a graph returns a sequence or an optional where only tensors are supported
  kNeedsValues,  // depends on values that are known only at run time
};

struct Status {
  StatusCode code = StatusCode::kUnsupported;
  std::string message;     // empty: ok
  std::string hint;        // the remedy; empty: unknown
  std::int32_t node = -1;  // node of the graph; -1: none, or not known yet

  Status() = default;
  Status(std::string why) : message(std::move(why)) {}  // NOLINT(google-explicit-constructor)
  Status(const char* why) : message(why) {}             // NOLINT(google-explicit-constructor)
  Status(StatusCode kind, std::string why) : code(kind), message(std::move(why)) {}

  bool ok() const { return message.empty(); }
};

inline Status NeedsValues(std::string why) { return {StatusCode::kNeedsValues, std::move(why)}; }

// A value, or the reason why there is none.
template <typename T>
class StatusOr {
 public:
  StatusOr(T value) : value_(std::move(value)) {}          // NOLINT(google-explicit-constructor)
  StatusOr(Status status) : status_(std::move(status)) {}  // NOLINT(google-explicit-constructor)
  StatusOr(const char* why) : status_(why) {}              // NOLINT(google-explicit-constructor)
  StatusOr(std::string why) : status_(std::move(why)) {}   // NOLINT(google-explicit-constructor)

  explicit operator bool() const { return value_.has_value(); }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }
  const Status& status() const { return status_; }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace opledger
