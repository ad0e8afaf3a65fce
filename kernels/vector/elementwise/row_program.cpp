// Assigns tiles to values for as long as steps need them. A step may write to the tile of a value
// that it reads last.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/vector/elementwise/row_program.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "kernels/vector/elementwise/value_table.h"
#include "kernels/vector/rows/rows.h"

namespace opledger {

using arithmetic::Pair;

namespace {

constexpr std::size_t kRowTile = 2048;  // elements; a few such rows fit into the first-level cache
constexpr std::size_t kTiles = 8;
constexpr std::size_t kMaxInputs = 24;
constexpr std::size_t kMaxSteps = 32;
// Elements from which filling a table of 65,536 pays off, and work per element of steps and tables.
constexpr std::size_t kTablePays = std::size_t{1} << 17;
constexpr std::size_t kByteTablePays = std::size_t{1} << 10;  // the same for a table of 256
constexpr std::size_t kWorkOfRow = 2, kWorkOfTable = 3, kWorkOfFold = 4;
constexpr std::size_t kNoInput = static_cast<std::size_t>(-1);
constexpr std::size_t kShortRun = 256;  // elements; longer runs of an operand are read in place

}  // namespace

RowProgram::Number RowProgram::AddInput(std::size_t input, const TensorType& type) {
  inputs_.push_back({input, RowOperand(type, result_.dimensions)});
  return inputs_.size() - 1;
}

bool RowProgram::Repeats(const Input& input) {
  const std::size_t period = input.operand.Period();
  return input.own != nullptr && period != 0 && period < kRowTile;
}

// Short runs that repeat are stored repeated, so that a tile may begin anywhere.
RowProgram::Number RowProgram::AddConstant(std::vector<float> numbers, const Dimensions& shape) {
  RowOperand operand({Dtype::kFloat32, shape}, result_.dimensions);
  const std::size_t period = operand.Period();
  if (period != 0 && period < kRowTile) {
    numbers.reserve(kRowTile + period);
    while (numbers.size() < kRowTile + period) numbers.push_back(numbers[numbers.size() - period]);
  }
  auto own = std::make_shared<const std::vector<float>>(std::move(numbers));
  inputs_.push_back({kNoInput, std::move(operand), std::move(own)});
  return inputs_.size() - 1;
}

Row RowProgram::Load(const Input& input, const void* data, std::size_t at, std::size_t n,
                     float* buffer) {
  if (Repeats(input)) return {input.own->data() + at % input.operand.Period(), false};
  return input.operand.Load(input.own == nullptr ? data : input.own->data(), at, n, buffer);
}

// Returns whether `step` only rounds the result of the last step.
bool RowProgram::RoundsLast(const Instruction& step) const {
  return step.row == nullptr && !step.pair && step.factor == kNoNumber && !IsByte(step.rounds_to) &&
         !steps_.empty() && step.a == kResults + steps_.size() - 1 &&
         steps_.back().rounds_to == Dtype::kFloat32;
}

RowProgram::Number RowProgram::Add(const Instruction& step) {
  steps_.push_back(step);
  return kResults + steps_.size() - 1;
}

RowProgram::Number RowProgram::AddSame(const Input& input) {
  for (Number i = 0; i < inputs_.size() && input.own == nullptr; ++i) {
    const Input& other = inputs_[i];
    const bool same = other.own == nullptr && other.input == input.input &&
                      other.operand.IsWhole() && input.operand.IsWhole() &&
                      other.operand.dtype() == input.operand.dtype();
    if (same) return i;
  }
  inputs_.push_back(input);
  return inputs_.size() - 1;
}

RowProgram::Number RowProgram::Then(Pair pair, Number a, Number b) {
  return Add({.pair = pair, .a = a, .b = b});
}

RowProgram::Number RowProgram::Then(Pair pair, Number a, float b) {
  return Add({.pair = pair, .a = a, .alpha = b});
}

RowProgram::Number RowProgram::Then(VectorRow row, Number a, float alpha, float beta) {
  return Add({.row = row, .a = a, .alpha = alpha, .beta = beta});
}

// Adds one step if all three operands are stored as rows, otherwise three.
RowProgram::Number RowProgram::ThenAffine(Number a, Number mean, Number factor, Number shift) {
  if (Repeats(inputs_[mean]) && Repeats(inputs_[factor]) && Repeats(inputs_[shift])) {
    return Add({.a = a, .b = mean, .factor = factor, .shift = shift});
  }
  return Then(Pair::kAdd, Then(Pair::kMul, Then(Pair::kSub, a, mean), factor), shift);
}

RowProgram::Number RowProgram::Round(Dtype to, Number a) { return Add({.rounds_to = to, .a = a}); }

RowProgram::Number RowProgram::Quantize(Dtype to, Number a, float scale, float zero) {
  return Add({.rounds_to = to, .a = a, .alpha = scale, .beta = zero});
}

RowProgram::Number RowProgram::Dequantize(Number a, float scale, float zero) {
  return Then(Pair::kMul, zero == 0 ? a : Then(Pair::kSub, a, zero), scale);
}

bool RowProgram::Fits() const {
  return inputs_.size() <= kMaxInputs && steps_.size() <= kMaxSteps && tiles_ <= kTiles;
}

// Assigns tiles in the order of the steps; a tile is free again after its value is last read.
void RowProgram::GiveTiles() {
  std::vector<std::size_t> last_use(kResults + steps_.size(), 0);
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    for (const Number number : NumbersOf(steps_[i])) {
      if (number != kNoNumber) last_use[number] = i;
    }
  }
  tiles_ = 0;
  std::vector<std::size_t> free;
  const auto take = [&] {
    if (free.empty()) return tiles_++;
    const std::size_t tile = free.back();
    free.pop_back();
    return tile;
  };
  std::vector<bool> has(inputs_.size(), false);
  const auto need = [&](Number number) {
    if (number >= kResults || has[number] || Repeats(inputs_[number])) return;
    has[number] = true;
    inputs_[number].tile = take();
  };
  const auto leave = [&](Number number, std::size_t step) {
    if (number == kNoNumber || last_use[number] != step) return;
    last_use[number] = steps_.size();  // release it once only
    if (number < kResults && Repeats(inputs_[number])) return;
    free.push_back(number < kResults ? inputs_[number].tile : steps_[number - kResults].tile);
  };
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    Instruction& step = steps_[i];
    for (const Number number : NumbersOf(step)) need(number);
    for (const Number number : NumbersOf(step)) leave(number, i);
    step.tile = take();
  }
}

