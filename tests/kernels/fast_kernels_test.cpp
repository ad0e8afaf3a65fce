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

#include "kernels/arithmetic/cast.h"
#include "kernels/constant_tensor.h"
#include "kernels/fused_call.h"
#include "kernels/instruction_set.h"
#include "kernels/kernel.h"
#include "kernels/random_tensor.h"

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

// A call in float32, to be made one of each type.
struct Case {
  std::string kernel;
  std::vector<std::optional<TensorType>> inputs;
  Parameters parameters;
  std::set<std::size_t> constants;  // inputs that are known
  std::set<std::size_t> singles;    // inputs that stay float32
};

TensorType Single(Dimensions dimensions) { return {Dtype::kFloat32, std::move(dimensions)}; }

const Dimensions kShapes[] = {{}, {1}, {31}, {2, 3, 5}, {4097}, {3, 33, 65}};

void AddElementwise(const std::string& kernel, std::vector<Case>& cases) {
  for (const Dimensions& shape : kShapes) cases.push_back({kernel, {Single(shape)}, {}, {}, {}});
}

void AddPairs(const std::string& kernel, std::vector<Case>& cases) {
  const std::pair<Dimensions, Dimensions> kPairs[] = {
      {{4, 33}, {4, 33}},    {{5000}, {}},         {{}, {70}},
      {{3, 40}, {40}},       {{2, 3, 40}, {3, 1}}, {{1, 9}, {7, 1}},
      {{2, 17, 3}, {17, 1}}, {{0, 4}, {4}}};
  for (const auto& [a, b] : kPairs) {
    cases.push_back({kernel, {Single(a), Single(b)}, {}, {}, {}});
    cases.push_back({kernel, {Single(b), Single(a)}, {}, {}, {}});
  }
}

void AddSoftmax(const std::string& kernel, std::vector<Case>& cases) {
  for (const auto& [shape, axes] : std::vector<std::pair<Dimensions, Integers>>{
           {{4, 7}, {1}}, {{3, 1000}, {1}}, {{2, 3, 4}, {1, 2}}, {{2, 3, 4}, {1}}, {{5, 1}, {1}}}) {
    Case each{kernel, {Single(shape)}, {}, {}, {}};
    each.parameters.Set("axes", axes);
    cases.push_back(each);
  }
}

void AddNormalise(std::vector<Case>& cases) {
  for (int operands = 0; operands < 3; ++operands) {
    for (const std::int64_t n : {5, 64, 300}) {
      Case each{"Normalise", {Single({3, 2, n})}, {}, {}, {}};
      if (operands > 0) each.inputs.push_back(Single({n}));
      if (operands > 1) each.inputs.push_back(Single({n}));
      each.parameters.Set("axes", Integers{2});
      each.parameters.Set("centred", std::int64_t{operands != 1});
      cases.push_back(each);
    }
  }
  Case square{"Normalise", {Single({4, 4}), Single({4, 1})}, {}, {}, {}};  // a column of scales
  square.parameters.Set("axes", Integers{1});
  cases.push_back(square);
}

void AddBatchNorm(std::vector<Case>& cases) {
  for (const bool last : {false, true}) {
    const Dimensions shape = last ? Dimensions{2, 4, 5, 37} : Dimensions{2, 37, 4, 5};
    Case each{"BatchNorm", {Single(shape)}, {}, {}, {}};
    for (int i = 0; i < 4; ++i) each.inputs.push_back(Single({37}));
    each.parameters.Set("channels_last", std::int64_t{last});
    cases.push_back(each);
  }
}

void AddPool(const std::string& kernel, std::vector<Case>& cases) {
  for (const std::int64_t channels : {1, 19, 64}) {
    for (const std::int64_t pads : {0, 1}) {
      Case each{kernel, {Single({2, 7, 6, channels})}, {}, {}, {}};
      each.parameters.Set("channels_last", std::int64_t{1});
      each.parameters.Set("kernel", Integers{3, 2});
      each.parameters.Set("strides", Integers{2, 1});
      each.parameters.Set("begin", Integers{pads, 0});
      each.parameters.Set("end", Integers{pads, pads});
      each.parameters.Set("ceil", pads);
      each.parameters.Set("count_pads", pads);
      cases.push_back(each);
    }
  }
}

