// Every kernel above the reference against it: all element types, shapes that fill vectors and that
// do not, all ways a call can be written. Guard bytes around all tensors and the workspace hold,
// the outputs are poisoned before, the inputs are as they were. Kernels of our own give the
// reference's bits, others are within a bound. A new fast kernel without a call here fails.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <iostream>
#include <set>

#include "kernels/arithmetic/loops/cast.h"
#include "kernels/kernel/kernel.h"
#include "kernels/machine/machine.h"
#include "kernels/tensor/constant_tensor.h"
#include "kernels/tensor/random_tensor.h"
#include "tests/kernels/fast_kernel_cases.h"

namespace opledger {
namespace {

constexpr std::size_t kGuard = 64;
constexpr auto kGuardByte = std::byte{0xA5};
constexpr auto kPoison = std::byte{0xFF};  // a NaN in every type

// Memory with guards on both sides; what is inside is aligned as tensors are.
class Guarded {
 public:
  explicit Guarded(std::size_t size) : size_(size), memory_(AllocateAligned(size + 2 * kGuard)) {
    std::fill_n(memory_.get(), size + 2 * kGuard, kGuardByte);
    std::fill_n(data(), size, kPoison);
  }
  std::byte* data() const { return memory_.get() + kGuard; }
  bool Holds() const {
    const auto guards = [](std::byte byte) { return byte == kGuardByte; };
    return std::all_of(memory_.get(), data(), guards) &&
           std::all_of(data() + size_, data() + size_ + kGuard, guards);
  }

