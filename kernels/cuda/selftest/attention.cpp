// Checks attention against float64, with a bound on the error of scores and sums in float32, and
// rotations of queries and keys bit by bit.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/cuda/selftest/selftest.h"

namespace opledger::cuda::selftest {
namespace {

enum class Mask { kNone, kBool, kNumbers };

struct AttentionCase {
  const char* name;
  std::int64_t batches;
  std::int64_t q_heads;
  std::int64_t kv_heads;
  std::int64_t q_rows;
  std::int64_t columns;
  std::int64_t past;
  std::int64_t head;
  std::int64_t value;
  bool causal = false;
  float cap = 0;
  std::int64_t left = -1;
  std::int64_t right = -1;
  Mask mask = Mask::kNone;
  bool has_valid = false;
  bool bad_values = false;  // infinite where the mask hides them
};

constexpr AttentionCase kCases[] = {
    {"plain", 2, 3, 3, 70, 90, 0, 40, 40},
    {"causal", 1, 2, 2, 130, 130, 0, 64, 64, true},
    {"groups of heads", 2, 6, 2, 20, 33, 13, 32, 48, true},
    {"a wide head", 1, 1, 1, 17, 70, 0, 160, 200},
    {"an odd width", 1, 2, 1, 16, 40, 0, 37, 35},
    {"capped", 1, 2, 2, 65, 65, 0, 64, 128, true, 5},
    {"a window", 1, 2, 2, 150, 150, 0, 32, 32, true, 0, 20},
    {"both sides", 1, 2, 2, 100, 100, 0, 32, 32, false, 0, 11, 7},
    {"a mask of bools", 2, 2, 2, 70, 80, 0, 32, 32, false, 0, -1, -1, Mask::kBool, false, true},
    {"a mask of numbers", 2, 2, 2, 70, 80, 0, 32, 32, false, 0, -1, -1, Mask::kNumbers},
    {"counted columns", 3, 2, 2, 18, 90, 0, 32, 32, true, 0, -1, -1, Mask::kNone, true},
    {"one row", 2, 8, 2, 1, 300, 299, 128, 128, true},
    {"one row of an odd width", 1, 2, 2, 1, 77, 0, 37, 35},
    {"few rows", 1, 4, 4, 5, 200, 195, 256, 256, true, 8},
    {"few rows, masked", 2, 4, 2, 3, 50, 0, 64, 64, false, 0, -1, -1, Mask::kBool, false, true},
    {"few rows, a window", 1, 2, 2, 4, 90, 86, 64, 64, true, 0, 30, -1, Mask::kNumbers}};

// The inputs of a case.
struct AttentionData {
  std::vector<float> q, k, v;
  std::vector<std::uint8_t> hides;  // for each row and column of a batch: whether the mask hides it
  std::vector<float> mask;
  std::vector<std::int64_t> valid;
};

std::vector<float> Random(Session& session, ElementType type, std::int64_t count) {
  std::vector<float> numbers;
  for (std::int64_t i = 0; i < count; ++i) {
    numbers.push_back(Rounded(type, session.RandomNormal()));
  }
  return numbers;
}

AttentionData DataOf(Session& session, ElementType type, const AttentionCase& of) {
  AttentionData data;
  data.q = Random(session, type, of.batches * of.q_heads * of.q_rows * of.head);
  data.k = Random(session, type, of.batches * of.kv_heads * of.columns * of.head);
  data.v = Random(session, type, of.batches * of.kv_heads * of.columns * of.value);
  const std::int64_t bad = of.columns / 2;  // masked in every row
  for (std::int64_t i = 0; i < of.batches * of.q_rows * of.columns; ++i) {
    const bool row_is_hidden = i / of.columns % of.q_rows == 2;
    data.hides.push_back(session.Random() % 3 == 0 || row_is_hidden || i % of.columns == bad);
    const float number = Rounded(type, session.RandomNormal());
    data.mask.push_back(data.hides.back() != 0 ? -std::numeric_limits<float>::infinity() : number);
  }
  for (std::int64_t b = 0; b < of.batches; ++b) data.valid.push_back(of.columns - 7 * b - 1);
  for (std::int64_t row = 0; of.bad_values && row < of.batches * of.kv_heads; ++row) {
    data.v[static_cast<std::size_t>((row * of.columns + bad) * of.value)] = INFINITY;
  }
  return data;
}

// Returns whether a row does not see a column.
bool IsHidden(const AttentionCase& of, const AttentionData& data, std::int64_t batch,
              std::int64_t row, std::int64_t column) {
  std::int64_t place = row + of.past;
  if (of.has_valid) {
    const std::int64_t valid = data.valid[static_cast<std::size_t>(batch)];
    if (column >= valid) return true;
    place = row + valid - of.q_rows;
  }
  if ((of.causal && column > place) || (of.left >= 0 && place - column > of.left) ||
      (of.right >= 0 && column - place > of.right)) {
    return true;
  }
  return of.mask != Mask::kNone &&
         data.hides[static_cast<std::size_t>((batch * of.q_rows + row) * of.columns + column)] != 0;
}

// The scores of a row in float64, and the error that float32 may have in any of them.
struct RowScores {
  std::vector<double> score;  // -infinity: hidden
  double max = -std::numeric_limits<double>::infinity();
  double error = 0;
};

RowScores ScoresOf(const AttentionCase& of, const AttentionData& data, std::int64_t batch,
                   std::int64_t head, std::int64_t row) {
  RowScores row_scores;
  const std::int64_t group = head / (of.q_heads / of.kv_heads);
  const float* q = data.q.data() + ((batch * of.q_heads + head) * of.q_rows + row) * of.head;
  for (std::int64_t j = 0; j < of.columns; ++j) {
    row_scores.score.push_back(-std::numeric_limits<double>::infinity());
    if (IsHidden(of, data, batch, row, j)) continue;
    const float* k = data.k.data() + ((batch * of.kv_heads + group) * of.columns + j) * of.head;
    double sum = 0;
    double magnitude = 0;
    for (std::int64_t d = 0; d < of.head; ++d) {
      sum += double{q[d]} * double{k[d]};
      magnitude += std::fabs(double{q[d]} * double{k[d]});
    }
    const double scale = 1 / std::sqrt(static_cast<double>(of.head));
    double score = sum * scale;
    if (of.cap > 0) score = std::tanh(score / double{of.cap}) * double{of.cap};
    if (of.mask == Mask::kNumbers) {
      score +=
          double{data.mask[static_cast<std::size_t>((batch * of.q_rows + row) * of.columns + j)]};
    }
    row_scores.score.back() = score;
    row_scores.max = std::max(row_scores.max, score);
    row_scores.error =
        std::max(row_scores.error,
                 (static_cast<double>(of.head + 8) * magnitude * scale + 8 * std::fabs(score) + 8) *
                     0x1p-24);
  }
  return row_scores;
}

// Compares a row of the result. The first element with too large an error is the problem.
void CompareRow(const AttentionCase& of, const AttentionData& data, ElementType type,
                std::int64_t batch, std::int64_t head, const RowScores& row, const float* given,
                std::string& problem) {
  const std::int64_t group = head / (of.q_heads / of.kv_heads);
  const float* v = data.v.data() + (batch * of.kv_heads + group) * of.columns * of.value;
  for (std::int64_t d = 0; d < of.value && problem.empty(); ++d) {
    double all = 0;
    double sum = 0;
    double magnitude = 0;
    for (std::size_t j = 0; j < row.score.size(); ++j) {
      const double power = std::exp(row.score[j] - row.max);
      if (!(power > 0)) continue;  // the column is hidden, or all are
      const double number = double{v[static_cast<std::int64_t>(j) * of.value + d]};
      all += power;
      sum += power * number;
      magnitude += power * std::fabs(number);
    }
    const double exact = all == 0 ? 0 : sum / all;
    const double off = std::fabs(double{given[d]} - exact);
    const double bound = (2 * row.error + static_cast<double>(of.columns + 32) * 0x1p-24) *
                             (all == 0 ? 0 : magnitude / all) * 2 +
                         HalfUnit(type, exact) * 1.01;
    if (off <= bound) continue;
    problem = "element " + std::to_string(d) + " of head " + std::to_string(head) + " is " +
              std::to_string(given[d]) + ", not " + std::to_string(exact) + ": error " +
              std::to_string(off) + ", bound " + std::to_string(bound);
  }
}

// Strides of a dense tensor with batch, head, row, element.
HeadSteps DenseSteps(std::int64_t heads, std::int64_t rows, std::int64_t width) {
  return {heads * rows * width, rows * width, width};
}

void CheckCase(Session& session, ElementType type, const AttentionCase& of) {
  const AttentionData data = DataOf(session, type, of);
  const Buffer q(session, Stored(type, data.q));
  const Buffer k(session, Stored(type, data.k));
  const Buffer v(session, Stored(type, data.v));
  std::vector<std::uint8_t> shows;
  for (const std::uint8_t hides : data.hides) shows.push_back(hides != 0 ? 0 : 1);
  const Buffer bools(session, shows);
  const Buffer numbers(session, Stored(type, data.mask));
  const Buffer valid(session, data.valid);
  const std::int64_t rows = of.batches * of.q_heads * of.q_rows;
  const std::size_t bytes = static_cast<std::size_t>(rows * of.value) * SizeOf(type);
  const Buffer out(session, bytes);
  AttentionCall call = {};
  call.type = type;
  call.mask_is_bool = of.mask == Mask::kBool ? 1 : 0;
  call.causal = of.causal ? 1 : 0;
  call.scale = static_cast<float>(std::pow(static_cast<double>(of.head), -0.25));
  call.cap = of.cap;
  call.q = q.data();
  call.k = k.data();
  call.v = v.data();
  if (of.mask != Mask::kNone) call.mask = of.mask == Mask::kBool ? bools.data() : numbers.data();
  if (of.has_valid) call.valid = static_cast<const std::int64_t*>(valid.data());
  call.out = out.data();
  call.q_steps = DenseSteps(of.q_heads, of.q_rows, of.head);
  call.k_steps = DenseSteps(of.kv_heads, of.columns, of.head);
  call.v_steps = DenseSteps(of.kv_heads, of.columns, of.value);
  call.out_steps = DenseSteps(of.q_heads, of.q_rows, of.value);
  call.batches = of.batches;
  call.q_heads = of.q_heads;
  call.kv_heads = of.kv_heads;
  call.q_rows = of.q_rows;
  call.past = of.past;
  call.columns = of.columns;
  call.head = of.head;
  call.value = of.value;
  call.mask_steps[0] = of.q_rows * of.columns;
  call.mask_steps[2] = of.columns;
  call.mask_columns = of.columns;
  call.left = of.left;
  call.right = of.right;
  session.Must(session.module->attend(&call));
  const auto given = Loaded(type, out.Read<std::byte>(bytes));
  Check check{std::string("attention, ") + of.name + ", " + NameOf(type), given.size(), ""};
  for (std::int64_t i = 0; i < rows && check.problem.empty(); ++i) {
    const std::int64_t head = i / of.q_rows % of.q_heads;
    const std::int64_t batch = i / of.q_rows / of.q_heads;
    CompareRow(of, data, type, batch, head, ScoresOf(of, data, batch, head, i % of.q_rows),
               given.data() + i * of.value, check.problem);
  }
  session.checks.push_back(check);
}

struct RotaryCase {
  bool heads_first;
  bool interleaved;
  bool has_positions;
  std::int64_t pairs;
};

void CheckRotation(Session& session, ElementType type, const RotaryCase& of) {
  constexpr std::int64_t kBatches = 2;
  constexpr std::int64_t kHeads = 3;
  constexpr std::int64_t kRows = 5;
  constexpr std::int64_t kWidth = 16;
  const std::int64_t tables = of.has_positions ? 40 : kBatches * kRows;
  const auto numbers = Random(session, type, kBatches * kHeads * kRows * kWidth);
  const auto cosines = Random(session, type, tables * of.pairs);
  const auto sines = Random(session, type, tables * of.pairs);
  std::vector<std::int64_t> positions;
  for (std::int64_t i = 0; i < kBatches * kRows; ++i) positions.push_back(session.Random() % 40);
  positions[1] = -1;  // the last position
  positions[2] = 40;  // outside the tables
  const Buffer in(session, Stored(type, numbers));
  const Buffer by_cosines(session, Stored(type, cosines));
  const Buffer by_sines(session, Stored(type, sines));
  const Buffer at(session, positions);
  const Buffer out(session, numbers.size() * SizeOf(type));
  const RotaryCall call{type,
                        of.heads_first ? 1 : 0,
                        of.interleaved ? 1 : 0,
                        in.data(),
                        by_cosines.data(),
                        by_sines.data(),
                        of.has_positions ? static_cast<std::int64_t*>(at.data()) : nullptr,
                        out.data(),
                        kBatches,
                        kHeads,
                        kRows,
                        kWidth,
                        of.pairs,
                        tables};
  session.Must(session.module->rotate(&call));
  std::vector<float> expected = numbers;
  for (std::int64_t i = 0; i < kBatches * kHeads * kRows * of.pairs; ++i) {
    const std::int64_t head = i / of.pairs;
    const std::int64_t pair = i % of.pairs;
    const std::int64_t batch = head / (kHeads * kRows);
    const std::int64_t row =
        batch * kRows + (of.heads_first ? head % kRows : head / kHeads % kRows);
    std::int64_t table = of.has_positions ? positions[static_cast<std::size_t>(row)] : row;
    if (table < 0) table += tables;
    if (table >= tables) continue;
    const auto a = static_cast<std::size_t>(head * kWidth + (of.interleaved ? 2 * pair : pair));
    const auto b = of.interleaved ? a + 1 : a + static_cast<std::size_t>(of.pairs);
    const auto angle = static_cast<std::size_t>(table * of.pairs + pair);
    expected[a] = Rounded(type, cosines[angle] * numbers[a] - sines[angle] * numbers[b]);
    expected[b] = Rounded(type, sines[angle] * numbers[a] + cosines[angle] * numbers[b]);
  }
  CompareBits(session, std::string("rotation ") + NameOf(type),
              Loaded(type, out.Read<std::byte>(numbers.size() * SizeOf(type))), expected);
}

}  // namespace

void CheckAttention(Session& session) {
  for (const ElementType type : kTypes) {
    for (const AttentionCase& of : kCases) CheckCase(session, type, of);
    for (const bool heads_first : {true, false}) {
      for (const bool interleaved : {true, false}) {
        CheckRotation(session, type, {heads_first, interleaved, false, 8});
        CheckRotation(session, type, {heads_first, interleaved, true, 5});
      }
    }
  }
}

}  // namespace opledger::cuda::selftest
