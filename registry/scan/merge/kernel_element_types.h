// The element types of functions that run operators, followed from one to the next over all files:
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

  // Whether all functions of the file were found.
  [[nodiscard]] bool Add(const std::string& path, const std::vector<KernelFunction>& functions);

  // The floating point types that the function, as the source spells it (&ns::Class<T>::f<U>), or
  // the class may run in on the device, sorted; of other types
  // operators make such before they choose. Empty: it may be any type, or none is known.
  std::vector<std::string> Of(const std::string& function, const std::string& device,
                              bool same_results);
  // Whether the last answer would be more exact if larger code were followed.
  bool cut() const { return cut_; }

 private:
  using Types = std::optional<std::set<std::string>>;  // none: any

  struct Function {
    std::string path;
    std::string device;
    std::string bound;
  };
  struct Caller {
    std::string path;
    std::string of_class;  // empty: no member of one calls
    std::string device;
    std::vector<bool> same;  // by parameter: of the types of the operator
    bool results = true;     // whether results are, too
    int depth = 0;
  };
  class BoundReader;

  Types Of(const std::string& called, const Caller& caller, bool drop_first);
  std::string DeviceOf(const std::string& path) const;
  std::string Known(const std::string& name, const Caller& caller) const;

  const ElementTypes& how_;
  std::map<std::string, std::vector<Function>, std::less<>> functions_;
  std::set<std::string> registered_;            // names whose first argument is the device
  std::set<std::string, std::less<>> classes_;  // that have functions
  // Of one answer:
  using Call = std::tuple<std::string, std::string, std::vector<bool>,
                          bool>;  // name, path, same, own file alone
  std::map<Call, Types> known_;   // any, while it is being found
  bool cut_ = false;
};

}  // namespace opledger::scan
