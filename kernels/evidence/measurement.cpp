// For each domain: draws inputs in float64, rounds them, and runs the kernel; runs the same call in
// float64, on the inputs as drawn and as rounded.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/evidence/measurement.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/kernel/step_problem.h"
#include "kernels/machine/cpu_time.h"
#include "kernels/model/float64_oracle.h"
#include "kernels/tensor/tensor_error.h"
#include "registry/precision_list/harm.h"

namespace opledger {
namespace {

struct Ran {
  std::string refusal;
  const KernelEntry* entry = nullptr;
  ConstantTensor output;
  std::optional<double> milliseconds;
};

// Returns the CPU time in milliseconds of the fastest of at least 3 calls, which take at least 5 ms
// together.
double TimeOf(const Step& run, const void* const* inputs, void* const* outputs, void* workspace) {
  double min = std::numeric_limits<double>::infinity();
  double spent = 0;
  for (int i = 0; i < 3 || (spent < 5 && i < 1000); ++i) {
    const double start = 1e3 * ProcessSeconds();
    run(inputs, outputs, workspace);
    const double took = 1e3 * ProcessSeconds() - start;
    spent += took;
    min = std::min(min, took);
  }
  return min;
}

Ran RunKernel(const Probe& probe, const std::vector<ConstantTensor>& inputs,
              const KernelChoice& choice, bool speed) {
  Call call;
  call.parameters = probe.parameters;
  std::vector<const void*> from;
  for (const ConstantTensor& input : inputs) {
    call.inputs.emplace_back(input.type);
    from.push_back(input.data.get());
    call.constants.push_back(IsFloat(input.type.dtype) ? nullptr : input.data.get());
  }
  Ran ran;
  ChosenKernel chosen = ChooseKernel(probe.kernel, call, choice);
  ran.entry = chosen.entry;
  if (chosen.entry == nullptr) {
    ran.refusal = chosen.prepared.refusal.message;
    return ran;
  }
  if (chosen.prepared.is_view) {
    ran.output = inputs[0];
    ran.output.type = chosen.prepared.outputs[0];
    return ran;
  }
  std::vector<ConstantTensor> results;
  std::vector<void*> to;
  for (const TensorType& type : chosen.prepared.outputs) {
    results.emplace_back(type);
    to.push_back(results.back().data.get());
  }
  const AlignedBytes workspace = AllocateAligned(chosen.prepared.workspace);
  chosen.prepared.run(from.data(), to.data(), workspace.get());
  TakeStepProblem();  // random indices may be invalid
  if (speed) {
    ran.milliseconds = TimeOf(chosen.prepared.run, from.data(), to.data(), workspace.get());
  }
  ran.output = results[0];
  return ran;
}

// Returns whether the number is finite in float32.
bool IsCounted(double number) {
  return std::fabs(number) <= static_cast<double>(std::numeric_limits<float>::max());
}

double Share(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

// Returns the given quantile of the errors.
double Quantile(std::vector<double>& errors, double share) {
  if (errors.empty()) return 0;
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(errors.size() - 1));
  std::nth_element(errors.begin(), errors.begin() + at, errors.end());
  return errors[static_cast<std::size_t>(at)];
}

// Judges rows of numbers, or of logarithms of numbers, by their largest number.
void JudgeRows(const Probe& probe, double unit, const ConstantTensor& exact,
               const std::vector<double>& got, DomainEvidence& evidence) {
  const auto size = [&](double x) {
    return probe.judged == Judged::kByLargestLogarithm ? std::exp(x) : x;
  };
  const auto columns = exact.type.dimensions.back();
  std::size_t changed = 0;
  evidence.rows = 0;
  evidence.largest = 0;
  for (std::size_t row = 0; row < got.size(); row += static_cast<std::size_t>(columns)) {
    const double* wanted = exact.As<double>() + row;
    const double* found = got.data() + row;
    const auto top = std::max_element(wanted, wanted + columns) - wanted;
    const auto chosen = std::max_element(found, found + columns) - found;
    const double largest = size(wanted[top]);
    const double off =
        std::max(std::fabs(size(found[top]) - largest), largest - size(wanted[chosen]));
    const double error =
        std::isnan(off) ? std::numeric_limits<double>::infinity() : off / (largest * unit);
    ++evidence.rows;
    if (error > kMaxError) ++changed;
    evidence.largest = std::max(evidence.largest, error);
  }
  evidence.changed_rows = Share(changed, evidence.rows);
}

// Compares `got`, in float64, with `exact`.
void Judge(const Probe& probe, Dtype dtype, const ConstantTensor& exact,
           const std::vector<double>& got, DomainEvidence& evidence) {
  const double unit = UnitInLastPlace(dtype, 1) / 2;
  double largest = 0;
  double squares = 0;
  std::size_t counted = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double wanted = exact.As<double>()[i];
    if (!IsCounted(wanted)) continue;
    ++counted;
    largest = std::max(largest, std::fabs(wanted));
    squares += wanted * wanted;
  }
  const double norm = counted == 0 ? 0 : std::sqrt(squares / static_cast<double>(counted));
  // Near a zero of the function, each result is judged by its own size.
  const bool by_norm = probe.judged == Judged::kByNorm && evidence.domain != kCrossings;
  std::vector<double> errors;
  std::size_t not_finite = 0;
  std::size_t flushed = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double wanted = exact.As<double>()[i];
    if (!IsCounted(wanted)) continue;
    if (!std::isfinite(got[i])) {
      ++not_finite;
      continue;
    }
    if (wanted == 0 || std::fabs(wanted) < largest * 0x1p-14) continue;
    if (got[i] == 0) ++flushed;
    const double size = by_norm ? norm : std::fabs(wanted);
    errors.push_back(std::fabs(got[i] - wanted) / (size * unit));
  }
  evidence.numbers = got.size();
  evidence.not_finite = Share(not_finite, counted);
  evidence.flushed = Share(flushed, errors.size());
  evidence.median = Quantile(errors, 0.5);
  evidence.p99 = Quantile(errors, 0.99);
  evidence.max = Quantile(errors, 1);
  if (probe.judged == Judged::kByLargest || probe.judged == Judged::kByLargestLogarithm) {
    JudgeRows(probe, unit, exact, got, evidence);
  }
}

