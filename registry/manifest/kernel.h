// Kernels: what runs an operator, on which device and in which element types, as far as their
// registrations say. A question about one has three answers.
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

// What a kernel's registration allows one type variable of its operator to be.
struct KernelTypes {
  std::vector<std::string> dtypes;  // sorted; the framework's own name where we have none
  std::string unread;               // what was written of others that could not be understood

  auto operator<=>(const KernelTypes&) const = default;
};

// The detail of a kernel whose types were inferred from its code: it takes none but these, and
// perhaps not all of them.
inline constexpr std::string_view kTypesDetail = "inferred";
inline constexpr std::string_view kAtMost = "at most";

// One registration, or several of one place that differ in the types of one variable only.
struct Kernel {
  std::string device;  // "cpu", "cuda": the dialect's word; "*": any
  std::string label;   // not empty: runs only where a model asks for it by this name
  // By type variable ("" where the framework names none). A variable that does not occur may be
  // whatever the operator allows: nothing is known of it.
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
  kUnknown,  // no kernel for the device was seen, or one that does not say which types it takes, or
             // nobody knows whether it is there
  kNo,       // all kernels for the device say which types some variable may be, and none takes this
  kYes,      // some kernel for the device says that it takes this type
};

// Whether the operator has a kernel for `device` ("": for any) that runs in `dtype`, in a build
// of `configuration` (nullptr: in any build). It is asked of the type variables that may be
// float32, and `dtype`, by the operator's own registration or, where that does not say, that may be
// float32 by its kernels'; others (indices, shapes) have nothing to do with it.
Serves HasKernel(const Operator& op, std::string_view device, Dtype dtype,
                 const Configuration* configuration);

// "T: float32, float64": what the kernels for the device say of those variables, for messages.
std::string KernelDtypes(const Operator& op, std::string_view device,
                         const Configuration* configuration);

// The first kernel for the device, as above; nullptr: there is none.
const Kernel* FirstKernel(const Operator& op, std::string_view device,
                          const Configuration* configuration);

// The kernels that say they take `dtype`, as HasKernel asks it.
std::vector<const Kernel*> KernelsTaking(const Operator& op, std::string_view device, Dtype dtype,
                                         const Configuration* configuration);

// Whether the kernel says that it adds up in `dtype`: its detail "accumulate", where the dialect
// reads one.
bool AccumulatesIn(const Kernel& kernel, Dtype dtype);

// Sorted; those of one place that differ in one variable only are made one, and repetitions go.
void JoinKernels(std::vector<Kernel>& kernels);

}  // namespace opledger
