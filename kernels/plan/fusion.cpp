// Fuses contractions with their only readers, repeatedly, in the order of
// kernels/kernel/fused_call.h: scale and bias, addend, activation. The fused step takes the
// reader's place, where all of its inputs exist.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/arithmetic/loops/cast.h"
#include "kernels/kernel/fused_call.h"
#include "kernels/plan/passes.h"
#include "kernels/plan/plan_replay.h"

namespace opledger {
namespace {

using Numbers = std::vector<float>;

bool IsHalfOrSingle(Dtype dtype) {
  return dtype == Dtype::kFloat32 || dtype == Dtype::kFloat16 || dtype == Dtype::kBfloat16;
}

Numbers Upcast(const TensorType& type, const void* data) {
  Numbers numbers(Elements(type.dimensions));
  arithmetic::Upcast(type.dtype, data, numbers.data(), numbers.size());
  return numbers;
}

class Fusion {
 public:
  Fusion(ExecutionPlan& plan, const RecordedChoices* choices)
      : plan_(plan), choices_(choices), readers_(plan.slots.size(), 0) {}

  void Run();

 private:
  using AbsorbOne = bool (Fusion::*)(PlannedStep&, const PlannedStep&);

  void CountReaders();
  PlannedStep* OnlyReader(const PlannedStep& step);
  bool Prepare(PlannedStep& step);
  bool AbsorbReader(PlannedStep& step, const PlannedStep& reader);
  bool AbsorbBatchNorm(PlannedStep& step, const PlannedStep& reader);
  bool AbsorbPerChannel(PlannedStep& step, const PlannedStep& reader);
  bool AbsorbAddend(PlannedStep& step, const PlannedStep& reader);
  bool AbsorbActivation(PlannedStep& step, const PlannedStep& reader);
  // A step with the steps fused into it: their indices (its own first), and the rounding that its
  // result still needs.
  struct Grown {
    PlannedStep step;
    std::vector<std::size_t> places;
    std::optional<PlannedStep> rounding;
  };
  bool AbsorbAny(Grown& grown, const PlannedStep& reader);
  Grown Absorb(const PlannedStep& step, std::size_t place);
  void Round(Grown& grown);

  const TensorType& ResultOf(const PlannedStep& step) { return *plan_.slots[step.outputs[0]].type; }
  std::size_t Channels(const PlannedStep& step);
  std::optional<Numbers> PerChannel(const PlannedStep& step, const PlannedStep& of,
                                    std::size_t input);
  Numbers Get(const PlannedStep& step, FusedInput input, float absent);
  void Set(PlannedStep& step, FusedInput input, const Numbers& numbers);