std::vector<double> NumbersOf(const ConstantTensor& tensor) {
  const ConstantTensor wide = Upcast(tensor);
  return {wide.As<double>(), wide.As<double>() + Elements(wide.type.dimensions)};
}

// The error of the kernel alone: against float64 on the same inputs.
void JudgeKernel(const ConstantTensor& got, const ConstantTensor& exact, DomainEvidence& evidence) {
  if (!IsFloat(got.type.dtype)) {
    evidence.exact = std::memcmp(got.data.get(), exact.data.get(), Bytes(got.type)) == 0;
    return;
  }
  const TensorError error = ErrorOf(got.type, got.data.get(), exact);
  evidence.ulp = error.ulp;
  evidence.exact = error.absolute == 0 && error.not_finite == 0;
}

struct Drawn {
  std::vector<ConstantTensor> exact;    // float64
  std::vector<ConstantTensor> rounded;  // the 16-bit type
};

// With another row length the number of rows changes, but is at least 8.
Dimensions ShapeFor(const Domain& domain, const Dimensions& shape) {
  if (domain.columns == 0) return shape;
  const auto numbers = static_cast<std::int64_t>(Elements(shape));
  return {std::max<std::int64_t>(8, numbers / domain.columns), domain.columns};
}

Drawn DrawInputs(const Probe& probe, const Domain& domain, Dtype dtype) {
  Drawn drawn;
  for (std::size_t i = 0; i < probe.inputs.size(); ++i) {
    const ProbeInput& input = probe.inputs[i];
    const Dimensions shape = ShapeFor(domain, input.shape);
    drawn.exact.push_back(Draw(input.role, domain, shape, input.limit, i + 1));
    drawn.rounded.push_back(Downcast(drawn.exact.back(), dtype));
  }
  return drawn;
}

std::vector<ConstantTensor> AllUpcast(const std::vector<ConstantTensor>& tensors) {
  std::vector<ConstantTensor> wide;
  for (const ConstantTensor& tensor : tensors) wide.push_back(Upcast(tensor));
  return wide;
}

}  // namespace

Measurement Measure(const Probe& probe, Dtype dtype, const MeasureOptions& options) {
  Measurement measurement;
  for (const Domain& domain : DomainsOf(probe, dtype)) {
    const Drawn drawn = DrawInputs(probe, domain, dtype);
    const bool speed = options.speed && !measurement.milliseconds;
    const Ran low = RunKernel(probe, drawn.rounded, options.choice, speed);
    const std::vector<ConstantTensor> rounded = AllUpcast(drawn.rounded);
    const Ran exact = RunKernel(probe, drawn.exact, {true}, false);
    const Ran of_rounded = RunKernel(probe, rounded, {true}, false);
    for (const Ran* ran : {&low, &exact, &of_rounded}) {
      if (ran->entry != nullptr) continue;
      measurement.refusal = ran->refusal;
      return measurement;
    }
    measurement.instruction_set = low.entry->instruction_set();
    measurement.bound = low.entry->error_bound();
    DomainEvidence evidence;
    evidence.domain = domain.name;
    evidence.rare = domain.rare;
    JudgeKernel(low.output, of_rounded.output, evidence);
    if (IsFloat(low.output.type.dtype)) {
      Judge(probe, dtype, exact.output, NumbersOf(low.output), evidence);
    }
    measurement.domains.push_back(evidence);
    const StepsOfInputs steps =
        dtype == Dtype::kFloat16 ? probe.formula.float16 : probe.formula.bfloat16;
    if (steps != nullptr) {
      evidence.ulp = 0;
      evidence.exact = false;
      Judge(probe, dtype, exact.output, steps(rounded), evidence);
      measurement.steps.push_back(evidence);
    }
    if (!speed) continue;
    measurement.milliseconds = low.milliseconds;
    std::vector<ConstantTensor> plain;
    for (const ConstantTensor& input : drawn.exact)
      plain.push_back(Downcast(input, Dtype::kFloat32));
    measurement.milliseconds_float32 = RunKernel(probe, plain, options.choice, true).milliseconds;
  }
  return measurement;
}

}  // namespace opledger
