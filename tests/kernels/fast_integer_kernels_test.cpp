// Compares fast kernels for 8-bit integers with the reference byte for byte: signed and unsigned,
// all kinds of zero points, shapes that do and do not fill tiles, known and unknown factors.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>

#include "kernels/arithmetic/loops/cast.h"
#include "kernels/kernel/kernel.h"
#include "tests/kernels/fast_kernel_cases.h"
#include "tests/kernels/guarded.h"

namespace opledger {
namespace {

void Put(const ConstantTensor& tensor, std::size_t at, float number) {
  const Dtype dtype = tensor.type.dtype;
  arithmetic::Downcast(&number, dtype, tensor.data.get() + at * ElementSize(dtype), 1);
}

// A call and its tensors.
struct IntegerCall {
  std::string kernel;
  Call call;
  std::vector<ConstantTensor> tensors;

  void Leave() {
    call.inputs.emplace_back();
    call.constants.push_back(nullptr);
    tensors.emplace_back();
  }
  // All bit patterns of integers, and some values for floats.
  ConstantTensor& Add(Dtype dtype, const Dimensions& shape, bool known = false) {
    tensors.emplace_back(TensorType{dtype, shape});
    ConstantTensor& tensor = tensors.back();
    std::uint32_t random = static_cast<std::uint32_t>(tensors.size()) * 2654435761U;
    const std::size_t count = Elements(shape);
    for (std::size_t i = 0; i < count; ++i) {
      random = random * 1664525U + 1013904223U;
      const std::uint32_t bits = random >> 8;
      if (IsFloat(dtype)) {
        Put(tensor, i, (static_cast<float>(bits) * 0x1p-24F - 0.5F) * 300);
      } else if (dtype == Dtype::kInt32) {
        tensor.As<std::int32_t>()[i] = static_cast<std::int32_t>(bits) - (1 << 23);
      } else {
        tensor.As<std::uint8_t>()[i] = static_cast<std::uint8_t>(bits >> 3);
      }
    }
    call.inputs.emplace_back(tensor.type);
    call.constants.push_back(known ? tensor.data.get() : nullptr);
    return tensor;
  }
};

std::vector<Guarded> OutputsOf(const Prepared& prepared, const IntegerCall& made) {
  std::vector<Guarded> outputs;
  std::vector<void*> to;
  for (const TensorType& type : prepared.outputs)
    to.push_back(outputs.emplace_back(Bytes(type)).data());
  const Guarded workspace(prepared.workspace);
  std::vector<const void*> from;
  for (std::size_t i = 0; i < made.tensors.size(); ++i) {
    const bool unread =
        std::count(prepared.unread_inputs.begin(), prepared.unread_inputs.end(), i) != 0;
    from.push_back(made.call.Has(i) && !unread ? made.tensors[i].data.get() : nullptr);
  }
  prepared.run(from.data(), to.data(), workspace.data());
  EXPECT_TRUE(workspace.Holds());
  for (const Guarded& output : outputs) EXPECT_TRUE(output.Holds());
  return outputs;
}

const KernelEntry* FastKernel(const std::string& name) {
  for (const KernelEntry* entry : Kernels().at(name)) {
    if (entry->device() == "cpu" && entry->implementation_name() == "vector") return entry;
  }
  return nullptr;
}

void ExpectSameBytes(const IntegerCall& made) {
  std::string said = made.kernel;
  for (const auto& input : made.call.inputs) said += input ? " " + Text(*input) : " -";
  SCOPED_TRACE(said);
  const Prepared wanted = ChooseKernel(made.kernel, made.call, {true}).prepared;
  ASSERT_EQ("", wanted.refusal.message);
  const KernelEntry* fast = FastKernel(made.kernel);
  ASSERT_NE(fast, nullptr);
  const Prepared prepared = fast->Serve(made.call);
  ASSERT_EQ("", prepared.refusal.message);
  ASSERT_EQ(prepared.outputs, wanted.outputs);
  const std::vector<Guarded> got = OutputsOf(prepared, made);
  const std::vector<Guarded> want = OutputsOf(wanted, made);
  for (std::size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ(0, std::memcmp(got[i].data(), want[i].data(), Bytes(wanted.outputs[i]))) << i;
  }
}

constexpr Dtype kBytes[] = {Dtype::kUint8, Dtype::kInt8};

TEST(FastKernels, IntegerMatricesGiveWhatTheReferenceGives) {
  const std::pair<Dimensions, Dimensions> kShapes2[] = {{{3, 5}, {5, 7}},
                                                        {{57, 300}, {300, 70}},
                                                        {{1, 1}, {1, 1}},
                                                        {{2, 3, 5, 600}, {600, 33}},
                                                        {{2, 1, 17, 9}, {4, 9, 65}},
                                                        {{9}, {9, 4}},
                                                        {{4, 6}, {6}},
                                                        {{61, 1030}, {1030, 32}}};
  for (const auto& [a, b] : kShapes2) {
    for (int way = 0; way < 12; ++way) {
      IntegerCall made{"MatMulInteger", {}, {}};
      const Dtype of_a = kBytes[way % 2];
      const Dtype of_b = kBytes[way / 2 % 2];
      made.Add(of_a, a);
      made.Add(of_b, b, way >= 6);
      const bool matrices = a.size() > 1 && b.size() > 1;
      if (way % 3 == 1) made.Add(of_a, {});
      if (way % 3 == 2) made.Add(of_a, matrices ? Dimensions{a[a.size() - 2]} : Dimensions{1});
      if (way % 3 == 2) made.Add(of_b, matrices ? Dimensions{b.back()} : Dimensions{}, way >= 6);
      ExpectSameBytes(made);
    }
  }
}

struct Convolved {
  Dimensions x, w;
  std::int64_t groups = 1;
  Integers strides, dilations, begin, end;
};

TEST(FastKernels, IntegerConvolutionsGiveWhatTheReferenceGives) {
  const Convolved kConvolved[] = {
      {{2, 6, 9, 11}, {8, 3, 3, 2}, 2, {1, 2}, {2, 1}, {2, 0}, {1, 1}},
      {{1, 16, 7, 7}, {40, 16, 1, 1}, 1, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
      {{1, 7, 20, 20}, {15, 7, 1, 1}, 1, {2, 2}, {1, 1}, {0, 0}, {0, 0}},
      {{2, 8, 9, 40}, {8, 1, 3, 3}, 8, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      {{1, 8, 9, 40}, {8, 1, 5, 3}, 8, {2, 2}, {1, 1}, {2, 1}, {2, 1}},
      {{1, 4, 19, 40}, {8, 1, 3, 3}, 4, {3, 3}, {2, 1}, {0, 2}, {1, 0}},
      {{2, 3, 20}, {5, 3, 4}, 1, {1}, {2}, {3}, {0}},
      {{1, 80, 6, 6}, {3, 80, 3, 3}, 1, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      {{1, 3, 40, 40}, {33, 3, 3, 3}, 1, {2, 2}, {1, 1}, {1, 1}, {1, 1}}};
  for (const Convolved& each : kConvolved) {
    for (int way = 0; way < 16; ++way) {
      IntegerCall made{"ConvInteger", {}, {}};
      const Dtype of_x = kBytes[way % 2];
      const Dtype of_w = kBytes[way / 2 % 2];
      const bool known = way >= 8;
      made.Add(of_x, each.x);
      made.Add(of_w, each.w, known);
      const int zeros = way % 4;
      if (zeros == 0) made.Leave();
      if (zeros != 0) made.Add(of_x, {1});
      if (zeros < 2) made.Leave();
      if (zeros >= 2) made.Add(of_w, zeros == 2 ? Dimensions{} : Dimensions{each.w[0]}, known);
      if (way / 4 % 2 == 1) made.Add(Dtype::kInt32, {each.w[0]});
      Parameters& parameters = made.call.parameters;
      parameters.Set("groups", each.groups);
      parameters.Set("kernel", Integers(each.w.begin() + 2, each.w.end()));
      parameters.Set("strides", each.strides);
      parameters.Set("dilations", each.dilations);
      parameters.Set("begin", each.begin);
      parameters.Set("end", each.end);
      ExpectSameBytes(made);
    }
  }
}

// With scales and data of different types, quantized and dequantized.
void ExpectSameQuantised(Dtype bytes, Dtype number, Dtype of_scale, int way) {
  const bool of_axis = way >= 3;
  const Dimensions shape = of_axis ? Dimensions{2, 3, 43} : Dimensions{3, 4097};
  const Dimensions scales = of_axis ? Dimensions{3} : Dimensions{};
  IntegerCall to{"QuantizeLinear", {}, {}};
  const ConstantTensor x = to.Add(number, shape);
  std::size_t at = 5;
  for (const float special :
       {NAN, INFINITY, -INFINITY, -0.0F, 0.5F, 1.5F, -2.5F, 1e30F, 0x1p-140F}) {
    Put(x, at++, special);
  }
  const ConstantTensor scale = to.Add(of_scale, scales);
  for (std::size_t i = 0; i < Elements(scales); ++i) {
    Put(scale, i, way % 3 == 2 ? 0.037F : 1.0F + static_cast<float>(i));
  }
  if (way % 3 != 0) to.Add(bytes, scales);
  if (way % 3 == 0) to.call.parameters.Set("to", DtypeName(bytes));
  to.call.parameters.Set("axis", std::int64_t{1});
  ExpectSameBytes(to);
  IntegerCall from{"DequantizeLinear", {}, {}};
  from.Add(bytes, shape);
  from.Add(of_scale, scales);
  if (way % 3 != 0) from.Add(bytes, scales);
  from.call.parameters.Set("axis", std::int64_t{1});
  ExpectSameBytes(from);
}

TEST(FastKernels, QuantisedNumbersGiveWhatTheReferenceGives) {
  const std::pair<Dtype, Dtype> kFloats[] = {{Dtype::kFloat32, Dtype::kFloat32},
                                             {Dtype::kFloat16, Dtype::kFloat16},
                                             {Dtype::kBfloat16, Dtype::kFloat32},
                                             {Dtype::kFloat32, Dtype::kBfloat16}};
  for (const Dtype bytes : kBytes) {
    for (int way = 0; way < 6; ++way) {
      for (const auto& [number, scale] : kFloats) ExpectSameQuantised(bytes, number, scale, way);
    }
    for (const Dimensions& factors :
         {Dimensions{}, Dimensions{5, 1}, Dimensions{33}, Dimensions{2, 1, 1}}) {
      IntegerCall sums{"Requantize", {}, {}};
      sums.Add(Dtype::kInt32, {2, 5, 33});
      ConstantTensor& factor = sums.Add(Dtype::kFloat32, factors);
      for (std::size_t i = 0; i < Elements(factors); ++i) factor.As<float>()[i] *= 1e-7F;
      sums.Add(bytes, {});
      ExpectSameBytes(sums);
    }
  }
  for (const std::int64_t n : {1, 63, 5000}) {
    IntegerCall dynamic{"DynamicQuantizeLinear", {}, {}};
    ConstantTensor& x = dynamic.Add(Dtype::kFloat32, {n});
    if (n > 1) x.As<float>()[7] = NAN;
    dynamic.call.outputs = 3;
    ExpectSameBytes(dynamic);
  }
}

}  // namespace
}  // namespace opledger