  ExecutionPlan& plan_;
  const RecordedChoices* choices_;
  std::vector<int> readers_;                        // number of readers of each root
  std::map<ValueId, std::vector<std::size_t>> at_;  // the steps that read each root
  std::map<std::size_t, PlannedStep> roundings_;    // to be inserted after the step of that index
};

FusedChannel ChannelOf(const PlannedStep& step) { return step.kernel->properties().fuses; }

bool IsContraction(const PlannedStep& step) {
  const Call& call = step.call;
  return ChannelOf(step) != FusedChannel::kNone && IsHalfOrSingle(call.Input(0).dtype) &&
         call.Input(0).Rank() > 1 && call.Input(1).Rank() > 1;
}

void Fusion::CountReaders() {
  for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
    for (const ValueId input : plan_.steps[i].inputs) {
      if (input == kNone) continue;
      ++readers_[plan_.Root(input)];
      at_[plan_.Root(input)].push_back(i);
    }
  }
  for (const ValueId output : plan_.outputs) ++readers_[plan_.Root(output)];
}

// Returns the only step that reads the result. Returns nullptr if there are several readers, or if
// it reads a view of another shape.
PlannedStep* Fusion::OnlyReader(const PlannedStep& step) {
  const ValueId result = step.outputs[0];
  if (step.outputs.size() != 1 || result == kNone || readers_[result] != 1) return nullptr;
  const auto found = at_.find(result);
  if (found == at_.end()) return nullptr;
  PlannedStep& reader = plan_.steps[found->second.front()];
  const bool as_it_is =
      std::find(reader.inputs.begin(), reader.inputs.end(), result) != reader.inputs.end();
  return as_it_is && !reader.outputs.empty() ? &reader : nullptr;
}

std::size_t Fusion::Channels(const PlannedStep& step) {
  const Dimensions& shape = ResultOf(step).dimensions;
  return static_cast<std::size_t>(ChannelOf(step) == FusedChannel::kSecond ? shape[1]
                                                                           : shape.back());
}

// Expands the constant input `input` of `of` to one value for each channel of the step's result.
std::optional<Numbers> Fusion::PerChannel(const PlannedStep& step, const PlannedStep& of,
                                          std::size_t input) {
  const Dimensions& result = ResultOf(step).dimensions;
  if (!of.call.Has(input) || of.call.constants[input] == nullptr) return std::nullopt;
  if (!IsHalfOrSingle(of.call.Input(input).dtype)) return std::nullopt;
  const Dimensions& shape = of.call.Shape(input);
  const std::size_t channels = Channels(step);
  if (shape.size() > result.size()) return std::nullopt;
  const std::size_t axis = ChannelOf(step) == FusedChannel::kSecond ? 1 : result.size() - 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t dimension = i + result.size() - shape.size();
    if (shape[i] != 1 && (dimension != axis || shape[i] != static_cast<std::int64_t>(channels))) {
      return std::nullopt;
    }
  }
  Numbers numbers = Upcast(of.call.Input(input), of.call.constants[input]);
  if (numbers.size() == 1) numbers.assign(channels, numbers[0]);
  return numbers;
}

Numbers Fusion::Get(const PlannedStep& step, FusedInput input, float absent) {
  if (!step.call.Has(input)) return Numbers(Channels(step), absent);
  return Upcast(step.call.Input(input), step.call.constants[input]);
}

void Fusion::Set(PlannedStep& step, FusedInput input, const Numbers& numbers) {
  ConstantTensor tensor({Dtype::kFloat32, {static_cast<std::int64_t>(numbers.size())}});
  std::copy(numbers.begin(), numbers.end(), tensor.As<float>());
  step.inputs[input] = plan_.AddSlot();
  step.call.inputs[input] = tensor.type;
  step.call.constants[input] = tensor.data.get();
  plan_.slots[step.inputs[input]].Hold(std::move(tensor));
}

// Turns a contraction into a fused call. Returns false if its bias is not constant.
bool Fusion::Prepare(PlannedStep& step) {
  if (IsFused(step.call)) return true;
  std::optional<Numbers> bias;
  if (step.call.Has(2)) {
    PlannedStep seen = step;
    if (ChannelOf(step) == FusedChannel::kSecond) {  // the shape [C] does not broadcast
      seen.call.inputs[2]->dimensions.insert(seen.call.inputs[2]->dimensions.end(),
                                             ResultOf(step).Rank() - 2, 1);
    }
    bias = PerChannel(step, seen, 2);
    if (!bias) return false;
  }
  const auto alpha = static_cast<float>(step.call.parameters.Number("alpha", 1));
  const auto beta = static_cast<float>(step.call.parameters.Number("beta", 1));
  step.inputs.resize(kFusedInputs, kNone);
  step.call.inputs.resize(kFusedInputs);
  step.call.constants.resize(kFusedInputs, nullptr);
  step.call.parameters.Set("fused", std::int64_t{1});
  if (bias) {
    for (float& number : *bias) number *= beta;
    Set(step, kFusedBias, *bias);
  }
  if (alpha != 1) Set(step, kFusedScale, Numbers(Channels(step), alpha));
  step.call.parameters.Set("alpha", 1.0);
  step.call.parameters.Set("beta", 1.0);
  return true;
}

