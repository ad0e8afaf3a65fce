// Kernels: the code that runs an operator on a device with certain element types, as far as
// registrations declare it. Questions about kernels have three answers: yes, no and unknown.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "registry/condition/condition.h"
#include "registry/text/dtype.h"
#include "registry/text/location.h"

namespace opledger {

struct Operator;

// The types that a kernel's registration allows for one type variable of its operator.
struct KernelTypes {
  // Sorted; the framework's own name for types that opledger does not have.
  std::vector<std::string> dtypes;
  std::string unread;  // source text that could not be interpreted

  auto operator<=>(const KernelTypes&) const = default;
};

// The detail of a kernel whose types were inferred from its code: it supports no others, and
// possibly not all of these.
inline constexpr std::string_view kTypesDetail = "inferred";
inline constexpr std::string_view kAtMost = "at most";

// One registration, or several at one place that differ only in the types of one variable.
struct Kernel {
  std::string device;  // "cpu", "cuda" (as named by the dialect); "*": any
  std::string label;   // not empty: runs only if a model requests it by this name
  // By type variable ("" if the framework does not name it). A variable that is not listed may have
  // any type that the operator allows; nothing is known about it.
  std::map<std::string, KernelTypes, std::less<>> types;
  std::map<std::string, std::string, std::less<>> details;  // {"isa", "avx512"}
  Location location;
  Condition condition;

  auto Key() const { return std::tie(device, label, details, location, types, condition.text()); }
  bool operator==(const Kernel& other) const { return Key() == other.Key(); }
  bool operator<(const Kernel& other) const { return Key() < other.Key(); }
};

bool TypesAreAtMost(const Kernel& kernel);

enum class Serves {
  kUnknown,  // no kernel for the device was found, or one does not declare its types,
             // or may be absent from the build
  kNo,       // all kernels for the device declare the types of some variable, and none supports it
  kYes,      // some kernel for the device declares that it supports the type
};

// Returns whether the operator has a kernel for `device` ("": any) that runs in `dtype`, in a build
// of `configuration` (nullptr: any build). Considers the type variables that may be both float32
// and `dtype` by the operator's own registration or, if that declares no types, that may be float32
// by its kernels. Other variables (indices, shapes) are irrelevant.
Serves HasKernel(const Operator& op, std::string_view device, Dtype dtype,
                 const Configuration* configuration);

// Returns the types of these variables for the device, for messages: "T: float32, float64".
std::string KernelDtypes(const Operator& op, std::string_view device,
                         const Configuration* configuration);

// Returns the first kernel for the device, as above, or nullptr if there is none.
const Kernel* FirstKernel(const Operator& op, std::string_view device,
                          const Configuration* configuration);

// Returns the kernels that declare `dtype`, by the rules of HasKernel.
std::vector<const Kernel*> KernelsTaking(const Operator& op, std::string_view device, Dtype dtype,
                                         const Configuration* configuration);

// Returns whether the kernel declares that it accumulates in `dtype`. This is its detail
// "accumulate", if the dialect reads one.
bool AccumulatesIn(const Kernel& kernel, Dtype dtype);

// Sorts the kernels, joins those at one place that differ in only one variable, and removes
// duplicates.
void JoinKernels(std::vector<Kernel>& kernels);

}  // namespace opledger