// Returns the end of the part that begins at `at`. Parts end where a long run of an operand ends.
std::size_t RowProgram::NextPart(std::size_t at, std::size_t end) const {
  std::size_t part = std::min(at + kRowTile, end);
  for (const Input& input : inputs_) {
    if (input.operand.IsWhole() || Repeats(input)) continue;
    const std::size_t run = input.operand.Run(at);
    if (run >= kShortRun && run < part - at) part = at + run;
  }
  return part;
}

// Finds the steps after `quantize` that read only its result, constants, and each other.
std::vector<bool> RowProgram::DependentSteps(std::size_t quantize) const {
  std::vector<bool> dependent(steps_.size(), false);
  dependent[quantize] = true;
  for (std::size_t i = quantize + 1; i < steps_.size(); ++i) {
    const auto numbers = NumbersOf(steps_[i]);
    const auto is_known = [&](Number number) {
      return number == kNoNumber ||
             (number < kResults ? inputs_[number].own != nullptr && inputs_[number].operand.IsOne()
                                : bool{dependent[number - kResults]});
    };
    dependent[i] = std::all_of(numbers.begin(), numbers.end(), is_known);
  }
  return dependent;
}

std::vector<float> RowProgram::ResultsOfBytes(std::size_t quantize, std::size_t last,
                                              const std::vector<bool>& dependent) const {
  std::uint8_t bytes[256];
  std::iota(std::begin(bytes), std::end(bytes), std::uint8_t{0});
  std::vector<std::vector<float>> results(steps_.size());
  results[quantize].resize(std::size(bytes));
  LoadRow(steps_[quantize].rounds_to, bytes, 0, std::size(bytes), results[quantize].data());
  const auto row = [&](Number number) -> Row {
    if (number == kNoNumber) return {};
    if (number < kResults) return {inputs_[number].own->data(), true};
    return {results[number - kResults].data(), false};
  };
  for (std::size_t i = quantize + 1; i <= last; ++i) {
    if (!dependent[i]) continue;
    const Instruction& step = steps_[i];
    results[i].resize(std::size(bytes));
    Compute(step, step.rounds_to, {row(step.a), row(step.b), row(step.factor), row(step.shift)},
            results[i].data(), std::size(bytes));
  }
  return std::move(results[last]);
}

