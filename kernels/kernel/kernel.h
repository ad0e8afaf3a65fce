// A kernel: one registration by OPLEDGER_KERNEL, which our own scanner reads (kernels/cpu). In: a
// call, with types and parameters. Out: a step that runs it, or a refusal. A kernel computes in
// float32, whatever it reads and writes, and rounds once, at the end.
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

// A float32 number in place of an input that is not there; `missing` says which, the first time.
const TensorType& MissingInput(std::size_t input, std::optional<std::size_t>& missing);
std::string MissingText(std::size_t input);

// What is known of a call before it runs.
struct Call {
  std::vector<std::optional<TensorType>> inputs;  // none: left out
  std::vector<const void*> constants;  // of each input its numbers where they are known, or nullptr
  std::size_t outputs = 1;             // how many are asked for
  Parameters parameters;
  // The first input that was asked for and is not there: no kernel serves the call.
  mutable std::optional<std::size_t> missing = {};

  bool Has(std::size_t input) const { return input < inputs.size() && inputs[input].has_value(); }
  // One that is not there is a float32 number, and `missing`.
  const TensorType& Input(std::size_t input) const {
    return Has(input) ? *inputs[input] : MissingInput(input, missing);
  }
  const Dimensions& Shape(std::size_t input) const { return Input(input).dimensions; }
};

// Runs a prepared call on its tensors, in the order of the call; those left out are nullptr. It
// may be called again with others of the same types. `workspace` is as large as was asked for.
using Step = std::function<void(const void* const* inputs, void* const* outputs, void* workspace)>;

// What an element-wise kernel launches on its device, which can be joined with others of that
// device.
class JoinableLaunch {
 public:
  virtual ~JoinableLaunch() = default;
  // Of what an input of `next` is: nothing: the result; else the first input of the two together
  // that is the same value.
  using SourceOfInput = std::function<std::optional<std::size_t>(std::size_t)>;
  // This one and then `next`, whose input i is `source(i)`: the kernel's inputs are this one's
  // `inputs`, behind them those of `next`. nullptr: they stay two.
  virtual std::shared_ptr<const JoinableLaunch> Join(const JoinableLaunch& next, std::size_t inputs,
                                                     const SourceOfInput& source) const = 0;
  virtual Step Finish() const = 0;
  // Whether the result may have the memory of the kernel's input `input`.
  virtual bool MayOverwrite(std::size_t) const { return false; }
};

// A call as a kernel will run it.
struct Prepared {
  Status refusal;                   // not ok: why the kernel cannot serve the call
  std::vector<TensorType> outputs;  // one for each that can be asked for
  std::size_t workspace = 0;        // bytes, aligned as the tensors are
  // Inputs that the step does not read: constants of which it has its own form, and what only has
  // a shape that it needs.
  std::vector<std::size_t> unread_inputs;
  bool is_view = false;        // output 0 is input 0 in another shape: there is nothing to run
  std::string implementation;  // the library's name of what runs it, "brgconv:avx512_core"; or none
  Step run;
  // On a GPU, of element-wise kernels: what `run` launches, so that it can be joined with others.
  std::shared_ptr<const JoinableLaunch> launch;
};

Prepared Refuse(Status why);

using Prepare = Prepared (*)(const Call& call);

// What planning may do with a call of a kernel. Said by the reference of its name.
enum class ChannelsLastUse : std::uint8_t {
  kNo,       // its tensors have their channels second
  kAsks,     // it is faster with channels last (channels_last.h)
  kFollows,  // it takes them so, if its input 0 is; its other inputs are as they are
  kByAxis,   // it has no channels but the parameter "axis", and follows
  // It has no channels but parameters for each dimension, and follows: a list "output", and those
  // of kPerDimension with the dimension's number after them.
  kByDimension,
};
struct DimensionParameter {
  const char* name;
  double absent;
};
inline constexpr DimensionParameter kPerDimension[] = {
    {"scale", 1}, {"region_begin", 0}, {"region_end", 1}};
enum class FusedChannel : std::uint8_t { kNone, kSecond, kLast };

// How a 16-bit result is made, so that a plan can keep it as float32 numbers.
enum class Rounding : std::uint8_t {
  kUnsaid,    // nobody has said
  kAtTheEnd,  // it is what the same call gives in float32, rounded
  kNone,      // each of its numbers is one of the inputs'
};

struct KernelProperties {
  // Each number of the result is made of one number of each input, which broadcast.
  bool elementwise = false;
  // A contraction may compute it, too, in float32 (fused_call.h): alpha and beta where a call does
  // not say them.
  bool fusable = false;
  double alpha = 0;
  double beta = 0;
  // Of a contraction that serves fused calls: which dimension of its result the channels are.
  FusedChannel fuses = FusedChannel::kNone;
  ChannelsLastUse channels_last = ChannelsLastUse::kNo;
  Rounding rounding = Rounding::kUnsaid;
};

