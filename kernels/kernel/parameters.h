// Parameters of a kernel call, under the kernels' own names; bindings/ translates each framework's
// names and defaults.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace opledger {

using Integers = std::vector<std::int64_t>;

// While an object lives, it records the parameters that this thread reads; a nested one records its
// own.
class ParameterReads {
 public:
  ParameterReads();
  ~ParameterReads();
  ParameterReads(const ParameterReads&) = delete;
  ParameterReads& operator=(const ParameterReads&) = delete;

  const std::set<std::string, std::less<>>& names() const { return names_; }

 private:
  friend class Parameters;
  ParameterReads* outer_;
  std::set<std::string, std::less<>> names_;
};

class Parameters {
 public:
  void Set(std::string name, std::int64_t value) { values_[std::move(name)] = value; }
  void Set(std::string name, double value) { values_[std::move(name)] = value; }
  void Set(std::string name, Integers value) { values_[std::move(name)] = std::move(value); }
  void Set(std::string name, std::string value) { values_[std::move(name)] = std::move(value); }
  void Set(std::string name, const char* value) { values_[std::move(name)] = std::string(value); }

  bool Has(std::string_view name) const { return Find(name) != values_.end(); }
  // Returns `absent` if the parameter is absent or has another type.
  std::int64_t Integer(std::string_view name, std::int64_t absent) const;
  double Number(std::string_view name, double absent) const;
  std::string Word(std::string_view name, std::string_view absent) const;
  Integers List(std::string_view name, const Integers& absent = {}) const;

 private:
  using Values =
      std::map<std::string, std::variant<std::int64_t, double, Integers, std::string>, std::less<>>;
  Values::const_iterator Find(std::string_view name) const;

  Values values_;
};

}  // namespace opledger
