// Tensors filled by a rule: one element set per row (OneHot), a diagonal (EyeLike), elements at
// constant indices along an axis (Take), a mask (Dropout).
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <string>

#include "kernels/cpu/formulas/types.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

// Inputs: indices, values (off, on). Parameters: axis of the output, depth.
Prepared PrepareOneHot(const Call& call) {
  const std::int64_t axis = call.parameters.Integer("axis", 0);
  const std::int64_t depth = call.parameters.Integer("depth", 0);
  const Dimensions& indices = call.Shape(0);
  if (!call.Has(1) || Elements(call.Shape(1)) != 2) return Refuse("it does not have two values");
  if (axis < 0 || axis > static_cast<std::int64_t>(indices.size()) || depth < 0) {
    return Refuse("its axis or depth is out of range");
  }
  Dimensions shape = indices;
  shape.insert(shape.begin() + axis, depth);
  const std::size_t inner = Elements(Dimensions(indices.begin() + axis, indices.end()));
  const std::size_t outer = Elements(Dimensions(indices.begin(), indices.begin() + axis));
  Prepared prepared;
  prepared.outputs = {{call.Input(1).dtype, shape}};
  WithNumber(call.Input(0).dtype, [&]<typename I>(I*) {
    WithSize(ElementSize(call.Input(1).dtype), [&]<typename T>(T*) {
      prepared.run = [=](const void* const* inputs, void* const* outputs, void*) {
        const auto* index = static_cast<const I*>(inputs[0]);
        const auto* values = static_cast<const T*>(inputs[1]);
        auto* out = static_cast<T*>(outputs[0]);
        for (std::size_t i = 0; i < outer * static_cast<std::size_t>(depth) * inner; ++i) {
          out[i] = values[0];
        }
        for (std::size_t i = 0; i < outer * inner; ++i) {
          const auto wide = static_cast<double>(Load(index[i]));
          if (!(wide >= -static_cast<double>(depth) && wide < static_cast<double>(depth))) continue;
          const auto whole = static_cast<std::int64_t>(wide);
          const std::int64_t at = whole < 0 ? whole + depth : whole;
          const std::size_t row = i / inner * static_cast<std::size_t>(depth);
          out[(row + static_cast<std::size_t>(at)) * inner + i % inner] = values[1];
        }
      };
    });
  });
  return prepared;
}

// Input: x, of which only the shape is used. Parameters: diagonal: 0 is the main one; to: the
// output's type.
Prepared PrepareEyeLike(const Call& call) {
  const auto to = ParseDtype(call.parameters.Word("to", ""));
  if (!to || call.Input(0).Rank() != 2) return Refuse("its input is not a matrix");
  const std::int64_t diagonal = call.parameters.Integer("diagonal", 0);
  const Dimensions shape = call.Shape(0);
  Prepared prepared;
  prepared.outputs = {{*to, shape}};
  prepared.unread_inputs = {0};
  const auto use = [&]<typename T>(T*) {
    T one;
    Store(one, static_cast<Computed<T>>(1));
    prepared.run = [=](const void* const*, void* const* outputs, void*) {
      auto* out = static_cast<T*>(outputs[0]);
      std::memset(static_cast<void*>(out), 0, Elements(shape) * sizeof(T));
      for (std::int64_t row = 0; row < shape[0]; ++row) {
        std::int64_t column = 0;
        if (__builtin_add_overflow(row, diagonal, &column)) continue;
        if (column >= 0 && column < shape[1]) out[row * shape[1] + column] = one;
      }
    };
  };
  if (*to == Dtype::kBool) {
    use(static_cast<std::uint8_t*>(nullptr));
  } else {
    WithNumber(*to, use);
  }
  if (!prepared.run) return Refuse(std::string("its output would be ") + DtypeName(*to));
  return prepared;
}

