// Finds the element types of functions that run operators, by following calls across all files:
//   add_out calls add_stub; REGISTER_DISPATCH(add_stub, &add_kernel) in a file for the CPU;
//   add_kernel chooses code among float32 and float64
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "registry/dialect/dialect.h"
#include "registry/scan/outline/outline.h"

namespace opledger::scan {

class KernelElementTypes {
 public:
  explicit KernelElementTypes(const ElementTypes& how) : how_(how) {}

  // Returns whether all functions of the file were found.
  [[nodiscard]] bool Add(const std::string& path, const std::vector<KernelFunction>& functions);

  // Returns the floating point types that the function or class, as spelled in the source
  // (&ns::Class<T>::f<U>), may run in on the device, sorted. Other types are left out because
  // operators convert them to floating point before they choose code. Empty: any type is possible,
  // or nothing is known about the function. `same_results`: whether results have the type of the
  // operands.
  std::vector<std::string> Of(const std::string& function, const std::string& device,
                              bool same_results);
  // Returns whether the last answer is inexact because code was too large to be followed.
  bool cut() const { return cut_; }

 private:
  using Types = std::optional<std::set<std::string>>;  // nullopt: any type

  struct Function {
    std::string path;
    std::string device;
    std::string bound;
  };
  struct Caller {
    std::string path;
    std::string of_class;  // class of the calling member; empty for other functions
    std::string device;
    std::vector<bool> same;  // by parameter: has the type of the operator's operands
    bool results = true;     // whether results have that type, too
    int depth = 0;
  };
  class BoundReader;

  Types Of(const std::string& called, const Caller& caller, bool drop_first);
  std::string DeviceOf(const std::string& path) const;
  std::string Known(const std::string& name, const Caller& caller) const;

  const ElementTypes& how_;
  std::map<std::string, std::vector<Function>, std::less<>> functions_;
  std::set<std::string> registered_;            // names whose first argument is the device
  std::set<std::string, std::less<>> classes_;  // classes that have functions
  // State of one answer:
  using Call = std::tuple<std::string, std::string, std::vector<bool>,
                          bool>;  // name, path, same, only functions of the same file
  std::map<Call, Types> known_;   // any type while it is being computed
  bool cut_ = false;
};

}  // namespace opledger::scan
