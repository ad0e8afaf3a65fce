// Kernels, each registered by an OPLEDGER_KERNEL, which our own scanner reads (kernels/cpu). In: a
// call with types and parameters. Out: a step that runs it, or a refusal. Kernels compute in
// float32, whatever they read and write, and round once, at the end.
// May include: kernels/machine, kernels/tensor, registry/manifest, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/kernel/parameters.h"
#include "kernels/machine/status.h"
#include "kernels/tensor/tensor.h"
#include "registry/manifest/kernel.h"

namespace opledger {

// Returns the type of a float32 scalar, used for a missing input; the first one is recorded in
// `missing`.
const TensorType& MissingInput(std::size_t input, std::optional<std::size_t>& missing);
std::string MissingText(std::size_t input);

// What is known about a call before it runs.
struct Call {
  std::vector<std::optional<TensorType>> inputs;  // nullopt: left out
  std::vector<const void*> constants;             // data of each input if known, otherwise nullptr
  std::size_t outputs = 1;                        // number of outputs requested
  Parameters parameters;
  // The first input that was asked for but is missing. No kernel serves such a call.
  mutable std::optional<std::size_t> missing = {};

  bool Has(std::size_t input) const { return input < inputs.size() && inputs[input].has_value(); }
  // Returns a float32 scalar for a missing input, and sets `missing`.
  const TensorType& Input(std::size_t input) const {
    return Has(input) ? *inputs[input] : MissingInput(input, missing);
  }
  const Dimensions& Shape(std::size_t input) const { return Input(input).dimensions; }
};

// Runs a prepared call on its tensors, in the call's order; those left out are nullptr. May be
// called again with other tensors of the same types. `workspace` has the requested size.
using Step = std::function<void(const void* const* inputs, void* const* outputs, void* workspace)>;

// The launch of an element-wise kernel on its device. It can be joined with other launches of that
// device.
class JoinableLaunch {
 public:
  virtual ~JoinableLaunch() = default;
  // Maps an input of `next`: nullopt if it is this launch's result, otherwise the first input of
  // the joined launch with the same value.
  using SourceOfInput = std::function<std::optional<std::size_t>(std::size_t)>;
  // Returns a launch of this one and then `next`, whose input i is `source(i)`. The inputs of the
  // result are this one's `inputs` inputs, then those of `next`. Returns nullptr if they cannot be
  // joined.
  virtual std::shared_ptr<const JoinableLaunch> Join(const JoinableLaunch& next, std::size_t inputs,
                                                     const SourceOfInput& source) const = 0;
  virtual Step Finish() const = 0;
  // Returns whether the result may be written to the memory of that input.
  virtual bool MayOverwrite(std::size_t) const { return false; }
};

// A call prepared by a kernel.
struct Prepared {
  Status refusal;                   // not ok: why the kernel cannot serve the call
  std::vector<TensorType> outputs;  // types of all possible outputs
  std::size_t workspace = 0;        // bytes, aligned as tensors are
  // Inputs that the step does not read: constants that it has packed, and inputs of which it needs
  // only the shape.
  std::vector<std::size_t> unread_inputs;
  bool is_view = false;        // output 0 is input 0 in another shape; nothing to run
  std::string implementation;  // the library's name for it, "brgconv:avx512_core", or empty
  Step run;
  // For element-wise kernels on a GPU: what `run` launches, for joining.
  std::shared_ptr<const JoinableLaunch> launch;
};

Prepared Refuse(Status why);

using Prepare = Prepared (*)(const Call& call);

// What the planner may do with calls of a kernel. Declared by the reference implementation.
enum class ChannelsLastUse : std::uint8_t {
  kNo,       // channels are always second
  kAsks,     // faster with channels last (channels_last.h)
  kFollows,  // accepts channels last if its input 0 has them; its other inputs do not change
  kByAxis,   // accepts channels last, and has a parameter "axis" to adapt
  // Accepts channels last, and has parameters for each dimension to adapt: a list "output", and
  // those of kPerDimension followed by the dimension's index.
  kByDimension,
};
struct DimensionParameter {
  const char* name;
  double absent;
};
inline constexpr DimensionParameter kPerDimension[] = {
    {"scale", 1}, {"region_begin", 0}, {"region_end", 1}};
enum class FusedChannel : std::uint8_t { kNone, kSecond, kLast };

// How a 16-bit result is rounded; decides whether a plan may keep it in float32.
enum class Rounding : std::uint8_t {
  kUnsaid,    // not declared
  kAtTheEnd,  // the float32 result of the same call, rounded
  kNone,      // no rounding: each element is an element of an input
};

struct KernelProperties {
  // Each element of the result depends on one element of each input, broadcast.
  bool elementwise = false;
  // Can be fused into a contraction and computed in float32 (fused_call.h). alpha and beta:
  // defaults if the call does not have them.
  bool fusable = false;
  double alpha = 0;
  double beta = 0;
  // For contractions that serve fused calls: which dimension of the result is the channels.
  FusedChannel fuses = FusedChannel::kNone;
  ChannelsLastUse channels_last = ChannelsLastUse::kNo;
  Rounding rounding = Rounding::kUnsaid;
};

// The implementations, from least to most preferred. A call runs on the most preferred one that
// serves it.
enum class Implementation : std::uint8_t {
  kReference,  // "reference": plain loops; the others are tested against them
  kVector,     // "vector": our vectorized loops
  kOneDnn,     // "oneDNN"
};

// One registration, written as follows:
//   OPLEDGER_KERNEL(Softmax, "cpu")
//       .Types("T", {Dtype::kFloat32, Dtype::kFloat16, Dtype::kBfloat16})
//       .Accumulates(Dtype::kFloat32)
//       .ErrorBound("4 ulp")
//       .Reads("axes")
//       .Refuses("its axis is out of range", &AxisIsWrong)
//       .Run(&PrepareSoftmax);
// Strings are literals: they live as long as the program.
class KernelEntry {
 public:
  KernelEntry(const char* name, const char* device) : name_(name), device_(device) {}