// Who computes a kernel, from the least to the most preferred: of those that serve a call, the last
// one runs it.
enum class Implementation : std::uint8_t {
  kReference,  // "reference": plain loops, which the others are tested against
  kVector,     // "vector": our own loops over vectors
  kOneDnn,     // "oneDNN"
};

// One registration, and how it is written:
//   OPLEDGER_KERNEL(Softmax, "cpu")
//       .Types("T", {Dtype::kFloat32, Dtype::kFloat16, Dtype::kBfloat16})
//       .Accumulates(Dtype::kFloat32)
//       .ErrorBound("4 ulp")
//       .Reads("axes")
//       .Refuses("the axis is none of the input's", &AxisIsWrong)
//       .Run(&PrepareSoftmax);
// Strings are literals: they live as long as the program.
class KernelEntry {
 public:
  KernelEntry(const char* name, const char* device) : name_(name), device_(device) {}

  // The element types that input `input` may have.
  KernelEntry& Types(const char* variable, std::vector<Dtype> dtypes, std::size_t input = 0);
  KernelEntry& Accumulates(Dtype dtype);
  // The instruction set without which it is not tried: "avx2", "avx512", "amx_bf16".
  KernelEntry& Needs(const char* instruction_set);
  // In ulp of the output's type, or "exact".
  KernelEntry& ErrorBound(const char* bound);
  // A parameter that the operator has, "axis"; with its values where it is one of a few words,
  // "mode: constant, edge". The reference declares them for all kernels of its name.
  KernelEntry& Reads(const char* parameter);
  KernelEntry& Refuses(const char* reason, bool (*refuses)(const Call&));
  // See KernelProperties.
  KernelEntry& Elementwise();
  KernelEntry& Fusable(double alpha = 0, double beta = 0);
  KernelEntry& Fuses(FusedChannel channel);
  KernelEntry& ChannelsLast(ChannelsLastUse use);
  KernelEntry& Rounds(Rounding rounding);
  // Who computes it: "vector" or "oneDNN"; the reference, if this is not called.
  KernelEntry& By(const char* implementation);
  KernelEntry& Run(Prepare prepare);

  std::string_view name() const { return name_; }
  std::string_view device() const { return device_; }
  Implementation implementation() const { return implementation_; }
  // "reference", "vector" or "oneDNN"; on another device that device.
  std::string_view implementation_name() const;
  const char* instruction_set() const { return instruction_set_; }  // "" where it needs none
  const char* error_bound() const { return error_bound_; }
  std::optional<Dtype> accumulates() const { return accumulates_; }

  const std::vector<const char*>& parameters() const { return parameters_; }

  const KernelProperties& properties() const { return properties_; }
  // What is said of element-wise kernels and contractions by that alone.
  Rounding rounding() const;

  // What the registration says, as our scanner reads it.
  Kernel Declaration() const;

  // Prepares a call, or says why the kernel cannot serve it: a reference that reads a parameter
  // which it has not declared does not either, so that no test of it passes.
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

// All kernels, in the order of their names; of one name, the preferred implementation first, and
// the CPU's reference last.
const std::map<std::string_view, std::vector<const KernelEntry*>>& Kernels();

// Which kernel runs a call: the first of that name that serves it.
struct ChosenKernel {
  const KernelEntry* entry = nullptr;  // nullptr: there is none, and prepared.refusal says why
  Prepared prepared;
};
struct KernelChoice {
  bool reference_only = false;
  std::string_view device = "cpu";
  bool only_device = false;  // what the device has no kernel for is not run on the CPU instead
  int device_number = 0;     // which of several devices of that name
};
// What --device says: "cpu", "cuda" or "cuda-only", or one of the latter two with a number after a
// colon.
KernelChoice ChoiceFor(std::string_view device);
// Whether it is "cuda:N" or "cuda-only:N".
bool IsNumberedDevice(std::string_view device);
// A kernel that was preferred to the chosen one, and why it does not serve the call.
struct RefusedKernel {
  const KernelEntry* entry = nullptr;
  std::string why;
};
// `refused`, if it is there, gets the kernels that were tried in vain, in their order.
ChosenKernel ChooseKernel(std::string_view name, const Call& call, const KernelChoice& choice,
                          std::vector<RefusedKernel>* refused = nullptr);

KernelEntry& DeclareKernel(const char* name, const char* device);

}  // namespace opledger

#define OPLEDGER_KERNEL_JOIN(a, b) a##b
#define OPLEDGER_KERNEL_NAME(a, b) OPLEDGER_KERNEL_JOIN(a, b)
// The reference is of no use: the registration is what counts.
#define OPLEDGER_KERNEL(name, device)                                          \
  [[maybe_unused]] static const ::opledger::KernelEntry& OPLEDGER_KERNEL_NAME( \
      kernel_##name##_, __COUNTER__) = ::opledger::DeclareKernel(#name, device)