 private:
  std::size_t size_;
  AlignedBytes memory_;
};

// Tensors of a case in one type, and the call.
struct MadeCall {
  Call call;
  std::vector<ConstantTensor> tensors;
};

// Zeros of both signs, infinities and a NaN among the numbers.
void PutSpecials(const TensorType& type, void* data) {
  constexpr float kSpecials[] = {-0.0F, 0.0F, -0.0F, INFINITY, -INFINITY, NAN};
  std::size_t at = 1;
  for (const float each : kSpecials) {
    at = 2 * at + 1;
    if (at >= Elements(type.dimensions)) return;
    arithmetic::Downcast(&each, type.dtype,
                         static_cast<std::byte*>(data) + at * ElementSize(type.dtype), 1);
  }
}

MadeCall CallOf(const Case& each, Dtype dtype) {
  MadeCall made;
  made.call.parameters = each.parameters;
  for (std::size_t i = 0; i < each.inputs.size(); ++i) {
    made.call.inputs.push_back(each.inputs[i]);
    made.call.constants.push_back(nullptr);
    made.tensors.emplace_back();
    if (!each.inputs[i]) continue;
    TensorType& type = *made.call.inputs[i];
    if (each.singles.count(i) == 0) type.dtype = dtype;
    made.tensors[i] = RandomTensor(type, i + 1);
    // Statistics of a normalisation: no variance is negative.
    if (each.kernel == "BatchNorm" && i == 4) {
      std::fill_n(made.tensors[i].As<std::byte>(), Bytes(type), std::byte{0x3C});
    }
    if (each.specials && i == 0) PutSpecials(type, made.tensors[i].data.get());
    if (each.constants.count(i) != 0) made.call.constants[i] = made.tensors[i].data.get();
  }
  return made;
}

// What a kernel makes of it, in float32.
std::vector<float> ResultOf(const Prepared& prepared, const MadeCall& made) {
  std::vector<Guarded> outputs;
  std::vector<void*> to;
  for (std::size_t i = 0; i < prepared.outputs.size(); ++i) {
    outputs.emplace_back(Bytes(prepared.outputs[i]));
    to.push_back(i == 0 ? outputs[i].data() : nullptr);
  }
  const Guarded workspace(prepared.workspace);
  std::vector<const void*> from;
  std::vector<Guarded> inputs;
  for (std::size_t i = 0; i < made.tensors.size(); ++i) {
    const std::size_t size = made.call.Has(i) ? Bytes(made.tensors[i].type) : 0;
    inputs.emplace_back(size);
    if (size != 0) std::memcpy(inputs[i].data(), made.tensors[i].data.get(), size);
    const bool kept = std::find(prepared.unread_inputs.begin(), prepared.unread_inputs.end(), i) !=
                      prepared.unread_inputs.end();
    from.push_back(!made.call.Has(i) || kept ? nullptr : inputs[i].data());
  }
  prepared.run(from.data(), to.data(), workspace.data());
  EXPECT_TRUE(workspace.Holds());
  for (const Guarded& output : outputs) EXPECT_TRUE(output.Holds());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_TRUE(inputs[i].Holds());
    if (!made.call.Has(i) || Bytes(made.tensors[i].type) == 0) continue;
    EXPECT_EQ(
        0, std::memcmp(inputs[i].data(), made.tensors[i].data.get(), Bytes(made.tensors[i].type)));
  }
  std::vector<float> numbers(Elements(prepared.outputs[0].dimensions));
  arithmetic::Upcast(prepared.outputs[0].dtype, outputs[0].data(), numbers.data(), numbers.size());
  return numbers;
}

bool IsContraction(const std::string& kernel) {
  return kernel == "Conv" || kernel == "ConvTranspose" || kernel == "Lstm" || kernel == "Gru" ||
         kernel == "Rnn" || kernel == "Einsum" || kernel == "Attention" || kernel == "MatMul" ||
         kernel == "Gemm";
}

// Bits, all NaNs being one; of contractions, whose sums have another order, a bound: half a unit of
// the type where a number lies between two, and of float32 what the sum of about 100 products has,
// twice that where steps of a sequence follow each other.
void ExpectSame(const std::string& kernel, Dtype dtype, const std::vector<float>& got,
                const std::vector<float>& want) {
  ASSERT_EQ(got.size(), want.size());
  float max = 0;
  for (const float number : want) max = std::max(max, std::fabs(number));
  const float unit = dtype == Dtype::kFloat32   ? 0.0F
                     : dtype == Dtype::kFloat16 ? 0x1p-10F
                                                : 0x1p-7F;
  const float of_max = kernel == "Lstm" || kernel == "Gru" || kernel == "Rnn" ? 2e-5F : 1e-5F;
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (std::isnan(want[i])) {
      ASSERT_TRUE(std::isnan(got[i])) << "at " << i;
    } else if (IsContraction(kernel)) {
      ASSERT_LE(std::fabs(got[i] - want[i]), std::fabs(want[i]) * unit + of_max * max)
          << "at " << i;
    } else {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(got[i]), std::bit_cast<std::uint32_t>(want[i]))
          << "at " << i << ": " << got[i] << ", not " << want[i];
    }
  }
}

// How many calls the kernel served.
std::size_t Compare(const KernelEntry& entry, const Case& each) {
  std::size_t served = 0;
  for (const Dtype dtype : {Dtype::kFloat32, Dtype::kFloat16, Dtype::kBfloat16}) {
    const MadeCall made = CallOf(each, dtype);
    const Prepared wanted = ChooseKernel(each.kernel, made.call, {true}).prepared;
    const Prepared prepared = entry.Serve(made.call);
    EXPECT_EQ("", wanted.refusal.text) << each.kernel;
    if (!prepared.refusal.empty() || !wanted.refusal.empty()) continue;
    EXPECT_EQ(prepared.outputs[0], wanted.outputs[0]);
    SCOPED_TRACE(std::string(DtypeName(dtype)) + " " + Text(*made.call.inputs[0]));
    ExpectSame(each.kernel, dtype, ResultOf(prepared, made), ResultOf(wanted, made));
    ++served;
  }
  return served;
}

const std::set<std::string> kOfBytes = {"ConvInteger",           "DequantizeLinear",
                                        "DynamicQuantizeLinear", "MatMulInteger",
                                        "QuantizeLinear",        "Requantize"};

