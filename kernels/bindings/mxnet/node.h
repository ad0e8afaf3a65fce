// A node of an MXNet model while it is bound: its attributes, which are texts, and its inputs.
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

  // Attributes; what is "None" is absent.
  std::int64_t Integer(std::string_view name, std::int64_t absent) const;
  double Number(std::string_view name, double absent) const;
  bool Flag(std::string_view name, bool absent) const;  // "True", "true", "1"
  // "(2, 3)", "[2L, 3L]", "2"; a "None" among them is none. Without the attribute: no list.
  using OptionalIntegers = std::vector<std::optional<std::int64_t>>;
  std::optional<OptionalIntegers> OptionalList(std::string_view name) const;
  // The same, of numbers alone: what is none counts as 0.
  Integers List(std::string_view name, const Integers& absent = {}) const;
  // The element type that an attribute names; none: another, or none is said.
  std::optional<Dtype> Type(std::string_view name) const;

  // Counted from the end where it is negative. None: the input has no such dimension.
  std::optional<std::int64_t> Axis(std::string_view name, std::int64_t absent,
                                   std::size_t input = 0) const;
};

// One operator of MXNet, by its primary name: how its nodes are bound, and how many inputs it needs
// at least.
struct MxnetBinding {
  std::string_view op;
  LoweredNode (*bind)(const MxnetNode& node);
  std::size_t inputs = 1;
};

// The first input under another shape; or as it is.
LoweredNode BindMxnetReshape(const MxnetNode& node, Dimensions shape);
LoweredNode BindMxnetIdentity(const MxnetNode& node);

// The product of dimensions [begin, end).
std::int64_t ProductOf(const Dimensions& shape, std::size_t begin, std::size_t end);

// Of an operator that no table has, and that means what an element-wise kernel does
// (MeaningOfMxnet). nullptr: it is none.
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