// Input: x. Parameters: axis; indices, each within the axis; flat: takes from x as one dimension.
Prepared PrepareTake(const Call& call) {
  const std::int64_t axis = call.parameters.Integer("axis", 0);
  const Integers indices = call.parameters.List("indices");
  Dimensions shape = call.Shape(0);
  if (call.parameters.Integer("flat", 0) != 0) {
    shape = {static_cast<std::int64_t>(Elements(shape))};
  }
  if (axis < 0 || axis >= static_cast<std::int64_t>(shape.size()))
    return Refuse("its axis is out of range");
  const std::int64_t size = shape[axis];
  for (const std::int64_t index : indices) {
    if (index < 0 || index >= size) return Refuse("its indices are out of range");
  }
  const std::size_t block = Elements(Dimensions(shape.begin() + axis + 1, shape.end())) *
                            ElementSize(call.Input(0).dtype);
  const std::size_t outer = Elements(Dimensions(shape.begin(), shape.begin() + axis));
  shape[axis] = static_cast<std::int64_t>(indices.size());
  Prepared prepared;
  prepared.outputs = {{call.Input(0).dtype, shape}};
  prepared.run = [=](const void* const* inputs, void* const* outputs, void*) {
    auto* out = static_cast<std::byte*>(outputs[0]);
    for (std::size_t i = 0; block > 0 && i < outer; ++i) {
      const auto* in =
          static_cast<const std::byte*>(inputs[0]) + i * static_cast<std::size_t>(size) * block;
      for (const std::int64_t index : indices) {
        std::memcpy(out, in + static_cast<std::size_t>(index) * block, block);
        out += block;
      }
    }
  };
  return prepared;
}

// Input: x. Parameter: mask: its type. Drops nothing: the outputs are x and a mask of ones.
Prepared PrepareDropout(const Call& call) {
  const auto mask = ParseDtype(call.parameters.Word("mask", "bool"));
  if (!mask) return Refuse("its mask's type is unknown");
  Prepared prepared;
  prepared.outputs = {call.Input(0), {*mask, call.Shape(0)}};
  const std::size_t bytes = Bytes(call.Input(0));
  const std::size_t count = Elements(call.Shape(0));
  const auto use = [&]<typename T>(T*) {
    T one;
    Store(one, static_cast<Computed<T>>(1));
    prepared.run = [=](const void* const* inputs, void* const* outputs, void*) {
      if (outputs[0] != nullptr && bytes > 0) std::memcpy(outputs[0], inputs[0], bytes);
      if (outputs[1] != nullptr) std::fill_n(static_cast<T*>(outputs[1]), count, one);
    };
  };
  if (*mask == Dtype::kBool) {
    use(static_cast<std::uint8_t*>(nullptr));
  } else {
    WithNumber(*mask, use);
  }
  if (!prepared.run) return Refuse("its mask's type is not supported");
  return prepared;
}

OPLEDGER_KERNEL(OneHot, "cpu")
    .Types("indices", OPLEDGER_NUMBERS)
    .Types("T", OPLEDGER_ANY, 1)
    .ErrorBound("exact")
    .Reads("axis")
    .Reads("depth")
    .Run(&PrepareOneHot);
OPLEDGER_KERNEL(EyeLike, "cpu")
    .Types("T", OPLEDGER_ANY)
    .ErrorBound("exact")
    .Reads("to")
    .Reads("diagonal")
    .Run(&PrepareEyeLike);
OPLEDGER_KERNEL(Dropout, "cpu")
    .Types("T", OPLEDGER_FLOATS)
    .ErrorBound("exact")
    .Reads("mask")
    .Run(&PrepareDropout);
OPLEDGER_KERNEL(Take, "cpu")
    .Types("T", OPLEDGER_ANY)
    .ErrorBound("exact")
    .Reads("axis")
    .Reads("indices")
    .Reads("flat")
    .Run(&PrepareTake);

}  // namespace
}  // namespace opledger