// Returns whether only dependent steps up to `last` read `quantize` and the dependent steps before
// `last`.
bool RowProgram::IsClosed(std::size_t quantize, std::size_t last,
                          const std::vector<bool>& dependent) const {
  for (std::size_t i = quantize + 1; i < steps_.size(); ++i) {
    if (dependent[i] && i <= last) continue;
    for (const Number number : NumbersOf(steps_[i])) {
      const bool reads = number != kNoNumber && number >= kResults + quantize &&
                         number < kResults + last && dependent[number - kResults];
      if (reads) return false;
    }
  }
  return true;
}

// Replaces as many dependent steps as possible.
void RowProgram::FoldTable(std::size_t quantize) {
  const std::vector<bool> dependent = DependentSteps(quantize);
  std::size_t last = steps_.size() - 1;
  while (last > quantize && !(dependent[last] && IsClosed(quantize, last, dependent))) --last;
  std::size_t work = 0;
  for (std::size_t i = quantize + 1; i <= last; ++i) work += dependent[i] ? WorkOf(steps_[i]) : 0;
  if (work < kWorkOfFold) return;
  steps_[quantize].table =
      std::make_shared<const std::vector<float>>(ResultsOfBytes(quantize, last, dependent));
  std::vector<Number> renumbered(steps_.size());
  std::vector<Instruction> kept;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const bool folded = i > quantize && i <= last && dependent[i];
    renumbered[i] = kResults + (folded ? quantize : kept.size());
    if (folded) continue;
    Instruction step = steps_[i];
    for (Number* number : {&step.a, &step.b, &step.factor, &step.shift}) {
      if (*number != kNoNumber && *number >= kResults) *number = renumbered[*number - kResults];
    }
    kept.push_back(std::move(step));
  }
  steps_ = std::move(kept);
}

void RowProgram::FoldTables() {
  for (std::size_t i = 0; i + 1 < steps_.size(); ++i) {
    if (IsByte(steps_[i].rounds_to)) FoldTable(i);
  }
  GiveTiles();
}

// `to` may be the row of a or b.
void RowProgram::Compute(const Instruction& step, Dtype rounds_to, const Operands& operands,
                         float* to, std::size_t n) {
  const auto& [a, b, factor, shift] = operands;
  if (IsByte(step.rounds_to)) {
    std::uint8_t bytes[kRowTile];
    arithmetic::Rows().quantise(a.numbers, step.alpha, BytesOf(step.rounds_to, step.beta), bytes,
                                n);
    if (step.table == nullptr) {
      LoadRow(step.rounds_to, bytes, 0, n, to);
    } else {
      const float* results = step.table->data();
      for (std::size_t i = 0; i < n; ++i) to[i] = results[bytes[i]];
    }
    return;
  }
  if (step.pair) {
    const auto pair = static_cast<std::size_t>(*step.pair);
    const arithmetic::RowLoops& rows = arithmetic::Rows();
    const bool rounded = rounds_to != Dtype::kFloat32 && pair < std::size(rows.rounded_pairs[0]);
    const auto* loops =
        rounded ? rows.rounded_pairs[rounds_to == Dtype::kFloat16 ? 0 : 1][pair] : rows.pairs[pair];
    const bool number = step.b == kNoNumber;
    const int one = number ? 1 : n == 1 ? 0 : b.one ? 1 : a.one ? 2 : 0;
    loops[one](a.numbers, number ? &step.alpha : b.numbers, to, n);
    if (rounded) return;
  } else if (step.factor != kNoNumber) {
    arithmetic::Rows().affine(a.numbers, b.numbers, factor.numbers, shift.numbers, to, n);
  } else if (step.row != nullptr) {
    step.row(a.numbers, to, n, step.alpha, step.beta);
  } else if (a.numbers != to) {
    std::copy_n(a.numbers, n, to);
  }
  arithmetic::RoundTo(rounds_to, to, n);
}

