// Makes probes of element-wise kernels from their results in float64.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>

#include "kernels/evidence/probe.h"
#include "kernels/kernel/kernel.h"

namespace opledger {
namespace {

constexpr std::int64_t kSampleSize = 4096;

// Chooses the kernel for `inputs` vectors of one type; `entry` is nullptr if it does not accept
// them.
ChosenKernel ChooseFor(const char* kernel, std::size_t inputs, Dtype dtype, std::int64_t count) {
  Call call;
  call.inputs.assign(inputs, TensorType{dtype, {count}});
  call.constants.assign(inputs, nullptr);
  return ChooseKernel(kernel, call, {true});
}

// Results of a unary function; empty if they are not floats.
std::vector<double> ValuesOf(const char* kernel, const std::vector<double>& numbers) {
  const ChosenKernel chosen =
      ChooseFor(kernel, 1, Dtype::kFloat64, static_cast<std::int64_t>(numbers.size()));
  if (chosen.entry == nullptr || !chosen.prepared.run) return {};
  if (chosen.prepared.outputs[0].dtype != Dtype::kFloat64) return {};
  std::vector<double> values(numbers.size());
  const void* from = numbers.data();
  void* to = values.data();
  chosen.prepared.run(&from, &to, nullptr);
  return values;
}

// Returns the role of numbers for which the function is defined.
Role RoleOf(const char* kernel) {
  std::vector<double> values = ValuesOf(kernel, {-2.25, -0.5, 0.5, 2.25});
  values.resize(4);
  const auto is_number = [&](std::size_t i) { return !std::isnan(values[i]); };
  if (is_number(0)) return Role::kReals;
  if (is_number(1)) return is_number(3) ? Role::kAboveMinusOne : Role::kInside;
  return is_number(2) ? Role::kPositives : Role::kAboveOne;
}

// Numbers from -8 to 8 at which a function changes its sign, found by bisection between neighboring
// samples of different signs.
struct Crossings {
  std::vector<double> points;
  bool has_poles = false;
};

Crossings CrossingsOf(const char* kernel) {
  constexpr int kNeighbors = 1024;
  constexpr int kHalvings = 60;
  std::vector<double> numbers;
  for (int i = 0; i < kNeighbors; ++i)
    numbers.push_back(-8 + (i + 0.37) / 64);  // avoid round numbers
  std::vector<double> values = ValuesOf(kernel, numbers);
  std::vector<double> left;
  std::vector<double> right;
  std::vector<double> left_value;
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (!(values[i - 1] * values[i] < 0)) continue;
    left.push_back(numbers[i - 1]);
    right.push_back(numbers[i]);
    left_value.push_back(values[i - 1]);
  }
  for (int halving = 0; halving < kHalvings && !left.empty(); ++halving) {
    std::vector<double> middle;
    for (std::size_t i = 0; i < left.size(); ++i) middle.push_back((left[i] + right[i]) / 2);
    values = ValuesOf(kernel, middle);
    for (std::size_t i = 0; i < left.size(); ++i) {
      const bool same = values[i] * left_value[i] > 0;
      (same ? left : right)[i] = middle[i];
      if (same) left_value[i] = values[i];
    }
  }
  Crossings crossings;
  for (std::size_t i = 0; i < left.size(); ++i) {
    crossings.points.push_back(std::fabs(left[i]) < 0x1p-40 ? 0 : left[i]);
    crossings.has_poles = crossings.has_poles || std::fabs(left_value[i]) > 1;
  }
  return crossings;
}

Probe OfOneNumber(const char* kernel) {
  Probe probe = {kernel, {{RoleOf(kernel), {kSampleSize}}}};
  const Crossings crossings = CrossingsOf(kernel);
  probe.crossings = crossings.points;
  const bool far = std::any_of(crossings.points.begin(), crossings.points.end(),
                               [](double point) { return point != 0; });
  // For functions like Sin, errors at zeros far from 0 come from rounding the argument.
  if (probe.inputs[0].role == Role::kReals && far && !crossings.has_poles) {
    probe.judged = Judged::kByNorm;
  }
  return probe;
}

}  // namespace

std::vector<Probe> ElementwiseProbes(const std::vector<Probe>& described) {
  std::set<std::string_view> known;
  for (const Probe& probe : described) known.insert(probe.kernel);
  std::vector<Probe> probes;
  for (const auto& [name, entries] : Kernels()) {
    if (known.count(name) != 0 || !WhyNotMeasured(name).empty()) continue;
    if (!entries.back()->properties().elementwise) continue;
    const char* kernel = name.data();  // a literal
    const auto takes = [kernel](std::size_t inputs) {
      return ChooseFor(kernel, inputs, Dtype::kFloat16, kSampleSize).entry != nullptr;
    };
    const ProbeInput reals = {Role::kReals, {kSampleSize}};
    if (takes(1)) {
      probes.push_back(OfOneNumber(kernel));
    } else if (takes(2)) {
      probes.push_back({kernel, {reals, reals}});
    }
  }
  return probes;
}

std::vector<Domain> DomainsOf(const Probe& probe, Dtype dtype) {
  constexpr std::int64_t kLengths[] = {4096, 65536};
  const auto varied = std::find_if(probe.inputs.begin(), probe.inputs.end(),
                                   [](const ProbeInput& each) { return IsOfFloats(each.role); });
  const Role role = varied == probe.inputs.end() ? Role::kIndices : varied->role;
  std::vector<Domain> domains = DomainsOf(role);
  for (const std::int64_t length : kLengths) {
    if (!probe.rows || probe.inputs[0].shape.back() == length) continue;
    Domain rows = domains.front();
    rows.name += ", rows of " + std::to_string(length);
    rows.columns = length;
    domains.push_back(rows);
  }
  const bool divides =
      std::any_of(probe.inputs.begin(), probe.inputs.end(),
                  [](const ProbeInput& each) { return each.role == Role::kDivisors; });
  if (divides) {
    const double least = dtype == Dtype::kFloat16 ? 0x1p-14 : 0x1p-126;  // smallest normal number
    domains.push_back({"small divisors", 1, true, least});
  }
  if (!probe.crossings.empty()) domains.push_back({kCrossings, 1, true, 0, 0, probe.crossings});
  return domains;
}

}  // namespace opledger