TEST(FastKernels, GiveWhatTheReferenceGives) {
  std::cout << "instruction sets: " << InstructionSets() << "\n";
  std::size_t kernels = 0;
  for (const auto& [name, entries] : Kernels()) {
    for (const KernelEntry* entry : entries) {
      if (entry->priority() == 0 || entry->device() != "cpu") continue;
      SCOPED_TRACE(std::string(name) + ", priority " + std::to_string(entry->priority()));
      std::size_t served = 0;
      if (name == "Pow") continue;  // its exponent is no random number: SquareByPow
      if (kOfBytes.count(std::string(name)) != 0) continue;  // OfBytesGiveTheSameBits
      for (const Case& each : CasesOf(std::string(name))) served += Compare(*entry, each);
      EXPECT_GT(served, 0U)
          << "no call of tests/kernels/fast_kernels_test.cpp is one that it serves";
      ++kernels;
    }
  }
  EXPECT_GT(kernels, 40U);
}

struct BytesCase {
  const char* kernel;
  std::vector<std::optional<TensorType>> inputs;
  std::set<std::size_t> constants;
  Parameters parameters;
};

std::vector<BytesCase> BytesCases() {
  const auto u8 = [](Dimensions shape) { return TensorType{Dtype::kUint8, std::move(shape)}; };
  const auto i8 = [](Dimensions shape) { return TensorType{Dtype::kInt8, std::move(shape)}; };
  const auto i32 = [](Dimensions shape) { return TensorType{Dtype::kInt32, std::move(shape)}; };
  std::vector<BytesCase> cases;
  for (const bool known : {true, false}) {
    const std::set<std::size_t> constants =
        known ? std::set<std::size_t>{1, 3} : std::set<std::size_t>{};
    cases.push_back(
        {"MatMulInteger", {u8({70, 65}), i8({65, 67}), u8({}), i8({67})}, constants, {}});
    cases.push_back(
        {"MatMulInteger", {i8({2, 3, 8}), u8({2, 8, 32}), i8({3}), u8({})}, constants, {}});
    cases.push_back({"MatMulInteger", {u8({5}), u8({5, 1})}, constants, {}});
  }
  Parameters window;
  window.Set("kernel", Integers{3, 2});
  window.Set("strides", Integers{2, 1});
  window.Set("dilations", Integers{1, 2});
  window.Set("begin", Integers{1, 0});
  window.Set("end", Integers{2, 3});
  cases.push_back({"ConvInteger",
                   {u8({2, 3, 9, 40}), i8({14, 3, 3, 2}), u8({}), i8({14}), i32({14})},
                   {1, 3},
                   window});
  window.Set("groups", std::int64_t{2});
  cases.push_back({"ConvInteger", {i8({1, 4, 9, 7}), u8({6, 2, 3, 2}), i8({})}, {1}, window});
  Parameters line;
  line.Set("kernel", Integers{5});
  line.Set("strides", Integers{2});
  line.Set("begin", Integers{2});
  line.Set("end", Integers{0});
  cases.push_back({"ConvInteger", {u8({1, 2, 90}), i8({3, 2, 5})}, {1}, line});
  Parameters axis;
  axis.Set("axis", std::int64_t{1});
  const TensorType one = Single({});
  cases.push_back({"QuantizeLinear", {Single({3, 5000}), one, u8({})}, {}, {}});
  cases.push_back({"QuantizeLinear", {Single({2, 5, 33}), Single({5}), i8({5})}, {}, axis});
  cases.push_back({"DequantizeLinear", {u8({3, 5000}), one, u8({})}, {}, {}});
  cases.push_back({"DequantizeLinear", {i8({2, 5, 33}), Single({5})}, {}, axis});
  cases.push_back({"DynamicQuantizeLinear", {Single({3, 1001})}, {}, {}});
  cases.push_back({"Requantize", {i32({2, 5, 33}), Single({5, 1}), u8({})}, {}, {}});
  cases.push_back({"Requantize", {i32({4, 70}), Single({70}), i8({})}, {}, {}});
  return cases;
}