void RowProgram::RunTile(const void* const* inputs, void* out, std::size_t at,
                         std::size_t n) const {
  float tiles[kTiles][kRowTile];
  Row loaded[kMaxInputs];
  Row made[kMaxSteps];
  const auto row = [&](Number number) -> Row {
    if (number == kNoNumber) return {};
    if (number >= kResults) return made[number - kResults];
    Row& found = loaded[number];
    const Input& input = inputs_[number];
    if (found.numbers == nullptr) {
      const void* data = input.own == nullptr ? inputs[input.input] : nullptr;
      found = Load(input, data, at, n, tiles[input.tile]);
    }
    return found;
  };
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Instruction& step = steps_[i];
    const bool is_last = i + 1 == steps_.size();
    const Operands operands = {row(step.a), row(step.b), row(step.factor), row(step.shift)};
    if (is_last && IsByte(result_.dtype) && step.table == nullptr) {
      arithmetic::Rows().quantise(operands[0].numbers, step.alpha,
                                  BytesOf(result_.dtype, step.beta),
                                  static_cast<std::uint8_t*>(out) + at, n);
      return;
    }
    float* to = is_last ? ResultRow(result_.dtype, out, at, tiles[step.tile]) : tiles[step.tile];
    const bool stores = is_last && step.rounds_to == result_.dtype;  // StoreRow rounds
    Compute(step, stores ? Dtype::kFloat32 : step.rounds_to, operands, to, n);
    if (is_last) StoreRow(result_.dtype, to, out, at, n);
    made[i] = {to, false};
  }
}

// Inputs of `next` are appended to these inputs, and its results to these results.
std::shared_ptr<const JoinableLaunch> RowProgram::Join(const JoinableLaunch& next, std::size_t,
                                                       const SourceOfInput& source) const {
  const auto& then = dynamic_cast<const RowProgram&>(next);
  if (then.result_.dimensions != result_.dimensions) return nullptr;
  auto joined = std::make_shared<RowProgram>(*this);
  joined->result_ = then.result_;
  if (result_.dtype != Dtype::kFloat32) joined->steps_.back().rounds_to = result_.dtype;
  const Number result = kResults + steps_.size() - 1;
  std::vector<Number> renumbered;
  for (Input input : then.inputs_) {
    const auto from = input.own == nullptr ? source(input.input) : kNoInput;
    if (!from) {
      if (!input.operand.IsWhole()) return nullptr;
      renumbered.push_back(result);
      continue;
    }
    input.input = *from;
    renumbered.push_back(joined->AddSame(input));
  }
  std::vector<Number> results;
  const auto number_of = [&](Number number) {
    if (number == kNoNumber) return number;
    return number >= kResults ? results[number - kResults] : renumbered[number];
  };
  const auto reads = [&](const Instruction& step, Number of) {
    return of < kResults && renumbered[of] == result && &step != &then.steps_[0];
  };
  const bool once = std::none_of(then.steps_.begin(), then.steps_.end(), [&](const auto& step) {
    return reads(step, step.a) || reads(step, step.b);
  });
  for (Instruction step : then.steps_) {
    step.a = number_of(step.a);
    step.b = number_of(step.b);
    step.factor = number_of(step.factor);
    step.shift = number_of(step.shift);
    if (once && joined->steps_.size() == steps_.size() && joined->RoundsLast(step)) {
      joined->steps_.back().rounds_to = step.rounds_to;
      results.push_back(result);
    } else {
      results.push_back(joined->Add(step));
    }
  }
  joined->GiveTiles();
  return joined->Fits() ? joined : nullptr;
}