// (x - mean) / sqrt(variance + epsilon) * scale + shift
bool Fusion::AbsorbBatchNorm(PlannedStep& step, const PlannedStep& reader) {
  if (reader.kernel->name() != "BatchNorm" || ChannelOf(step) != FusedChannel::kSecond) {
    return false;
  }
  if (step.call.Has(kFusedAddend)) return false;
  Numbers statistics[4];
  for (std::size_t i = 0; i < 4; ++i) {
    if (reader.call.constants[i + 1] == nullptr || !IsHalfOrSingle(reader.call.Input(i + 1).dtype))
      return false;
    statistics[i] = Upcast(reader.call.Input(i + 1), reader.call.constants[i + 1]);
  }
  Numbers scale = Get(step, kFusedScale, 1);
  Numbers bias = Get(step, kFusedBias, 0);
  const auto epsilon = static_cast<float>(reader.call.parameters.Number("epsilon", 1e-5));
  for (std::size_t i = 0; i < scale.size(); ++i) {
    const float factor = statistics[0][i] / std::sqrt(statistics[3][i] + epsilon);
    bias[i] = (bias[i] - statistics[2][i]) * factor + statistics[1][i];
    scale[i] *= factor;
  }
  Set(step, kFusedScale, scale);
  Set(step, kFusedBias, bias);
  return true;
}

bool Fusion::AbsorbPerChannel(PlannedStep& step, const PlannedStep& reader) {
  const std::string_view name = reader.kernel->name();
  const bool multiplies = name == "Mul";
  if ((name != "Add" && !multiplies) || step.call.Has(kFusedAddend)) return false;
  const std::size_t other = reader.inputs[0] == step.outputs[0] ? 1 : 0;
  const auto numbers = PerChannel(step, reader, other);
  if (!numbers) return false;
  if (multiplies || step.call.Has(kFusedBias)) {
    Numbers bias = Get(step, kFusedBias, 0);
    for (std::size_t i = 0; i < bias.size(); ++i) {
      bias[i] = multiplies ? bias[i] * (*numbers)[i] : bias[i] + (*numbers)[i];
    }
    if (step.call.Has(kFusedBias)) Set(step, kFusedBias, bias);
  } else {
    Set(step, kFusedBias, *numbers);
  }
  if (!multiplies) return true;
  Numbers scale = Get(step, kFusedScale, 1);
  for (std::size_t i = 0; i < scale.size(); ++i) scale[i] *= (*numbers)[i];
  Set(step, kFusedScale, scale);
  return true;
}

bool Fusion::AbsorbAddend(PlannedStep& step, const PlannedStep& reader) {
  const std::string_view name = reader.kernel->name();
  if ((name != "Add" && name != "Sum") || reader.inputs.size() != 2) return false;
  if (step.call.Has(kFusedAddend)) return false;
  const std::size_t other = reader.inputs[0] == step.outputs[0] ? 1 : 0;
  if (reader.inputs[other] == step.outputs[0]) return false;
  if (reader.call.Input(other) != ResultOf(step)) return false;
  step.inputs[kFusedAddend] = reader.inputs[other];
  step.call.inputs[kFusedAddend] = reader.call.Input(other);
  step.call.constants[kFusedAddend] = reader.call.constants[other];
  return true;
}

// The bounds of a clip must be constant.
std::optional<FusedActivation> ClipOf(const PlannedStep& reader) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  FusedActivation clip{"Clip", reader.call.parameters.Number("min", -kInfinity),
                       reader.call.parameters.Number("max", kInfinity)};
  for (std::size_t i = 1; i < 3; ++i) {
    if (!reader.call.Has(i)) continue;
    if (reader.call.constants[i] == nullptr) return std::nullopt;
    (i == 1 ? clip.alpha : clip.beta) =
        Upcast(reader.call.Input(i), reader.call.constants[i]).at(0);
  }
  return clip;
}

bool Fusion::AbsorbActivation(PlannedStep& step, const PlannedStep& reader) {
  const std::string name(reader.kernel->name());
  const KernelProperties& properties = reader.kernel->properties();
  const Parameters& parameters = reader.call.parameters;
  std::optional<FusedActivation> activation;
  if (properties.fusable) {
    activation = {name, parameters.Number("alpha", properties.alpha),
                  parameters.Number("beta", properties.beta)};
  }
  if (name == "Clip" && reader.inputs[0] == step.outputs[0]) activation = ClipOf(reader);
  if (!activation) return false;
  step.call.parameters.Set("activation", activation->name);
  step.call.parameters.Set("activation_alpha", activation->alpha);
  step.call.parameters.Set("activation_beta", activation->beta);
  return true;
}