// The bytes of the first output; `call` has the tensors that the case's constants are.
std::vector<std::byte> BytesOf(const Prepared& prepared,
                               const std::vector<ConstantTensor>& tensors) {
  std::vector<std::vector<std::byte>> outputs;
  for (const TensorType& type : prepared.outputs) outputs.emplace_back(Bytes(type));
  std::vector<const void*> from;
  std::vector<void*> to;
  for (const ConstantTensor& each : tensors) from.push_back(each.data.get());
  for (auto& each : outputs) to.push_back(each.data());
  const Guarded workspace(prepared.workspace);
  prepared.run(from.data(), to.data(), workspace.data());
  EXPECT_TRUE(workspace.Holds());
  std::vector<std::byte> all;
  for (const auto& each : outputs) all.insert(all.end(), each.begin(), each.end());
  return all;
}

TEST(FastKernels, OfBytesGiveTheSameBits) {
  std::set<std::string> served;
  std::uint32_t state = 1;
  for (const BytesCase& each : BytesCases()) {
    Call call;
    call.inputs = each.inputs;
    call.parameters = each.parameters;
    std::vector<ConstantTensor> tensors;
    for (std::size_t i = 0; i < each.inputs.size(); ++i) {
      tensors.emplace_back(*each.inputs[i]);
      const bool is_float = each.inputs[i]->dtype == Dtype::kFloat32;
      if (is_float) tensors[i] = RandomTensor(*each.inputs[i], i + 1);
      for (std::size_t at = 0; at < Bytes(*each.inputs[i]) && !is_float; ++at) {
        state = state * 1664525U + 1013904223U;
        // Sums as long as scales make bytes of, not all of one sign
        const bool is_sum = std::string(each.kernel) == "Requantize" && i == 0;
        tensors[i].As<std::uint8_t>()[at] = static_cast<std::uint8_t>(
            is_sum && at % 4 != 0 ? (at / 4 % 2 != 0 ? 255 : 0) : state >> 24U);
      }
      call.constants.push_back(each.constants.count(i) != 0 ? tensors[i].data.get() : nullptr);
    }
    if (std::string(each.kernel) == "QuantizeLinear") {
      PutSpecials(tensors[0].type, tensors[0].data.get());
    }
    SCOPED_TRACE(each.kernel + Text(*each.inputs[0]));
    const ChosenKernel fast = ChooseKernel(each.kernel, call, {});
    const ChosenKernel reference = ChooseKernel(each.kernel, call, {true});
    ASSERT_NE(nullptr, reference.entry) << reference.prepared.refusal.text;
    ASSERT_NE(nullptr, fast.entry);
    EXPECT_EQ(10, fast.entry->priority());
    served.insert(each.kernel);
    EXPECT_EQ(BytesOf(fast.prepared, tensors), BytesOf(reference.prepared, tensors));
  }
  EXPECT_EQ(kOfBytes, served);
}

// Right factors of one column would be 32 times as large in panels.
TEST(FastKernels, PanelsStaySmall) {
  const auto why_not = [](std::int64_t stack) {
    Call call;
    call.inputs = {Single({stack, 1, 40}), Single({stack, 40, 1})};
    call.constants = {nullptr, nullptr};
    for (const KernelEntry* entry : Kernels().at("MatMul")) {
      if (entry->device() == "cpu" && entry->priority() == 10)
        return entry->Serve(call).refusal.text;
    }
    return std::string("there is no such kernel");
  };
  EXPECT_EQ("", why_not(600));
  EXPECT_EQ("its columns are too few", why_not(600000));
}

TEST(FastKernels, SquareByPow) {
  const float two = 2;
  Call call;
  call.inputs = {Single({5, 70}), Single({})};
  call.constants = {nullptr, &two};
  const ChosenKernel chosen = ChooseKernel("Pow", call, {});
  ASSERT_NE(chosen.entry, nullptr);
  EXPECT_GT(chosen.entry->priority(), 0);
  const ConstantTensor x = RandomTensor(*call.inputs[0], 1);
  std::vector<float> out(350);
  const void* inputs[] = {x.data.get(), &two};
  void* outputs[] = {out.data()};
  chosen.prepared.run(inputs, outputs, nullptr);
  for (std::size_t i = 0; i < out.size(); ++i)
    EXPECT_EQ(out[i], x.As<float>()[i] * x.As<float>()[i]);
}

}  // namespace
}  // namespace opledger
