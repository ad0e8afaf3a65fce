// Writes chains of element-wise steps. Each operand gets the simplest addressing that fits: same
// place as the result, periodic (a scalar, a row, a channel), or strided.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/chain/chain.h"

#include <algorithm>
#include <map>

namespace opledger::cuda {

std::optional<ElementType> ElementTypeOf(Dtype dtype) {
  switch (dtype) {
    case Dtype::kFloat32:
      return kF32;
    case Dtype::kFloat16:
      return kF16;
    case Dtype::kBfloat16:
      return kBf16;
    case Dtype::kInt32:
      return kI32;
    case Dtype::kInt64:
      return kI64;
    case Dtype::kUint8:
    case Dtype::kBool:
      return kU8;
    case Dtype::kInt8:
      return kI8;
    case Dtype::kUint16:
      return kU16;
    case Dtype::kInt16:
      return kI16;
    default:
      return std::nullopt;
  }
}

std::optional<UnaryCode> FindUnaryCode(std::string_view kernel) {
  static const std::map<std::string_view, UnaryCode> kCodes = {
#define OPLEDGER_ROW(NAME, BOUND, COUNT, ALPHA, BETA, VALUE) \
  {#NAME, {kUnary##NAME, static_cast<float>(ALPHA), static_cast<float>(BETA)}},
      OPLEDGER_UNARY_FUNCTIONS(OPLEDGER_ROW)
#undef OPLEDGER_ROW
          {"Clip", {kClip, 0, 0}},
  };
  const auto found = kCodes.find(kernel);
  if (found == kCodes.end()) return std::nullopt;
  return found->second;
}

ChainProgram::ChainProgram(Dtype dtype, const Dimensions& shape) : whole_(shape) {
  std::copy_if(shape.begin(), shape.end(), std::back_inserter(shape_),
               [](std::int64_t each) { return each != 1; });
  chain_.count = static_cast<std::int64_t>(Elements(shape));
  if (shape_.size() > kMaxDimensions) status_ = "its result has too many dimensions";
  const auto type = ElementTypeOf(dtype);
  if (!type || (*type > kBf16 && *type != kU8)) status_ = "its result is not of floats";
  if (!status_.ok()) return;
  chain_.out_type = *type;
  chain_.rank = static_cast<std::int32_t>(shape_.size());
  std::copy(shape_.begin(), shape_.end(), chain_.size);
}

std::uint8_t ChainProgram::Add(Source source, ElementType type) {
  if (chain_.operands == kMaxOperands) {
    status_ = "it has more than " + std::to_string(kMaxOperands) + " operands";
    return 0;
  }
  sources_.push_back(std::move(source));
  chain_.operand[chain_.operands].type = type;
  return static_cast<std::uint8_t>(chain_.operands++);
}

// `of`: the operand's dimensions in the result's; 1 where the operand is repeated.
void ChainProgram::Place(ChainOperand& operand, const Dimensions& of) {
  operand.place = kSamePlace;
  if (of == shape_) return;
  // Periodic if the operand has all dimensions between its first and its last one.
  const auto own = [](std::int64_t each) { return each != 1; };
  const auto first = std::find_if(of.begin(), of.end(), own);
  const auto last = std::find_if(of.rbegin(), of.rend(), own).base();
  operand.place = first >= last || std::all_of(first, last, own) ? kPeriodic : kStrided;
  operand.inner = 1;
  operand.period = 1;
  for (std::size_t d = 0; d < of.size(); ++d) {
    if (of.begin() + static_cast<std::ptrdiff_t>(d) >= last) operand.inner *= shape_[d];
    operand.period *= of[d];
  }
  if (first >= last) operand.inner = 1;
  std::int64_t stride = 1;
  for (std::size_t d = of.size(); d-- > 0;) {
    operand.stride[d] = of[d] == 1 ? 0 : stride;
    stride *= of[d];
  }
}

std::uint8_t ChainProgram::AddInput(std::size_t input, const TensorType& type) {
  const auto element = ElementTypeOf(type.dtype);
  if (!element) status_ = std::string("it reads ") + DtypeName(type.dtype);
  if (!status_.ok()) return 0;
  Source source;
  source.input = input;
  const std::uint8_t added = Add(std::move(source), *element);
  if (status_.ok()) {
    // Aligns dimensions with the last ones of the result, and drops those of size 1 in the result.
    Dimensions of;
    std::size_t d = type.dimensions.size();
    for (std::size_t k = whole_.size(); k-- > 0;) {
      const std::int64_t size = d > 0 ? type.dimensions[--d] : 1;
      if (whole_[k] != 1) of.insert(of.begin(), size);
    }
    Place(chain_.operand[added], of);
  }
  return added;
}

std::uint8_t ChainProgram::AddConstant(std::shared_ptr<DeviceConstant> numbers, std::int64_t inner,
                                       std::int64_t period) {
  Source source;
  source.from = Source::From::kOwn;
  source.own = std::move(numbers);
  const std::uint8_t added = Add(std::move(source), kF32);
  ChainOperand& operand = chain_.operand[added];
  operand.place = kPeriodic;
  operand.inner = inner;
  operand.period = period;
  return added;
}

std::uint8_t ChainProgram::AddWorkspace() {
  Source source;
  source.from = Source::From::kWorkspace;
  return Add(std::move(source), kF32);
}

void ChainProgram::Step(ChainCode code, std::uint8_t operand, float alpha, float beta) {
  if (chain_.steps == kMaxSteps) {
    status_ = "it takes more than " + std::to_string(kMaxSteps) + " steps";
    return;
  }
  chain_.step[chain_.steps++] = {code, operand, alpha, beta};
}

bool ChainProgram::Unary(std::string_view kernel, float alpha, float beta) {
  const auto code = FindUnaryCode(kernel);
  if (code) Step(code->code, 0, alpha, beta);
  return code.has_value();
}

opledger::Step ChainProgram::Finish() const {
  return [chain = chain_, sources = sources_](const void* const* inputs, void* const* outputs,
                                              void* workspace) {
    Chain filled = chain;
    filled.out = outputs[0];
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const Source& source = sources[i];
      filled.operand[i].data = source.from == Source::From::kInput ? inputs[source.input]
                               : source.from == Source::From::kOwn ? source.own->Data()
                                                                   : workspace;
    }
    Report(Module().chain(&filled));
  };
}

Prepared PreparedChain(const TensorType& result, const ChainProgram& program) {
  if (!program.status().ok()) return Refuse(program.status());
  Prepared prepared;
  prepared.launch = std::make_shared<const ChainProgram>(program);
  prepared.outputs = {result};
  prepared.run = program.Finish();
  return prepared;
}

}  // namespace opledger::cuda
