// Compares every kernel above the reference with it: all element types, shapes that do and do not
// fill vectors, all variants of a call. Guard bytes around all tensors and the workspace stay
// intact, outputs are poisoned before, inputs are unchanged. opledger's own kernels yield the
// reference's bits, others stay within a bound. A new fast kernel without a call here fails the
// test.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <iostream>
#include <iterator>
#include <set>

#include "kernels/arithmetic/loops/cast.h"
#include "kernels/kernel/kernel.h"
#include "kernels/machine/machine.h"
#include "kernels/tensor/constant_tensor.h"
#include "kernels/tensor/random_tensor.h"
#include "tests/kernels/fast_kernel_cases.h"
#include "tests/kernels/guarded.h"
#include "tests/rounds.h"

namespace opledger {
namespace {

// Tensors of a case in one type, and the call.
struct MadeCall {
  Call call;
  std::vector<ConstantTensor> tensors;
};

// Overwrites some elements with zeros of both signs, infinities and a NaN.
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
    // Statistics of a normalization: variances are not negative.
    if (each.kernel == "BatchNorm" && i == 4) {
      std::fill_n(made.tensors[i].As<std::byte>(), Bytes(type), std::byte{0x3C});
    }
    if (each.specials && i == 0) PutSpecials(type, made.tensors[i].data.get());
    if (each.constants.count(i) != 0) made.call.constants[i] = made.tensors[i].data.get();
  }
  return made;
}

// Returns the kernel's result in float32.
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

// Compares bits, with all NaNs equal. For contractions, whose sums have another order, uses a
// bound: one unit in the last place, since values may round either way, plus the float32 error of a
// sum of about 100 products; twice that error for consecutive steps of a sequence.
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

// Returns how many calls the kernel accepted, over all element types; under the sanitizers over
// one, which alternates between cases.
std::size_t Compare(const KernelEntry& entry, const Case& each) {
  static std::size_t first = 0;
  constexpr Dtype kDtypes[] = {Dtype::kFloat32, Dtype::kFloat16, Dtype::kBfloat16};
  std::size_t served = 0;
  ++first;
  for (std::size_t i = 0; i < std::size(kDtypes); ++i) {
    if (served > 0 && Rounds(1) == 0) break;
    const Dtype dtype = kDtypes[(first + i) % std::size(kDtypes)];
    const MadeCall made = CallOf(each, dtype);
    const Prepared wanted = ChooseKernel(each.kernel, made.call, {true}).prepared;
    const Prepared prepared = entry.Serve(made.call);
    EXPECT_EQ("", wanted.refusal.message) << each.kernel;
    if (!prepared.refusal.ok() || !wanted.refusal.ok()) continue;
    EXPECT_EQ(prepared.outputs[0], wanted.outputs[0]);
    SCOPED_TRACE(std::string(DtypeName(dtype)) + " " + Text(*made.call.inputs[0]));
    ExpectSame(each.kernel, dtype, ResultOf(prepared, made), ResultOf(wanted, made));
    ++served;
  }
  return served;
}

TEST(FastKernels, GiveWhatTheReferenceGives) {
  std::cout << "instruction sets: " << InstructionSets() << "\n";
  std::size_t kernels = 0;
  for (const auto& [name, entries] : Kernels()) {
    for (const KernelEntry* entry : entries) {
      if (entry->implementation_name() == "reference" || entry->device() != "cpu") continue;
      SCOPED_TRACE(std::string(name) + " by " + std::string(entry->implementation_name()));
      std::size_t served = 0;
      if (name == "Pow") continue;          // its exponent is not random: SquareByPow
      if (IsOfIntegers(name)) continue;     // fast_integer_kernels_test.cpp
      if (name == "MatMulNBits") continue;  // packed_weights_test.cpp
      for (const Case& each : CasesOf(std::string(name))) served += Compare(*entry, each);
      EXPECT_GT(served, 0U) << "it accepts no call of tests/kernels/fast_kernel_cases.h";
      ++kernels;
    }
  }
  EXPECT_GT(kernels, 40U);
}

// Right factors with one column would be 32 times as large in panels.
TEST(FastKernels, PanelsStaySmall) {
  const auto why_not = [](std::int64_t stack) {
    Call call;
    call.inputs = {Single({stack, 1, 40}), Single({stack, 40, 1})};
    call.constants = {nullptr, nullptr};
    for (const KernelEntry* entry : Kernels().at("MatMul")) {
      if (entry->implementation_name() == "vector") return entry->Serve(call).refusal.message;
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
  EXPECT_EQ("vector", chosen.entry->implementation_name());
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
