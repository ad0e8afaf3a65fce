// Joined element-wise CPU kernels yield the bits of the same kernels run in sequence: random
// chains, operands that broadcast in every way, all types.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "kernels/arithmetic/loops/cast.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/constant_tensor.h"
#include "kernels/tensor/random_tensor.h"
#include "tests/rounds.h"

namespace opledger {
namespace {

const char* const kUnary[] = {"Relu", "Sigmoid", "Neg", "Abs", "HardSwish", "Sqrt", "Clip"};
const char* const kPair[] = {"Add", "Sub", "Mul", "Div", "Max", "Min"};

// Compares bits, with all NaNs equal, since the compiler decides which of two NaNs a sum returns.
bool IsSame(const ConstantTensor& got, const ConstantTensor& want) {
  const std::size_t count = Elements(want.type.dimensions);
  std::vector<float> numbers[2];
  for (std::size_t i = 0; i < 2; ++i) {
    const ConstantTensor& of = i == 0 ? got : want;
    numbers[i].resize(count);
    arithmetic::Upcast(of.type.dtype, of.data.get(), numbers[i].data(), count);
    for (float& number : numbers[i]) number = std::isnan(number) ? 7.5e33F : number;
  }
  return std::memcmp(numbers[0].data(), numbers[1].data(), count * sizeof(float)) == 0;
}

// A chain: results of the kernels in sequence, and of the kernels joined from the left.
class Chain {
 public:
  Chain(Dtype dtype, Dimensions shape, std::mt19937& random)
      : dtype_(dtype), shape_(std::move(shape)), random_(random) {
    Add(RandomTensor({dtype_, shape_}, 1));
    result_ = tensors_[0];
  }

  void Grow();
  void Expect();

 private:
  struct Operand {
    bool is_result = false;
    std::size_t tensor = 0;
  };

  std::size_t Choose(std::size_t count) { return random_() % count; }
  void Add(ConstantTensor tensor) { tensors_.push_back(std::move(tensor)); }
  std::size_t AddOperand();
  void Apply(const char* kernel, Call call, const std::vector<Operand>& operands);

  Dtype dtype_;
  Dimensions shape_;
  std::mt19937& random_;
  std::vector<ConstantTensor> tensors_;
  ConstantTensor result_;  // of the separate kernels
  std::shared_ptr<const JoinableLaunch> joined_;
  std::vector<const void*> inputs_;  // of the joined kernels
  std::size_t joins_ = 0;
};

// Adds a tensor that broadcasts to the shape, with some of its dimensions 1 or leading ones left
// out.
std::size_t Chain::AddOperand() {
  Dimensions shape = shape_;
  for (std::int64_t& each : shape) each = Choose(2) == 0 ? 1 : each;
  if (Choose(3) == 0) shape = shape_;
  shape.erase(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(Choose(shape.size() + 1)));
  Add(RandomTensor({dtype_, shape}, 7 + tensors_.size()));
  return tensors_.size() - 1;
}

void Chain::Apply(const char* kernel, Call call, const std::vector<Operand>& operands) {
  std::vector<const void*> from;
  for (const Operand& each : operands) {
    const ConstantTensor& tensor = each.is_result ? result_ : tensors_[each.tensor];
    call.inputs.push_back(tensor.type);
    call.constants.push_back(nullptr);
    from.push_back(tensor.data.get());
  }
  const ChosenKernel reference = ChooseKernel(kernel, call, {true});
  const ChosenKernel fast = ChooseKernel(kernel, call, {});
  ASSERT_NE(fast.prepared.launch, nullptr) << kernel;
  ConstantTensor next(reference.prepared.outputs[0]);
  void* to = next.data.get();
  reference.prepared.run(from.data(), &to, nullptr);
  if (joined_ == nullptr) {
    joined_ = fast.prepared.launch;
    inputs_ = from;
  } else {
    auto joined = joined_->Join(*fast.prepared.launch, inputs_.size(),
                                [&](std::size_t i) -> std::optional<std::size_t> {
                                  if (operands[i].is_result) return std::nullopt;
                                  return inputs_.size() + i;
                                });
    ASSERT_NE(joined, nullptr) << kernel;
    joined_ = std::move(joined);
    ++joins_;
    for (std::size_t i = 0; i < from.size(); ++i) {
      inputs_.push_back(operands[i].is_result ? nullptr : from[i]);
    }
  }
  result_ = std::move(next);
  dtype_ = result_.type.dtype;
}

void Chain::Grow() {
  Call call;
  const std::size_t kind = Choose(8);
  if (kind == 0) {
    constexpr Dtype kTypes[] = {Dtype::kFloat32, Dtype::kFloat16, Dtype::kBfloat16};
    const Dtype to = kTypes[Choose(3)];
    if (to == dtype_) return;
    call.parameters.Set("to", DtypeName(to));
    return Apply("Cast", call, {{true}});
  }
  if (kind < 4) {
    const char* kernel = kUnary[Choose(std::size(kUnary))];
    if (std::string(kernel) == "Clip") {
      call.parameters.Set("min", -0.7);
      call.parameters.Set("max", 0.9);
    }
    return Apply(kernel, call, {{true}});
  }
  const Operand other = Choose(4) == 0 ? Operand{true} : Operand{false, AddOperand()};
  const bool left = Choose(2) == 0;
  Apply(kPair[Choose(std::size(kPair))], call,
        left ? std::vector<Operand>{other, {true}} : std::vector<Operand>{{true}, other});
}

void Chain::Expect() {
  if (joined_ == nullptr) return;
  const std::size_t bytes = Bytes(result_.type);
  const auto run = [&](void* to) { joined_->Finish()(inputs_.data(), &to, nullptr); };
  ConstantTensor got(result_.type);
  run(got.data.get());
  EXPECT_TRUE(IsSame(got, result_)) << Text(result_.type) << " after " << joins_ << " joins";
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (inputs_[i] == nullptr || !joined_->MayOverwrite(i)) continue;
    // Every input that is that tensor shares its memory with the result.
    std::memcpy(got.data.get(), inputs_[i], bytes);
    const void* of = inputs_[i];
    std::vector<const void*> inputs = inputs_;
    std::replace(inputs.begin(), inputs.end(), of, static_cast<const void*>(got.data.get()));
    void* to = got.data.get();
    joined_->Finish()(inputs.data(), &to, nullptr);
    EXPECT_TRUE(IsSame(got, result_)) << "in place of " << i;
  }
}

TEST(JoinLaunches, GiveTheBitsOfTheirKernels) {
  std::mt19937 random(5);
  const Dimensions shapes[] = {
      {},           {1},     {5},           {4, 700},    {3, 5, 7},  {2500, 3},
      {2, 3000, 2}, {70001}, {2, 37, 1, 9}, {1, 6, 300}, {8, 9, 64}, {2, 2, 2, 2, 2}};
  for (int round = 0; round < Rounds(40); ++round) {
    for (const Dimensions& shape : shapes) {
      for (const Dtype dtype : {Dtype::kFloat32, Dtype::kFloat16, Dtype::kBfloat16}) {
        Chain chain(dtype, shape, random);
        for (std::size_t i = 0, steps = 1 + random() % 6; i < steps; ++i) chain.Grow();
        chain.Expect();
      }
    }
  }
}

}  // namespace
}  // namespace opledger
