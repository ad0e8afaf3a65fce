// Calls on which fast kernels are compared with the reference: for every kernel, shapes that do and
// do not fill vectors, tiles and blocks, and all variants of a call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/kernel/fused_call.h"
#include "kernels/kernel/kernel.h"

namespace opledger {

// A call in float32, from which the test makes one of each type.
struct Case {
  std::string kernel;
  std::vector<std::optional<TensorType>> inputs;
  Parameters parameters;
  std::set<std::size_t> constants;  // inputs that are constant
  std::set<std::size_t> singles;    // inputs that stay float32
  bool specials = false;            // input 0 contains zeros, infinities and NaN
};

// Whether the kernel's fast versions read or write integers.
inline bool IsOfIntegers(std::string_view kernel) {
  const std::set<std::string_view> names = {"ConvInteger",    "DequantizeLinear",
                                            "MatMulInteger",  "DynamicQuantizeLinear",
                                            "QuantizeLinear", "Requantize"};
  return names.count(kernel) != 0;
}

inline TensorType Single(Dimensions dimensions) { return {Dtype::kFloat32, std::move(dimensions)}; }

inline const Dimensions kShapes[] = {{}, {1}, {31}, {2, 3, 5}, {4097}, {3, 33, 65}};

inline void AddElementwise(const std::string& kernel, std::vector<Case>& cases) {
  for (const Dimensions& shape : kShapes) cases.push_back({kernel, {Single(shape)}, {}, {}, {}});
}

inline void AddPairs(const std::string& kernel, std::vector<Case>& cases) {
  const std::pair<Dimensions, Dimensions> kPairs[] = {
      {{4, 33}, {4, 33}},    {{5000}, {}},         {{}, {70}},
      {{3, 40}, {40}},       {{2, 3, 40}, {3, 1}}, {{1, 9}, {7, 1}},
      {{2, 17, 3}, {17, 1}}, {{0, 4}, {4}}};
  for (const auto& [a, b] : kPairs) {
    cases.push_back({kernel, {Single(a), Single(b)}, {}, {}, {}});
    cases.push_back({kernel, {Single(b), Single(a)}, {}, {}, {}});
  }
}

inline void AddSoftmax(const std::string& kernel, std::vector<Case>& cases) {
  for (const auto& [shape, axes] :
       std::vector<std::pair<Dimensions, Integers>>{{{4, 7}, {1}},
                                                    {{3, 1000}, {1}},
                                                    {{2, 3, 4}, {1, 2}},
                                                    {{2, 3, 4}, {1}},
                                                    {{5, 1}, {1}},
                                                    {{2, 70, 300}, {1}},
                                                    {{3, 2, 40, 9}, {0, 2}},
                                                    {{3, 2, 40, 9}, {1, 3}}}) {
    Case each{kernel, {Single(shape)}, {}, {}, {}};
    each.parameters.Set("axes", axes);
    cases.push_back(each);
  }
}

inline void AddNormalise(std::vector<Case>& cases) {
  for (int operands = 0; operands < 3; ++operands) {
    for (const std::int64_t n : {5, 64, 300}) {
      Case each{"Normalise", {Single({3, 2, n})}, {}, {}, {}};
      if (operands > 0) each.inputs.push_back(Single({n}));
      if (operands > 1) each.inputs.push_back(Single({n}));
      each.parameters.Set("axes", Integers{2});
      each.parameters.Set("subtract_mean", std::int64_t{operands != 1});
      cases.push_back(each);
    }
  }
  Case square{"Normalise", {Single({4, 4}), Single({4, 1})}, {}, {}, {}};  // a column of scales
  square.parameters.Set("axes", Integers{1});
  cases.push_back(square);
  for (const bool groups : {false, true}) {  // by channels, and by channels of groups
    Case each{"Normalise", {Single({2, 6, 5, 70}), Single({6}), Single({6})}, {}, {}, {}};
    each.parameters.Set("axes", groups ? Integers{2, 3, 4} : Integers{2, 3});
    each.parameters.Set("operand", groups ? Integers{1, 3, 2, 1, 1} : Integers{1, 6, 1, 1});
    if (groups) each.parameters.Set("view", Integers{2, 3, 2, 5, 70});
    cases.push_back(each);
  }
}

inline void AddBatchNorm(std::vector<Case>& cases) {
  for (const std::int64_t channels : {1, 37, 3000}) {
    for (const bool last : {false, true}) {
      const Dimensions shape =
          last ? Dimensions{2, 20, 15, channels} : Dimensions{2, channels, 20, 15};
      Case each{"BatchNorm", {Single(shape)}, {}, {1, 2, 3, 4}, {}};
      for (int i = 0; i < 4; ++i) each.inputs.push_back(Single({channels}));
      each.parameters.Set("channels_last", std::int64_t{last});
      cases.push_back(each);
    }
  }
}

inline void AddPool(const std::string& kernel, std::vector<Case>& cases) {
  for (const std::int64_t channels : {1, 19, 64}) {
    for (const std::int64_t pads : {0, 1}) {
      Case each{kernel, {Single({2, 7, 6, channels})}, {}, {}, {}, pads == 1};
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
  // Over the whole image: more elements than are pooled at a time.
  Case whole{kernel, {Single({2, 33, 35, 21})}, {}, {}, {}, true};
  whole.parameters.Set("channels_last", std::int64_t{1});
  whole.parameters.Set("kernel", Integers{33, 35});
  cases.push_back(whole);
}

// Everything that can be fused to a contraction, each alone and all together.
inline void AddFused(const Case& plain, const TensorType& result, std::size_t channel,
                     std::vector<Case>& cases) {
  const std::int64_t channels = result.dimensions[channel];
  for (const char* activation : {"", "Relu", "LeakyRelu", "Clip", "Gelu", "HardSwish"}) {
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

inline void AddMatMul(std::vector<Case>& cases) {
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
  // Rows of the weights are whole pages.
  const Case pages{"MatMul", {Single({5, 17}), Single({17, 1024})}, {}, {1}, {}};
  AddFused(pages, Single({5, 1024}), 1, cases);
  Case open = plain;
  open.constants.clear();
  AddFused(open, Single({3, 5, 33}), 2, cases);
}

inline void AddGemm(std::vector<Case>& cases) {
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

// Few channels: several tiles, a width that matches no vector, one input channel, and depthwise.
inline void AddSmallGroups(std::vector<Case>& cases) {
  struct Groups {
    std::int64_t groups, inputs, outputs, columns;
  };
  for (const Groups& of :
       {Groups{24, 4, 4, 70}, {32, 2, 3, 9}, {9, 1, 2, 5}, {3, 8, 8, 11}, {40, 1, 1, 13}}) {
    Case each{"Conv",
              {Single({2, 5, of.columns, of.groups * of.inputs}),
               Single({of.groups * of.outputs, of.inputs, 3, 2})},
              {},
              {1},
              {}};
    each.parameters.Set("channels_last", std::int64_t{1});
    each.parameters.Set("kernel", Integers{3, 2});
    each.parameters.Set("strides", Integers{1, 2});
    each.parameters.Set("dilations", Integers{2, 1});
    each.parameters.Set("begin", Integers{2, 0});
    each.parameters.Set("end", Integers{1, 1});
    each.parameters.Set("groups", of.groups);
    cases.push_back(each);
    if (of.groups != 9) continue;
    each.constants.clear();
    const std::int64_t wide = (of.columns + 1 - 2) / 2 + 1;
    AddFused(each, Single({2, 4, wide, of.groups * of.outputs}), 3, cases);
  }
}

inline void AddConv(std::vector<Case>& cases) {
  AddSmallGroups(cases);
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
  wide.inputs = {Single({1, 4, 3, 19}), Single({19, 1, 3, 3})};
  wide.parameters.Set("groups", std::int64_t{19});
  AddFused(wide, Single({1, 4, 3, 19}), 3, cases);
  Case line{"Conv", {Single({1, 30, 5}), Single({7, 5, 3})}, {}, {1}, {}};
  line.parameters.Set("channels_last", std::int64_t{1});
  line.parameters.Set("kernel", Integers{3});
  cases.push_back(line);
  line.inputs = {Single({1, 16, 8}), Single({8, 8, 5})};  // pads of 4 and more
  line.parameters.Set("kernel", Integers{5});
  line.parameters.Set("dilations", Integers{2});
  line.parameters.Set("begin", Integers{4});
  line.parameters.Set("end", Integers{4});
  AddFused(line, Single({1, 16, 8}), 2, cases);
  Case column{"Conv", {Single({2, 30, 1, 5}), Single({7, 5, 3, 1})}, {}, {1}, {}};
  column.parameters.Set("channels_last", std::int64_t{1});
  column.parameters.Set("kernel", Integers{3, 1});
  column.parameters.Set("begin", Integers{2, 0});
  column.parameters.Set("strides", Integers{2, 3});
  AddFused(column, Single({2, 15, 1, 7}), 3, cases);
}

// Windows as large as their stride, larger, with pads that cut off phases, in one to three
// dimensions, in groups.
inline void AddConvTranspose(std::vector<Case>& cases) {
  struct Shape {
    Dimensions image;  // N, ..., C
    Dimensions weights;
    Integers strides;
    Integers begin;
    Integers output;
    std::int64_t groups;
  };
  for (const Shape& shape :
       std::vector<Shape>{{{2, 5, 6, 24}, {24, 17, 2, 2}, {2, 2}, {0, 0}, {10, 12}, 1},
                          {{1, 30, 70, 5}, {5, 1, 2, 2}, {2, 2}, {0, 0}, {60, 140}, 1},
                          {{1, 4, 3, 7}, {7, 5, 3, 4}, {2, 2}, {1, 1}, {7, 6}, 1},
                          {{1, 5, 4, 6}, {6, 9, 3, 3}, {1, 1}, {1, 0}, {5, 6}, 1},
                          {{2, 9, 8}, {8, 3, 5}, {3}, {4}, {25}, 1},
                          {{1, 3, 2, 3, 4}, {4, 6, 2, 3, 2}, {2, 1, 2}, {0, 1, 0}, {6, 3, 7}, 1},
                          {{1, 4, 4, 6}, {6, 4, 4, 4}, {2, 2}, {1, 1}, {9, 8}, 2}}) {
    Case plain{"ConvTranspose", {Single(shape.image), Single(shape.weights)}, {}, {1}, {}};
    plain.parameters.Set("channels_last", std::int64_t{1});
    plain.parameters.Set("groups", shape.groups);
    plain.parameters.Set("kernel", Integers(shape.weights.begin() + 2, shape.weights.end()));
    plain.parameters.Set("strides", shape.strides);
    plain.parameters.Set("begin", shape.begin);
    plain.parameters.Set("end", Integers(shape.begin.size(), 0));
    plain.parameters.Set("output", shape.output);
    cases.push_back(plain);
    Dimensions result = {shape.image[0]};
    result.insert(result.end(), shape.output.begin(), shape.output.end());
    result.push_back(shape.weights[1] * shape.groups);
    AddFused(plain, Single(result), result.size() - 1, cases);
  }
}

// One and both directions, few and many steps, with and without bias and states.
inline void AddAttention(std::vector<Case>& cases) {
  // Separate heads; heads in one row; fewer key heads, with a mask; with past rows.
  for (const int kind : {0, 1, 2, 3}) {
    Case each{"Attention", {}, {}, {}, {}};
    each.inputs = {Single({2, 4, 70, 9}), Single({2, 2, 37, 9}), Single({2, 2, 37, 5})};
    if (kind == 1) each.inputs = {Single({2, 7, 24}), Single({2, 11, 24}), Single({2, 11, 12})};
    if (kind == 1) each.parameters.Set("q_heads", std::int64_t{4});
    if (kind == 1) each.parameters.Set("kv_heads", std::int64_t{4});
    if (kind == 2) each.inputs.push_back(Single({1, 4, 70, 37}));
    if (kind == 2) each.parameters.Set("cap", 2.0);
    if (kind == 3) {
      each.inputs.insert(each.inputs.end(),
                         {std::nullopt, Single({2, 2, 3, 9}), Single({2, 2, 3, 5})});
      each.parameters.Set("scale", 0.2);
    }
    each.parameters.Set("causal", std::int64_t{kind % 2});
    each.specials = kind == 0;
    cases.push_back(each);
  }
}

inline void AddEinsum(std::vector<Case>& cases) {
  struct Product {
    const char* equation;
    Dimensions a;
    Dimensions b;
  };
  for (const Product& each :
       {Product{"ij,jk->ik", {5, 7}, {7, 9}},
        Product{"bhid,bhjd->bhij", {2, 3, 17, 8}, {2, 3, 19, 8}},
        Product{"ib,jbc->cij", {6, 4}, {3, 4, 5}}, Product{"ij,kl->ikjl", {2, 3}, {4, 5}},
        Product{"...ij,...jk", {2, 3, 4}, {2, 4, 6}}, Product{"abc,cab->ba", {3, 4, 5}, {5, 3, 4}},
        Product{"i,i->", {40}, {40}}, Product{"bij,bij->bij", {2, 3, 4}, {2, 3, 4}}}) {
    Case made{"Einsum", {Single(each.a), Single(each.b)}, {}, {}, {}};
    made.parameters.Set("equation", each.equation);
    cases.push_back(made);
    made.constants = {1};
    cases.push_back(made);
  }
}

inline void AddRecurrent(const std::string& kernel, std::vector<Case>& cases) {
  const std::int64_t gates = kernel == "Lstm" ? 4 : kernel == "Gru" ? 3 : 1;
  struct Shape {
    std::int64_t steps;
    std::int64_t batches;
    std::int64_t in;
    std::int64_t hidden;
    std::int64_t directions;
    bool batch_first;
    bool all;
  };
  for (const Shape& s : {Shape{1, 1, 17, 32, 1, false, true}, Shape{5, 3, 8, 13, 2, false, true},
                         Shape{70, 2, 3, 5, 1, true, false}, Shape{4, 1, 60, 40, 2, true, true}}) {
    const Dimensions state = s.batch_first ? Dimensions{s.batches, s.directions, s.hidden}
                                           : Dimensions{s.directions, s.batches, s.hidden};
    Case each{kernel, {}, {}, {1, 2}, {}};
    each.inputs = {Single(s.batch_first ? Dimensions{s.batches, s.steps, s.in}
                                        : Dimensions{s.steps, s.batches, s.in}),
                   Single({s.directions, gates * s.hidden, s.in}),
                   Single({s.directions, gates * s.hidden, s.hidden})};
    if (s.all) {
      each.inputs.insert(each.inputs.end(), {Single({s.directions, 2 * gates * s.hidden}),
                                             std::nullopt, Single(state)});
      if (kernel == "Lstm") each.inputs.push_back(Single(state));
    }
    each.parameters.Set("directions", s.directions);
    each.parameters.Set("batch_first", std::int64_t{s.batch_first});
    each.parameters.Set("backwards", std::int64_t{s.steps == 70});
    cases.push_back(each);
    if (kernel == "Rnn") each.parameters.Set("function", "relu");
    if (kernel == "Gru") each.parameters.Set("reset_after", std::int64_t{1});
    if (kernel != "Lstm") cases.push_back(each);
  }
}

inline void AddLocalResponse(std::vector<Case>& cases) {
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

inline void AddReduce(const std::string& kernel, std::vector<Case>& cases) {
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
    each.specials = true;
    cases.push_back(each);
  }
}

inline void AddTranspose(std::vector<Case>& cases) {
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

inline void AddSlice(std::vector<Case>& cases) {
  for (const std::int64_t step : {1, 2, -1}) {
    Case each{"Slice", {Single({5, 6, 40})}, {}, {}, {}};
    each.parameters.Set("starts", Integers{1, 2, step < 0 ? 39 : 3});
    each.parameters.Set("steps", Integers{1, 3, step});
    each.parameters.Set("shape", Integers{3, 2, 17});
    cases.push_back(each);
  }
}

inline void AddExpand(std::vector<Case>& cases) {
  for (const auto& [shape, to] : std::vector<std::pair<Dimensions, Integers>>{
           {{3, 1}, {3, 40}}, {{40}, {3, 2, 40}}, {{2, 1, 5}, {4, 2, 3, 5}}, {{}, {7, 3}}}) {
    Case each{"Expand", {Single(shape)}, {}, {}, {}};
    each.parameters.Set("shape", to);
    cases.push_back(each);
  }
}

// With default and other parameters, and special values.
inline void AddActivation(const std::string& kernel, std::vector<Case>& cases) {
  for (const bool own : {true, false}) {
    Case each{kernel, {Single({3, 33, 65})}, {}, {}, {}, true};
    if (!own) each.parameters.Set("alpha", 0.375);
    if (!own) each.parameters.Set("beta", 0.25);
    cases.push_back(each);
  }
}

inline void AddClip(std::vector<Case>& cases) {
  Case each{"Clip", {Single({3, 33, 65})}, {}, {}, {}, true};
  cases.push_back(each);
  each.parameters.Set("min", 0.0);
  cases.push_back(each);
  each.parameters.Set("max", 0.7);
  cases.push_back(each);
  for (const bool upper : {false, true}) {
    each.inputs.resize(3);
    each.inputs[upper ? 2 : 1] = Single({});
    cases.push_back(each);
  }
}

inline void AddCast(std::vector<Case>& cases) {
  for (const Dtype to : {Dtype::kFloat32, Dtype::kFloat16, Dtype::kBfloat16}) {
    Case each{"Cast", {Single({3, 33, 65})}, {}, {}, {}, true};
    each.parameters.Set("to", DtypeName(to));
    cases.push_back(each);
  }
}

inline void AddVariadic(const std::string& kernel, std::vector<Case>& cases) {
  for (const Dimensions& shape : kShapes) {
    cases.push_back({kernel, {Single(shape)}, {}, {}, {}});
    cases.push_back({kernel, {Single(shape), Single(shape), Single(shape)}, {}, {}, {}});
  }
}

inline std::vector<Case> CasesOf(const std::string& kernel) {
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
  } else if (kernel == "ConvTranspose") {
    AddConvTranspose(cases);
  } else if (kernel == "Attention") {
    AddAttention(cases);
  } else if (kernel == "Einsum") {
    AddEinsum(cases);
  } else if (kernel == "Lstm" || kernel == "Gru" || kernel == "Rnn") {
    AddRecurrent(kernel, cases);
  } else if (kernel == "LocalResponseNorm") {
    AddLocalResponse(cases);
  } else if (kernel.starts_with("Reduce")) {
    AddReduce(kernel, cases);
  } else if (kernel == "LeakyRelu" || kernel == "HardSigmoid" || kernel == "HardSwish" ||
             kernel == "Silu" || kernel == "Relu") {
    AddActivation(kernel, cases);
  } else if (kernel == "Clip") {
    AddClip(cases);
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

}  // namespace opledger