// All that can be fused to a contraction, each alone and all together.
void AddFused(const Case& plain, const TensorType& result, std::size_t channel,
              std::vector<Case>& cases) {
  const std::int64_t channels = result.dimensions[channel];
  for (const char* activation : {"", "Relu", "LeakyRelu", "Clip", "Gelu", "Sigmoid"}) {
    for (unsigned with = 0; with < 8; ++with) {
      if (*activation != '\0' && with != 0 && with != 7) continue;
      Case fused = plain;
      fused.inputs.resize(kFusedInputs);
      if ((with & 1) != 0) fused.inputs[kFusedBias] = Single({channels});
      if ((with & 2) != 0) fused.inputs[kFusedScale] = Single({channels});
      if ((with & 4) != 0) fused.inputs[kFusedAddend] = result;
      fused.constants.insert({kFusedBias, kFusedScale});
      fused.singles = {kFusedBias, kFusedScale};
      fused.parameters.Set("fused", std::int64_t{1});
      fused.parameters.Set("activation", activation);
      fused.parameters.Set("activation_alpha", *activation == 'C' ? -0.5 : 0.1);
      fused.parameters.Set("activation_beta", 0.75);
      cases.push_back(fused);
    }
  }
}

void AddMatMul(std::vector<Case>& cases) {
  const std::pair<Dimensions, Dimensions> kPairs[] = {
      {{5, 17}, {17, 33}},          {{2, 3, 5, 7}, {2, 3, 7, 9}},
      {{2, 5, 7}, {7, 9}},          {{5, 7}, {3, 7, 9}},
      {{2, 1, 5, 7}, {1, 3, 7, 9}}, {{64, 64}, {64, 64}},
      {{115, 300}, {300, 35}},      {{3, 5}, {5, 530}}};
  for (const auto& [a, b] : kPairs) {
    for (const bool known : {false, true}) {
      Case each{"MatMul", {Single(a), Single(b)}, {}, {}, {}};
      if (known) each.constants = {1};
      cases.push_back(each);
    }
  }
  const Case plain{"MatMul", {Single({3, 5, 17}), Single({17, 33})}, {}, {1}, {}};
  AddFused(plain, Single({3, 5, 33}), 2, cases);
  Case open = plain;
  open.constants.clear();
  AddFused(open, Single({3, 5, 33}), 2, cases);
}

void AddGemm(std::vector<Case>& cases) {
  for (const bool transposed : {false, true}) {
    Case each{"Gemm", {Single({6, 20}), Single({20, 9})}, {}, {1}, {}};
    if (transposed) {
      each.inputs = {Single({20, 6}), Single({9, 20})};
      each.parameters.Set("transpose_a", std::int64_t{1});
      each.parameters.Set("transpose_b", std::int64_t{1});
    }
    cases.push_back(each);
    AddFused(each, Single({6, 9}), 1, cases);
    each.constants.clear();
    cases.push_back(each);
  }
}

void AddConv(std::vector<Case>& cases) {
  for (const std::int64_t groups : {1, 2, 8}) {
    Case each{"Conv", {Single({2, 9, 8, 8}), Single({16, 8 / groups, 3, 3})}, {}, {1}, {}};
    each.parameters.Set("channels_last", std::int64_t{1});
    each.parameters.Set("kernel", Integers{3, 3});
    each.parameters.Set("strides", Integers{2, 1});
    each.parameters.Set("dilations", Integers{1, 2});
    each.parameters.Set("begin", Integers{1, 2});
    each.parameters.Set("end", Integers{0, 2});
    each.parameters.Set("groups", groups);
    cases.push_back(each);
    if (groups != 8) AddFused(each, Single({2, 4, 8, 16}), 3, cases);
  }
  Case large{"Conv", {Single({1, 11, 11, 30}), Single({9, 30, 3, 3})}, {}, {1}, {}};
  Case wide{"Conv", {Single({1, 4, 3, 530}), Single({530, 1, 3, 3})}, {}, {1}, {}};
  wide.parameters.Set("groups", std::int64_t{530});
  for (Case* each : {&large, &wide}) {
    each->parameters.Set("channels_last", std::int64_t{1});
    each->parameters.Set("kernel", Integers{3, 3});
    each->parameters.Set("begin", Integers{1, 1});
    each->parameters.Set("end", Integers{1, 1});
    cases.push_back(*each);
  }
  large.constants.clear();
  cases.push_back(large);
  wide.constants.clear();
  AddFused(wide, Single({1, 4, 3, 530}), 3, cases);
  Case line{"Conv", {Single({1, 30, 5}), Single({7, 5, 3})}, {}, {1}, {}};
  line.parameters.Set("channels_last", std::int64_t{1});
  line.parameters.Set("kernel", Integers{3});
  cases.push_back(line);
}