bool Fusion::AbsorbReader(PlannedStep& step, const PlannedStep& reader) {
  if (reader.call.Input(0).dtype != ResultOf(step).dtype) return false;
  if (plan_.slots[reader.outputs[0]].type != ResultOf(step)) return false;
  if (!ActivationOf(step.call).name.empty()) return false;
  static constexpr AbsorbOne kAll[] = {&Fusion::AbsorbBatchNorm, &Fusion::AbsorbPerChannel,
                                       &Fusion::AbsorbAddend, &Fusion::AbsorbActivation};
  return std::any_of(std::begin(kAll), std::end(kAll),
                     [&](AbsorbOne absorb) { return (this->*absorb)(step, reader); });
}

// Rounding by a cast of the model is kept. If values are rounded only because the next operator
// takes 16 bits, the rounding is moved after that operator.
bool Fusion::AbsorbAny(Grown& grown, const PlannedStep& reader) {
  if (IsRounding(reader)) {
    grown.rounding = reader;
    return true;
  }
  if (grown.rounding && !reader.is_widened) return false;
  if (choices_ != nullptr && !choices_->Fuses(grown.step, reader.node)) return false;
  if (!AbsorbReader(grown.step, reader)) return false;
  if (!GivesNumbersOfInputs(reader)) grown.rounding.reset();
  return true;
}

// Fuses as many readers as possible. Drops roundings in between; one at the end remains a step.
Fusion::Grown Fusion::Absorb(const PlannedStep& step, std::size_t place) {
  Grown grown{step, {place}, {}};
  Grown best = grown;
  while (PlannedStep* reader = OnlyReader(grown.step)) {
    const bool rounds = IsRounding(*reader);
    if (!AbsorbAny(grown, *reader)) break;
    if (reader->node != kNone) grown.step.fused.push_back(reader->node);
    grown.places.push_back(static_cast<std::size_t>(reader - plan_.steps.data()));
    grown.step.outputs = {reader->outputs[0]};
    if (!rounds) best = grown;
  }
  return best;
}

// Appends a step that rounds the result of a fused step.
void Fusion::Round(Grown& grown) {
  PlannedStep rounding = *grown.rounding;
  const ValueId result = grown.step.outputs[0];
  const ValueId exact = plan_.AddSlot(result);
  plan_.slots[exact].type = plan_.slots[result].type;
  plan_.slots[exact].place = Slot::Place::kArena;
  rounding.call.inputs = {plan_.slots[exact].type};
  rounding.inputs = {exact};
  rounding.outputs = {result};
  grown.step.outputs = {exact};
  ChosenKernel chosen = ChooseKernel("Cast", rounding.call, {true});
  rounding.run = std::move(chosen.prepared.run);
  roundings_.emplace(grown.places.back(), std::move(rounding));
}

void Fusion::Run() {
  CountReaders();
  for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
    PlannedStep step = plan_.steps[i];
    if (step.kernel == nullptr || !IsContraction(step) || step.outputs.size() != 1) continue;
    if (!Prepare(step)) continue;
    Grown grown = Absorb(step, i);
    if (grown.rounding) Round(grown);
    for (const std::size_t place : grown.places) plan_.steps[place].kernel = nullptr;
    const std::size_t place = grown.places.back();
    readers_.resize(plan_.slots.size(), 0);
    // The inputs are now read at the new place.
    for (const ValueId input : grown.step.inputs) {
      if (input != kNone) at_[plan_.Root(input)] = {place};
    }
    plan_.steps[place] = std::move(grown.step);
  }
  std::vector<PlannedStep> steps;
  for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
    if (plan_.steps[i].kernel == nullptr) continue;
    steps.push_back(std::move(plan_.steps[i]));
    const auto rounding = roundings_.find(i);
    if (rounding != roundings_.end()) steps.push_back(std::move(rounding->second));
  }
  plan_.steps = std::move(steps);
}

}  // namespace

void FuseContractions(ExecutionPlan& plan, const RecordedChoices* choices) {
  Fusion(plan, choices).Run();
}

}  // namespace opledger
