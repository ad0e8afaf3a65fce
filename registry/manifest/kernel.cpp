// Combines what the kernels of an operator declare.
// SPDX-License-Identifier: Apache-2.0
#include "registry/manifest/kernel.h"

#include <algorithm>
#include <set>

#include "registry/manifest/manifest.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

bool Has(const std::vector<std::string>& dtypes, std::string_view dtype) {
  return std::find(dtypes.begin(), dtypes.end(), dtype) != dtypes.end();
}

// Returns whether the field "dtypes" (such as "float16, float32") contains `dtype`.
bool Names(std::string_view all, std::string_view dtype) {
  while (!all.empty()) {
    const std::size_t comma = std::min(all.find(", "), all.size());
    if (all.substr(0, comma) == dtype) return true;
    all.remove_prefix(std::min(comma + 2, all.size()));
  }
  return false;
}

ConditionAnswer IsThere(const Kernel& kernel, const Configuration* configuration) {
  if (configuration != nullptr) {
    return kernel.condition.AnswerIn(*configuration, kernel.location.path);
  }
  return kernel.condition.CanBeTrue() ? ConditionAnswer::kTrue : ConditionAnswer::kFalse;
}

struct KernelsThere {
  std::vector<const Kernel*> sure;
  bool maybe = false;  // other kernels may exist
};

KernelsThere KernelsFor(const Operator& op, std::string_view device,
                        const Configuration* configuration) {
  KernelsThere kernels;
  for (const Kernel& kernel : op.kernels) {
    if (!device.empty() && kernel.device != device && kernel.device != "*") continue;
    if (!kernel.label.empty()) continue;
    const ConditionAnswer there = IsThere(kernel, configuration);
    if (there == ConditionAnswer::kTrue) kernels.sure.push_back(&kernel);
    kernels.maybe = kernels.maybe || there == ConditionAnswer::kOpen;
  }
  return kernels;
}

// Returns whether all kernels declare the variable's types and none of these is a floating-point
// type.
bool IsNoFloat(const Operator& op, const std::string& variable) {
  return !op.kernels.empty() &&
         std::all_of(op.kernels.begin(), op.kernels.end(), [&](const Kernel& kernel) {
           const auto types = kernel.types.find(variable);
           return types != kernel.types.end() && types->second.unread.empty() &&
                  std::none_of(types->second.dtypes.begin(), types->second.dtypes.end(),
                               [](const std::string& dtype) {
                                 return dtype.find("float") != std::string::npos;
                               });
         });
}

// Returns the type variables that may be float32 and, as far as the registration declares types,
// `dtype`.
std::set<std::string> FloatVariables(const Operator& op, Dtype dtype) {
  const std::string_view wanted = DtypeName(Dtype::kFloat32);
  std::set<std::string> variables;
  bool floats = false;
  if (auto said = op.fields.find("dtypes"); said != op.fields.end()) {
    for (const FieldValue& value : said->second) {
      // An input that is always float32 does not depend on kernels.
      const bool constant = value.value == wanted &&
                            std::none_of(op.kernels.begin(), op.kernels.end(), [&](const auto& k) {
                              return k.types.contains(value.key);
                            });
      if (constant || !Names(value.value, wanted) || IsNoFloat(op, value.key)) continue;
      floats = true;
      if (Names(value.value, DtypeName(dtype))) variables.insert(value.key);
    }
  }
  if (floats) return variables;
  for (const Kernel& kernel : op.kernels) {
    for (const auto& [variable, types] : kernel.types) {
      if (Has(types.dtypes, wanted)) variables.insert(variable);
    }
  }
  return variables;
}

// Like JoinKernels, for one variable: joins kernels that differ only in its types.
void JoinVariable(std::vector<Kernel>& kernels, const std::string& variable) {
  std::map<Kernel, std::set<std::string>> joined;
  std::vector<Kernel> rest;
  for (Kernel& kernel : kernels) {
    auto types = kernel.types.find(variable);
    if (types == kernel.types.end() || !types->second.unread.empty()) {
      rest.push_back(std::move(kernel));
      continue;
    }
    const std::vector<std::string> dtypes = std::move(types->second.dtypes);
    types->second.dtypes.clear();
    joined[std::move(kernel)].insert(dtypes.begin(), dtypes.end());
  }
  for (auto& [kernel, dtypes] : joined) {
    rest.push_back(kernel);
    rest.back().types.find(variable)->second.dtypes.assign(dtypes.begin(), dtypes.end());
  }
  kernels = std::move(rest);
}

}  // namespace