void AddLocalResponse(std::vector<Case>& cases) {
  for (const bool last : {false, true}) {
    for (const std::int64_t size : {1, 4, 5, 50}) {
      const Dimensions shape = last ? Dimensions{2, 27, 21, 19} : Dimensions{2, 19, 27, 21};
      Case each{"LocalResponseNorm", {Single(shape)}, {}, {}, {}};
      each.parameters.Set("channels_last", std::int64_t{last});
      each.parameters.Set("size", size);
      each.parameters.Set("alpha", 0.5);
      each.parameters.Set("beta", size == 4 ? 0.5 : 0.75);
      each.parameters.Set("bias", 2.0);
      cases.push_back(each);
    }
  }
}

void AddReduce(const std::string& kernel, std::vector<Case>& cases) {
  for (const auto& [shape, axes] :
       std::vector<std::pair<Dimensions, Integers>>{{{}, {}},
                                                    {{7}, {0}},
                                                    {{5000}, {0}},
                                                    {{3, 70}, {1}},
                                                    {{3, 9001}, {1}},
                                                    {{3, 70}, {0}},
                                                    {{70, 3}, {0}},
                                                    {{100, 150}, {0}},
                                                    {{4, 6, 5, 7}, {0, 2, 3}},
                                                    {{4, 6, 31, 300}, {0, 2, 3}},
                                                    {{4, 40, 5, 7}, {1, 3}},
                                                    {{4, 40, 1, 7}, {1, 2}},
                                                    {{4, 5, 6}, {}}}) {
    Case each{kernel, {Single(shape)}, {}, {}, {}};
    each.parameters.Set("axes", axes);
    each.parameters.Set("keep", static_cast<std::int64_t>(shape.size() % 2));
    cases.push_back(each);
  }
}

void AddTranspose(std::vector<Case>& cases) {
  for (const auto& [shape, order] :
       std::vector<std::pair<Dimensions, Integers>>{{{}, {}},
                                                    {{2, 3}, {1, 0}},
                                                    {{37, 75}, {1, 0}},
                                                    {{2, 19, 5, 7}, {0, 2, 3, 1}},
                                                    {{2, 5, 7, 70}, {0, 3, 1, 2}},
                                                    {{2, 33, 4, 8}, {0, 2, 1, 3}},
                                                    {{3, 1, 40, 9}, {2, 1, 3, 0}},
                                                    {{4, 5, 6, 7, 8}, {4, 3, 2, 1, 0}}}) {
    Case each{"Transpose", {Single(shape)}, {}, {}, {}};
    each.parameters.Set("order", order);
    cases.push_back(each);
  }
}

void AddSlice(std::vector<Case>& cases) {
  for (const std::int64_t step : {1, 2, -1}) {
    Case each{"Slice", {Single({5, 6, 40})}, {}, {}, {}};
    each.parameters.Set("starts", Integers{1, 2, step < 0 ? 39 : 3});
    each.parameters.Set("steps", Integers{1, 3, step});
    each.parameters.Set("shape", Integers{3, 2, 17});
    cases.push_back(each);
  }
}

void AddExpand(std::vector<Case>& cases) {
  for (const auto& [shape, to] : std::vector<std::pair<Dimensions, Integers>>{
           {{3, 1}, {3, 40}}, {{40}, {3, 2, 40}}, {{2, 1, 5}, {4, 2, 3, 5}}, {{}, {7, 3}}}) {
    Case each{"Expand", {Single(shape)}, {}, {}, {}};
    each.parameters.Set("shape", to);
    cases.push_back(each);
  }
}

void AddCast(std::vector<Case>& cases) {
  for (const Dtype to : {Dtype::kFloat32, Dtype::kFloat16, Dtype::kBfloat16}) {
    Case each{"Cast", {Single({3, 33, 65})}, {}, {}, {}};
    each.parameters.Set("to", DtypeName(to));
    cases.push_back(each);
  }
}

