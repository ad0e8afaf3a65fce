// A node of an MXNet model at binding: its attributes, which are strings, and its inputs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/bindings/bindings.h"
#include "kernels/bindings/call_chain.h"

namespace opledger {

class MxnetNode : public FrameworkNode {
 public:
  using FrameworkNode::FrameworkNode;

  // Attributes; "None" counts as absent.
  std::int64_t Integer(std::string_view name, std::int64_t absent) const;
  double Number(std::string_view name, double absent) const;
  bool Flag(std::string_view name, bool absent) const;  // "True", "true", "1"
  // Parses "(2, 3)", "[2L, 3L]", "2"; "None" elements are nullopt. Returns nullopt if it is absent.
  using OptionalIntegers = std::vector<std::optional<std::int64_t>>;
  std::optional<OptionalIntegers> OptionalList(std::string_view name) const;
  // The same as integers; "None" elements are 0.
  Integers List(std::string_view name, const Integers& absent = {}) const;
  // Returns the element type that an attribute names, or nullopt if it is absent or unknown.
  std::optional<Dtype> Type(std::string_view name) const;

  // Adds the rank to a negative axis. Returns nullopt if the input has no such axis.
  std::optional<std::int64_t> Axis(std::string_view name, std::int64_t absent,
                                   std::size_t input = 0) const;
};

// An operator of MXNet, by its primary name: the function that binds its nodes, and the minimum
// number of inputs.
struct MxnetBinding {
  std::string_view op;
  LoweredNode (*bind)(const MxnetNode& node);
  std::size_t inputs = 1;
};

// The first input in another shape; and unchanged.
LoweredNode BindMxnetReshape(const MxnetNode& node, Dimensions shape);
LoweredNode BindMxnetIdentity(const MxnetNode& node);

// Returns the product of dimensions [begin, end).
std::int64_t ProductOf(const Dimensions& shape, std::size_t begin, std::size_t end);

// Finds the binding of an operator that is in no table but has the meaning of an element-wise
// kernel (MeaningOfMxnet). Returns nullptr if there is none.
const MxnetBinding* FindByMeaning(std::string_view op);

// Tables of the files of this folder.
const std::vector<MxnetBinding>& MxnetElementwise();
const std::vector<MxnetBinding>& MxnetBinary();
const std::vector<MxnetBinding>& MxnetMoves();
const std::vector<MxnetBinding>& MxnetShapes();
const std::vector<MxnetBinding>& MxnetContractions();
const std::vector<MxnetBinding>& MxnetAttention();
const std::vector<MxnetBinding>& MxnetReductions();
const std::vector<MxnetBinding>& MxnetNormalisations();
const std::vector<MxnetBinding>& MxnetSpatial();
const std::vector<MxnetBinding>& MxnetIndexing();
const std::vector<MxnetBinding>& MxnetFills();
const std::vector<MxnetBinding>& MxnetRecurrent();
const std::vector<MxnetBinding>& MxnetAmp();
const std::vector<MxnetBinding>& MxnetRegions();

}  // namespace opledger