bool TypesAreAtMost(const Kernel& kernel) {
  const auto types = kernel.details.find(kTypesDetail);
  return types != kernel.details.end() && types->second == kAtMost;
}

const Kernel* FirstKernel(const Operator& op, std::string_view device,
                          const Configuration* configuration) {
  const KernelsThere kernels = KernelsFor(op, device, configuration);
  return kernels.sure.empty() ? nullptr : kernels.sure.front();
}

Serves HasKernel(const Operator& op, std::string_view device, Dtype dtype,
                 const Configuration* configuration) {
  const KernelsThere kernels = KernelsFor(op, device, configuration);
  const std::set<std::string> variables = FloatVariables(op, dtype);
  if (kernels.sure.empty() || variables.empty()) return Serves::kUnknown;
  Serves served = Serves::kUnknown;
  for (const std::string& variable : variables) {
    bool takes = false;
    bool may_take = false;
    bool all_say = !kernels.maybe;
    for (const Kernel* kernel : kernels.sure) {
      auto types = kernel->types.find(variable);
      const bool said = types != kernel->types.end();
      const bool has = said && Has(types->second.dtypes, DtypeName(dtype));
      takes = takes || (has && !TypesAreAtMost(*kernel));
      may_take = may_take || has;
      all_say = all_say && said && types->second.unread.empty();
    }
    if (takes) served = Serves::kYes;
    if (!may_take && all_say) return Serves::kNo;
  }
  return served;
}

std::vector<const Kernel*> KernelsTaking(const Operator& op, std::string_view device, Dtype dtype,
                                         const Configuration* configuration) {
  const std::set<std::string> variables = FloatVariables(op, dtype);
  std::vector<const Kernel*> taking = KernelsFor(op, device, configuration).sure;
  std::erase_if(taking, [&](const Kernel* kernel) {
    return TypesAreAtMost(*kernel) ||
           std::none_of(variables.begin(), variables.end(), [&](const std::string& variable) {
             const auto types = kernel->types.find(variable);
             return types != kernel->types.end() && Has(types->second.dtypes, DtypeName(dtype));
           });
  });
  return taking;
}

bool AccumulatesIn(const Kernel& kernel, Dtype dtype) {
  const auto said = kernel.details.find("accumulate");
  return said != kernel.details.end() && said->second == DtypeName(dtype);
}

std::string KernelDtypes(const Operator& op, std::string_view device,
                         const Configuration* configuration) {
  std::map<std::string, std::set<std::string>> all;
  const std::set<std::string> variables = FloatVariables(op, Dtype::kFloat32);
  const KernelsThere kernels = KernelsFor(op, device, configuration);
  for (const Kernel* kernel : kernels.sure) {
    for (const auto& [variable, types] : kernel->types) {
      if (!variables.contains(variable)) continue;
      all[variable].insert(types.dtypes.begin(), types.dtypes.end());
    }
  }
  return Join(all, "; ", [](const auto& of) {
    return (of.first.empty() ? "" : of.first + ": ") + Join(of.second, ", ");
  });
}

void JoinKernels(std::vector<Kernel>& kernels) {
  std::set<std::string> variables;
  for (const Kernel& kernel : kernels) {
    for (const auto& [variable, types] : kernel.types) variables.insert(variable);
  }
  // Joining by one variable may make others equal.
  for (std::size_t before = 0; before != kernels.size() && !variables.empty();) {
    before = kernels.size();
    for (const std::string& variable : variables) JoinVariable(kernels, variable);
  }
  std::sort(kernels.begin(), kernels.end());
  kernels.erase(std::unique(kernels.begin(), kernels.end()), kernels.end());
}

}  // namespace opledger