void AddVariadic(const std::string& kernel, std::vector<Case>& cases) {
  for (const Dimensions& shape : kShapes) {
    cases.push_back({kernel, {Single(shape)}, {}, {}, {}});
    cases.push_back({kernel, {Single(shape), Single(shape), Single(shape)}, {}, {}, {}});
  }
}

std::vector<Case> CasesOf(const std::string& kernel) {
  std::vector<Case> cases;
  static const std::set<std::string> kPairs = {"Add", "Sub", "Mul", "Div", "Max", "Min"};
  if (kPairs.count(kernel) != 0) {
    AddPairs(kernel, cases);
  } else if (kernel == "Softmax" || kernel == "LogSoftmax") {
    AddSoftmax(kernel, cases);
  } else if (kernel == "Normalise") {
    AddNormalise(cases);
  } else if (kernel == "BatchNorm") {
    AddBatchNorm(cases);
  } else if (kernel == "MaxPool" || kernel == "AveragePool") {
    AddPool(kernel, cases);
  } else if (kernel == "MatMul") {
    AddMatMul(cases);
  } else if (kernel == "Gemm") {
    AddGemm(cases);
  } else if (kernel == "Conv") {
    AddConv(cases);
  } else if (kernel == "LocalResponseNorm") {
    AddLocalResponse(cases);
  } else if (kernel.starts_with("Reduce")) {
    AddReduce(kernel, cases);
  } else if (kernel == "Cast") {
    AddCast(cases);
  } else if (kernel == "Sum" || kernel == "Mean" || kernel == "MaxOf" || kernel == "MinOf") {
    AddVariadic(kernel, cases);
  } else if (kernel == "Transpose") {
    AddTranspose(cases);
  } else if (kernel == "Slice") {
    AddSlice(cases);
  } else if (kernel == "Expand") {
    AddExpand(cases);
  } else {
    AddElementwise(kernel, cases);
  }
  return cases;
}

// Tensors of a case in one type, and the call.
struct MadeCall {
  Call call;
  std::vector<ConstantTensor> tensors;
};

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
    const bool kept =
        std::find(prepared.kept.begin(), prepared.kept.end(), i) != prepared.kept.end();
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
  arithmetic::Widen(prepared.outputs[0].dtype, outputs[0].data(), numbers.data(), numbers.size());
  return numbers;
}

bool IsContraction(const std::string& kernel) {
  return kernel == "Conv" || kernel == "MatMul" || kernel == "Gemm";
}

// Bits, all NaNs being one; of contractions, whose sums have another order, a bound: half a unit of
// the type where a number lies between two, and of float32 what the sum of about 100 products has.
void ExpectSame(const std::string& kernel, Dtype dtype, const std::vector<float>& got,
                const std::vector<float>& want) {
  ASSERT_EQ(got.size(), want.size());
  float most = 0;
  for (const float number : want) most = std::max(most, std::fabs(number));
  const float unit = dtype == Dtype::kFloat32   ? 0.0F
                     : dtype == Dtype::kFloat16 ? 0x1p-10F
                                                : 0x1p-7F;
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (std::isnan(want[i])) {
      ASSERT_TRUE(std::isnan(got[i])) << "at " << i;
    } else if (IsContraction(kernel)) {
      ASSERT_LE(std::fabs(got[i] - want[i]), std::fabs(want[i]) * unit + 1e-5F * most)
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
    EXPECT_EQ("", wanted.refusal) << each.kernel;
    if (!prepared.refusal.empty() || !wanted.refusal.empty()) continue;
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
      if (entry->priority() == 0 || entry->device() != "cpu") continue;
      SCOPED_TRACE(std::string(name) + ", priority " + std::to_string(entry->priority()));
      std::size_t served = 0;
      if (name == "Pow") continue;  // its exponent is no random number: SquareByPow
      for (const Case& each : CasesOf(std::string(name))) served += Compare(*entry, each);
      EXPECT_GT(served, 0U)
          << "no call of tests/kernels/fast_kernels_test.cpp is one that it serves";
      ++kernels;
    }
  }
  EXPECT_GT(kernels, 40U);
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