  // The element types that input `input` may have.
  KernelEntry& Types(const char* variable, std::vector<Dtype> dtypes, std::size_t input = 0);
  KernelEntry& Accumulates(Dtype dtype);
  // The required instruction set: "avx2", "avx512", "amx_bf16".
  KernelEntry& Needs(const char* instruction_set);
  // In ulp of the output's type, or "exact".
  KernelEntry& ErrorBound(const char* bound);
  // A parameter of the operator, "axis"; if it is one of a few words, with these: "mode: constant,
  // edge". The reference declares the parameters of all implementations.
  KernelEntry& Reads(const char* parameter);
  KernelEntry& Refuses(const char* reason, bool (*refuses)(const Call&));
  // See KernelProperties.
  KernelEntry& Elementwise();
  KernelEntry& Fusable(double alpha = 0, double beta = 0);
  KernelEntry& Fuses(FusedChannel channel);
  KernelEntry& ChannelsLast(ChannelsLastUse use);
  KernelEntry& Rounds(Rounding rounding);
  // The implementation, "vector" or "oneDNN"; without this call it is the reference.
  KernelEntry& By(const char* implementation);
  KernelEntry& Run(Prepare prepare);

  std::string_view name() const { return name_; }
  std::string_view device() const { return device_; }
  Implementation implementation() const { return implementation_; }
  // "reference", "vector" or "oneDNN"; for another device, the device's name.
  std::string_view implementation_name() const;
  const char* instruction_set() const { return instruction_set_; }  // "" if none is needed
  const char* error_bound() const { return error_bound_; }
  std::optional<Dtype> accumulates() const { return accumulates_; }

  const std::vector<const char*>& parameters() const { return parameters_; }

  const KernelProperties& properties() const { return properties_; }
  // As declared; otherwise derived for element-wise kernels and contractions.
  Rounding rounding() const;

  // Returns the registration in the form in which our scanner reads it.
  Kernel Declaration() const;

  // Prepares a call, or gives the reason why the kernel cannot serve it. A reference that reads a
  // parameter which no kernel of its name declares refuses the call, so that its tests fail.
  Prepared Serve(const Call& call) const;

 private:
  struct Variable {
    const char* name;
    std::vector<Dtype> dtypes;
    std::size_t input;
  };
  Prepared PrepareCall(const Call& call) const;

  struct Limit {
    const char* reason;
    bool (*refuses)(const Call&);
  };
  const char* name_;
  const char* device_;
  const char* instruction_set_ = "";
  const char* error_bound_ = "";
  std::optional<Dtype> accumulates_;
  Implementation implementation_ = Implementation::kReference;
  std::vector<Variable> variables_;
  std::vector<Limit> limits_;
  KernelProperties properties_;
  std::vector<const char*> parameters_;
  Prepare prepare_ = nullptr;
};

// All kernels by name. Within a name, the most preferred implementation is first and the CPU's
// reference is last.
const std::map<std::string_view, std::vector<const KernelEntry*>>& Kernels();

// The kernel that runs a call: the first one of that name that serves it.
struct ChosenKernel {
  const KernelEntry* entry = nullptr;  // nullptr: none; prepared.refusal has the reason
  Prepared prepared;
};
struct KernelChoice {
  bool reference_only = false;
  std::string_view device = "cpu";
  bool only_device = false;  // no fallback to the CPU for what the device has no kernel for
  int device_number = 0;     // index among devices of that name
};
// Parses --device: "cpu", "cuda", "cuda-only", "cuda:N" or "cuda-only:N".
KernelChoice ChoiceFor(std::string_view device);
// Returns whether it is "cuda:N" or "cuda-only:N".
bool IsNumberedDevice(std::string_view device);
// A preferred kernel that refused the call, and why.
struct RefusedKernel {
  const KernelEntry* entry = nullptr;
  std::string why;
};
// `refused`, if not nullptr, receives the kernels that refused, in order.
ChosenKernel ChooseKernel(std::string_view name, const Call& call, const KernelChoice& choice,
                          std::vector<RefusedKernel>* refused = nullptr);

KernelEntry& DeclareKernel(const char* name, const char* device);

}  // namespace opledger

#define OPLEDGER_KERNEL_JOIN(a, b) a##b
#define OPLEDGER_KERNEL_NAME(a, b) OPLEDGER_KERNEL_JOIN(a, b)
// The reference itself is unused; only the registration matters.
#define OPLEDGER_KERNEL(name, device)                                          \
  [[maybe_unused]] static const ::opledger::KernelEntry& OPLEDGER_KERNEL_NAME( \
      kernel_##name##_, __COUNTER__) = ::opledger::DeclareKernel(#name, device)