// Allows it because only the last step writes, and only elements that it has read.
bool RowProgram::MayOverwrite(std::size_t input) const {
  return std::all_of(inputs_.begin(), inputs_.end(), [&](const Input& each) {
    return each.input != input || (each.operand.IsWhole() &&
                                   ElementSize(each.operand.dtype()) == ElementSize(result_.dtype));
  });
}

std::size_t RowProgram::WorkOf(const Instruction& step) {
  return step.row != nullptr || IsByte(step.rounds_to) ? kWorkOfRow : 1;
}

std::optional<RowProgram::Number> RowProgram::TableInput() const {
  std::optional<Number> only;
  for (Number i = 0; i < inputs_.size(); ++i) {
    const Input& input = inputs_[i];
    if (input.own != nullptr && input.operand.IsOne()) continue;
    if (only || !input.operand.IsWhole()) return {};
    only = i;
  }
  if (!only) return {};
  const std::size_t size = ElementSize(inputs_[*only].operand.dtype());
  if (size > 2 || (size == 2 && ElementSize(result_.dtype) != 2)) return {};
  if (Elements(result_.dimensions) < (size == 1 ? kByteTablePays : kTablePays)) return {};
  std::size_t work = 0;
  for (const Instruction& step : steps_) work += WorkOf(step);
  return work < kWorkOfTable ? std::nullopt : only;
}

Step RowProgram::FinishByTable(const std::shared_ptr<const RowProgram>& program, Number input) {
  const std::size_t place = program->inputs_[input].input;
  const std::size_t count = Elements(program->result_.dimensions);
  const std::size_t size = ElementSize(program->inputs_[input].operand.dtype());
  const std::size_t values = std::size_t{1} << (8 * size);
  const auto fill = [program, place, values](const void* in, void* results) {
    const std::vector<const void*> inputs(place + 1, in);
    for (std::size_t at = 0; at < values; at += kRowTile) {
      program->RunTile(inputs.data(), results, at, std::min(kRowTile, values - at));
    }
  };
  const auto table = std::make_shared<ValueTable>(size, ElementSize(program->result_.dtype), fill);
  return [table, place, count](const void* const* inputs, void* const* outputs, void*) {
    ForParts(count, kPartSize, [&](std::size_t begin, std::size_t end, std::size_t) {
      table->LookUp(inputs[place], outputs[0], begin, end);
    });
  };
}

Step RowProgram::Finish() const {
  const std::size_t count = Elements(result_.dimensions);
  const auto program = std::make_shared<RowProgram>(*this);
  if (const auto input = TableInput()) return FinishByTable(program, *input);
  program->FoldTables();
  return [program, count](const void* const* inputs, void* const* outputs, void*) {
    ForParts(count, kPartSize, [&](std::size_t begin, std::size_t end, std::size_t) {
      while (begin < end) {
        const std::size_t next = program->NextPart(begin, end);
        program->RunTile(inputs, outputs[0], begin, next - begin);
        begin = next;
      }
    });
  };
}

Prepared RowProgram::Prepare() const {
  auto launch = std::make_shared<RowProgram>(*this);
  launch->GiveTiles();
  if (!launch->Fits()) return Refuse("it has too many inputs");
  Prepared prepared;
  prepared.outputs = {result_};
  prepared.run = launch->Finish();
  prepared.launch = std::move(launch);
  return prepared;
}

}  // namespace opledger
